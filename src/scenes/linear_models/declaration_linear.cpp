#include "scenes/linear_models/declaration_linear.h"

#include <cmath>

namespace kappaflow {
namespace linear {
namespace {

constexpr const char* kAppendixB = "P2 App. B, Eqs 30–33";

bool powerLaw(const Values& v) { return v.is("process", "power-law"); }
bool arfima(const Values& v) { return v.is("process", "arfima"); }
bool autoregressive(const Values& v) { return v.is("process", "ar1") || v.is("process", "ar2"); }
bool secondOrder(const Values& v) { return v.is("process", "ar2"); }

/// For which an autoregression of order 2 is stable with room to spare.
double largestSecondCoefficient(double first) { return std::floor((0.99 - std::fabs(first)) * 1e6) / 1e6; }

Beside stableSecond(const Values& v) {
    const double most = largestSecondCoefficient(v.number("phi1"));
    return {std::fmin(0.2, most), most};
}

Param number(Text key, Text symbol, Text label, double standard, double min, double max, Text help) {
    return underMore(inRange(param(Kind::Number, key, symbol, label, standard, help, kAppendixB), min, max));
}

}  // namespace

std::vector<Param> taskParams() {
    Param second = number("phi2", "φ₂", "second coefficient", 0.2, -0.95, 0.99, "How the sample before the last enters the next one.");
    second.beside = stableSecond;
    return {underMore(choiceParam("process", "process",
                                  {{"power-law", "power law"},
                                   {"arfima", "long memory (ARFIMA)"},
                                   {"exponentials", "four exponentials"},
                                   {"ar1", "autoregression, order 1"},
                                   {"ar2", "autoregression, order 2"}},
                                  "The Gaussian process whose next sample is to be predicted from its last n.", kAppendixB)),
            visibleWhen(powerLaw, number("alpha", "α", "decay", 0.5, 0.05, 4, "Exponent of the autocovariance c_τ = (1 + τ)^{−α}.")),
            visibleWhen(arfima, number("memory", "d", "memory", 0.3, 0.01, 0.49,
                                       "Order of fractional differencing of ARFIMA(0, d, 0), whose autocovariance decays as τ^{2d − 1}.")),
            visibleWhen(autoregressive,
                        number("phi1", "φ₁", "first coefficient", 0.6, -0.95, 0.95, "How the last sample enters the next one.")),
            visibleWhen(secondOrder, std::move(second))};
}

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

namespace {

bool doubling(const Values& v) { return v.is("dilation", "doubling"); }
bool listed(const Values& v) { return v.is("dilation", "list"); }

}  // namespace

std::vector<Param> treeParams(double channels) {
    Param dilations = inRange(param(Kind::List, "dilations", "d_l", "dilations", std::vector<double>{1, 2, 4, 8, 16, 32},
                                    "Dilation of each layer, the lowest first; they need not make a tree.", "P2 Eq 19; App. C"),
                              1, 64);
    dilations.maxLength = 8;
    return {logarithmic(wholeParam("channels", "c", "channels", channels, 1, 256, "Channels of every hidden layer.", "P2 Fig 5; Eq 19")),
            visibleWhen(doubling, wholeParam("layers", "L", "layers", 6, 1, 8,
                                             "Layers of convolutions without activations; n grows with their taps to the power L.",
                                             "P2 Fig 3; Eq 19")),
            underMore(wholeParam("taps", "n_l", "taps", 2, 2, 4, "Inputs that one unit of a layer reads.", "P2 Fig 3; Eq 19")),
            underMore(choiceParam("dilation", "dilation", {{"doubling", "a tree"}, {"list", "a list"}},
                                  "A tree: each dilation is the product of the taps below, 1, 2, 4, …; or a list of your own.",
                                  "P2 Fig 3; Eq 20")),
            visibleWhen(listed, underMore(std::move(dilations)))};
}

}  // namespace linear

namespace wide {

std::vector<Param> withStackParams(std::vector<Param> own, double most, Text symbol, Text label, Text help, Text serves) {
    own.push_back(underMore(logarithmic(named(wholeParam("steps", "", "steps of the optimiser", 300, 1, 5000,
                                                         "After how many steps at the most each model's weights are taken; none leaves "
                                                         "them random.",
                                                         "P2 4.1"),
                                              "none", 0))));
    own.push_back(underMore(wholeParam("restarts", "", "random starts", 1, 1, 8,
                                       "Each model is optimised from so many random weights, and the best is kept.", "P2 4.1")));
    own.push_back(seedParam("Start of the random numbers of the weights that the optimiser begins with.", "P2 4.1"));
    Param at = inRange(param(Kind::Number, "at", symbol, label, most, help, serves), 1, most);
    Param play = param(Kind::Boolean, "play", "", "play", true, "Whether the picture moves by itself.", serves);
    for (Param* p : {&at, &play}) {
        p->group = Group::Hidden;
        p->affects = Affects::View;
        own.push_back(std::move(*p));
    }
    return own;
}

}  // namespace wide
}  // namespace kappaflow
