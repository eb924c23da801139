#include "scene/declare.h"

namespace kappaflow {
namespace {

constexpr const char* kFigure = "P3 Fig 1";

bool deep(const Values& v) { return v.is("net", "batch-norm"); }
bool scaled(const Values& v) { return !deep(v); }
bool activated(const Values& v) { return !v.is("net", "linear"); }

std::vector<Param> mainParams() {
    return {
        choiceParam("net", "network", {{"layer", "one layer"}, {"linear", "linear"}, {"batch-norm", "deep, batch-normalised"}},
                    "The map from the input to the output: φ(gain·x), gain·x, or a random net with batch norm and a linear last unit.",
                    kFigure),
        visibleWhen(activated,
                    choiceParam("activation", "activation",
                                {{"tanh", "tanh"}, {"relu", "ReLU"}, {"abs", "|z|"}, {"hard-tanh", "hard-tanh"}, {"sigmoid", "sigmoid"}},
                                "Tanh sorts the two groups of inputs, ReLU and |z| fold them together.", kFigure)),
        visibleWhen(scaled, logarithmic(inRange(param(Kind::Number, "gain", "a", "gain", 2.0,
                                                      "Weight of the layer; batch norm would take it out again.", kFigure),
                                                0.1, 10))),
        inRange(
            param(Kind::Number, "separation", "", "separation", 2.0, "Distance between the centres of the two groups of inputs.", kFigure),
            0, 3),
        inRange(param(Kind::Number, "spread", "s", "spread", 0.2, "Standard deviation of the inputs within a group.", kFigure), 0.05, 0.8),
        logarithmic(
            inRange(param(Kind::Number, "noise", "σ", "noise", 0.1, "Standard deviation of the noise added to the input.", "P3 Eqs 3–4"),
                    0.01, 0.5)),
        visibleWhen(deep, wholeParam("layers", "L", "layers", 12, 2, 20, "Layers of the net, the linear one included.", kFigure)),
        visibleWhen(deep, logarithmic(wholeParam("width", "N", "width", 64, 1, 128, "Units of every hidden layer.", kFigure)))};
}

std::vector<Param> params() {
    auto all = mainParams();
    all.push_back(underMore(inRange(
        param(Kind::Number, "share", "", "share on the left", 0.5, "Probability that an input belongs to the group on the left.", kFigure),
        0.05, 0.95)));
    Param probe = inRange(
        param(Kind::Number, "probe", "x", "input followed", 0.6, "The input whose noise is followed through the curve.", "P3 Eq 2"), -3, 3);
    probe.affects = Affects::View;
    all.push_back(underMore(std::move(probe)));
    all.push_back(underMore(visibleWhen(deep, seedParam("Start of the random numbers of the weights.", kFigure))));
    for (Param& p : timelineParams(20, "The layer whose output is shown; layer 0 is the input.", kFigure)) {
        if (p.key == "at") p.standard = 20.0;
        all.push_back(std::move(p));
    }
    return all;
}

std::vector<Field> curveFields() {
    return {{"curve", "Φ", {"input"}, "The map from the input to the output."},
            theoryField("rescaling", "Ψ", {"input"}, "The constant rescaling whose output has the same variance: χ compares Φ with it."),
            {"densityIn", "p", {"input"}, "Density of the input."},
            theoryField("noiseFirstOrder", "", {"input"}, "Standard deviation of the output's noise to first order, |Φ′(x)| σ."),
            {"noiseActual", "", {"input"}, "Root mean square change of the output by the noise as it is."},
            {"chiByGain", "χ", {"activation", "gain"}, "χ of one layer φ(gain·x), by quadrature; not for the deep net."}};
}

std::vector<Field> layerFields() {
    const std::vector<std::string> byInput{"layer", "input"}, byBin{"layer", "bin"};
    return {{"layerCurve", "Φ_l", byInput, "The map to the output of a network that ends at this layer; layer 0 is the input itself."},
            theoryField("layerRescaling", "", {"layer"}, "Slope of the constant rescaling of equal output variance."),
            theoryField("layerFirstOrder", "", byInput, "Noise to first order, as a standard deviation."),
            {"layerNoise", "", byInput, "Noise as it is, root mean square."},
            {"outputs", "y", byBin, "Middles of the bins of the output's density."},
            {"densityOut", "", byBin, "Mean density of the output in these bins, from the exact probability of every step of the input."},
            {"flat", "", {"layer"}, "Probability of inputs about which the curve is flat: these come out as atoms."},
            {"layerChi",
             "χ^l",
             {"layer"},
             "Normalised sensitivity, from the moments of signal and first-order noise; none where the grid's step cannot show the curve."},
            {"layerChiFromJacobian",
             "",
             {"layer"},
             "Normalised sensitivity from the curve alone: rms slope of its chords over that of the rescaling."},
            {"layerChiActual", "", {"layer"}, "Normalised sensitivity with noise of the size chosen, as it is."}};
}

std::vector<Field> scalarFields() {
    return {
        {"chi",
         "χ",
         {},
         "Normalised sensitivity at the output: of a layer by quadrature, of the deep net over the grid, unless its step is too coarse."},
        {"chiFromJacobian", "χ", {}, "Rms slope of the curve's chords over the slope of the rescaling: Proposition 6."},
        {"chiActual", "", {}, "χ with noise of the size chosen in place of its first order."},
        {"snrIn", "SNR⁰", {}, "Variance of the input over that of its noise."},
        {"snrOut", "SNR", {}, "Variance of the output over that of its noise, to first order."},
        {"snrOutActual", "", {}, "Variance of the output over that of its noise, with the noise as it is."},
        {"noiseFactor", "F", {}, "Decibels by which the signal-to-noise ratio falls: 20 log₁₀ χ."}};
}

std::vector<Preset> presets() {
    return {
        {"A noise reducer: tanh of gain 2 (Fig 1a)", {}},
        {"Neither: a straight line, χ = 1 (Fig 1b)", {{"net", "linear"}, {"gain", "1"}}},
        {"A noise amplifier: deep with batch norm (Fig 1c)", {{"net", "batch-norm"}, {"activation", "relu"}}},
        {"|z| folds the groups onto one another", {{"activation", "abs"}, {"gain", "1"}}},
        {"ReLU: half the inputs become one atom", {{"activation", "relu"}, {"gain", "1"}, {"spread", "0.35"}}},
        {"One broad group: tanh helps little", {{"separation", "0"}, {"spread", "0.8"}, {"gain", "1"}}},
        {"Large noise is more than its first order", {{"net", "batch-norm"}, {"activation", "relu"}, {"layers", "16"}, {"noise", "0.3"}}}};
}

}  // namespace

Declaration signal_and_noise_declaration() {
    Declaration d;
    d.id = "signal-and-noise";
    d.title = "Signal and noise";
    d.claim = "χ compares a network's sensitivity with that of a mere rescaling: below 1 it reduces noise, above 1 it amplifies it.";
    d.group = "Moments";
    d.source = "P3 Fig 1; Eqs 3–4; Props 5–6";
    d.lookAt = "Where the inputs are, a curve flatter than the dashed rescaling loses noise (χ < 1), a steeper one adds to it (χ > 1).";
    d.tryThis = "Pull the gain, or bring the two groups together, and watch χ pass 1.";
    d.params = params();
    d.fields = curveFields();
    for (auto& field : layerFields()) d.fields.push_back(std::move(field));
    for (auto& field : scalarFields()) d.fields.push_back(std::move(field));
    d.presets = presets();
    d.timeline = {"at", "layer", "layer", false, 0.8};
    return d;
}

}  // namespace kappaflow
