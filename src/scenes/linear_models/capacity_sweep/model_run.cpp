#include "scenes/linear_models/capacity_sweep/model_run.h"

#include <algorithm>

#include "scenes/linear_models/optimal.h"

namespace kappaflow::capacity_sweep {
namespace {

/// Multiply-adds of one slice.
constexpr double kSliceWork = 3e6;
/// Iterations towards the optimum: trees take a dozen; recurrent units up to forty each, until they can no longer be told apart.
int mostIterations(const Setup& setup, int channels) { return setup.recurrent ? 60 + 40 * std::min(channels, 12) : 240; }
/// Searches end at the loss that is rounding, or a little above it where the last step did not quite lead there.
constexpr double kRounding = 100;

}  // namespace

Point::Point(const Setup& setup, const LinearTask& task, int channels)
    : setup_(setup),
      task_(task),
      channels_(channels),
      model_(setup.model(channels)),
      exactRank_(static_cast<double>(model_->exactRank())) {}

bool Point::advance(OptimumSearch& search, Reached& reached) const {
    const double work = optimumOperations(*model_, setup_.options) / setup_.options.restarts / setup_.options.iterations;
    bool more = true;
    for (double done = 0; more && done < kSliceWork; done += work) more = search.step();
    reached.loss = search.loss();
    reached.history = search.history();
    reached.iterations = static_cast<double>(reached.history.size() - 1);
    return more;
}

bool Point::seekOptimum() {
    if (!optimum) {
        OptimumOptions best;
        best.iterations = mostIterations(setup_, channels_);
        search_ = std::make_unique<OptimumSearch>(*model_, task_, best);
        optimum.emplace();
    }
    if (advance(*search_, *optimum)) return true;
    check(*optimum, search_->weights(), true);
    search_.reset();
    return false;
}

bool Point::descend() {
    if (!random) {
        search_ = std::make_unique<OptimumSearch>(*model_, task_, setup_.options);
        random.emplace();
    }
    if (advance(*search_, *random)) return true;
    check(*random, search_->weights(), false);
    search_.reset();
    return false;
}

double Point::progress() const {
    if (!random) return 0;
    return search_ ? search_->progress() : 1;
}

void Point::check(Reached& reached, const std::vector<double>& weights, bool ofOptimum) {
    const auto response = model_->response(weights);
    double rank = exactRank_;
    // Where the closed form says that the constraints are the whole space, no Jacobian is formed: K is the identity.
    if (!setup_.recurrent && exactRank_ == static_cast<double>(model_->inputs())) {
        reached.optimality = reached.loss <= kRounding * roundingLoss(task_) ? 0 : 1;
    } else {
        const Constraints K = constraints(*model_, weights, task_.covariance);
        reached.optimality = optimality(K, task_, response);
        rank = static_cast<double>(K.rank);
    }
    reached.converged = *reached.optimality <= linear::kOptimal;
    if (ofOptimum) numericalRank = rank;
}

}  // namespace kappaflow::capacity_sweep
