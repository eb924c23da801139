#include "scene/declare.h"

namespace kappaflow {
namespace {

bool residual(const Values& v) { return v.is("layer", "residual"); }
bool differential(const Values& v) { return v.is("layer", "differential"); }

Param number(Text key, Text symbol, Text label, double standard, double min, double max, Text help, Text serves) {
    return inRange(param(Kind::Number, key, symbol, label, standard, help, serves), min, max);
}

Param list(Text key, Text symbol, Text label, std::vector<double> standard, int longest, Text help, Text serves) {
    Param p = param(Kind::List, key, symbol, label, std::move(standard), help, serves);
    p.maxLength = longest;
    return p;
}

std::vector<Param> simulationParams() {
    Param draws = logarithmic(inRange(param(Kind::Integer, "draws", "", "draws", 2000.0,
                                            "Most solutions of the forward equation at each depth, and a twentieth of the most inputs "
                                            "sent through the two-layer check; both stop earlier at the precision.",
                                            "P1 (later version Eqs 34–36)"),
                                      100, 20000));
    return {visibleWhen(differential, std::move(draws)),
            visibleWhen(differential,
                        logarithmic(number("precision", "", "precision", 0.03, 0.005, 0.2,
                                           "Relative standard error at which the simulations stop.", "P1 (later version Eqs 34–36)"))),
            visibleWhen(differential,
                        number("checkStep", "ε", "step of the check", 0.2, 0, 1,
                               "Step ε of the two pseudo-random layers that are simulated on three inputs.", "P1 (later version App. B)")),
            visibleWhen(differential, seedParam("Start of the random numbers of both simulations.", "P1 (later version App. B)"))};
}

std::vector<Param> params() {
    std::vector<Param> all{
        choiceParam("layer", "layer type", {{"residual", "residual"}, {"differential", "differential"}},
                    "Residual: D = I + εΔ; differential: the activation acts on the change alone, D = (I + ε P∘P)/(1 + ε |p|²).",
                    "P1 Eq 29 (later version 3.3, App. B)"),
        visibleWhen(residual, number("up", "Δ_{+1}", "rate upwards", 10, 0, 30,
                                     "Rate Δ_{i+1,i} at which capacity moves to the next position; a depth below the sum of both rates is "
                                     "raised to it.",
                                     "P1 Eqs 29–31")),
        visibleWhen(residual, number("down", "Δ_{−1}", "rate downwards", 10, 0, 30,
                                     "Rate Δ_{i−1,i} at which capacity moves to the position before.", "P1 Eqs 29–31")),
        visibleWhen(differential, inRange(list("weights", "p_k", "weights", {-1, 0, 1}, 9,
                                               "Weights of the layer at offsets …, −1, 0, 1, …, an odd number of them; Δ_k = p_k².",
                                               "P1 (later version Eq 34, App. B)"),
                                          -3, 3)),
        number("exponent", "a", "exponent", 0.5, 0, 1,
               "The weights of L layers are p_k L^{−a}, so ε = L^{−2a}; only a = 1/2 has a limit that is not trivial.", "P1 Eq 29"),
        inRange(list("depths", "L", "depths", {20, 40, 80, 160, 320, 640}, 12, "Numbers of layers that are compared, up to 2000.",
                     "P1 Eqs 29–32"),
                1, 2000)};
    for (auto& p : simulationParams()) all.push_back(underMore(std::move(p)));
    auto timeline = timelineParams(2000, "The depth that is looked at; fractions lie between two of the depths.", "P1 Eq 29");
    timeline[0].symbol = "L";
    timeline[0].label = "depth";
    timeline[1].help = "Whether the depths pass by themselves.";
    all.insert(all.end(), timeline.begin(), timeline.end());
    return all;
}

std::vector<Field> sweepFields() {
    const std::vector<std::string> depth{"depth"}, profile{"depth", "position"};
    return {{"chain", "κ⁰", profile, "Capacity D^L of a Dirac at 0: what arrives at every input of the network with L layers."},
            theoryField("flow", "π(1)", {"position"}, "Kolmogorov flow e^Δ of the Dirac: the limit of infinitely many layers (P1 Eq 30)."),
            theoryField("gaussian", "", {"position"},
                        "Normal density of mean v and variance 2𝒟 (P1 Eq 32), integrated over the unit cell of each position."),
            {"totalVariation", "", depth, "Distance of the chain from the Gaussian, ½ Σ |κ⁰ − g|."},
            {"totalVariationToFlow", "", depth, "Distance of the chain from the Kolmogorov flow, ½ Σ |κ⁰ − π(1)|."},
            theoryField("totalVariationToFlowPredicted", "", depth,
                        "Exponent 1/2: what the second order leaves of it, ½ ‖(sΔ + Δ²/2) e^Δ δ‖₁/L with s = |p|² (residual: 0)."),
            {"meanChain", "", depth, "Mean of the chain."},
            {"varianceChain", "σ²", depth, "Variance of the chain."},
            theoryField("meanPredicted", "", depth, "L ε v, with ε the share of Δ that one layer moves."),
            theoryField("variancePredicted", "", depth, "L (2 ε 𝒟 − ε² v²)."),
            theoryField("spreadByExponent", "σ", {"exponent", "depth"}, "√(L (2 ε 𝒟 − ε² v²)) for weights ∝ L^{−a}, a = 0, 1/2 and 1."),
            {"step", "ε", depth, "Share of Δ that one layer moves."},
            theoryField("kernel", "Δ_k", {"offset"}, "Rates Δ_k of the generator; the one at 0 is −Σ of the others."),
            {"v", "v", {}, "Drift read off the kernel, Σ k Δ_k.", Role::Theory},
            {"diffusion", "𝒟", {}, "Diffusion coefficient read off the kernel, ½ Σ k² Δ_k.", Role::Theory},
            {"slope", "", {}, "Limit of L times the distance to the flow (exponent 1/2).", Role::Theory},
            {"gaussianGap", "", {}, "Distance of the flow from the Gaussian: what stays however deep the network.", Role::Theory}};
}

std::vector<Field> simulationFields() {
    const std::vector<std::string> depth{"depth"}, profile{"depth", "position"};
    return {{"forward",
             "Y_x",
             {"depth", "position", "draw"},
             "Differential layers: a few outputs of the forward network for the input δ, in which only position 0 is 1."},
            {"forwardMeanSquare", "E Y_x²", profile, "Mean square of the outputs over all draws."},
            theoryField("forwardMeanSquarePredicted", "", profile,
                        "(1 + ε |p|²)^L times the capacity that output x has at input 0 by the backward chain."),
            {"forwardGrowth", "Σ E Y_x²", depth, "Mean square of all outputs together; the simulation stops by its standard error."},
            theoryField("forwardGrowthPredicted", "", depth, "(1 + ε |p|²)^L."),
            {"forwardDraws", "", depth, "Solutions drawn."},
            {"forwardEffectiveDraws", "", depth, "As many equal draws would carry the mean square: (Σ q)²/Σ q² of the draws' squares."},
            {"sdeCoefficient", "Σ k p_k", {}, "Coefficient of ∂Y/∂x in the forward equation.", Role::Theory},
            {"checkCapacity", "κ⁰", {"unit"}, "Capacities of the inputs of two simulated pseudo-random differential layers."},
            theoryField("checkPredicted", "", {"unit"}, "D₁ D₂ κ² with D = (I + ε P∘P)/(1 + ε)."),
            {"checkVariance", "", {"checkLayer"}, "Mean square of a unit after the first and the second simulated layer."},
            theoryField("checkVariancePredicted", "", {"checkLayer"}, "(1 + ε)^l."),
            {"checkCovarianceGap", "", {}, "Largest entry of the measured path covariance minus I."}};
}

std::vector<Preset> presets() {
    return {{"Chain, flow and Gaussian (Eqs 29–32)", {}},
            {"A drift: up 8, down 4", {{"up", "8"}, {"down", "4"}}},
            {"Too narrow for a Gaussian", {{"up", "0.5"}, {"down", "0.5"}, {"depths", "1,2,4,8,16,32,64,128"}}},
            {"One way only", {{"up", "12"}, {"down", "0"}}},
            {"Weights that shrink too slowly", {{"exponent", "0.25"}}},
            {"Weights that shrink too fast", {{"exponent", "1"}}},
            {"Differential layers (later version, 3.3 and App. B)", {{"layer", "differential"}, {"depths", "2,4,8,16,32,64,128"}}},
            {"Differential layers that drift", {{"layer", "differential"}, {"weights", "0,-1,1"}, {"depths", "2,4,8,16,32,64,128"}}}};
}

}  // namespace

Declaration deep_limit_declaration() {
    Declaration d;
    d.id = "deep-limit";
    d.title = "The deep limit";
    d.claim = "As layers multiply and weights shrink as 1/√L, the chain of layers becomes a flow; no other scaling has a limit.";
    d.group = "Capacity flow";
    d.source = "P1 Eqs 29–33 (later version Eqs 29–37; 3.3; App. B)";
    d.lookAt = "Watch the bars settle on the flow: twice the depth, half the distance; the Gaussian stays a little off.";
    d.tryThis = "Pull the exponent away from 1/2: the profile spreads without end, or stands still.";
    d.params = params();
    d.fields = sweepFields();
    for (auto& field : simulationFields()) d.fields.push_back(std::move(field));
    d.presets = presets();
    d.timeline = {"at", "depth", "depth", false, 1.1};
    d.bits = {"checkCapacity", "checkVariance", "checkCovarianceGap"};
    return d;
}

}  // namespace kappaflow
