#include "scenes/moments/declaration_nets.h"

namespace kappaflow {
namespace {

constexpr const char* kFigure = "P3 Fig 2; P3 Theorem 1";

std::vector<Param> requestParams() {
    Param data = choiceParam("data", "data", random_nets::madeData(),
                             "Inputs: soon they lie on one line in every layer, whatever they were.", kFigure);
    return {
        logarithmic(wholeParam("width", "N", "width", 32, 1, 256, "Units of every layer; the input is as wide.", kFigure)),
        logarithmic(wholeParam("layers", "L", "layers", 100, 1, 300, "Layers of every network.", kFigure)),
        logarithmic(wholeParam("draws", "", "draws", 1000, 10, 4000, "Networks, each with fresh weights, inputs and noise.", kFigure)),
        underMore(logarithmic(wholeParam("samples", "M", "samples", 4, 1, 32,
                                         "Inputs of a network, one noise each; with one the law of a layer is known exactly.", kFigure))),
        underMore(std::move(data)),
        underMore(seedParam("Start of the random numbers of weights, inputs and noise.", kFigure))};
}

std::vector<Param> params() {
    auto all = requestParams();
    Param show = choiceParam("show", "beside the histograms",
                             {{"spread", "mean and variance"},
                              {"terms", "drift and diffusion a layer"},
                              {"collapse", "collapse of narrow networks"},
                              {"tails", "fat tails at a fixed input"}},
                             "What the panels beside the histograms show.", "P3 Eqs 5–7, Theorem 1, Sec. 8");
    show.affects = Affects::View;
    all.insert(all.begin() + 3, std::move(show));
    for (auto& p : timelineParams(300, "The layer whose histograms are drawn.", kFigure)) all.push_back(std::move(p));
    for (auto& p : all)
        if (p.key == "at") p.standard = 100.0;
    return all;
}

std::vector<Field> spreadFields() {
    return {
        {"histogramSignal", "log ν₂(x^l)", {"depth", "bin"}, "Density of log ν₂(x^l) − log ν₂(x⁰) over the networks alive."},
        {"histogramNoise", "log μ₂(dx^l)", {"depth", "bin"}, "Density of log μ₂(dx^l) − log μ₂(dx⁰) over the networks alive."},
        {"meanLog", "log ν₂(x^l)", {"layer"}, "Mean of log ν₂(x^l) − log ν₂(x⁰) over the networks alive."},
        {"varLog", "", {"layer"}, "Its variance over networks."},
        {"meanLogNoise", "log μ₂(dx^l)", {"layer"}, "Mean of log μ₂(dx^l) − log μ₂(dx⁰) over the networks alive."},
        {"varLogNoise", "", {"layer"}, "Its variance over networks."},
        theoryField("meanLogTheory", "", {"layer"}, "Mean of log ν₂ for inputs on one half-line, exact at this width."),
        theoryField("varLogTheory", "", {"layer"}, "Its variance, exact at this width."),
        theoryField("meanLogFirstOrder", "−5l/2N", {"layer"}, "The mean to first order in 1/N."),
        theoryField("varLogFirstOrder", "5l/N", {"layer"}, "The variance to first order in 1/N."),
        {"meanSignal", "", {}, "Gaussian fit at the last layer: mean of log ν₂."},
        {"deviationSignal", "", {}, "Gaussian fit at the last layer: standard deviation of log ν₂."},
        {"skewness", "", {}, "Skewness of log ν₂ at the last layer; 0 for a Gaussian."},
        {"excessKurtosis", "", {}, "Excess kurtosis of log ν₂ at the last layer; 0 for a Gaussian."},
        {"meanNoise", "", {}, "Gaussian fit at the last layer: mean of log μ₂(dx)."},
        {"deviationNoise", "", {}, "Gaussian fit at the last layer: standard deviation of log μ₂(dx)."},
    };
}

std::vector<Field> termFields() {
    return {
        {"logMeanIncrement", "m̄", {"layer"}, "Logarithm of the mean of δν₂ over networks: 0 in expectation (Eq 5)."},
        {"logMeanIncrementNoise", "m̄", {"layer"}, "Logarithm of the mean of δμ₂(dx) over networks: 0 in expectation (Eq 5)."},
        {"drift", "m̲", {"layer"}, "Mean of log δν₂: the drift (Eq 6), m̄ being 0."},
        {"driftNoise", "m̲", {"layer"}, "Mean of log δμ₂(dx): the drift of the noise (Eq 6)."},
        {"diffusionTerm", "s̲", {"layer"}, "Variance of s̲ (Eq 7) from two sets of weights on the same layer below."},
        {"diffusionTermNoise", "s̲", {"layer"}, "Variance of the noise's s̲ (Eq 7) from two sets of weights on the same layer below."},
        theoryField("driftTheory", "", {"layer"}, "Drift of inputs on one half-line, exact at this width."),
        theoryField("diffusionTheory", "", {"layer"}, "Diffusion of inputs on one half-line, exact at this width."),
        {"incrementVariance", "Var δν₂", {"layer"}, "Variance of δν₂ over networks."},
        {"incrementVarianceNoise", "Var δμ₂", {"layer"}, "Variance of δμ₂(dx) over networks."},
        theoryField("incrementVariancePredicted", "", {"layer"},
                    "Var_θ[δν₂] given the layer below, from its angles alone, exact; mean over networks."),
        theoryField("incrementVarianceNoisePredicted", "", {"layer"},
                    "Var_θ[δμ₂(dx)] given the layer below, the masks taken as independent of the noise; mean over networks."),
        {"incrementVarianceLow", "2/N²", {"layer"}, "Least variance of an increment: isotropic, symmetric inputs.", Role::Bound},
        {"incrementVarianceHigh", "5/N", {"layer"}, "Greatest variance of an increment: inputs on one half-line.", Role::Bound},
        {"driftPerLayer", "", {}, "Slope of the mean of log ν₂ over the second half of the layers."},
        {"driftPredicted", "", {}, "Change of the mean of log ν₂ a layer for inputs on one half-line, exact at this width.", Role::Theory},
        {"diffusionPerLayer", "", {}, "Variance of log ν₂ gained in the second half of the layers, a layer."},
        {"diffusionPredicted", "", {}, "Variance of log ν₂ gained a layer for inputs on one half-line, exact at this width.", Role::Theory},
    };
}

std::vector<Field> rareFields() {
    return {
        {"collapsed", "", {"layer"}, "Share of networks whose units are all off for every input by a layer."},
        {"collapsedBound", "1−(1−2^−N)^l", {"layer"}, "Theorem 1's bound for that share.", Role::Bound},
        {"deadInputs", "", {"layer"}, "Share of inputs whose feature vector is zero by a layer."},
        theoryField("deadInputsTheory", "1−(1−2^−N)^l", {"layer"}, "Probability of that, exact for every input."),
        {"preactivationKurtosis",
         "",
         {"layer"},
         "Kurtosis over weights of a pre-activation at a fixed input, as far as it can be measured."},
        theoryField("preactivationKurtosisTheory", "3(1+5/N)^(l−1)", {"layer"},
                    "Kurtosis over weights of a pre-activation at a fixed input, exactly."),
        {"tails", "P(|y| > t)", {"layer", "threshold"}, "Share of pre-activations at a fixed input over t standard deviations."},
        theoryField("tailsTheory", "", {"layer", "threshold"},
                    "Probability of a pre-activation over t standard deviations when the layer below has a log-normal norm."),
        theoryField("tailsGaussian", "", {"threshold"}, "Probability of a Gaussian number over t standard deviations."),
        {"kurtosisKnownTo", "", {}, "Last layer whose kurtosis these draws can show to about a third."},
        {"collapsedShare", "", {}, "Share of networks collapsed by the last layer."},
    };
}

std::vector<Preset> presets() {
    return {
        {"Log-moments spread as a Gaussian (Fig 2)", {}},
        {"The paper's width 128, fewer draws", {{"width", "128"}, {"layers", "200"}, {"draws", "150"}, {"samples", "2"}, {"at", "200"}}},
        {"Drift and diffusion, layer by layer", {{"show", "terms"}, {"layers", "40"}, {"draws", "2000"}, {"samples", "8"}, {"at", "40"}}},
        {"Narrow networks collapse", {{"width", "6"}, {"layers", "60"}, {"show", "collapse"}, {"at", "30"}, {"draws", "2000"}}},
        {"Fat tails at a fixed input", {{"show", "tails"}, {"samples", "1"}, {"draws", "3000"}, {"layers", "60"}, {"at", "60"}}},
        {"One input: the law of a layer is exact", {{"samples", "1"}, {"width", "16"}, {"draws", "3000"}, {"layers", "60"}, {"at", "60"}}}};
}

}  // namespace

Declaration moment_diffusion_declaration() {
    Declaration d;
    d.id = "moment-diffusion";
    d.title = "Diffusion of moments";
    d.claim = "From one random network to the next the size of the signal scatters over more and more orders of magnitude with depth.";
    d.group = "Moments";
    d.source = "P3 Fig 2; P3 Theorem 1; Eqs 5–7, Sec. 8";
    d.lookAt = "Every network gives one number a layer: with depth its logarithm spreads like a random walk and drifts down.";
    d.tryThis = "Move the layer from the input to the end, or halve the width: drift and variance double.";
    d.params = params();
    d.fields = spreadFields();
    for (auto& field : termFields()) d.fields.push_back(std::move(field));
    for (auto& field : rareFields()) d.fields.push_back(std::move(field));
    d.presets = presets();
    d.timeline = {"at", "layer", "layer", false, 0.12};
    return d;
}

}  // namespace kappaflow
