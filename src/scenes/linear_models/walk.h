#pragma once
#include <optional>
#include <vector>

#include "scenes/linear_models/gaussian_task.h"

// One model on one task, along its numbers of channels or along the steps of one optimisation (P2 Figs 5, 14).
namespace kappaflow::linear {

enum class Basis { Covariance, Fourier, Position };
enum class Panels { Capacity, Fit };
enum class Watch { Channels, Optimisation };
enum class Start { Best, Random };

/// The first base of a scene's Params.
struct WalkParams : TaskParams {
    int channels = 2;
    Basis basis = Basis::Covariance;
    Panels panels = Panels::Capacity;
    Watch watch = Watch::Channels;
    Start start = Start::Best;
    int restarts = 4;
    std::uint64_t seed = 1;
    std::vector<double> pull;  ///< factors on the optimum's weights
    double at = 2;
    bool play = true;
    double step = 1e6;
};

/// A model at given weights. Lags from the newest.
struct Frame {
    double place = 0;  ///< on the timeline: channels, or step
    double parameters = 0, totalCapacity = 0, numericalRank = 0, loss = 0, optimality = 0, iterations = 0, largestPartial = 0;
    std::optional<double> threshold;
    std::vector<double> weights, capacity, inBasis, coefficients;
    std::vector<double> eigenvalues;  ///< over the largest; empty for more than 128 lags
    std::vector<double> generated;    ///< autocovariance of the model's own process; empty where it is unstable
};

/// The first base of a scene's Result.
struct WalkResult : Findings {
    std::vector<double> lags, lagsAndNext, components, indices, channels, steps;  ///< axes; channels or steps: the timeline

    Frame asked;
    std::vector<double> eigenvaluesRaw, target, absoluteError, relativeError;
    std::vector<double> autocovariance, generatedAbsoluteError, generatedRelativeError;
    double lowerBound = 0;

    // The model compared.
    std::vector<double> capacityOther, capacityWindow;
    std::optional<double> totalCapacityOther, numericalRankOther, lossOther, optimalityOther, totalCapacityWindow, lossWindow;

    // Along the timeline.
    std::vector<double> capacityAlong, inBasisAlong, eigenvaluesAlong, coefficientsAlong, generatedAlong;     ///< [place][…]
    std::vector<double> totalCapacityAlong, numericalRankAlong, parametersAlong, lossAlong, optimalityAlong;  ///< [place]

    /// Of the timeline.
    const std::vector<double>& places() const { return steps.empty() ? channels : steps; }
};

inline constexpr OptionRow kBases[] = {{"covariance", "eigenvectors of Σ"}, {"fourier", "frequencies"}, {"position", "positions"}};
inline constexpr OptionRow kPanels[] = {{"capacity", "capacity"}, {"fit", "model and target"}};
inline constexpr OptionRow kWatched[] = {{"channels", "channels growing"}, {"optimisation", "optimisation steps"}};
inline constexpr OptionRow kStarts[] = {{"best", "the best known way"}, {"random", "random weights, L-BFGS"}};

inline bool isOptimising(const WalkParams& p) { return p.watch == Watch::Optimisation; }
inline bool startsRandom(const WalkParams& p) { return p.start == Start::Random; }
/// The picture follows the number of channels until somebody moves the timeline.
inline Beside channelsAsked(const WalkParams& p) { return {static_cast<double>(p.channels), 256}; }

/// `random`: where the search has random starts.
template <auto random>
inline constexpr ParamRow kAnalysisParams[] = {
    table::choice<&WalkParams::basis>("basis", "basis", kBases,
                                      "Directions along which capacity is shown beside the lags: eigenvectors of the covariance, largest "
                                      "eigenvalue first, Fourier pairs, or the lags themselves.",
                                      "P2 Fig 5; Eq 18"),
    table::choice<&WalkParams::panels>("panels", "panels", kPanels,
                                       "What is drawn: where the capacity goes, or coefficients and autocovariance beside their targets.",
                                       "P2 Fig 14") |
        table::ofView,
    table::choice<&WalkParams::watch>("watch", "timeline", kWatched,
                                      "What passes: ever more channels, each at its optimum, or the way to one optimum.",
                                      "P2 Fig 5; 5.1.2") |
        table::more,
    table::choice<&WalkParams::start>("start", "start", kStarts,
                                      "Where the optimum is looked for: from the target's own decomposition where there is one, or as in "
                                      "the paper from random weights, the best of the restarts.",
                                      "P2 5.1.2") |
        table::more,
    table::whole<&WalkParams::restarts>("restarts", "", "restarts", {1, 16}, "Random starts, of which the best is kept.", "P2 5.1.2") |
        table::costly | table::more | table::when<random>,
    table::seed<&WalkParams::seed>("Start of the random numbers of weights to start from.", "P2 5.1.2")};

inline constexpr ParamRow kWalkParams[] = {
    table::number<&WalkParams::at>("at", "c", "channels drawn", {1, 256},
                                   "The number of channels that is drawn; fractions lie between two of them.", "P2 Fig 5") |
        table::hidden | table::ofView | table::dependsOn<channelsAsked>,
    table::plays<&WalkParams::play>("Whether the timeline passes by itself.", "P2 Fig 5"),
    table::number<&WalkParams::step>("step", "t", "step drawn", {0, 1e6},
                                     "Step of the optimisation that is drawn; the last stands for the optimum.", "P2 5.1.2") |
        table::hidden | table::ofView | table::when<isOptimising>};

inline constexpr AxisRow kLag = table::axis<&WalkResult::lags>("lag"), kLagAndNext = table::axis<&WalkResult::lagsAndNext>("lag"),
                         kComponent = table::axis<&WalkResult::components>("component"),
                         kIndex = table::axis<&WalkResult::indices>("index"), kChannels = table::axis<&WalkResult::channels>("channels"),
                         kStep = table::axis<&WalkResult::steps>("step");

inline constexpr FieldRow kWalkFields[] = {
    table::measured<&WalkResult::asked, &Frame::capacity>(
        "capacity", "κ_τ", {kLag}, "Capacity of the input at every lag, the newest at 0; sums to the numerical rank."),
    table::measured<&WalkResult::asked, &Frame::inBasis>(
        "capacityInBasis", "κ_S", {kComponent},
        "Capacity along the basis chosen: positions, eigenvectors of Σ from the largest eigenvalue "
        "down, or frequencies (sine and cosine together, at most 2)."),
    table::measured<&WalkResult::asked, &Frame::eigenvalues>(
        "eigenvalues", "λ_i", {kIndex}, "Eigenvalues of K̃K̃ᵀ over the largest, K̃ = ΣJ with the canonical Jacobian J (P2 Fig 5 left)."),
    table::measured<&WalkResult::eigenvaluesRaw>("eigenvaluesRaw", "λ_i", {kIndex}, "The same with ∂A/∂w as it stands, the paper's way."),
    table::measured<&WalkResult::asked, &Frame::coefficients>("coefficients", "a_τ", {kLag}, "Coefficients A of the model."),
    table::theory<&WalkResult::target>("target", "a*_τ", {kLag}, "Coefficients A* of the best linear prediction."),
    table::measured<&WalkResult::absoluteError>("absoluteError", "|a_τ − a*_τ|", {kLag}, "Error of each coefficient."),
    table::measured<&WalkResult::relativeError>("relativeError", "|a_τ − a*_τ|/|a*_τ|", {kLag},
                                                "The same over the coefficient; undefined where that is 0.") |
        table::gaps,
    table::theory<&WalkResult::autocovariance>("autocovariance", "c_τ", {kLagAndNext}, "Autocovariance of the process."),
    table::measured<&WalkResult::asked, &Frame::generated>(
        "modelAutocovariance", "ĉ_τ", {kLagAndNext},
        "Autocovariance of the process that the model itself would generate, if it is stable."),
    table::measured<&WalkResult::generatedAbsoluteError>("autocovarianceAbsoluteError", "|ĉ_τ − c_τ|", {kLagAndNext},
                                                         "Error of the model's autocovariance."),
    table::measured<&WalkResult::generatedRelativeError>("autocovarianceRelativeError", "|ĉ_τ − c_τ|/|c_τ|", {kLagAndNext},
                                                         "The same over the autocovariance; undefined where that is 0.") |
        table::gaps,
    table::measured<&WalkResult::capacityOther>("capacityOther", "κ_τ", {kLag},
                                                "Capacity at every lag of the model compared, at its own optimum on the same task."),
    table::measured<&WalkResult::asked, &Frame::totalCapacity>(
        "totalCapacity", "κ", {}, "Total capacity of the architecture, exact: in closed form or by elimination modulo 2³¹ − 1."),
    table::measured<&WalkResult::asked, &Frame::numericalRank>("numericalRank", "", {},
                                                               "Rank found at these weights: what the capacities sum to."),
    table::measured<&WalkResult::asked, &Frame::parameters>("parameters", "p", {}, "Number of weights."),
    table::measured<&WalkResult::asked, &Frame::loss>("loss", "L", {},
                                                      "(A − A*)ᵀΣ(A − A*): prediction error beyond the lower bound, of variance 1."),
    table::limiting<&WalkResult::lowerBound>("lowerBound", "v*", {}, "Error of the best linear prediction."),
    table::measured<&WalkResult::asked, &Frame::optimality>("optimality", "‖KᵀX‖/‖X‖", {},
                                                            "0 at an optimum (P2 Eq 17), of order 1 elsewhere; X = A − A*."),
    table::measured<&WalkResult::asked, &Frame::iterations>("iterations", "", {}, "Steps that the optimiser took."),
    table::measured<&WalkResult::asked, &Frame::threshold>("threshold", "", {},
                                                           "Eigenvalues below count as zero; left out where none does."),
    table::measured<&WalkResult::asked, &Frame::largestPartial>(
        "largestPartial", "", {}, "Largest partial autocorrelation of the model as a predictor: stable below 1."),
    table::measured<&WalkResult::totalCapacityOther>("totalCapacityOther", "κ", {}, "Total capacity of the model compared, exact."),
    table::measured<&WalkResult::numericalRankOther>("numericalRankOther", "", {},
                                                     "Rank found at its optimum: what capacityOther sums to."),
    table::measured<&WalkResult::lossOther>("lossOther", "L", {}, "Its loss."),
    table::measured<&WalkResult::optimalityOther>("optimalityOther", "‖KᵀX‖/‖X‖", {}, "Its check of optimality."),
    table::measured<&WalkResult::capacityAlong>("capacityAlong", "κ_τ", {kChannels, kLag}, "Capacity of the input at every lag.") |
        table::onGrid{{kStep, kLag}},
    table::measured<&WalkResult::inBasisAlong>("capacityInBasisAlong", "κ_S", {kChannels, kComponent}, "Capacity along the basis chosen.") |
        table::onGrid{{kStep, kComponent}},
    table::measured<&WalkResult::eigenvaluesAlong>("eigenvaluesAlong", "λ_i", {kChannels, kIndex},
                                                   "Eigenvalues of K̃K̃ᵀ over the largest; up to 128 lags.") |
        table::onGrid{{kStep, kIndex}},
    table::measured<&WalkResult::coefficientsAlong>("coefficientsAlong", "a_τ", {kChannels, kLag}, "Coefficients of the model.") |
        table::onGrid{{kStep, kLag}},
    table::measured<&WalkResult::generatedAlong>("modelAutocovarianceAlong", "ĉ_τ", {kChannels, kLagAndNext},
                                                 "Autocovariance that the model would generate; undefined where it is unstable.") |
        table::onGrid{{kStep, kLagAndNext}} | table::gaps,
    table::measured<&WalkResult::totalCapacityAlong>("totalCapacityAlong", "κ", {kChannels}, "Exact capacity.") | table::onGrid{{kStep}},
    table::measured<&WalkResult::numericalRankAlong>("numericalRankAlong", "", {kChannels}, "Rank found at these weights.") |
        table::onGrid{{kStep}},
    table::measured<&WalkResult::parametersAlong>("parametersAlong", "p", {kChannels}, "Number of weights.") | table::onGrid{{kStep}},
    table::measured<&WalkResult::lossAlong>("lossAlong", "L", {kChannels}, "Loss (A − A*)ᵀΣ(A − A*).") | table::onGrid{{kStep}},
    table::measured<&WalkResult::optimalityAlong>("optimalityAlong", "‖KᵀX‖/‖X‖", {kChannels}, "Check of optimality: 0 at an optimum.") |
        table::onGrid{{kStep}}};

inline constexpr TimelineRow kAlongChannels{"at", "channels", "channels", false, 1.2}, kAlongSteps{"step", "step", "step", false, 0.3};

}  // namespace kappaflow::linear
