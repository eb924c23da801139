#include "core/linear/optimum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/errors.h"
#include "core/linalg/decompositions.h"
#include "core/linalg/limited_memory_bfgs.h"
#include "core/linear/constraints.h"
#include "core/linear/damped_steps.h"
#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_model.h"

namespace kappaflow {
namespace {

using Vector = std::vector<double>;
using Size = std::size_t;

/// The weights of some layers of a model, one after the other, between those of the others, which stay.
class FreeWeights {
public:
    /// `freeLayers` empty: all layers.
    FreeWeights(const LinearModel& model, Vector weights, const std::vector<Size>& freeLayers) : all_(std::move(weights)) {
        if (freeLayers.empty()) blocks_ = model.layers();
        for (Size l : freeLayers) blocks_.push_back(model.layers().at(l));
    }
    /// All weights, with these values of the free ones.
    const Vector& with(const Vector& values) {
        auto from = values.begin();
        for (const WeightBlock& block : blocks_) {
            const auto to = from + static_cast<std::ptrdiff_t>(block.count);
            std::copy(from, to, all_.begin() + static_cast<std::ptrdiff_t>(block.first));
            from = to;
        }
        return all_;
    }
    /// Of something that has an entry a weight, the free ones' entries.
    void pick(const Vector& ofAll, Vector& picked) const {
        picked.clear();
        for (const WeightBlock& block : blocks_)
            picked.insert(picked.end(), ofAll.begin() + static_cast<std::ptrdiff_t>(block.first),
                          ofAll.begin() + static_cast<std::ptrdiff_t>(block.first + block.count));
    }
    Vector values() const {
        Vector picked;
        pick(all_, picked);
        return picked;
    }
    /// The free ones' columns of a Jacobian.
    Matrix columnsOf(const Matrix& jacobian) const {
        std::vector<Matrix> columns;
        for (const WeightBlock& block : blocks_) columns.push_back(columnRange(jacobian, block.first, block.count));
        return sideBySide(columns);
    }

private:
    Vector all_;
    std::vector<WeightBlock> blocks_;
};

class LbfgsDescent final : public Descent {
public:
    LbfgsDescent(const LinearModel& model, const LinearTask& task, Vector start, const std::vector<std::size_t>& freeLayers)
        : free_(model, std::move(start), freeLayers),
          floor_(roundingLoss(task)),
          search_(free_.values(), [&model, &task, this](const Vector& values, Vector& gradient) {
              const bool inRange = std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
              const Vector& weights = free_.with(values);
              const Vector response = inRange ? model.response(weights) : Vector(task.target.size(), INFINITY);
              const double loss = taskLoss(task, response);
              // A step out of the range of numbers is taken back.
              if (!std::isfinite(loss)) {
                  gradient.assign(values.size(), 0.0);
                  return std::numeric_limits<double>::max();
              }
              free_.pick(model.gradient(weights, taskSlope(task, response)), gradient);
              return loss;
          }) {}
    bool step() override { return search_.value() > floor_ && search_.step(); }
    const Vector& weights() const override { return free_.with(search_.point()); }
    double loss() const override { return search_.value(); }

private:
    mutable FreeWeights free_;
    double floor_;
    LimitedMemoryBfgs search_;
};

}  // namespace

std::unique_ptr<Descent> lbfgsDescent(const LinearModel& model, const LinearTask& task, Vector start,
                                      const std::vector<std::size_t>& freeLayers) {
    model.response(start);  // refuses weights of a wrong number, or not finite, before the objective may not throw
    return std::make_unique<LbfgsDescent>(model, task, std::move(start), freeLayers);
}

double roundingLoss(const LinearTask& task) { return 1e-28 * task.covariance.quadratic(task.target); }

namespace {

/// Residual Cᵀ(A − A*), Σ = C Cᵀ, its squared norm the loss, beside the weights that move.
class WeightedResidual final : public LeastSquares {
public:
    WeightedResidual(const LinearModel& model, const LinearTask& task, Vector start, const std::vector<Size>& freeLayers)
        : model_(model), task_(task), free_(model, std::move(start), freeLayers), factor_(choleskyFactor(task.covariance.dense())) {
        moveTo(free_.values());
    }
    Linearised linearised() override { return linearisedIn(free_, values); }
    /// In other weights than those that move, from the same place.
    Linearised linearisedIn(FreeWeights& some, const Vector& at) const {
        const Matrix jacobian = some.columnsOf(model_.jacobian(some.with(at)));
        const Vector error = taskError(task_, response_);
        return linearise(transposedProduct(factor_, jacobian), transposedProduct(factor_, Matrix(error.size(), 1, error)).values);
    }
    double lossAt(const Vector& at) override { return taskLoss(task_, model_.response(free_.with(at))); }
    void moveTo(Vector at) override {
        values = std::move(at);
        response_ = model_.response(free_.with(values));
        loss = taskLoss(task_, response_);
    }
    const Vector& weights() { return free_.with(values); }

private:
    const LinearModel& model_;
    const LinearTask& task_;
    FreeWeights free_;
    Matrix factor_;
    Vector response_;
};

/// Levenberg–Marquardt steps. Cost of an iteration: the Jacobian, inputs²·weights, and a QR decomposition of 2·weights·rank².
class DampedDescent final : public Descent {
public:
    DampedDescent(const LinearModel& model, const LinearTask& task, Vector start, const std::vector<Size>& freeLayers)
        : floor_(roundingLoss(task)), at_(model, task, std::move(start), freeLayers) {}
    bool step() override { return steps_.step(at_, floor_); }
    const Vector& weights() const override { return at_.weights(); }
    double loss() const override { return at_.loss; }

private:
    double floor_;
    mutable WeightedResidual at_;
    DampedSteps steps_;
};

/// A is linear in each layer but the recurrent one, so that the best values of a layer beside the others are linear least squares: one
/// layer an iteration, from the first to the last and again. Never raises the loss.
class AlternatingDescent final : public Descent {
public:
    AlternatingDescent(const LinearModel& model, const LinearTask& task, Vector start, const std::vector<Size>& freeLayers)
        : model_(model), floor_(roundingLoss(task)), turns_(freeLayers), at_(model, task, std::move(start), {}) {
        for (Size l = 0; freeLayers.empty() && l < model.layers().size(); ++l) turns_.push_back(l);
    }
    bool step() override {
        if (!(at_.loss > floor_) || stalls_ >= turns_.size()) return false;
        FreeWeights layer(model_, at_.weights(), {turns_[turn_++ % turns_.size()]});
        Vector wanted = layer.values();
        const Linearised here = at_.linearisedIn(layer, wanted);
        if (here.residual.empty()) return ++stalls_ < turns_.size();
        const Vector change = dampedStep(here, 0);
        for (Size i = 0; i < wanted.size(); ++i) wanted[i] += change[i];
        const Vector all = layer.with(wanted);
        const double before = at_.loss;
        if (at_.lossAt(all) <= before) at_.moveTo(all);
        stalls_ = at_.loss < before * (1 - 1e-12) ? 0 : stalls_ + 1;
        return true;
    }
    const Vector& weights() const override { return at_.weights(); }
    double loss() const override { return at_.loss; }

private:
    const LinearModel& model_;
    double floor_;
    std::vector<Size> turns_;
    mutable WeightedResidual at_;
    Size turn_ = 0, stalls_ = 0;
};

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

OptimumSearch::OptimumSearch(const LinearModel& model, const LinearTask& task, OptimumOptions options)
    : model_(model), task_(task), options_(std::move(options)) {
    check(model_, task_, options_);
    starts_ = hasOneStart(model_, options_) ? 1 : options_.restarts;
    begin();
}

void OptimumSearch::begin() {
    if (descent_ && isBest()) earlier_ = {descent_->weights(), history_, descent_->loss()};
    ++start_;
    done_ = 0;
    const auto& free = options_.freeLayers;
    const auto* train = asTrain(model_, options_);
    const auto* recurrent = dynamic_cast<const RecurrentModel*>(&model_);
    const bool best = options_.start == OptimumStart::Best;
    const auto weights = [&] { return startingWeights(model_, options_, start_); };
    polish_ = false;
    if (best && train) {
        descent_ = trainDescent(*train, task_);
    } else if (!best || !isSmall(model_)) {
        descent_ = lbfgsDescent(model_, task_, weights(), free);
    } else if (recurrent && free.empty()) {
        descent_ = recurrentDescent(*recurrent, task_);
    } else if (recurrent) {
        descent_ = std::make_unique<DampedDescent>(model_, task_, weights(), free);
    } else {
        descent_ = std::make_unique<AlternatingDescent>(model_, task_, weights(), free);
        polish_ = true;
        rounds_ = kAlternatingRounds * static_cast<int>(free.empty() ? model_.layers().size() : free.size());
    }
    history_ = {descent_->loss()};
}

/// An iteration of the start under way; false when it has settled.
bool OptimumSearch::advance() {
    if (polish_ && (done_ >= rounds_ || !descent_->step())) {
        polish_ = false;
        descent_ = std::make_unique<DampedDescent>(model_, task_, descent_->weights(), options_.freeLayers);
        return true;
    }
    if (!polish_ && !descent_->step()) return false;
    ++done_;
    ++total_;
    history_.push_back(std::min(descent_->loss(), history_.back()));
    return true;
}

bool OptimumSearch::step() {
    if (finished_) return false;
    if (advance() && done_ < options_.iterations) return true;
    finished_ = start_ + 1 == starts_;
    if (!finished_) begin();
    return !finished_;
}

double OptimumSearch::progress() const {
    return finished_ ? 1 : (start_ + static_cast<double>(done_) / (options_.iterations + 1)) / starts_;
}
const Vector& OptimumSearch::weights() const { return isBest() ? descent_->weights() : earlier_->weights; }
double OptimumSearch::loss() const { return isBest() ? descent_->loss() : earlier_->loss; }
const Vector& OptimumSearch::history() const { return isBest() ? history_ : earlier_->history; }
int OptimumSearch::iterations() const { return total_; }

Optimum findOptimum(const LinearModel& model, const LinearTask& task, const OptimumOptions& options) {
    OptimumSearch search(model, task, options);
    while (search.step()) {
    }
    Optimum found{search.weights(), search.loss(), 0, search.history()};
    found.optimality =
        optimality(constraints(model, found.weights, task.covariance, options.freeLayers), task, model.response(found.weights));
    return found;
}

namespace {

/// Lags that stacked layers reach: sums of one k·d a layer, k below its taps.
double reachedLags(const HierarchicalShape& shape) {
    std::vector<bool> reached(static_cast<std::size_t>(receptiveField(shape)));
    reached[0] = true;
    for (std::size_t l = 0; l < shape.layers(); ++l) {
        std::vector<bool> next(reached.size());
        for (std::size_t lag = 0; lag < reached.size(); ++lag)
            for (std::size_t k = 0; reached[lag] && k < static_cast<std::size_t>(shape.taps[l]); ++k)
                next[lag + k * static_cast<std::size_t>(shape.dilations[l])] = true;
        reached = std::move(next);
    }
    return static_cast<double>(std::count(reached.begin(), reached.end(), true));
}

}  // namespace

double optimumOperations(const LinearModel& model, const OptimumOptions& options) {
    const double n = static_cast<double>(model.inputs()), p = static_cast<double>(model.parameters());
    const double starts = hasOneStart(model, options) ? 1 : options.restarts;
    if (options.start != OptimumStart::Best || !isSmall(model)) return starts * lbfgsOperations(n, p, options.iterations);
    if (dynamic_cast<const RecurrentModel*>(&model)) {
        // The larger the model, the fewer steps: 200 of up to 3e6 operations, 10 of 5e8.
        const double step = n * n * p + 8 * p * n * std::min(n, p), steps = 200 * std::min(1.0, std::pow(3e6 / step, 0.6));
        return starts * step * std::min<double>(options.iterations, std::max(steps, 8.0));
    }
    double free = options.freeLayers.empty() ? p : 0;
    for (const std::size_t l : options.freeLayers) free += static_cast<double>(model.layers()[l].count);
    // Alternating rounds settle within 1 to 30; damped steps, which take a decomposition of the Jacobian each, soon where a response is
    // linear in its weights or there are many of them for a lag. Elsewhere they take 50 to 1500, whatever the sizes.
    const auto* stack = dynamic_cast<const HierarchicalModel*>(&model);
    const bool soon = model.layers().size() == 1 || (stack && free >= 3 * reachedLags(stack->shape()));
    const double rounds = 0.8 * n * n * free * std::min(options.iterations, model.layers().size() == 1 ? 2 : soon ? 5 : 12);
    const double step = 4e4 + 15 * n * n + 2.5 * n * free * std::min(n, free);
    return starts * (rounds + step * std::min(options.iterations, soon ? 6 : 600));
}

double lbfgsIterations(double inputs, double weights, int most) {
    return std::min<double>(most, weights <= 16 ? 200 : inputs <= 8 || 2 * weights >= inputs * inputs ? 10 * inputs : most);
}

double lbfgsOperations(double inputs, double weights, int iterations) {
    return 0.4 * lbfgsIterations(inputs, weights, iterations) * (1.5e4 + 2.5 * inputs * inputs + 100 * weights);
}

}  // namespace kappaflow
