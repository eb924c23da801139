#include "scenes/moments/signal_and_noise/model_report.h"

#include <cmath>

#include "scene/filled_report.h"
#include "scenes/moments/signal_and_noise/effect.h"

namespace kappaflow::signal_and_noise {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

Axis inputAxis(const ScalarGrid& grid) {
    Axis axis{"input", {}, {}};
    for (Size i = 0; i < grid.size(); i += kStride) axis.values.push_back(grid.x[i]);
    return axis;
}

double decibels(double ratio) { return 10 * std::log10(ratio); }

void addCurves(FilledReport& r, const Setup& s, const Results& results) {
    const Axis inputs = inputAxis(results.grid);
    const LayerResult& last = results.layers.back();
    Vector rescaled, density;
    for (const double x : inputs.values) {
        rescaled.push_back(last.sensitivity.rescaling * x);
        density.push_back(s.mixture.density(x));
    }
    r.add("curve", {inputs}, last.curve);
    r.add("rescaling", {inputs}, std::move(rescaled));
    r.add("densityIn", {inputs}, std::move(density));
    r.add("noiseFirstOrder", {inputs}, last.firstOrder);
    r.add("noiseActual", {inputs}, last.actual);
}

void addLayers(FilledReport& r, const Results& results) {
    Vector curves, firstOrder, actual, outputs, densities, rescaling, flat, chi, chords, chiActual;
    const auto append = [](Vector& all, const Vector& row) { all.insert(all.end(), row.begin(), row.end()); };
    for (const LayerResult& layer : results.layers) {
        append(curves, layer.curve), append(firstOrder, layer.firstOrder), append(actual, layer.actual);
        append(outputs, layer.out.at), append(densities, layer.out.density);
        rescaling.push_back(layer.sensitivity.rescaling), flat.push_back(layer.out.flat);
        chi.push_back(layer.chi()), chords.push_back(layer.chiFromJacobian), chiActual.push_back(layer.chiActual);
    }
    const Axis layers = countedAxis("layer", results.layers.size()), inputs = inputAxis(results.grid), bins = countedAxis("bin", kBins);
    r.add("layerCurve", {layers, inputs}, std::move(curves));
    r.add("layerRescaling", {layers}, std::move(rescaling));
    r.add("layerFirstOrder", {layers, inputs}, std::move(firstOrder));
    r.add("layerNoise", {layers, inputs}, std::move(actual));
    r.add("outputs", {layers, bins}, std::move(outputs));
    r.add("densityOut", {layers, bins}, std::move(densities));
    r.add("flat", {layers}, std::move(flat));
    r.add("layerChi", {layers}, std::move(chi)).mayBeUndefined = true;
    r.add("layerChiFromJacobian", {layers}, std::move(chords));
    r.add("layerChiActual", {layers}, std::move(chiActual));
}

void addChart(FilledReport& r, const GainChart& chart) {
    const Size done = chart.gains.empty() ? 0 : chart.chi.size() / chart.gains.size();
    if (done == 0) return;
    Axis activations{"activation", {}, {}};
    for (Size i = 0; i < done; ++i) activations.keys.emplace_back(activationKey(chart.activations[i]));
    r.add("chiByGain", {activations, {"gain", chart.gains, {}}}, chart.chi);
}

void addScalars(FilledReport& r, const Setup& s, const LayerResult& last) {
    const double snrIn = s.mixture.variance() / (s.noise * s.noise), chi = last.chi();
    if (last.shown) r.add("chi", chi);
    r.add("chiFromJacobian", last.chiFromJacobian);
    r.add("chiActual", last.chiActual);
    r.add("snrIn", snrIn);
    // Where every input lies on a flat of the curve, nothing of the noise comes out.
    if (chi > 0) r.add("snrOut", snrIn / (chi * chi));
    if (chi > 0) r.add("noiseFactor", 2 * decibels(chi));
    if (last.chiActual > 0) r.add("snrOutActual", snrIn / (last.chiActual * last.chiActual));
}

std::string labelOf(const char* param, std::string_view key) {
    for (const Option& option : findDeclaration("signal-and-noise")->param(param)->options)
        if (option.key == key) return option.label;
    return std::string(key);
}

std::string mapInWords(const Setup& s, Size layers) {
    if (s.deep) return "After " + std::to_string(layers) + (layers == 1 ? " layer" : " layers") + " with batch norm";
    if (s.phi == Activation::Identity) return "For a linear layer";
    return "For one layer of " + labelOf("activation", activationKey(s.phi)) + " at gain " + inWords(s.gain);
}

std::string ratioInWords(double ratio) {
    const double dB = decibels(ratio);
    if (!(dB < kMostDecibels)) return "beyond " + inWords(kMostDecibels) + " dB";
    return inWords(dB) + " dB";
}

std::string effectInWords(const LayerResult& last) {
    const int effect = effectOf(last.chi());
    return "χ = " + inWords(last.chi()) + ": it " +
           (effect == 0  ? "neither reduces nor amplifies noise"
            : effect < 0 ? "reduces noise"
                         : "amplifies noise");
}

}  // namespace

std::string summaryOf(const Setup& s, const Results& results) {
    const LayerResult& last = results.layers.back();
    const double snr = s.mixture.variance() / (s.noise * s.noise);
    const auto snrAt = [&](double chi) { return chi > 0 ? ratioInWords(snr / (chi * chi)) : std::string("no noise at all"); };
    const std::string start = mapInWords(s, results.layers.size() - 1), in = "The signal-to-noise ratio goes from " + snrAt(1) + " to ";
    const std::string actual = snrAt(last.chiActual) + " with noise of size " + inWords(s.noise) + " as it is.";
    if (!last.shown)
        return start + " the curve is steeper than the grid's step can show, so that no χ is given: its slopes and its chords disagree. " +
               in + actual;
    return start + " " + effectInWords(last) + ". " + in + snrAt(last.chi()) + " to first order, and to " + actual;
}

Report makeReport(const Setup& s, const Results& results) {
    FilledReport r("signal-and-noise");
    addCurves(r, s, results);
    addLayers(r, results);
    addChart(r, results.chart);
    addScalars(r, s, results.layers.back());
    r.report.summary = summaryOf(s, results);
    r.report.status = results.finished ? Status::Ok : Status::Partial;
    r.report.message = results.finished ? "" : s.deep ? "More layers are being computed." : "More gains are being computed.";
    return std::move(r.report);
}

}  // namespace kappaflow::signal_and_noise
