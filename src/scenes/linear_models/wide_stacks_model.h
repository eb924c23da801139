#pragma once
#include <functional>
#include <string>
#include <vector>

#include "scene/typed_model.h"
#include "scenes/linear_models/gaussian_task_model.h"
#include "scenes/linear_models/wide_stacks.h"

namespace kappaflow::linear {

/// How the weights of every stack of a request are looked for. Steps 0: they stay random.
struct Search {
    int steps = 0, restarts = 1;
    std::uint64_t seed = 1;
};
template <class Params>
Search searchOf(const Params& p) {
    return {p.steps, p.restarts, p.seed};
}

/// A stack on a task whose components depend on each other in so many pairs (as many as there are: independent ones).
struct Stack {
    HierarchicalShape shape;
    double pairs = 1;
};

/// Capacity of a stack at its weights.
struct StackCapacity {
    std::size_t components = 1;
    double total = 0, rank = 0;  ///< exact, and at these weights: the sum of the capacities
    double loss = 0, optimality = 0;
    double lowerBound = 0;            ///< v* over the variance of what is predicted
    std::vector<double> capacity;     ///< [lag][component]
    std::vector<ReportLayer> layers;  ///< the weights

    double at(std::size_t lag, std::size_t component) const { return capacity[lag * components + component]; }
    double ofLag(std::size_t lag) const;
    double meanLag() const;
    void fill(Searched&, std::size_t model) const;
};
/// Of so many models none of which is known yet.
Searched searchedNone(std::size_t models);

/// Capacities of the stacks, each on a task of its own, one after another. `tick` hears the share done.
void findCapacities(const std::vector<Stack>&, const std::function<LinearTask(std::size_t stack)>& task, const Search&,
                    const std::function<void(double)>& tick, const std::function<void(std::size_t stack, const StackCapacity&)>& found);

/// Upper bound, from sizes alone: shapes over the core's limits cost more than any request may.
Cost costOf(const std::vector<Stack>&, const Search&);

/// The sentences of a summary about the weights: whether all of the exact capacity is found at them, how far from an optimum they are.
std::string aboutWeights(double rank, double total, double optimality, const Search&);

}  // namespace kappaflow::linear
