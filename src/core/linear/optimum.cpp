#include "core/linear/optimum.h"

#include <algorithm>
#include <optional>

#include "core/base/errors.h"
#include "core/linear/constraints.h"
#include "core/linear/optimum_descents.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// Rounds of alternating least squares before the damped steps: what brings a random start near, at a fraction of their cost.
constexpr int kAlternatingRounds = 6;

void check(const LinearModel& model, const LinearTask& task, const OptimumOptions& options) {
    if (model.inputs() != task.target.size())
        throw InputError("The model has " + std::to_string(model.inputs()) + " inputs, the task " + std::to_string(task.target.size()) +
                         ".");
    for (Size layer : options.freeLayers)
        if (layer >= model.layers().size())
            throw InputError("There is no layer " + std::to_string(layer + 1) + " to set free: the model has " +
                             std::to_string(model.layers().size()) + ".");
    if (!options.weights.empty() && options.weights.size() != model.parameters())
        throw InputError("The frozen layers' weights number " + std::to_string(options.weights.size()) + " where the model has " +
                         std::to_string(model.parameters()) + ".");
    if (options.restarts < 1 || options.iterations < 1) throw InputError("An optimum needs at least one start and one iteration.");
}

bool isSmall(const LinearModel& model) { return std::max(model.parameters(), model.inputs()) <= kMaxDampedUnknowns; }

const HierarchicalModel* asTrain(const LinearModel& model, const OptimumOptions& options) {
    const auto* stack = dynamic_cast<const HierarchicalModel*>(&model);
    return stack && options.freeLayers.empty() && isTensorTrain(stack->shape()) ? stack : nullptr;
}

/// A way that does not begin at random: another start would be the same.
bool hasOneStart(const LinearModel& model, const OptimumOptions& options) {
    if (options.start == OptimumStart::Random || !options.freeLayers.empty()) return false;
    return asTrain(model, options) || (isSmall(model) && dynamic_cast<const RecurrentModel*>(&model));
}

/// Random weights in the free layers, those given (or the first random ones) in the others.
Vector startingWeights(const LinearModel& model, const OptimumOptions& options, int draw) {
    Vector random = model.randomWeights(options.seed, static_cast<std::uint64_t>(draw));
    if (options.freeLayers.empty()) return random;
    Vector weights = options.weights.empty() ? model.randomWeights(options.seed, 0) : options.weights;
    for (Size layer : options.freeLayers) {
        const WeightBlock& block = model.layers()[layer];
        std::copy_n(random.begin() + static_cast<std::ptrdiff_t>(block.first), block.count,
                    weights.begin() + static_cast<std::ptrdiff_t>(block.first));
    }
    return weights;
}

}  // namespace

/// One start after the other, each by one descent or two.
struct OptimumSearch::State {
    struct Point {
        Vector weights, history;
        double loss = 0;
        bool settled = false;
    };
    State(const LinearModel& m, const LinearTask& t, OptimumOptions o, int n) : model(m), task(t), options(std::move(o)), starts(n) {}

    const LinearModel& model;
    const LinearTask& task;
    OptimumOptions options;
    int starts;

    int start = -1;                    ///< the one under way
    std::unique_ptr<Descent> descent;  ///< its
    bool polish = false;               ///< damped steps follow
    int done = 0, rounds = 0;
    bool settled = false;
    Vector history;
    std::optional<Point> earlier;  ///< the best of the starts before
    int total = 0;
    bool finished = false;

    void begin();
    void choose();
    bool step();
    bool advance();
    bool isBest() const { return !earlier || descent->loss() <= earlier->loss; }
};

void OptimumSearch::State::begin() {
    if (descent && isBest()) earlier = {descent->weights(), history, descent->loss(), settled};
    ++start;
    done = 0;
    settled = false;
    choose();
    history = {descent->loss()};
}

void OptimumSearch::State::choose() {
    const auto& free = options.freeLayers;
    const auto* train = asTrain(model, options);
    const auto* recurrent = dynamic_cast<const RecurrentModel*>(&model);
    const bool best = options.start == OptimumStart::Best;
    polish = false;
    if (best && train) {
        descent = trainDescent(*train, task);
    } else if (!best || !isSmall(model)) {
        descent = lbfgsDescent(model, task, startingWeights(model, options, start), free);
    } else if (recurrent && free.empty()) {
        descent = recurrentDescent(*recurrent, task);
    } else if (recurrent) {
        descent = dampedDescent(model, task, startingWeights(model, options, start), free);
    } else {
        descent = alternatingDescent(model, task, startingWeights(model, options, start), free);
        polish = true;
        rounds = kAlternatingRounds * static_cast<int>(free.empty() ? model.layers().size() : free.size());
    }
}

/// An iteration of the start under way; false when it has settled.
bool OptimumSearch::State::advance() {
    if (polish && (done >= rounds || !descent->step())) {
        polish = false;
        descent = dampedDescent(model, task, Vector(descent->weights()), options.freeLayers);
        return true;
    }
    if (!polish && !descent->step()) return false;
    ++done;
    ++total;
    history.push_back(std::min(descent->loss(), history.back()));
    return true;
}

bool OptimumSearch::State::step() {
    if (finished) return false;
    settled = !advance();
    if (!settled && done < options.iterations) return true;
    finished = start + 1 == starts;
    if (!finished) begin();
    return !finished;
}

OptimumSearch::OptimumSearch(const LinearModel& model, const LinearTask& task, OptimumOptions options) {
    check(model, task, options);
    const int starts = hasOneStart(model, options) ? 1 : options.restarts;
    state_ = std::make_unique<State>(model, task, std::move(options), starts);
    state_->begin();
}
OptimumSearch::~OptimumSearch() = default;
OptimumSearch::OptimumSearch(OptimumSearch&&) noexcept = default;
OptimumSearch& OptimumSearch::operator=(OptimumSearch&&) noexcept = default;

bool OptimumSearch::step() { return state_->step(); }
double OptimumSearch::progress() const {
    const State& s = *state_;
    return s.finished ? 1 : (s.start + static_cast<double>(s.done) / (s.options.iterations + 1)) / s.starts;
}
const Vector& OptimumSearch::weights() const { return state_->isBest() ? state_->descent->weights() : state_->earlier->weights; }
double OptimumSearch::loss() const { return state_->isBest() ? state_->descent->loss() : state_->earlier->loss; }
const Vector& OptimumSearch::history() const { return state_->isBest() ? state_->history : state_->earlier->history; }
int OptimumSearch::iterations() const { return state_->total; }
bool OptimumSearch::settled() const { return state_->isBest() ? state_->settled : state_->earlier->settled; }

Optimum findOptimum(const LinearModel& model, const LinearTask& task, const OptimumOptions& options) {
    OptimumSearch search(model, task, options);
    while (search.step()) {
    }
    Optimum found{search.weights(), search.loss(), 0, search.history(), search.settled()};
    const auto K = options.freeLayers.empty() ? constraints(model, found.weights, task.covariance)
                                              : constraints(model, found.weights, task.covariance, options.freeLayers);
    found.optimality = optimality(K, task, model.response(found.weights));
    return found;
}

double optimumOperations(const LinearModel& model, const OptimumOptions& options) {
    const double n = static_cast<double>(model.inputs()), p = static_cast<double>(model.parameters());
    const double starts = hasOneStart(model, options) ? 1 : options.restarts;
    const bool dense = options.start == OptimumStart::Best && isSmall(model);
    // A response costs at most a multiply-add for each weight and input, and most layers reach few of the inputs.
    const double slope = 4 * p * n + n * n + 50 * p;
    const double iteration = dense ? n * n * p + 8 * p * n * std::min(n, p) : 1.5 * slope;
    return starts * iteration * std::min(options.iterations, dense ? 200 : options.iterations);
}

}  // namespace kappaflow
