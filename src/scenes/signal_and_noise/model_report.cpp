#include "scenes/signal_and_noise/model_report.h"

#include <cmath>

#include "scenes/filled_report.h"

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
        chi.push_back(layer.sensitivity.chi()), chords.push_back(layer.chiFromJacobian), chiActual.push_back(layer.chiActual);
    }
    const Axis layers = countedAxis("layer", results.layers.size()), inputs = inputAxis(results.grid), bins = countedAxis("bin", kBins);
    r.add("layerCurve", {layers, inputs}, std::move(curves));
    r.add("layerRescaling", {layers}, std::move(rescaling));
    r.add("layerFirstOrder", {layers, inputs}, std::move(firstOrder));
    r.add("layerNoise", {layers, inputs}, std::move(actual));
    r.add("outputs", {layers, bins}, std::move(outputs));
    r.add("densityOut", {layers, bins}, std::move(densities));
    r.add("flat", {layers}, std::move(flat));
    r.add("layerChi", {layers}, std::move(chi));
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
    const double snrIn = s.mixture.variance() / (s.noise * s.noise), chi = last.sensitivity.chi();
    r.add("chi", chi);
    r.add("chiFromJacobian", last.chiFromJacobian);
    r.add("chiActual", last.chiActual);
    r.add("snrIn", snrIn);
    // Where every input lies on a flat of the curve, nothing of the noise comes out.
    if (chi > 0) r.add("snrOut", snrIn / (chi * chi));
    if (chi > 0) r.add("noiseFactor", 2 * decibels(chi));
    if (last.chiActual > 0) r.add("snrOutActual", snrIn / (last.chiActual * last.chiActual));
}

}  // namespace

std::string summaryOf(const Setup& s, const LayerResult& last) {
    const double chi = last.sensitivity.chi(), snr = s.mixture.variance() / (s.noise * s.noise);
    const auto snrAt = [&](double sensitivity) {
        return sensitivity > 0 ? inWords(decibels(snr / (sensitivity * sensitivity))) + " dB" : std::string("no noise at all");
    };
    const std::string what = s.deep ? "After " + std::to_string(s.layers) + " layers with batch norm"
                             : s.phi == Activation::Identity
                                 ? std::string("For a linear layer")
                                 : "For one layer of " + std::string(activationKey(s.phi)) + " at gain " + inWords(s.gain);
    const std::string kind = std::abs(chi - 1) < 1e-6 ? "it neither reduces nor amplifies noise"
                             : chi < 1                ? "it reduces noise"
                                                      : "it amplifies noise";
    return what + " χ = " + inWords(chi) + ": " + kind + ". The signal-to-noise ratio goes from " + snrAt(1) + " to " + snrAt(chi) +
           " to first order, and to " + snrAt(last.chiActual) + " with noise of size " + inWords(s.noise) + " as it is.";
}

Report makeReport(const Setup& s, const Results& results) {
    FilledReport r("signal-and-noise");
    addCurves(r, s, results);
    addLayers(r, results);
    addChart(r, results.chart);
    addScalars(r, s, results.layers.back());
    r.report.summary = summaryOf(s, results.layers.back());
    r.report.status = results.finished ? Status::Ok : Status::Partial;
    r.report.message.clear();
    return std::move(r.report);
}

}  // namespace kappaflow::signal_and_noise
