#include "scenes/capacity_flow/declaration_activations.h"

namespace kappaflow {
namespace {

std::vector<Param> params() {
    Param at =
        inRange(param(Kind::Number, "at", "", "draws", 1e7, "After how many draws the measured blocks are shown.", "P1 Eq 14"), 0, 1e7);
    Param play = param(Kind::Boolean, "play", "", "play", true, "Whether the draws pass by themselves.", "P1 Eq 14");
    for (Param* p : {&at, &play}) p->group = Group::Hidden, p->affects = Affects::View;
    return {
        activationParam("leaky-relu", "Which non-linearity f is placed on the decoupling scale.", "P1 Fig 3; Eqs 12–15"),
        slopeParam(),
        logarithmic(
            inRange(param(Kind::Number, "sigma", "σ", "width of z", 1.0,
                          "Standard deviation of every unit's argument z; two slopes do not care, bounded activations do.", "P1 Eq 13"),
                    0.1, 10)),
        logarithmic(inRange(param(Kind::Integer, "draws", "", "draws", 100000.0,
                                  "How many Gaussian inputs the blocks are averaged over, unless drawing stops before.", "P1 Eqs 8, 14"),
                            100, 1e7)),
        logarithmic(inRange(param(Kind::Number, "stopAt", "", "stop at standard error", 0.001,
                                  "Drawing ends early when no entry of the blocks has a larger standard error.", "P1 Eq 14"),
                            1e-4, 0.1)),
        countParam("inputs", "n", "inputs", 4, 8, "Number of inputs Y of the layer.", "P1 Eq 6"),
        countParam("features", "m", "features", 4, 8, "Number of units of the layer, hence of copies of the inputs.", "P1 Eq 6"),
        underMore(covarianceParam("ar1")),
        seedParam("Start of the random numbers behind features and draws.", "P1 Eq 8"),
        at,
        play};
}

std::vector<Field> fields() {
    const std::vector<std::string> blocks{"row", "col"}, draws{"draws"}, activations{"activation"}, z{"z"};
    return {
        {"scale", "ν", activations,
         "Place on the decoupling scale (P1 Eq 15): (E z f)²/(E z² E f²), which for two slopes is the paper's ν."},
        {"scaleIndependent", "ν", activations, "(E η)²/E η², as if η and the inputs were independent (P1 Eq 13); 0 where E η² diverges."},
        {"scaleCorrelation", "ν_c", activations, "corr(f(z), z)²: the mean of f removed, as a free bias does."},
        {"activationCurve", "f", z, "The activation."},
        {"eta", "η", z, "The decoupling factor f(z)/z (P1 Eq 4)."},
        {"density", "", z, "Density of z ~ N(0, σ²)."},
        {"sigmaTildeMeasured", "Σ̃", blocks, "E[Ỹ Ỹᵀ] by Monte Carlo, η scaled to E η² = 1; row j·n + i is copy j of input i."},
        theoryField("sigmaTildeApproximate", "Σ̃", blocks, "P1 Eq 14: Σ on the diagonal, νΣ elsewhere."),
        theoryField("sigmaTildeExact", "Σ̃", blocks, "The exact form for two slopes and Gaussian inputs, by the arcsine law."),
        {"measuredByDraws", "Σ̃", {"draws", "row", "col"}, "The measured Σ̃ after so many draws."},
        {"distanceFromApproximate", "", draws, "‖measured − Eq 14‖/‖measured‖ (Frobenius)."},
        {"distanceFromExact", "", draws, "‖measured − exact‖/‖measured‖, two slopes."},
        theoryField("noise", "", draws, "‖standard error‖/‖measured‖: how far apart chance alone leaves them."),
        {"largestError", "", draws, "Largest standard error of an entry after so many draws."},
        {"nuIndependent", "ν", {}, "(E η)²/E η² of the chosen activation; 0 where E η² diverges, which then is a name and no measurement."},
        {"nuEnergy", "ν", {}, "(E z f)²/(E z² E f²) of the chosen activation, by quadrature or closed form."},
        {"nuCorrelation", "ν_c", {}, "corr(f(z), z)² of the chosen activation."},
        {"meanEta", "E η", {}, "Mean of η scaled to E η² = 1: what Fig 3 prints as ν. Left out where E η² diverges."},
        {"relativeError", "", {}, "How far Eq 14 is from the measured Σ̃, relative to it (Frobenius)."},
        {"relativeErrorExact", "", {}, "How far Eq 14 is from the exact Σ̃, relative to it; two slopes."},
        {"standardError", "", {}, "Largest standard error of an entry of the measured Σ̃."},
        {"drawsMade", "", {}, "How many draws were made."}};
}

}  // namespace

Declaration decoupling_declaration() {
    Declaration d;
    d.id = "decoupling";
    d.title = "The decoupling scale";
    d.claim = "How far an activation decouples its units: from 1, linear, over ReLUs at ½, to 0, pseudo-random.";
    d.group = "Capacity flow";
    d.source = "P1 Fig 3; Eqs 10–15";
    d.lookAt = "Watch the measured blocks settle: they close in on the exact form, while the paper's Eq 14 stays a fixed distance away.";
    d.tryThis = "Pull the left leg of f from slope 1 down to −1, and see the blocks off the diagonal fade as ν falls from 1 to 0.";
    d.params = params();
    d.fields = fields();
    d.presets = {{"Leaky ReLU", {}},
                 {"ReLU: E[η] is not ν", {{"activation", "relu"}}},
                 {"Absolute value: 0 on average only", {{"activation", "abs"}}},
                 {"Tanh: three values of ν", {{"activation", "tanh"}, {"sigma", "2"}}},
                 {"Sigmoid: no ν by the first definition", {{"activation", "sigmoid"}}},
                 {"Pseudo-random: Eq 11 holds", {{"activation", "pseudo-random"}}},
                 {"Identity: fully coupled", {{"activation", "identity"}}},
                 {"Stop at a standard error of 0.01", {{"stopAt", "0.01"}, {"draws", "1000000"}}}};
    d.timeline = {"at", "draws", "draws", false, 0.35};
    return d;
}

}  // namespace kappaflow
