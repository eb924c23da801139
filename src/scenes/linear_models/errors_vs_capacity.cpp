#include "scenes/linear_models/errors_vs_capacity.h"

#include <algorithm>
#include <cmath>

#include "core/linear/constraints.h"
#include "core/linear/subspace.h"
#include "scene/typed_model.h"
#include "scenes/linear_models/gaussian_task_model.h"

namespace kappaflow {
namespace errors_vs_capacity {
namespace {

using namespace table;
using Size = std::size_t;
using Vector = std::vector<double>;

constexpr const char* kFigure = "P2 Fig 6";
constexpr OptionRow kTargets[] = {{"random", "random, A* ~ N(0, I)"}, {"fixed", "one, from random starts"}};
constexpr OptionRow kAlong[] = {{"components", "eigenvectors of Σ"}, {"lags", "lags"}};

constexpr ParamRow kFirst[] = {
    choice<&Params::targets>("targets", "targets", kTargets,
                             "Random: every draw has a target of its own and its optimum; fixed: the process's best predictor, approached "
                             "by L-BFGS from random weights, as in the paper.",
                             kFigure),
    whole<&Params::channels>("channels", "c", "channels", {1, 16}, "Channels of every hidden layer.", "P2 5.1.3, Fig 6") | logarithmic |
        costly,
    whole<&Params::draws>("draws", "", "draws", {2, 200}, "Targets, or random starts, behind the means.", kFigure) | logarithmic | costly,
    whole<&Params::layers>("layers", "L", "layers", {2, 8}, "Layers of two taps with doubling dilation; the model sees 2^L inputs.",
                           "P2 5.1") |
        costly | more};
constexpr ParamRow kLast[] = {
    whole<&Params::iterations>("iterations", "", "iterations", {50, 5000}, "Most iterations of L-BFGS from each start.", kFigure) |
        logarithmic | costly | more,
    seed<&Params::seed>("Start of the random numbers of targets and weights.", kFigure),
    choice<&Params::along>("along", "directions", kAlong, "Along which directions errors are drawn beside the capacity.", kFigure) | ofView,
    whole<&Params::direction>("direction", "i", "direction", {1, 256},
                              "Which of the directions is drawn beside the scatter, counted from the largest variance or the newest input.",
                              kFigure) |
        hidden | ofView,
    shownAt<&Params::at>("", "draws counted", 200, "How many of the draws the picture counts; all of them beyond the last.", kFigure),
    plays<&Params::play>("Whether the draws come one after another.", kFigure)};
constexpr auto kParams = joined(kFirst, linear::kTaskParams, kLast);

constexpr AxisRow kLag = axis<&Result::lags>("lag"), kComponent = axis<&Result::components>("component"),
                  kDraw = axis<&Result::draws>("draw");

constexpr const char* kSpread = "Its standard deviation over draws.";
constexpr FieldRow kFields[] = {
    limiting<&Result::alongLags, &Side::bound>(
        "bound", "1 − κ", {kLag}, "Eq 6's share of the squared error, (1 − κ_i)/(n − κ), mean over draws; lag 0 is the newest input."),
    measured<&Result::alongLags, &Side::boundStd>("boundStd", "", {kLag}, kSpread),
    measured<&Result::alongLags, &Side::error>("errorMean", "e²", {kLag}, "Squared error over its sum, mean over draws."),
    measured<&Result::alongLags, &Side::errorStd>("errorStd", "", {kLag}, kSpread),
    limiting<&Result::alongComponents, &Side::bound>(
        "boundInBasis", "1 − κ", {kComponent},
        "Eq 6's share of the squared error, (1 − κ_i)/(n − κ), mean over draws, along the eigenvectors of Σ, largest eigenvalue first."),
    measured<&Result::alongComponents, &Side::boundStd>("boundStdInBasis", "", {kComponent}, kSpread),
    measured<&Result::alongComponents, &Side::error>("errorMeanInBasis", "e²", {kComponent},
                                                     "Squared error over its sum, mean over draws, along the same eigenvectors."),
    measured<&Result::alongComponents, &Side::errorStd>("errorStdInBasis", "", {kComponent}, kSpread),
    limiting<&Result::alongLags, &Side::boundByDraw>("boundByDraw", "1 − κ", {kDraw, kLag}, "The bound of every draw."),
    measured<&Result::alongLags, &Side::errorByDraw>("errorByDraw", "e²", {kDraw, kLag}, "Squared error of every draw over its sum."),
    limiting<&Result::alongComponents, &Side::boundByDraw>("boundByDrawInBasis", "1 − κ", {kDraw, kComponent},
                                                           "The bound of every draw along eigenvectors."),
    measured<&Result::alongComponents, &Side::errorByDraw>("errorByDrawInBasis", "e²", {kDraw, kComponent},
                                                           "Squared error of every draw along eigenvectors."),
    measured<&Result::errorInBasis>("errorInBasis", "X/‖X‖", {kDraw, kComponent},
                                    "Error of every draw along eigenvectors, over its length."),
    measured<&Result::eigenvalues>("eigenvalues", "λ", {kComponent}, "Variance of the inputs along each eigenvector of Σ."),
    measured<&Result::eigenvectors>("eigenvectors", "", {kComponent, kLag},
                                    "The eigenvectors of Σ, of length 1, positive at the newest input."),
    measured<&Result::alongLags, &Side::correlationByDraws>("correlationByDraws", "r", {kDraw},
                                                            "Correlation along lags of the means over this many draws.") |
        gaps,
    measured<&Result::alongComponents, &Side::correlationByDraws>("correlationInBasisByDraws", "r", {kDraw},
                                                                  "Correlation along eigenvectors of the means over this many draws.") |
        gaps,
    measured<&Result::loss>("loss", "L", {kDraw}, "Loss (A − A*)ᵀΣ(A − A*) where each draw's search ended."),
    measured<&Result::optimality>("optimality", "‖KᵀX‖/‖X‖", {kDraw}, "0 at an optimum, of order 1 where the search stalled."),
    measured<&Result::alongLags, &Side::correlation>(
        "correlation", "r", {}, "Pearson correlation of bound and mean squared error along lags; standard error by the jackknife."),
    measured<&Result::alongComponents, &Side::correlation>("correlationInBasis", "r", {}, "The same along the eigenvectors of Σ."),
    measured<&Result::totalCapacity>("totalCapacity", "κ", {}, "Total capacity of the model, exact."),
    measured<&Result::optimalDraws>("optimalDraws", "", {}, "Draws that ended in an optimum, ‖KᵀX‖/‖X‖ at most 10⁻⁶.")};

constexpr PresetRow kPresets[] = {
    {"Thirty random targets (Fig 6)"},
    preset<[](Params& p) { p.targets = Targets::Fixed; }>(
        "One target from random starts, as in the paper",
        "One target, thirty random starts: no search ends in an optimum, and the errors follow the bound in neither basis."),
    preset<[](Params& p) { p.channels = 2; }>(
        "Two channels: far less capacity",
        "Two channels have capacity 20 of 64: along eigenvectors the mean error still follows the bound, with r = 0.86."),
    preset<[](Params& p) { p.alpha = 4; }>(
        "Short memory: less to follow",
        "With a short memory capacity is spread more evenly: errors follow the bound less, with r = 0.65 along eigenvectors.")};

/// An error below this share of the target is rounding.
constexpr double kNoError = 1e-9;

double sumOfSquares(const Vector& x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return sum;
}

Vector sharesOf(Vector x, double total) {
    for (double& value : x) value = total > 0 ? value * value / total : 0;
    return x;
}

/// Pearson correlation; NaN where one of the two does not vary.
double pearson(const Vector& a, const Vector& b) {
    const double n = static_cast<double>(a.size());
    double meanA = 0, meanB = 0, aa = 0, bb = 0, ab = 0, largestA = 0, largestB = 0;
    for (Size i = 0; i < a.size(); ++i) meanA += a[i] / n, meanB += b[i] / n;
    for (Size i = 0; i < a.size(); ++i) {
        const double x = a[i] - meanA, y = b[i] - meanB;
        aa += x * x, bb += y * y, ab += x * y;
        largestA = std::max(largestA, std::abs(a[i])), largestB = std::max(largestB, std::abs(b[i]));
    }
    // Differences at the level of rounding are none.
    const bool varies = aa > 1e-20 * largestA * largestA * n && bb > 1e-20 * largestB * largestB * n;
    return varies ? ab / std::sqrt(aa * bb) : linear::kNone;
}

/// Mean and standard deviation of the columns of [draw][n].
void average(const Vector& rows, Size n, Vector& mean, Vector& deviation) {
    const double draws = static_cast<double>(rows.size() / n);
    mean.assign(n, 0);
    deviation.assign(n, 0);
    for (Size i = 0; i < rows.size(); ++i) mean[i % n] += rows[i];
    for (double& value : mean) value /= draws;
    for (Size i = 0; i < rows.size(); ++i) deviation[i % n] += (rows[i] - mean[i % n]) * (rows[i] - mean[i % n]);
    for (double& value : deviation) value = std::sqrt(value / std::max(1.0, draws - 1));
}

/// Everything that follows from the bounds and errors of the draws; `n` lags or components.
void summarise(Side& side, Size n) {
    const Size draws = side.boundByDraw.size() / n;
    const double count = static_cast<double>(draws);
    average(side.boundByDraw, n, side.bound, side.boundStd);
    average(side.errorByDraw, n, side.error.values, side.errorStd);
    for (const double deviation : side.errorStd) side.error.standardErrors.push_back(deviation / std::sqrt(count));
    Vector bound(n), error(n);
    for (Size draw = 0; draw < draws; ++draw) {
        for (Size i = 0; i < n; ++i) bound[i] += side.boundByDraw[draw * n + i], error[i] += side.errorByDraw[draw * n + i];
        side.correlationByDraws.push_back(pearson(bound, error));
    }
    if (!std::isfinite(side.correlationByDraws.back())) return;
    // Jackknife over draws.
    Vector without;
    for (Size draw = 0; draw < draws; ++draw) {
        Vector otherBound = bound, otherError = error;
        for (Size i = 0; i < n; ++i) otherBound[i] -= side.boundByDraw[draw * n + i], otherError[i] -= side.errorByDraw[draw * n + i];
        without.push_back(pearson(otherBound, otherError));
    }
    double middle = 0, squares = 0;
    for (const double r : without) middle += r / count;
    for (const double r : without) squares += (r - middle) * (r - middle);
    const double jackknife = draws > 1 ? std::sqrt(squares * (count - 1) / count) : linear::kNone;
    side.correlation = {side.correlationByDraws.back(), jackknife, count};
}

/// Columns turned so that the newest input's entry is positive. Every other eigenvector of Σ has two largest entries, of opposite signs,
/// and rounding alone says which is the larger.
Matrix newestPositive(Matrix columns) {
    const Size newest = columns.rows - 1;
    for (Size k = 0; k < columns.columns; ++k)
        if (columns(newest, k) < 0)
            for (Size i = 0; i <= newest; ++i) columns(i, k) = -columns(i, k);
    return columns;
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    const HierarchicalModel model(dilatedTree(p.layers, 2, p.channels));
    const Size n = model.inputs();
    const LinearTask task = predictionTask(linear::processOf(p), n);
    const CovarianceEigenvectors eigen = covarianceEigenvectors(task.covariance);
    const Matrix eigenvectors = newestPositive(eigen.vectors);
    Result r;
    r.lags = countUp(n);
    r.components = countUp(n, 1);
    r.totalCapacity = static_cast<double>(model.exactRank());
    r.eigenvalues = eigen.values;
    for (Size k = 0; k < n; ++k)
        for (Size lag = 0; lag < n; ++lag) r.eigenvectors.push_back(eigenvectors(n - 1 - lag, k));
    const auto sofar = [&] {
        Result now = r;
        summarise(now.alongLags, n);
        summarise(now.alongComponents, n);
        return now;
    };
    const bool random = p.targets == Targets::Random;
    for (int draw = 0; draw < p.draws; ++draw) {
        const auto index = static_cast<std::uint64_t>(draw);
        const LinearTask drawn = random ? withTarget(task, randomTarget(n, p.seed, index)) : task;
        // From the train next to a random target L-BFGS reaches ‖KᵀX‖/‖X‖ of 1e-8 and the loss of Gauss–Newton steps, which stop at 1e-6
        // (so large is the error that the loss shows no more) and take twice as long.
        const auto descent = lbfgsDescent(model, drawn, random ? trainWeights(model, drawn.target) : model.randomWeights(p.seed, index));
        for (int i = 0; i < p.iterations && descent->step(); ++i)
            progress.tick((draw + static_cast<double>(i + 1) / (p.iterations + 1)) / p.draws);
        const Vector response = model.response(descent->weights()), error = taskError(drawn, response);
        const Constraints K = constraints(model, descent->weights(), drawn.covariance);
        const double total = static_cast<double>(K.rank), squared = sumOfSquares(error), of = sumOfSquares(drawn.target);
        const double left = squared > kNoError * kNoError * of ? squared : 0;
        Vector along(n);
        for (Size i = 0; i < n; ++i)
            for (Size k = 0; k < n; ++k) along[k] += eigenvectors(i, k) * error[i];
        linear::append(r.alongLags.boundByDraw, linear::newestFirst(expectedErrorShares(capacityPerInput(K.basis), total)));
        linear::append(r.alongLags.errorByDraw, linear::newestFirst(sharesOf(error, left)));
        linear::append(r.alongComponents.boundByDraw, expectedErrorShares(capacityInBasis(K.basis, eigenvectors), total));
        for (const double x : along) r.errorInBasis.push_back(left > 0 ? x / std::sqrt(left) : 0);
        linear::append(r.alongComponents.errorByDraw, sharesOf(std::move(along), left));
        r.draws.push_back(draw + 1);
        r.loss.push_back(descent->loss());
        r.optimality.push_back(left > 0 ? optimality(K, drawn, response) : 0);
        r.optimalDraws += r.optimality.back() <= linear::kOptimal;
        progress.tick((draw + 1.0) / p.draws);
        progress.partial(sofar);
    }
    return sofar();
}

Cost cost(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const HierarchicalShape shape = dilatedTree(p.layers, 2, p.channels);
    const double n = receptiveField(shape), weights = parameterCount(shape), rank = static_cast<double>(tensorTrainDimension(shape));
    // Full trains begin at their random targets, and the whole space is no decomposition.
    const bool full = rank >= n;
    // Searches for random targets settle within some hundred iterations; those for the best prediction may go on.
    const bool random = p.targets == Targets::Random;
    const int iterations = random ? std::min(p.iterations, 400) : p.iterations;
    const double search = full && random ? 15 * n * n + 10 * weights : lbfgsOperations(n, weights, iterations);
    const double read = full ? 30 * n * n : 8 * n * rank * rank + 4 * n * n * rank;
    return {p.draws * (search + read) + 20 * n * n * n + 2 * p.draws * n * n, 8 * (12 * p.draws * n + 40 * n * n) + 2e6};
}

std::string summary(const Params& p, const Result& r) {
    const std::string draws = std::to_string(r.draws.size()),
                      of = "With capacity " + inWords(r.totalCapacity, 4) + " of " + std::to_string(r.lags.size());
    const auto &lags = r.alongLags.correlation, &components = r.alongComponents.correlation;
    if (!lags || !components) return of + " inputs the bound is the same everywhere, so that there is nothing to compare the errors with.";
    return of + " inputs, over " + draws + (p.targets == Targets::Random ? " random targets" : " random starts on one target") +
           ", mean squared errors and the bound 1 − κ correlate at " + inWords(lags->value, 2) + " along lags and at " +
           inWords(components->value, 2) + " along the eigenvectors of the covariance. " + inWords(r.optimalDraws, 4) + " of " + draws +
           " searches ended in an optimum.";
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "errors-vs-capacity",
     .title = "Errors and capacity",
     .claim = "Where a model has no capacity left its errors can grow: over random targets they follow 1 − κ along eigenvectors.",
     .group = "Linear models",
     .icon = "000888 21 43 35 66 77",
     .source = "P2 Fig 6; 5.1.3, Eq 6",
     .lookAt = "Single errors scatter widely; their means settle by the dashed line, Eq 6: large where capacity is missing.",
     .tryThis = "Play the draws, press a disc to see its direction, then draw the errors along lags: there they hardly follow.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "draw", "draws", false, 0.35}});

}  // namespace errors_vs_capacity

Declaration errors_vs_capacity_declaration() { return declare(errors_vs_capacity::kScene); }
Model errors_vs_capacity_model() {
    return sceneModel<errors_vs_capacity::kScene, errors_vs_capacity::run, errors_vs_capacity::cost, errors_vs_capacity::summary>();
}

}  // namespace kappaflow
