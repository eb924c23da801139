#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/linear/hierarchical_model.h"
#include "core/linear/input_covariance.h"
#include "core/linear/optimum.h"
#include "scene/scene.h"

namespace kappaflow::wide {

/// How weights are looked for, alike for all stacks of a request. Steps 0: they stay random.
struct SearchSettings {
    int steps = 0, restarts = 1;
    std::uint64_t seed = 1;
};
SearchSettings searchSettings(const Values&);

/// What is known of a stack at its weights.
struct StackCapacity {
    double parameters = 0, inputs = 0;
    double total = 0, rank = 0;  ///< exact, and at these weights: what the capacities sum to
    double loss = 0, optimality = 0;
    std::vector<double> capacity;  ///< [position·components + component], newest position first
    std::size_t components = 1;
    std::vector<ReportLayer> layers;  ///< the weights, [out][in][tap] as convolutions are printed everywhere

    double at(std::size_t lag, std::size_t component) const { return capacity[lag * components + component]; }
    double ofLag(std::size_t lag) const;
    double meanLag() const;
};

/// A stack of layers on a task, slice by slice: weights, exact rank, capacities.
class StackRun {
public:
    /// Throws InputError as HierarchicalModel and OptimumSearch do. The task must outlive the run.
    StackRun(HierarchicalShape, const LinearTask&, const SearchSettings&);
    /// The next slice; false when the capacity is there.
    bool step();
    double progress() const;
    const StackCapacity& result() const { return result_; }

private:
    void finish();
    std::unique_ptr<HierarchicalModel> model_;
    const LinearTask& task_;
    std::optional<OptimumSearch> search_;
    std::vector<double> weights_;
    StackCapacity result_;
    int stepsPerSlice_ = 1, stage_ = 0;
};

/// Of one run, declared before it starts: shapes over the core's limits cost more than any request may. `pairs` of components depend on
/// each other.
Cost costOfStack(const HierarchicalShape&, const SearchSettings&, double pairs);

}  // namespace kappaflow::wide
