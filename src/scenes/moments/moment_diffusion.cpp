#include "scenes/moments/moment_diffusion.h"

#include <algorithm>
#include <cmath>

#include "core/moments/layer_moments.h"
#include "core/moments/moment_diffusion.h"
#include "scene/typed_model.h"

namespace kappaflow {
namespace moment_diffusion {
namespace {

using namespace table;
using Size = std::size_t;
using Vector = std::vector<double>;

constexpr const char* kFigure = "P3 Fig 2; P3 Theorem 1";

constexpr OptionRow kShows[] = {{"spread", "mean and variance"},
                                {"terms", "drift and diffusion a layer"},
                                {"collapse", "collapse of narrow networks"},
                                {"tails", "fat tails at a fixed input"}};
constexpr OptionRow kData[] = {{"gaussian", "white Gaussian"},
                               {"spread", "Gaussian, spread norms"},
                               {"low-rank", "Gaussian, low rank"},
                               {"images", "smooth colour images"}};

constexpr OptionRow kSpaces[] = {{"dense"}, {"conv1d", "convolution in 1-D"}, {"conv2d", "convolution in 2-D"}};

bool isDense(const Params& p) { return p.space == Space::Dense; }
bool isConvolutional(const Params& p) { return !isDense(p); }

/// A convolution in 2-D has sixteen times as many points for each input.
Beside fewerSamples(const Params& p) { return {p.space == Space::Conv2d ? 1.0 : 4.0, 32}; }

constexpr ParamRow kParams[] = {
    whole<&Params::width>("width", "N", "width", {1, 256}, "Units of every layer; the input is as wide.", kFigure) | logarithmic | costly,
    whole<&Params::layers>("layers", "L", "layers", {1, 300}, "Layers of every network.", kFigure) | logarithmic | costly,
    whole<&Params::draws>("draws", "", "draws", {10, 4000}, "Networks, each with fresh weights, inputs and noise.", kFigure) | logarithmic |
        costly,
    choice<&Params::show>("show", "beside the histograms", kShows, "What the panels beside the histograms show.",
                          "P3 Eqs 5–7, Theorem 1, Sec. 8") |
        ofView,
    whole<&Params::samples>("samples", "M", "samples", {1, 32},
                            "Inputs of a network, one noise each; with one the law of a layer is known exactly.", kFigure) |
        logarithmic | costly | more | dependsOn<fewerSamples>,
    choice<&Params::data>("data", "data", kData, "Inputs: soon they lie on one line in every layer, whatever they were.", kFigure) | more,
    choice<&Params::space>("space", "layout", kSpaces,
                           "Fully connected layers, or periodic convolutions over positions that all count as points.", kFigure) |
        more,
    whole<&Params::extent>("extent", "n", "extent", {2, 16}, "Positions a dimension.", kFigure) | costly | more | when<isConvolutional>,
    whole<&Params::taps>("taps", "K", "taps", {1, 7}, "Positions a dimension that a unit reads.", kFigure) | odd | costly | more |
        when<isConvolutional>,
    seed<&Params::seed>("Start of the random numbers of weights, inputs and noise.", kFigure),
    shownAt<&Params::at>("l", "layer", 300, "The layer whose histograms are drawn.", kFigure),
    plays<&Params::play>("Whether the layers pass by themselves.", kFigure)};

constexpr AxisRow kLayer = axis<&Result::layers>("layer"), kDepth = axis<&Result::fromFirst>("depth"),
                  kFromFirst = axis<&Result::fromFirst>("layer"), kBin = axis<&Result::bins>("bin"),
                  kThreshold = axis<&Result::thresholds>("threshold");

constexpr FieldRow kFields[] = {
    measured<&Result::histogramSignal>("histogramSignal", "log ν₂(x^l)", {kDepth, kBin},
                                       "Density of log ν₂(x^l) − log ν₂(x⁰) over the networks alive."),
    measured<&Result::histogramNoise>("histogramNoise", "log μ₂(dx^l)", {kDepth, kBin},
                                      "Density of log μ₂(dx^l) − log μ₂(dx⁰) over the networks alive."),
    measured<&Result::meanLog>("meanLog", "log ν₂(x^l)", {kLayer}, "Mean of log ν₂(x^l) − log ν₂(x⁰) over the networks alive.") | gaps,
    measured<&Result::varLog>("varLog", "", {kLayer}, "Its variance over networks.") | gaps,
    measured<&Result::meanLogNoise>("meanLogNoise", "log μ₂(dx^l)", {kLayer},
                                    "Mean of log μ₂(dx^l) − log μ₂(dx⁰) over the networks alive.") |
        gaps,
    measured<&Result::varLogNoise>("varLogNoise", "", {kLayer}, "Its variance over networks.") | gaps,
    theory<&Result::meanLogTheory>("meanLogTheory", "", {kLayer}, "Mean of log ν₂ for inputs on one half-line, exact at this width."),
    theory<&Result::varLogTheory>("varLogTheory", "", {kLayer}, "Its variance, exact at this width."),
    theory<&Result::meanLogFirst>("meanLogFirstOrder", "−5l/2N", {kLayer}, "The mean to first order in 1/N."),
    theory<&Result::varLogFirst>("varLogFirstOrder", "5l/N", {kLayer}, "The variance to first order in 1/N."),
    measured<&Result::mean>("meanSignal", "", {}, "Gaussian fit at the last layer: mean of log ν₂."),
    measured<&Result::deviation>("deviationSignal", "", {}, "Gaussian fit at the last layer: standard deviation of log ν₂."),
    measured<&Result::skewness>("skewness", "", {}, "Skewness of log ν₂ at the last layer; 0 for a Gaussian."),
    measured<&Result::excess>("excessKurtosis", "", {}, "Excess kurtosis of log ν₂ at the last layer; 0 for a Gaussian."),
    measured<&Result::meanNoise>("meanNoise", "", {}, "Gaussian fit at the last layer: mean of log μ₂(dx)."),
    measured<&Result::deviationNoise>("deviationNoise", "", {}, "Gaussian fit at the last layer: standard deviation of log μ₂(dx)."),
    measured<&Result::logMeanIncrement>("logMeanIncrement", "m̄", {kLayer},
                                        "Logarithm of the mean of δν₂ over networks: 0 in expectation (Eq 5).") |
        gaps,
    measured<&Result::logMeanIncrementNoise>("logMeanIncrementNoise", "m̄", {kLayer},
                                             "Logarithm of the mean of δμ₂(dx) over networks: 0 in expectation (Eq 5).") |
        gaps,
    measured<&Result::drift>("drift", "m̲", {kLayer}, "Mean of log δν₂: the drift (Eq 6), m̄ being 0.") | gaps,
    measured<&Result::driftNoise>("driftNoise", "m̲", {kLayer}, "Mean of log δμ₂(dx): the drift of the noise (Eq 6).") | gaps,
    measured<&Result::diffusion>("diffusionTerm", "s̲", {kLayer}, "Variance of s̲ (Eq 7) from two sets of weights on the same layer below.") |
        gaps,
    measured<&Result::diffusionNoise>("diffusionTermNoise", "s̲", {kLayer},
                                      "Variance of the noise's s̲ (Eq 7) from two sets of weights on the same layer below.") |
        gaps,
    theory<&Result::driftTheory>("driftTheory", "", {kLayer}, "Drift of inputs on one half-line, exact at this width.") | gaps,
    theory<&Result::diffusionTheory>("diffusionTheory", "", {kLayer}, "Diffusion of inputs on one half-line, exact at this width.") | gaps,
    measured<&Result::incrementVariance>("incrementVariance", "Var δν₂", {kLayer}, "Variance of δν₂ over networks.") | gaps,
    measured<&Result::incrementVarianceNoise>("incrementVarianceNoise", "Var δμ₂", {kLayer}, "Variance of δμ₂(dx) over networks.") | gaps,
    theory<&Result::incrementPredicted>("incrementVariancePredicted", "", {kLayer},
                                        "Var_θ[δν₂] given the layer below, from its angles alone, exact; mean over networks.") |
        gaps,
    theory<&Result::incrementPredictedNoise>(
        "incrementVarianceNoisePredicted", "", {kLayer},
        "Var_θ[δμ₂(dx)] given the layer below, the masks taken as independent of the noise; mean over networks.") |
        gaps,
    limiting<&Result::incrementLow>("incrementVarianceLow", "2/N²", {kLayer},
                                    "Least variance of an increment: isotropic, symmetric inputs.") |
        gaps,
    limiting<&Result::incrementHigh>("incrementVarianceHigh", "5/N", {kLayer},
                                     "Greatest variance of an increment: inputs on one half-line.") |
        gaps,
    measured<&Result::driftPerLayer>("driftPerLayer", "", {}, "Slope of the mean of log ν₂ over the second half of the layers."),
    theory<&Result::driftPredicted>("driftPredicted", "", {},
                                    "Change of the mean of log ν₂ a layer for inputs on one half-line, exact at this width."),
    measured<&Result::diffusionPerLayer>("diffusionPerLayer", "", {},
                                         "Variance of log ν₂ gained in the second half of the layers, a layer."),
    theory<&Result::diffusionPredicted>("diffusionPredicted", "", {},
                                        "Variance of log ν₂ gained a layer for inputs on one half-line, exact at this width."),
    measured<&Result::collapsed>("collapsed", "", {kLayer}, "Share of networks whose units are all off for every input by a layer.") | gaps,
    limiting<&Result::collapsedBound>("collapsedBound", "1−(1−2^−N)^l", {kLayer}, "Theorem 1's bound for that share."),
    measured<&Result::deadInputs>("deadInputs", "", {kLayer}, "Share of inputs whose feature vector is zero by a layer.") | gaps,
    theory<&Result::deadInputsTheory>("deadInputsTheory", "1−(1−2^−N)^l", {kLayer}, "Probability of that, exact for every input."),
    measured<&Result::kurtosis>("preactivationKurtosis", "", {kLayer},
                                "Kurtosis over weights of a pre-activation at a fixed input, as far as it can be measured.") |
        gaps,
    theory<&Result::kurtosisTheory>("preactivationKurtosisTheory", "3(1+5/N)^(l−1)", {kLayer},
                                    "Kurtosis over weights of a pre-activation at a fixed input, exactly.") |
        gaps,
    measured<&Result::tails>("tails", "P(|y| > t)", {kFromFirst, kThreshold},
                             "Share of pre-activations at a fixed input over t standard deviations.") |
        gaps,
    theory<&Result::tailsTheory>("tailsTheory", "", {kFromFirst, kThreshold},
                                 "Probability of a pre-activation over t standard deviations when the layer below has a log-normal norm."),
    theory<&Result::tailsGaussian>("tailsGaussian", "", {kThreshold}, "Probability of a Gaussian number over t standard deviations."),
    measured<&Result::kurtosisKnownTo>("kurtosisKnownTo", "", {}, "Last layer whose kurtosis these draws can show to about a third."),
    measured<&Result::collapsedShare>("collapsedShare", "", {}, "Share of networks collapsed by the last layer.")};

constexpr PresetRow kPresets[] = {
    {"Log-moments spread as a Gaussian (Fig 2)"},
    preset<[](Params& p) { p.width = 128, p.layers = 200, p.draws = 150, p.samples = 2, p.at = 200; }>(
        "The paper's width 128, fewer draws",
        "At width 128 even 200 layers spread the log-moment by only 2.84; at width 32 half as many spread it by 4.13."),
    preset<[](Params& p) { p.show = Show::Terms, p.layers = 40, p.draws = 2000, p.samples = 8, p.at = 40; }>(
        "Drift and diffusion, layer by layer",
        "A layer's factor keeps its mean near 1 while the mean of its logarithm is negative: the typical network loses its signal."),
    preset<[](Params& p) { p.width = 6, p.layers = 60, p.show = Show::Collapse, p.at = 30, p.draws = 2000; }>(
        "Narrow networks collapse",
        "All six units of a layer may be off: by layer 60 55 % of the networks have collapsed to zero, where the bound is 61 %."),
    preset<[](Params& p) { p.show = Show::Tails, p.samples = 1, p.draws = 3000, p.layers = 60, p.at = 60; }>(
        "Fat tails at a fixed input",
        "At a fixed input pre-activations have fat tails over the networks: large ones are far more frequent than in a Gaussian."),
    preset<[](Params& p) { p.samples = 1, p.width = 16, p.draws = 3000, p.layers = 60, p.at = 60; }>(
        "One input: the law of a layer is exact",
        "With one input the law of a layer is exact: drift and variance over 3000 networks follow the dashed lines at every depth."),
    preset<[](Params& p) { p.space = Space::Conv2d, p.samples = 1, p.draws = 1000, p.data = Data::Images; }>(
        "Convolutions on images (Fig 2)",
        "Convolutions on 4 × 4 positions spread as dense layers do, but more slowly: by 3.66 at layer 100, where one line has 4.21.")};

WalkPlan planOf(const Params& p) {
    WalkPlan plan{static_cast<Size>(p.width), static_cast<Size>(p.layers), static_cast<Size>(p.samples), static_cast<MomentData>(p.data),
                  p.seed};
    if (isConvolutional(p))
        plan.dimensions = static_cast<int>(p.space), plan.extent = static_cast<Size>(p.extent), plan.taps = static_cast<Size>(p.taps);
    return plan;
}

Cost cost(const Opened<Params>& opened) {
    constexpr double kOperationsPerSecond = 1.6e9;  // measured: small products and gaussians
    const Params& p = opened.params;
    const WalkPlan plan = planOf(p);
    const double draws = p.draws, L = p.layers, theory = 2e5 * L, report = 100 * draws * L;
    // A stem reads images of 32 × 32 × 3 colours into every unit, signal and noise.
    const double stem = p.data != Data::Images ? 0
                        : isDense(p)           ? draws * p.width * 3072 * (20 + 4.0 * p.samples)
                                               : draws * static_cast<double>(plan.points()) * (4.0 * 27 * p.width + 12 * 40);
    const double networks = (MomentDiffusion::operations(plan, static_cast<Size>(p.draws)) + stem) * 1e9;
    MomentNet net;
    net.dimensions = plan.dimensions, net.extent = plan.extent;
    const double drawing = p.data == Data::Images ? draws * p.samples * imageOperations(imageGrid(net)) : 0;
    return {networks / kOperationsPerSecond + drawing + theory + report + 1e6,
            MomentDiffusion::bytes(plan, static_cast<Size>(p.draws)) + 8 * draws + 3000 * L + 4e6};
}

/// 72 middles, four standard deviations of the law on either side of every layer's mean: no draw moves them.
Vector binsOf(const OneDimensionalLaw& law, int layers) {
    constexpr int kBins = 72;
    double lo = 0, hi = 0;
    for (int l = 1; l <= layers; ++l) {
        const double mean = l * law.drift, reach = 4 * std::sqrt(l * law.variance);
        lo = std::min(lo, mean - reach), hi = std::max(hi, mean + reach);
    }
    Vector bins;
    for (int i = 0; i < kBins; ++i) bins.push_back(lo + (hi - lo) * (i + 0.5) / kBins);
    return bins;
}

/// How far a kurtosis can be measured to kMostError follows from the number of draws alone, not from the numbers drawn.
int kurtosisKnownTo(const OneDimensionalLaw& law, const Params& p) {
    constexpr double kMostError = 0.35;
    int last = 0;
    while (last < p.layers && relativeKurtosisError(law, static_cast<Size>(p.width), last + 1, p.draws) < kMostError) ++last;
    return last;
}

/// Axes, and what follows from width and layers alone.
Result theoryOf(const Params& p, Progress& progress) {
    const OneDimensionalLaw law = oneDimensionalLaw(static_cast<Size>(p.width));
    const double N = p.width;
    Result r;
    r.layers = countUp(static_cast<Size>(p.layers) + 1);
    r.fromFirst = countUp(static_cast<Size>(p.layers), 1);
    r.bins = binsOf(law, p.layers);
    r.driftPredicted = law.drift, r.diffusionPredicted = law.variance;
    for (const double l : r.layers) {
        r.meanLogTheory.push_back(l * law.drift), r.varLogTheory.push_back(l * law.variance);
        r.meanLogFirst.push_back(l * (-2.5 / N)), r.varLogFirst.push_back(l * (5 / N));
        const auto fromFirst = [&](Vector& values, double value) { values.push_back(l > 0 ? value : kUndefined); };
        fromFirst(r.driftTheory, law.drift), fromFirst(r.diffusionTheory, law.variance);
        fromFirst(r.incrementLow, 2 / (N * planOf(p).fanIn())), fromFirst(r.incrementHigh, 5 / N);
        if (isDense(p)) fromFirst(r.kurtosisTheory, preactivationKurtosis(law, l));
        r.collapsedBound.push_back(l > 0 ? collapseBy(law, l) : 0);
    }
    // Positions of a convolution read one another: what holds for an input that is alone does not for them.
    if (isConvolutional(p)) return r;
    r.deadInputsTheory = r.collapsedBound;
    for (int j = MomentDiffusion::kLeastTail; j <= MomentDiffusion::kMostTail; ++j) {
        r.thresholds.push_back(std::exp2(0.5 * j));
        r.tailsGaussian.push_back(std::erfc(r.thresholds.back() / std::sqrt(2.0)));
    }
    for (const double l : r.fromFirst) {
        for (const double t : r.thresholds) r.tailsTheory.push_back(preactivationTail(law, l, t));
        progress.tick(0);
    }
    r.kurtosisKnownTo = kurtosisKnownTo(law, p);
    return r;
}

void addHistogram(const Vector& logs, const Vector& bins, Vector& densities) {
    const double spacing = bins[1] - bins[0];
    Vector row(bins.size());
    for (const double log : logs) {
        const double bin = std::round((log - bins[0]) / spacing);
        if (bin >= 0 && bin < static_cast<double>(bins.size()))
            row[static_cast<Size>(bin)] += 1 / (static_cast<double>(logs.size()) * spacing);
    }
    densities.insert(densities.end(), row.begin(), row.end());
}

void push(Estimates& to, double value, double error) { to.values.push_back(value), to.standardErrors.push_back(error); }

/// Mean and variance over networks at every layer.
std::vector<Spread> addSpreads(const MomentDiffusion& networks, bool noise, Result& r, Vector& histogram, Estimates& mean,
                               Estimates& variance) {
    std::vector<Spread> spreads;
    for (Size l = 0; l < r.layers.size(); ++l) {
        const Vector logs = networks.logsAt(l, noise);
        if (l > 0) addHistogram(logs, r.bins, histogram);
        const Spread s = spreadOf(logs);
        const bool known = s.count >= 2;
        push(mean, known ? s.mean : kUndefined, known ? s.meanError : kUndefined);
        push(variance, known ? s.variance : kUndefined, known ? s.varianceError : kUndefined);
        spreads.push_back(s);
    }
    return spreads;
}

void addTerms(const IncrementMeans* m, Estimates& logMean, Estimates& drift, Estimates& diffusion, Vector& variance, Vector& predicted) {
    const bool known = m && m->increment.count >= 2 && m->increment.sum > 0, twins = known && m->diffusion.count > 0;
    push(logMean, known ? std::log(m->increment.mean()) : kUndefined,
         known ? m->increment.standardError() / m->increment.mean() : kUndefined);
    push(drift, known ? m->drift.mean() : kUndefined, known ? m->drift.standardError() : kUndefined);
    push(diffusion, twins ? m->diffusion.mean() : kUndefined, twins ? m->diffusion.standardError() : kUndefined);
    variance.push_back(known ? m->increment.variance() : kUndefined);
    predicted.push_back(known ? m->predicted.mean() : kUndefined);
}

/// What lies in one layer, null for the input.
void addLayer(const MomentDiffusion& networks, const DiffusionLayer* layer, Size l, double width, Result& r) {
    addTerms(layer ? &layer->signal : nullptr, r.logMeanIncrement, r.drift, r.diffusion, r.incrementVariance, r.incrementPredicted);
    addTerms(layer ? &layer->noise : nullptr, r.logMeanIncrementNoise, r.driftNoise, r.diffusionNoise, r.incrementVarianceNoise,
             r.incrementPredictedNoise);
    const auto add = [&](Estimates& to, DrawMean DiffusionLayer::*part) {
        if (!layer) return push(to, 0, 0);
        const DrawMean& m = layer->*part;
        push(to, m.count > 0 ? m.mean() : kUndefined, m.standardError());
    };
    add(r.collapsed, &DiffusionLayer::collapsed);
    add(r.deadInputs, &DiffusionLayer::dead);
    if (r.kurtosisTheory.empty()) return;
    const bool known = layer && static_cast<double>(l) <= r.kurtosisKnownTo && layer->square.sum > 0;
    const auto kurtosis = known ? networks.kurtosis(l) : MomentDiffusion::Kurtosis{kUndefined, kUndefined};
    push(r.kurtosis, kurtosis.value, kurtosis.standardError);
    if (!layer) return;
    for (const double count : layer->tailsOver)
        r.tails.push_back(layer->square.count > 0 ? count / (layer->square.count * width) : kUndefined);
}

/// Gaussian fits of the last layer, and what the deeper half of the layers adds.
void addFits(const MomentDiffusion& networks, const std::vector<Spread>& signal, const std::vector<Spread>& noise, Result& r) {
    const Spread &last = signal.back(), &lastNoise = noise.back(), &half = signal[(signal.size() - 1) / 2];
    const DrawMean& collapsed = networks.layers().back().collapsed;
    if (collapsed.count > 0) r.collapsedShare = {collapsed.mean(), collapsed.standardError(), r.drawn};
    if (last.count < 4) return;
    const double draws = static_cast<double>(last.count), gained = static_cast<double>(signal.size() - 1 - (signal.size() - 1) / 2);
    const auto deviation = [&](const Spread& s) {
        return Estimate{std::sqrt(s.variance), s.varianceError / (2 * std::sqrt(s.variance)), draws};
    };
    r.mean = {last.mean, last.meanError, draws};
    r.deviation = deviation(last);
    r.skewness = {last.skewness, std::sqrt(6 / draws), draws};
    r.excess = {last.excess, std::sqrt(24 / draws), draws};
    r.meanNoise = {lastNoise.mean, lastNoise.meanError, draws};
    r.deviationNoise = deviation(lastNoise);
    r.driftPerLayer = {(last.mean - half.mean) / gained, std::sqrt(std::max(0.0, last.variance - half.variance) / draws) / gained, draws};
    r.diffusionPerLayer = {(last.variance - half.variance) / gained, std::hypot(last.varianceError, half.varianceError) / gained, draws};
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    const Result expected = theoryOf(p, progress);
    MomentDiffusion networks(planOf(p));
    const auto sofar = [&] {
        Result r = expected;
        r.drawn = static_cast<double>(networks.draws());
        const auto signal = addSpreads(networks, false, r, r.histogramSignal, r.meanLog, r.varLog);
        const auto noise = addSpreads(networks, true, r, r.histogramNoise, r.meanLogNoise, r.varLogNoise);
        for (Size l = 0; l < r.layers.size(); ++l) addLayer(networks, l > 0 ? &networks.layers()[l - 1] : nullptr, l, p.width, r);
        addFits(networks, signal, noise, r);
        return r;
    };
    for (int draw = 0; draw < p.draws; ++draw)
        networks.addDraw([&](double inside) {
            progress.tick((draw + inside) / p.draws);
            progress.partial(sofar);
        });
    return sofar();
}

std::string summary(const Params& p, const Result& r) {
    const std::string networks = inWords(r.drawn) + (r.drawn == 1 ? " network" : " networks") + " of width " + inWords(p.width) + ": ";
    std::string dead;
    if (r.collapsedShare && r.collapsedShare->value > 0)
        dead = " By then " + inWords(100 * r.collapsedShare->value) + " % of the networks have collapsed to zero; the bound is " +
               inWords(100 * r.collapsedBound.back()) + " %.";
    if (!r.mean) return networks + "too few of them are alive at layer " + inWords(p.layers) + " for a histogram." + dead;
    return networks + "at layer " + inWords(p.layers) + " log ν₂(x) has mean " + inWords(r.mean->value) + " and standard deviation " +
           inWords(r.deviation->value) + "; inputs on one line would have " + inWords(p.layers * r.driftPredicted) + " and " +
           inWords(std::sqrt(p.layers * r.diffusionPredicted)) + "." + dead;
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "moment-diffusion",
     .title = "Diffusion of moments",
     .claim = "From one random network to the next the size of the signal scatters over more and more orders of magnitude with depth.",
     .group = "Moments",
     .icon = "042280 042688 0484",
     .source = "P3 Fig 2; P3 Theorem 1; Eqs 5–7, Sec. 8",
     .lookAt = "Every network gives one number a layer: with depth its logarithm spreads like a random walk and drifts down.",
     .tryThis = "Pull the knob on the dashed curve outwards, to half the width: drift and variance more than double.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "layer", "layer", false, 0.12}});

}  // namespace moment_diffusion

Declaration moment_diffusion_declaration() { return declare(moment_diffusion::kScene); }
Model moment_diffusion_model() {
    return sceneModel<moment_diffusion::kScene, moment_diffusion::run, moment_diffusion::cost, moment_diffusion::summary>();
}

}  // namespace kappaflow
