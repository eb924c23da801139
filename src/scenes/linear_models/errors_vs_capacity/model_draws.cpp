#include "scenes/linear_models/errors_vs_capacity/model_draws.h"

#include <algorithm>
#include <cmath>

#include "core/linear/constraints.h"
#include "core/linear/optimum_descents.h"
#include "core/linear/tensor_train.h"
#include "scenes/linear_models/model_task.h"

namespace kappaflow::errors_vs_capacity {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// Multiply-adds of one slice.
constexpr double kSlice = 3e6;
/// An error below this share of the target is rounding.
constexpr double kNoError = 1e-9;

HierarchicalShape shapeOf(const Values& v) { return dilatedTree(v.integer("layers"), 2, v.integer("channels")); }

double sumOfSquares(const Vector& x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return sum;
}

Vector sharesOf(Vector x, double total) {
    for (double& value : x) value = total > 0 ? value * value / total : 0;
    return x;
}

/// Multiply-adds of one iteration of L-BFGS.
double iterationCost(double inputs, double parameters) { return 1.5 * (4 * parameters * inputs + inputs * inputs + 50 * parameters); }

}  // namespace

Setup readSetup(const Values& v) {
    Setup setup;
    setup.shape = shapeOf(v);
    setup.random = v.is("targets", "random");
    setup.draws = static_cast<Size>(v.integer("draws"));
    setup.seed = v.seed();
    setup.iterations = v.integer("iterations");
    return setup;
}

DrawRun::DrawRun(const Values& v)
    : setup_(readSetup(v)),
      model_(setup_.shape),
      task_(predictionTask(linear::processOf(v), model_.inputs())),
      eigenvectors_(covarianceEigenvectors(task_.covariance).vectors) {}

void DrawRun::begin() {
    const Size draw = results_.size();
    drawn_ = setup_.random ? withTarget(task_, randomTarget(model_.inputs(), setup_.seed, draw)) : task_;
    // From the train next to a random target L-BFGS reaches ‖KᵀX‖/‖X‖ of 1e-8 and the loss of Gauss–Newton steps, which stop at 1e-6
    // (so large is the error that the loss shows no more) and take twice as long.
    descent_ =
        lbfgsDescent(model_, *drawn_, setup_.random ? trainWeights(model_, drawn_->target) : model_.randomWeights(setup_.seed, draw));
    iterations_ = 0;
}

DrawResult DrawRun::read() const {
    const Vector& weights = descent_->weights();
    const Vector response = model_.response(weights), error = taskError(*drawn_, response);
    const Constraints K = constraints(model_, weights, drawn_->covariance);
    const double total = static_cast<double>(K.rank), squared = sumOfSquares(error), of = sumOfSquares(drawn_->target);
    const double left = squared > kNoError * kNoError * of ? squared : 0;
    Vector along(error.size());
    for (Size i = 0; i < error.size(); ++i)
        for (Size k = 0; k < error.size(); ++k) along[k] += eigenvectors_(i, k) * error[i];
    DrawResult result;
    result.lags = {linear::newestFirst(expectedErrorShares(capacityPerInput(K.basis), total)), linear::newestFirst(sharesOf(error, left))};
    result.components = {expectedErrorShares(capacityInBasis(K.basis, eigenvectors_), total), sharesOf(std::move(along), left)};
    result.loss = descent_->loss();
    result.optimality = left > 0 ? optimality(K, *drawn_, response) : 0;
    return result;
}

bool DrawRun::advance() {
    const double each = iterationCost(static_cast<double>(model_.inputs()), static_cast<double>(model_.parameters()));
    for (double done = 0; done < kSlice; done += each) {
        if (!descent_) begin();
        if (iterations_++ < setup_.iterations && descent_->step()) continue;
        results_.push_back(read());
        descent_.reset();
        break;
    }
    return results_.size() < setup_.draws;
}

double DrawRun::progress() const {
    const double now = descent_ ? static_cast<double>(iterations_) / (setup_.iterations + 1) : 0;
    return std::min(1.0, (static_cast<double>(results_.size()) + now) / static_cast<double>(setup_.draws));
}

Cost costOf(const Request& request) {
    const Values& v = request.params;
    const HierarchicalShape shape = shapeOf(v);
    const double n = receptiveField(shape), rank = static_cast<double>(tensorTrainDimension(shape)), draws = v.number("draws");
    const double search = v.number("iterations") * iterationCost(n, parameterCount(shape)), read = 8 * n * rank * rank + 4 * n * n * rank;
    return {draws * (search + read) + 20 * n * n * n + 2 * draws * n * n, 8 * (12 * draws * n + 40 * n * n) + 2e6};
}

std::string costliestOf(const Request& request) {
    const auto defaults = findDeclaration(request.scene)->defaults();
    std::string worst = "draws";
    double least = costOf(request).operations;
    for (const char* key : {"draws", "layers", "channels", "iterations"}) {
        Request lower = request;
        lower.params.set(key, defaults.at(key));
        if (request.params.number(key) <= defaults.number(key) || costOf(lower).operations >= least) continue;
        least = costOf(lower).operations;
        worst = key;
    }
    return worst;
}

}  // namespace kappaflow::errors_vs_capacity
