#include "scenes/linear_models/declaration_model.h"

namespace kappaflow::linear {
namespace {

bool optimising(const Values& v) { return v.is("watch", "optimisation"); }
/// Stacks that are no trees start from random weights in any case.
bool random(const Values& v) { return v.is("start", "random") || (v.contains("dilation") && v.is("dilation", "list")); }

Param viewed(Param p) {
    p.affects = Affects::View;
    return p;
}

/// The picture follows the number of channels until somebody moves the timeline.
Beside channelsAsked(const Values& v) { return {v.number("channels"), 256}; }

/// Along the timeline: one row a number of channels, or one a step of the optimisation.
Field walking(Text name, Text symbol, const char* axis, Text about) {
    Field field(name, symbol, {"channels", axis}, about);
    field.gridAxes = {"step", axis};
    return field;
}

Field walking(Text name, Text symbol, Text about) {
    Field field(name, symbol, {"channels"}, about);
    field.gridAxes = {"step"};
    return field;
}

std::vector<Field> optimumFields() {
    return {{"capacity", "κ_τ", {"lag"}, "Capacity of the input at every lag, the newest at 0; sums to the numerical rank."},
            {"capacityInBasis",
             "κ_S",
             {"component"},
             "Capacity along the basis chosen: positions, eigenvectors of Σ from the largest "
             "eigenvalue down, or frequencies (sine and cosine together, at most 2)."},
            {"eigenvalues", "λ_i", {"index"}, "Eigenvalues of K̃K̃ᵀ over the largest, K̃ = ΣJ with the canonical Jacobian J (P2 Fig 5 left)."},
            {"eigenvaluesRaw", "λ_i", {"index"}, "The same with ∂A/∂w as it stands, the paper's way."},
            {"coefficients", "a_τ", {"lag"}, "Coefficients A of the model."},
            theoryField("target", "a*_τ", {"lag"}, "Coefficients A* of the best linear prediction."),
            {"absoluteError", "|a_τ − a*_τ|", {"lag"}, "Error of each coefficient."},
            {"relativeError", "|a_τ − a*_τ|/|a*_τ|", {"lag"}, "The same over the coefficient; undefined where that is 0."},
            theoryField("autocovariance", "c_τ", {"lag"}, "Autocovariance of the process."),
            {"modelAutocovariance", "ĉ_τ", {"lag"}, "Autocovariance of the process that the model itself would generate, if it is stable."},
            {"autocovarianceAbsoluteError", "|ĉ_τ − c_τ|", {"lag"}, "Error of the model's autocovariance."},
            {"autocovarianceRelativeError", "|ĉ_τ − c_τ|/|c_τ|", {"lag"}, "The same over the autocovariance; undefined where that is 0."},
            {"capacityOther", "κ_τ", {"lag"}, "Capacity at every lag of the model compared, at its own optimum on the same task."}};
}

std::vector<Field> scalarFields() {
    return {{"totalCapacity", "κ", {}, "Total capacity of the architecture, exact: in closed form or by elimination modulo 2³¹ − 1."},
            {"numericalRank", "", {}, "Rank found at these weights: what the capacities sum to."},
            {"parameters", "p", {}, "Number of weights."},
            {"loss", "L", {}, "(A − A*)ᵀΣ(A − A*): prediction error beyond the lower bound, of variance 1."},
            {"lowerBound", "v*", {}, "Error of the best linear prediction.", Role::Bound},
            {"optimality", "‖KᵀX‖/‖X‖", {}, "0 at an optimum (P2 Eq 17), of order 1 elsewhere; X = A − A*."},
            {"iterations", "", {}, "Steps that the optimiser took."},
            {"threshold", "", {}, "Eigenvalues below count as zero; left out where none does."},
            {"largestPartial", "", {}, "Largest partial autocorrelation of the model as a predictor: stable below 1."},
            {"totalCapacityOther", "κ", {}, "Total capacity of the model compared, exact."},
            {"numericalRankOther", "", {}, "Rank found at its optimum: what capacityOther sums to."},
            {"lossOther", "L", {}, "Its loss."},
            {"optimalityOther", "‖KᵀX‖/‖X‖", {}, "Its check of optimality."}};
}

std::vector<Field> walkFields() {
    return {
        walking("capacityAlong", "κ_τ", "lag", "Capacity of the input at every lag."),
        walking("capacityInBasisAlong", "κ_S", "component", "Capacity along the basis chosen."),
        walking("eigenvaluesAlong", "λ_i", "index", "Eigenvalues of K̃K̃ᵀ over the largest; up to 128 lags."),
        walking("coefficientsAlong", "a_τ", "lag", "Coefficients of the model."),
        walking("modelAutocovarianceAlong", "ĉ_τ", "lag", "Autocovariance that the model would generate; undefined where it is unstable."),
        walking("totalCapacityAlong", "κ", "Exact capacity."),
        walking("numericalRankAlong", "", "Rank found at these weights."),
        walking("parametersAlong", "p", "Number of weights."),
        walking("lossAlong", "L", "Loss (A − A*)ᵀΣ(A − A*)."),
        walking("optimalityAlong", "‖KᵀX‖/‖X‖", "Check of optimality: 0 at an optimum.")};
}

}  // namespace

std::vector<Param> analysisParams() {
    return {choiceParam("basis", "basis", {{"covariance", "eigenvectors of Σ"}, {"fourier", "frequencies"}, {"position", "positions"}},
                        "Directions along which capacity is shown beside the lags: eigenvectors of the covariance, largest eigenvalue "
                        "first, Fourier pairs, or the lags themselves.",
                        "P2 Fig 5; Eq 18"),
            viewed(choiceParam("panels", "panels", {{"capacity", "capacity"}, {"fit", "model and target"}},
                               "What is drawn: where the capacity goes, or coefficients and autocovariance beside their targets.",
                               "P2 Fig 14")),
            underMore(choiceParam("watch", "timeline", {{"channels", "channels growing"}, {"optimisation", "optimisation steps"}},
                                  "What passes: ever more channels, each at its optimum, or the way to one optimum.", "P2 Fig 5; 5.1.2")),
            underMore(choiceParam("start", "start", {{"best", "the best known way"}, {"random", "random weights, L-BFGS"}},
                                  "Where the optimum is looked for: from the target's own decomposition where there is one, or as in "
                                  "the paper from random weights, the best of the restarts.",
                                  "P2 5.1.2")),
            visibleWhen(random, underMore(wholeParam("restarts", "", "restarts", 4, 1, 16, "Random starts, of which the best is kept.",
                                                     "P2 5.1.2"))),
            seedParam("Start of the random numbers of weights to start from.", "P2 5.1.2")};
}

std::vector<Param> walkParams() {
    auto all = timelineParams(256, "The number of channels that is drawn; fractions lie between two of them.", "P2 Fig 5");
    all[0].standard = 2.0;
    all[0].min = 1;
    all[0].symbol = "c";
    all[0].label = "channels drawn";
    all[0].beside = channelsAsked;
    all[1].help = "Whether the timeline passes by itself.";
    Param step = viewed(inRange(param(Kind::Number, "step", "t", "step drawn", 1e6,
                                      "Step of the optimisation that is drawn; the last stands "
                                      "for the optimum.",
                                      "P2 5.1.2"),
                                0, 1e6));
    step.group = Group::Hidden;
    all.push_back(visibleWhen(optimising, std::move(step)));
    return all;
}

std::vector<Field> analysisFields() {
    std::vector<Field> all = optimumFields();
    for (auto& more : {scalarFields(), walkFields()})
        for (const auto& field : more) all.push_back(field);
    return all;
}

void walkAlong(Declaration& d) {
    d.timeline = {"at", "channels", "channels", false, 1.2};
    d.instead = {"step", "step", "step", false, 0.3};
}

}  // namespace kappaflow::linear
