#include "scenes/moments/signal_and_noise.h"

#include <algorithm>

#include "core/moments/layer_moments.h"
#include "core/moments/scalar_map.h"
#include "scene/typed_model.h"

namespace kappaflow {
namespace signal_and_noise {
namespace {

using namespace table;
using Size = std::size_t;
using Vector = std::vector<double>;

constexpr const char* kFigure = "P3 Fig 1";

bool deep(const Params& p) { return p.net == Net::BatchNorm; }
bool scaled(const Params& p) { return !deep(p); }
bool activated(const Params& p) { return p.net != Net::Linear; }

constexpr OptionRow kNets[] = {{"layer", "one layer"}, {"linear"}, {"batch-norm", "deep, batch-normalised"}};
constexpr OptionRow kActivations[] = {{"tanh"}, {"relu", "ReLU"}, {"abs", "|z|"}, {"hard-tanh"}, {"sigmoid"}};
constexpr Activation kPhi[] = {Activation::Tanh, Activation::Relu, Activation::Abs, Activation::HardTanh, Activation::Sigmoid};

constexpr ParamRow kParams[] = {
    choice<&Params::net>("net", "network", kNets,
                         "The map from the input to the output: φ(gain·x), gain·x, or a random net with batch norm and a linear last unit.",
                         kFigure),
    choice<&Params::activation>("activation", "activation", kActivations,
                                "Tanh sorts the two groups of inputs, ReLU and |z| fold them together.", kFigure) |
        when<activated>,
    number<&Params::gain>("gain", "a", "gain", {0.1, 10}, "Weight of the layer; batch norm would take it out again.", kFigure) |
        logarithmic | when<scaled>,
    number<&Params::separation>("separation", "", "separation", {0, 3}, "Distance between the centres of the two groups of inputs.",
                                kFigure),
    number<&Params::spread>("spread", "s", "spread", {0.05, 0.8}, "Standard deviation of the inputs within a group.", kFigure),
    number<&Params::noise>("noise", "σ", "noise", {0.01, 0.5}, "Standard deviation of the noise added to the input.", "P3 Eqs 3–4") |
        logarithmic,
    whole<&Params::layers>("layers", "L", "layers", {2, 20}, "Layers of the net, the linear one included.", kFigure) | costly | when<deep>,
    whole<&Params::width>("width", "N", "width", {1, 128}, "Units of every hidden layer.", kFigure) | logarithmic | costly | when<deep>,
    number<&Params::share>("share", "", "share on the left", {0.05, 0.95}, "Probability that an input belongs to the group on the left.",
                           kFigure) |
        more,
    number<&Params::probe>("probe", "x", "input followed", {-3, 3}, "The input whose noise is followed through the curve.", "P3 Eq 2") |
        more | ofView,
    seed<&Params::seed>("Start of the random numbers of the weights.", kFigure) | when<deep>,
    shownAt<&Params::at>("l", "layer", 20, "The layer whose output is shown; layer 0 is the input.", kFigure),
    plays<&Params::play>("Whether the layers pass by themselves.", kFigure)};

constexpr AxisRow kInput = axis<&Result::inputs>("input"), kLayer = axis<&Result::layers>("layer"), kBin = axis<&Result::bins>("bin"),
                  kActivation = axis<&Result::activations>("activation"), kGain = axis<&Result::gains>("gain");

constexpr FieldRow kFields[] = {
    measured<&Result::curve>("curve", "Φ", {kInput}, "The map from the input to the output."),
    theory<&Result::rescaling>("rescaling", "Ψ", {kInput},
                               "The constant rescaling whose output has the same variance: χ compares Φ with it."),
    measured<&Result::densityIn>("densityIn", "p", {kInput}, "Density of the input."),
    theory<&Result::noiseFirstOrder>("noiseFirstOrder", "", {kInput},
                                     "Standard deviation of the output's noise to first order, |Φ′(x)| σ."),
    measured<&Result::noiseActual>("noiseActual", "", {kInput}, "Root mean square change of the output by the noise as it is."),
    measured<&Result::chiByGain>("chiByGain", "χ", {kActivation, kGain}, "χ of one layer φ(gain·x), by quadrature; not for the deep net."),
    measured<&Result::layerCurve>("layerCurve", "Φ_l", {kLayer, kInput},
                                  "The map to the output of a network that ends at this layer; layer 0 is the input itself."),
    theory<&Result::layerRescaling>("layerRescaling", "", {kLayer}, "Slope of the constant rescaling of equal output variance."),
    theory<&Result::layerFirstOrder>("layerFirstOrder", "", {kLayer, kInput}, "Noise to first order, as a standard deviation."),
    measured<&Result::layerNoise>("layerNoise", "", {kLayer, kInput}, "Noise as it is, root mean square."),
    measured<&Result::outputs>("outputs", "y", {kLayer, kBin}, "Middles of the bins of the output's density."),
    measured<&Result::densityOut>("densityOut", "", {kLayer, kBin},
                                  "Mean density of the output in these bins, from the exact probability of every step of the input."),
    measured<&Result::flat>("flat", "", {kLayer}, "Probability of inputs about which the curve is flat: these come out as atoms."),
    measured<&Result::layerChi>(
        "layerChi", "χ^l", {kLayer},
        "Normalised sensitivity, from the moments of signal and first-order noise; none where the grid's step cannot show the curve.") |
        gaps,
    measured<&Result::layerChords>("layerChiFromJacobian", "", {kLayer},
                                   "Normalised sensitivity from the curve alone: rms slope of its chords over that of the rescaling."),
    measured<&Result::layerChiActual>("layerChiActual", "", {kLayer}, "Normalised sensitivity with noise of the size chosen, as it is."),
    measured<&Result::chi>(
        "chi", "χ", {},
        "Normalised sensitivity at the output: of a layer by quadrature, of the deep net over the grid, unless its step is too coarse."),
    measured<&Result::chiFromJacobian>("chiFromJacobian", "χ", {},
                                       "Rms slope of the curve's chords over the slope of the rescaling: Proposition 6."),
    measured<&Result::chiActual>("chiActual", "", {}, "χ with noise of the size chosen in place of its first order."),
    measured<&Result::snrIn>("snrIn", "SNR⁰", {}, "Variance of the input over that of its noise."),
    measured<&Result::snrOut>("snrOut", "SNR", {}, "Variance of the output over that of its noise, to first order."),
    measured<&Result::snrOutActual>("snrOutActual", "", {}, "Variance of the output over that of its noise, with the noise as it is."),
    measured<&Result::noiseFactor>("noiseFactor", "F", {}, "Decibels by which the signal-to-noise ratio falls: 20 log₁₀ χ.")};

constexpr PresetRow kPresets[] = {
    {"A noise reducer: tanh of gain 2 (Fig 1a)"},
    preset<[](Params& p) { p.net = Net::Linear, p.gain = 1; }>(
        "Neither: a straight line, χ = 1 (Fig 1b)",
        "A straight line stretches signal and noise alike: it lies on the dashed rescaling, and χ stays 1."),
    preset<[](Params& p) { p.net = Net::BatchNorm, p.activation = Phi::Relu; }>(
        "A noise amplifier: deep with batch norm (Fig 1c)",
        "Twelve layers with batch norm make a jagged curve, far steeper than the dashed rescaling where the inputs are: χ = 36.5."),
    preset<[](Params& p) { p.activation = Phi::Abs, p.gain = 1; }>(
        "|z| folds the groups onto one another",
        "The absolute value lays the two groups on one another: what told them apart is lost, the noise is kept, and χ rises to 5.1."),
    preset<[](Params& p) { p.activation = Phi::Relu, p.gain = 1, p.spread = 0.35; }>(
        "ReLU: half the inputs become one atom",
        "A ReLU gives half of the inputs one value: their noise is gone, but more of the signal, so that χ is 1.34."),
    preset<[](Params& p) { p.separation = 0, p.spread = 0.8, p.gain = 1; }>(
        "One broad group: tanh helps little",
        "Most inputs of one broad group lie where tanh is steeper than the dashed rescaling: χ = 1.05, and noise is not reduced."),
    preset<[](Params& p) { p.net = Net::BatchNorm, p.activation = Phi::Relu, p.layers = 16, p.noise = 0.3; }>(
        "Large noise is more than its first order",
        "Noise of 0.3 is too large for the first order: it predicts −26 dB behind 16 layers, where noise as it is gives −8 dB.")};

/// Points behind every mean, and every how many of them are drawn.
constexpr Size kPoints = 4801, kStride = 6, kDrawn = (kPoints - 1) / kStride + 1;
constexpr Size kBins = 280;

Cost cost(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const double layers = (deep(p) ? p.layers : 1) + 1.0, points = kPoints, width = p.width;
    // Noise: 81 values of the curve at every drawn point; probabilities of every step, for density and chords.
    const double analysis = layers * (81.0 * kDrawn * 12 + points * 250);
    const double net = deep(p) ? p.layers * points * width * (4 * width + 80) : 3e7;
    return {analysis + net + 1e6, 4e6 + layers * 8 * (3 * kDrawn + 2 * kBins) * 2 + (deep(p) ? 8 * points * (5 * width + 2 * layers) : 0)};
}

Vector thinned(const Vector& values) {
    Vector some;
    for (Size i = 0; i < values.size(); i += kStride) some.push_back(values[i]);
    return some;
}

/// Root mean square of the noise that comes out over that behind the rescaling. The thinned grid still has steps well below the spread.
double chiOf(const Vector& noise, const Vector& weight, double behindRescaling) {
    double sum = 0, square = 0;
    for (Size i = 0; i < weight.size(); ++i) sum += weight[i], square += weight[i] * noise[i] * noise[i];
    return std::sqrt(square / sum) / behindRescaling;
}

void append(Vector& all, const Vector& row) { all.insert(all.end(), row.begin(), row.end()); }

/// The network that ends at the next layer. `exact`: its sensitivity where it is known without a grid.
void addLayer(const Params& p, const ScalarMixture& mixture, const ScalarGrid& grid, const ScalarCurve& curve,
              const std::function<double(double)>& phi, const ScalarSensitivity* exact, Result& r) {
    const ScalarSensitivity onGrid = curveSensitivity(mixture, grid, curve), sensitivity = exact ? *exact : onGrid;
    const double chords = chiOfChords(mixture, grid, curve.y);
    const Vector noise = pushedNoise(thinned(grid.x), phi, p.noise);
    r.layers.push_back(static_cast<double>(r.layers.size()));
    append(r.layerCurve, thinned(curve.y));
    for (const double slope : thinned(curve.slope)) r.layerFirstOrder.push_back(std::abs(slope) * p.noise);
    append(r.layerNoise, noise);
    const OutputDensity out = outputDensity(mixture, grid, curve.y, kBins);
    append(r.outputs, out.at);
    append(r.densityOut, out.density);
    r.flat.push_back(out.flat);
    r.layerRescaling.push_back(sensitivity.rescaling);
    r.layerChi.push_back(exact || stepShows(onGrid.chi(), chords) ? sensitivity.chi() : kUndefined);
    r.layerChords.push_back(chords);
    r.layerChiActual.push_back(chiOf(noise, thinned(grid.weight), p.noise * onGrid.rescaling));
}

double decibels(double ratio) { return 10 * std::log10(ratio); }

/// What the last layer so far makes of the input.
Result withOutput(Result r, const Params& p, const ScalarMixture& mixture) {
    const auto last = [&](const Vector& rows) { return Vector(rows.end() - static_cast<std::ptrdiff_t>(kDrawn), rows.end()); };
    r.curve = last(r.layerCurve), r.noiseFirstOrder = last(r.layerFirstOrder), r.noiseActual = last(r.layerNoise);
    for (const double x : r.inputs) {
        r.rescaling.push_back(r.layerRescaling.back() * x);
        r.densityIn.push_back(mixture.density(x));
    }
    const double chi = r.layerChi.back();
    if (!std::isnan(chi)) r.chi = chi;
    r.chiFromJacobian = r.layerChords.back(), r.chiActual = r.layerChiActual.back();
    r.snrIn = mixture.variance() / (p.noise * p.noise);
    // Where every input lies on a flat of the curve, nothing of the noise comes out.
    if (chi > 0) r.snrOut = r.snrIn / (chi * chi), r.noiseFactor = 2 * decibels(chi);
    if (r.chiActual > 0) r.snrOutActual = r.snrIn / (r.chiActual * r.chiActual);
    return r;
}

/// Curves of the deep net, as they come.
void addDeepNet(const Params& p, const ScalarMixture& mixture, const ScalarGrid& grid, Progress& progress, Result& r) {
    const auto look = [&](const std::vector<ScalarCurve>& curves, double done) {
        for (Size l = r.layers.size(); l < curves.size(); ++l) {
            const Vector& y = curves[l].y;
            addLayer(
                p, mixture, grid, curves[l], [&](double x) { return valueAt(grid, y, x); }, nullptr, r);
        }
        progress.tick(0.99 * done);
        progress.partial([&] { return withOutput(r, p, mixture); });
    };
    batchNormCurves(grid, kPhi[static_cast<Size>(p.activation)], static_cast<Size>(p.width), static_cast<Size>(p.layers), p.seed, look);
}

/// One layer, and χ of every activation over the gains.
void addLayerAndChart(const Params& p, const ScalarMixture& mixture, const ScalarGrid& grid, Progress& progress, Result& r) {
    constexpr int kGains = 33;
    const Activation phi = p.net == Net::Linear ? Activation::Identity : kPhi[static_cast<Size>(p.activation)];
    const ScalarSensitivity exact = layerSensitivity(mixture, phi, p.gain);
    addLayer(
        p, mixture, grid, layerCurve(grid, phi, p.gain), [&](double x) { return activate(phi, p.gain * x, 0); }, &exact, r);
    for (int i = 0; i < kGains; ++i) r.gains.push_back(std::pow(10.0, -1 + 2.0 * i / (kGains - 1)));
    for (const Activation one :
         {Activation::Identity, Activation::Tanh, Activation::Relu, Activation::Abs, Activation::HardTanh, Activation::Sigmoid}) {
        for (const double gain : r.gains) r.chiByGain.push_back(layerSensitivity(mixture, one, gain).chi());
        r.activations.emplace_back(activationKey(one));
        progress.tick(static_cast<double>(r.activations.size()) / 6);
        progress.partial([&] { return withOutput(r, p, mixture); });
    }
}

Result run(const Opened<Params>& opened, Progress& progress) {
    constexpr double kPictured = 3.3;
    const Params& p = opened.params;
    const ScalarMixture mixture{p.separation, p.spread, p.share};
    // Wide enough for the noise, and for the picture.
    const ScalarGrid grid = scalarGrid(mixture, std::max(4 * p.noise, kPictured - p.separation / 2 - 5 * p.spread), kPoints);
    Result r;
    r.inputs = thinned(grid.x);
    r.bins = countUp(kBins);
    addLayer(
        p, mixture, grid, {grid.x, Vector(kPoints, 1.0)}, [](double x) { return x; }, nullptr, r);
    (deep(p) ? addDeepNet : addLayerAndChart)(p, mixture, grid, progress, r);
    return withOutput(std::move(r), p, mixture);
}

std::string mapInWords(const Params& p, const Result& r) {
    const Size layers = r.layers.size() - 1;
    if (deep(p)) return "After " + std::to_string(layers) + (layers == 1 ? " layer" : " layers") + " with batch norm";
    if (p.net == Net::Linear) return "For a linear layer";
    return std::string("For one layer of ") + kActivations[static_cast<Size>(p.activation)].label + " at gain " + inWords(p.gain);
}

std::string summary(const Params& p, const Result& r) {
    const auto ratio = [&](double chi) -> std::string {
        if (!(chi > 0)) return "no noise at all";
        const double dB = decibels(r.snrIn / (chi * chi));
        return dB < kMostDecibels ? inWords(dB) + " dB" : "beyond " + inWords(kMostDecibels) + " dB";
    };
    const std::string start = mapInWords(p, r), in = "The signal-to-noise ratio goes from " + ratio(1) + " to ";
    const std::string actual = ratio(r.chiActual) + " with noise of size " + inWords(p.noise) + " as it is.";
    if (!r.chi)
        return start + " the curve is steeper than the grid's step can show, so that no χ is given: its slopes and its chords disagree. " +
               in + actual;
    const int effect = effectOf(*r.chi);
    return start + " χ = " + inWords(*r.chi) + ": it " +
           (effect == 0  ? "neither reduces nor amplifies noise"
            : effect < 0 ? "reduces noise"
                         : "amplifies noise") +
           ". " + in + ratio(*r.chi) + " to first order, and to " + actual;
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "signal-and-noise",
     .title = "Signal and noise",
     .claim = "χ compares a network's sensitivity with that of a mere rescaling: below 1 it reduces noise, above 1 it amplifies it.",
     .group = "Moments",
     .icon = "041225314653677284",
     .source = "P3 Fig 1; Eqs 3–4; Props 5–6",
     .lookAt = "Where the inputs are, a curve flatter than the dashed rescaling loses noise (χ < 1), a steeper one adds to it (χ > 1).",
     .tryThis = "Pull the gain, or bring the two groups together, and watch χ pass 1.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "layer", "layer", false, 0.8, 1}});

}  // namespace signal_and_noise

Declaration signal_and_noise_declaration() { return declare(signal_and_noise::kScene); }
Model signal_and_noise_model() {
    return sceneModel<signal_and_noise::kScene, signal_and_noise::run, signal_and_noise::cost, signal_and_noise::summary>();
}

}  // namespace kappaflow
