#include "scenes/linear_models/wide_stacks_model.h"

#include <algorithm>

#include "core/linear/constraints.h"
#include "core/linear/subspace.h"

namespace kappaflow::linear {
namespace {

using Size = std::size_t;

/// Steps on the manifold of tensor trains settle within this number, or never.
constexpr double kTrainSteps = 25;
/// Multiply-adds that each step asked for may take on average there: large trains get fewer, all of them begin next to the target.
constexpr double kTrainBudget = 3e5;

/// Multiply-adds of one step: 80 products of conjugate gradients, or a response, its gradient and the products with Σ.
double stepOperations(const Stack& stack) {
    const double positions = receptiveField(stack.shape), inputs = positions * stack.shape.channels.front();
    const double parameters = parameterCount(stack.shape), sigma = positions * positions * stack.pairs;
    if (!isTensorTrain(stack.shape)) return 1.5 * (4 * parameters * inputs + sigma + 50 * parameters) + 3e3;
    const double rank = std::min(inputs, static_cast<double>(tensorTrainDimension(stack.shape)));
    return 90 * (2 * inputs * rank + sigma) + 5e3 * inputs;
}

/// Trains by their own way down; other stacks by L-BFGS, as P2 does: damped steps from random weights stall as high and cost more.
OptimumOptions optionsOf(const Search& search, const Stack& stack) {
    const bool train = isTensorTrain(stack.shape);
    OptimumOptions options;
    options.start = train ? OptimumStart::Best : OptimumStart::Random;
    options.seed = search.seed;
    options.restarts = train ? 1 : search.restarts;
    options.iterations = std::max(search.steps, 1);
    if (train) {
        const double afforded = std::clamp(kTrainBudget * search.steps / stepOperations(stack), 1.0, kTrainSteps);
        options.iterations = std::min(options.iterations, static_cast<int>(afforded));
    }
    return options;
}

Cost costOfStack(const Stack& stack, const Search& search) {
    const HierarchicalShape& shape = stack.shape;
    const double positions = receptiveField(shape), inputs = positions * shape.channels.front(), parameters = parameterCount(shape);
    if (!(inputs <= kMaxModelInputs) || !(parameters <= kMaxModelParameters)) return {1e12, 1e12};
    const bool train = isTensorTrain(shape);
    const double columns = std::min(parameters, static_cast<double>(tensorTrainDimension(shape)) + 1), rank = std::min(inputs, columns);
    const OptimumOptions options = optionsOf(search, stack);
    double operations = 4 * inputs * rank * rank + positions * positions * stack.pairs * rank + 50 * inputs * columns;
    // Full trains begin at their target; steps of others mostly take two thirds of their bound.
    const double steps = !train ? lbfgsIterations(inputs, parameters, options.iterations) : rank >= inputs ? 1 : options.iterations;
    if (search.steps > 0) operations += (train ? 0.65 : 1) * stepOperations(stack) * steps * options.restarts;
    // The QR decomposition of the tangent; elimination for the exact rank.
    if (!train) operations += 4 * inputs * columns * rank + 3.5 * inputs * std::min(parameters, 4 * inputs) * rank;
    return {operations, 8 * (4 * inputs * rank + 3 * inputs * columns + 6 * parameters) + (train ? 0 : 8 * inputs * parameters)};
}

StackCapacity capacityOf(const Stack& stack, const LinearTask& task, const Search& search, const std::function<void(double)>& tick) {
    const HierarchicalModel model(stack.shape);
    std::vector<double> weights;
    if (search.steps > 0) {
        OptimumSearch way(model, task, optionsOf(search, stack));
        while (way.step()) tick(0.7 * way.progress());
        weights = way.weights();
    } else {
        weights = model.randomWeights(search.seed);
    }
    tick(0.8);
    StackCapacity found;
    found.components = model.components();
    found.total = static_cast<double>(model.exactRank());
    tick(0.9);
    const Constraints k = constraints(model, weights, task.covariance);
    const std::vector<double> response = model.response(weights);
    found.rank = static_cast<double>(k.rank);
    found.loss = taskLoss(task, response);
    found.optimality = optimality(k, task, response);
    found.lowerBound = task.lowerBound / task.variance;
    found.layers = printedLayers(model, weights);
    // The core keeps the oldest position first.
    const std::vector<double> oldestFirst = capacityPerInput(k.basis);
    for (Size position = model.length(); position-- > 0;)
        for (Size c = 0; c < found.components; ++c) found.capacity.push_back(oldestFirst[position * found.components + c]);
    return found;
}

}  // namespace

double StackCapacity::ofLag(Size lag) const {
    double sum = 0;
    for (Size k = 0; k < components; ++k) sum += at(lag, k);
    return sum;
}

double StackCapacity::meanLag() const {
    double sum = 0, weighted = 0;
    for (Size lag = 0; lag * components < capacity.size(); ++lag) {
        sum += ofLag(lag);
        weighted += static_cast<double>(lag) * ofLag(lag);
    }
    return sum > 0 ? weighted / sum : 0;
}

void StackCapacity::fill(Searched& searched, Size model) const {
    searched.rank[model] = rank;
    searched.meanLag[model] = meanLag();
    searched.optimality[model] = optimality;
    searched.loss[model] = loss;
}

Searched searchedNone(Size models) {
    const std::vector<double> none(models, kNone);
    return {none, none, none, none};
}

void findCapacities(const std::vector<Stack>& stacks, const std::function<LinearTask(Size)>& task, const Search& search,
                    const std::function<void(double)>& tick, const std::function<void(Size, const StackCapacity&)>& found) {
    double all = 0, done = 0;
    for (const Stack& stack : stacks) all += costOfStack(stack, search).operations;
    for (Size i = 0; i < stacks.size(); ++i) {
        const double one = costOfStack(stacks[i], search).operations;
        const auto tell = [&](double share) { tick((done + one * share) / all); };
        tell(0);
        found(i, capacityOf(stacks[i], task(i), search, tell));
        done += one;
    }
}

Cost costOf(const std::vector<Stack>& stacks, const Search& search) {
    Cost cost{1e6, 4e6};
    for (const Stack& stack : stacks) {
        const Cost one = costOfStack(stack, search);
        cost.operations += one.operations;
        cost.bytes = std::max(cost.bytes, 4e6 + one.bytes);
    }
    return cost;
}

std::string aboutWeights(double rank, double total, double optimality, const Search& search) {
    std::string text;
    if (rank != total) text = " At these weights " + inWords(rank, 6) + " units are found.";
    if (search.steps < 1) return text + " The weights are random ones.";
    return text + (optimality <= kOptimal ? " The weights are an optimum" : " The weights are the best that were found, not an optimum") +
           ": ‖KᵀX‖/‖X‖ is " + inWords(optimality, 2) + ".";
}

}  // namespace kappaflow::linear
