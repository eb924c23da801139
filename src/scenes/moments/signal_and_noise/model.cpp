#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/moments/layer_moments.h"
#include "core/moments/scalar_map.h"
#include "scene/filled_report.h"
#include "scenes/stepwise.h"
#include "scenes/moments/signal_and_noise/effect.h"

namespace kappaflow {
namespace signal_and_noise {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// Points behind every mean, and every how many of them are drawn.
constexpr std::size_t kPoints = 4801, kStride = 6, kDrawn = (kPoints - 1) / kStride + 1;
constexpr std::size_t kBins = 280;

/// What a request asks.
struct Setup {
    ScalarMixture mixture;
    bool deep = false;
    Activation phi = Activation::Tanh;  ///< Identity for the linear layer
    double gain = 1, noise = 0.1;
    std::size_t layers = 1, width = 1;
    std::uint64_t seed = 0;

    /// Wide enough for the noise, and for the picture.
    ScalarGrid grid() const;
};

/// What is known of the network that ends at a layer; curves at every kStride-th point of the grid.
struct LayerResult {
    ScalarSensitivity sensitivity;
    bool shown = true;  ///< the grid's step is fine enough for χ, which is undefined otherwise
    double chiFromJacobian = 1, chiActual = 1;
    std::vector<double> curve, firstOrder, actual;
    OutputDensity out;

    double chi() const { return shown ? sensitivity.chi() : kUndefined; }
};

/// χ of one layer over gains, for the activations in the order of `keys`.
struct GainChart {
    std::vector<double> gains;
    std::vector<Activation> activations;
    std::vector<double> chi;  ///< [activation][gain], as far as computed
};

struct Results {
    ScalarGrid grid;
    std::vector<LayerResult> layers;  ///< 0 is the input
    GainChart chart;
    bool finished = false;
};

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

ScalarGrid Setup::grid() const {
    constexpr double kPictured = 3.3;
    return scalarGrid(mixture, std::max(4 * noise, kPictured - mixture.separation / 2 - 5 * mixture.spread), kPoints);
}

Setup readSetup(const Values& v) {
    Setup s;
    s.mixture = {v.number("separation"), v.number("spread"), v.number("share")};
    s.deep = v.is("net", "batch-norm");
    s.phi = v.is("net", "linear") ? Activation::Identity : activationFromKey(v.text("activation"));
    s.gain = v.number("gain");
    s.noise = v.number("noise");
    s.layers = s.deep ? static_cast<std::size_t>(v.integer("layers")) : 1;
    s.width = s.deep ? static_cast<std::size_t>(v.integer("width")) : 1;
    s.seed = v.seed();
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    const double layers = static_cast<double>(s.layers) + 1, points = static_cast<double>(kPoints);
    // Noise: 81 values of the curve at every drawn point; probabilities of every step, for density and chords.
    const double analysis = layers * (81.0 * kDrawn * 12 + points * 250);
    const double net = s.deep ? 2 * ScalarBatchNorm::operations(kPoints, s.width, s.layers) : 3e7;
    return {analysis + net + 1e6, 4e6 + layers * 8 * (3 * kDrawn + 2 * kBins) * 2 +
                                      (s.deep ? 8 * points * (5.0 * static_cast<double>(s.width) + 2 * layers) : 0)};
}

std::string costliestOf(const Request& request) { return request.params.number("width") > 64 ? "width" : "layers"; }

constexpr double kSlice = 4e6;  ///< multiply-adds between two looks at the clock
constexpr int kGains = 33;

GainChart emptyChart() {
    GainChart chart;
    for (int i = 0; i < kGains; ++i) chart.gains.push_back(std::pow(10.0, -1 + 2.0 * i / (kGains - 1)));
    chart.activations = {Activation::Identity, Activation::Tanh,     Activation::Relu,
                         Activation::Abs,      Activation::HardTanh, Activation::Sigmoid};
    return chart;
}

Vector thinned(const Vector& values) {
    Vector some;
    for (Size i = 0; i < values.size(); i += kStride) some.push_back(values[i]);
    return some;
}

class SignalAndNoiseComputation final : public Computation {
public:
    explicit SignalAndNoiseComputation(const Request& request) : setup_(readSetup(request.params)) {
        results_.grid = setup_.grid();
        const Vector ones(kPoints, 1.0);
        analyse({results_.grid.x, ones}, [](double x) { return x; });
        if (setup_.deep) {
            net_.emplace(results_.grid, setup_.phi, setup_.width, setup_.layers, setup_.seed);
            analyseNet();
        } else {
            const auto phi = [this](double x) { return activate(setup_.phi, setup_.gain * x, 0); };
            analyse(layerCurve(results_.grid, setup_.phi, setup_.gain), phi);
            results_.layers.back().sensitivity = layerSensitivity(setup_.mixture, setup_.phi, setup_.gain);
            results_.layers.back().shown = true;  // by quadrature, without a step
            results_.chart = emptyChart();
        }
    }

    bool step() override {
        const bool more = net_ ? stepNet() : stepChart();
        results_.finished = !more;
        return more;
    }
    double progress() const override {
        if (net_) return results_.finished ? 1 : 0.99 * net_->progress();
        return static_cast<double>(results_.chart.chi.size()) / static_cast<double>(kGains * results_.chart.activations.size());
    }
    Report report() const override { return makeReport(setup_, results_); }

private:
    bool stepNet() {
        const bool more = net_->advance(kSlice);
        analyseNet();
        return more;
    }
    bool stepChart() {
        GainChart& chart = results_.chart;
        const Activation phi = chart.activations[chart.chi.size() / chart.gains.size()];
        for (const double gain : chart.gains) chart.chi.push_back(layerSensitivity(setup_.mixture, phi, gain).chi());
        return chart.chi.size() < chart.gains.size() * chart.activations.size();
    }
    void analyseNet() {
        while (results_.layers.size() < net_->curves().size()) {
            const ScalarCurve& curve = net_->curves()[results_.layers.size()];
            analyse(curve, [&](double x) { return valueAt(results_.grid, curve.y, x); });
        }
    }
    void analyse(const ScalarCurve& curve, const std::function<double(double)>& phi) {
        LayerResult layer;
        const ScalarMixture& mixture = setup_.mixture;
        const ScalarGrid& grid = results_.grid;
        layer.sensitivity = curveSensitivity(mixture, grid, curve);
        layer.chiFromJacobian = chiOfChords(mixture, grid, curve.y);
        layer.shown = stepShows(layer.sensitivity.chi(), layer.chiFromJacobian);
        layer.curve = thinned(curve.y);
        for (const double slope : thinned(curve.slope)) layer.firstOrder.push_back(std::abs(slope) * setup_.noise);
        layer.actual = pushedNoise(thinned(grid.x), phi, setup_.noise);
        layer.chiActual = actualChi(layer);
        layer.out = outputDensity(mixture, grid, curve.y, kBins);
        results_.layers.push_back(std::move(layer));
    }
    /// The thinned grid still has steps well below the spread.
    double actualChi(const LayerResult& layer) const {
        const Vector weight = thinned(results_.grid.weight);
        double sum = 0, square = 0;
        for (Size i = 0; i < weight.size(); ++i) sum += weight[i], square += weight[i] * layer.actual[i] * layer.actual[i];
        return std::sqrt(square / sum) / (setup_.noise * layer.sensitivity.rescaling);
    }

    Setup setup_;
    Results results_;
    std::optional<ScalarBatchNorm> net_;
};

std::unique_ptr<Computation> startSignalAndNoise(const Request& request) { return std::make_unique<SignalAndNoiseComputation>(request); }

}  // namespace
}  // namespace signal_and_noise

Model signal_and_noise_model() {
    return stepwise<signal_and_noise::costOf, signal_and_noise::costliestOf, signal_and_noise::startSignalAndNoise>("signal-and-noise");
}

}  // namespace kappaflow
