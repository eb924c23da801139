#include "core/linear/optimum.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/errors.h"
#include "core/linalg/decompositions.h"
#include "core/linalg/limited_memory_bfgs.h"
#include "core/linear/constraints.h"
#include "core/linear/damped_steps.h"
#include "core/linear/linear_model.h"

namespace kappaflow {
namespace {

using Vector = std::vector<double>;
using Size = std::size_t;

/// The weights of some layers of a model, one after the other, between those of the others, which stay.
class FreeWeights {
public:
    /// `freeLayers` empty: all layers.
    FreeWeights(const LinearModel& model, std::vector<double> weights, const std::vector<std::size_t>& freeLayers)
        : all_(std::move(weights)) {
        for (std::size_t l = 0; l < model.layers().size(); ++l)
            if (freeLayers.empty()) blocks_.push_back(model.layers()[l]);
        for (std::size_t l : freeLayers) blocks_.push_back(model.layers().at(l));
        for (const WeightBlock& block : blocks_) count_ += block.count;
    }
    std::size_t count() const { return count_; }
    /// All weights, with these values of the free ones.
    const std::vector<double>& with(const std::vector<double>& values) {
        std::size_t at = 0;
        for (const WeightBlock& block : blocks_)
            for (std::size_t i = 0; i < block.count; ++i) all_[block.first + i] = values[at++];
        return all_;
    }
    /// Of something that has an entry a weight, the free ones' entries.
    void pick(const std::vector<double>& ofAll, std::vector<double>& picked) const {
        picked.clear();
        for (const WeightBlock& block : blocks_)
            picked.insert(picked.end(), ofAll.begin() + static_cast<std::ptrdiff_t>(block.first),
                          ofAll.begin() + static_cast<std::ptrdiff_t>(block.first + block.count));
    }
    std::vector<double> values() const {
        std::vector<double> picked;
        pick(all_, picked);
        return picked;
    }
    /// The free ones' columns of a Jacobian.
    Matrix columnsOf(const Matrix& jacobian) const {
        Matrix columns(jacobian.rows, count_);
        for (std::size_t r = 0; r < jacobian.rows; ++r) {
            double* out = columns.row(r);
            for (const WeightBlock& block : blocks_)
                for (std::size_t i = 0; i < block.count; ++i) *out++ = jacobian(r, block.first + i);
        }
        return columns;
    }

private:
    std::vector<double> all_;
    std::vector<WeightBlock> blocks_;
    std::size_t count_ = 0;
};

class LbfgsDescent final : public Descent {
public:
    LbfgsDescent(const LinearModel& model, const LinearTask& task, Vector start, const std::vector<std::size_t>& freeLayers)
        : free_(model, std::move(start), freeLayers),
          floor_(roundingLoss(task)),
          search_(free_.values(), [&model, &task, this](const Vector& values, Vector& gradient) {
              const Vector& weights = free_.with(values);
              const Vector response = model.response(weights);
              free_.pick(model.gradient(weights, taskSlope(task, response)), gradient);
              return taskLoss(task, response);
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

}  // namespace

std::unique_ptr<Descent> dampedDescent(const LinearModel& model, const LinearTask& task, Vector start,
                                       const std::vector<Size>& freeLayers) {
    return std::make_unique<DampedDescent>(model, task, std::move(start), freeLayers);
}

std::unique_ptr<Descent> alternatingDescent(const LinearModel& model, const LinearTask& task, Vector start,
                                            const std::vector<Size>& freeLayers) {
    return std::make_unique<AlternatingDescent>(model, task, std::move(start), freeLayers);
}

namespace {

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
