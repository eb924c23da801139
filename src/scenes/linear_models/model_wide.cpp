#include "scenes/linear_models/model_wide.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/linear/constraints.h"
#include "core/linear/hierarchical_model.h"
#include "core/linear/subspace.h"
#include "scenes/linear_models/declaration_linear.h"
#include "scenes/linear_models/model_task.h"

namespace kappaflow::wide {
namespace {

using Size = std::size_t;

constexpr double kSlice = 4e6;  ///< multiply-adds between two looks at the clock

/// Steps on the manifold of tensor trains settle within this number, or never.
constexpr double kTrainSteps = 25;
/// Multiply-adds that each step asked for may take on average there: large trains get fewer, all of them begin next to the target.
constexpr double kTrainBudget = 3e5;

/// Multiply-adds of one step: 80 products of conjugate gradients, or a response, its gradient and the products with Σ.
double stepOperations(const HierarchicalShape& shape, double pairs) {
    const double positions = receptiveField(shape), inputs = positions * shape.channels.front(), parameters = parameterCount(shape);
    const double sigma = positions * positions * pairs;
    if (!isTensorTrain(shape)) return 1.5 * (4 * parameters * inputs + sigma + 50 * parameters);
    const double rank = std::min(inputs, static_cast<double>(tensorTrainDimension(shape)));
    return 90 * (2 * inputs * rank + sigma) + 5e3 * inputs;
}

/// Trains by their own way down; other stacks by L-BFGS, as P2 does: damped steps from random weights stall as high and cost more.
OptimumOptions optionsOf(const SearchSettings& settings, const HierarchicalShape& shape, double pairs) {
    const bool train = isTensorTrain(shape);
    OptimumOptions options;
    options.start = train ? OptimumStart::Best : OptimumStart::Random;
    options.seed = settings.seed;
    options.restarts = train ? 1 : settings.restarts;
    options.iterations = std::max(settings.steps, 1);
    if (train) {
        const double afforded = std::clamp(kTrainBudget * settings.steps / stepOperations(shape, pairs), 1.0, kTrainSteps);
        options.iterations = std::min(options.iterations, static_cast<int>(afforded));
    }
    return options;
}

/// Positions newest first, components within a position as they are.
std::vector<double> newestFirst(const std::vector<double>& oldestFirst, Size components) {
    const Size positions = oldestFirst.size() / components;
    std::vector<double> turned;
    turned.reserve(oldestFirst.size());
    for (Size lag = 0; lag < positions; ++lag)
        for (Size k = 0; k < components; ++k) turned.push_back(oldestFirst[(positions - 1 - lag) * components + k]);
    return turned;
}

}  // namespace

SearchSettings searchSettings(const Values& v) { return {v.integer("steps"), v.integer("restarts"), v.seed()}; }

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

StackRun::StackRun(HierarchicalShape shape, const LinearTask& task, const SearchSettings& settings)
    : model_(std::make_unique<HierarchicalModel>(std::move(shape))), task_(task) {
    result_.parameters = static_cast<double>(model_->parameters());
    result_.inputs = static_cast<double>(model_->inputs());
    result_.components = model_->components();
    if (settings.steps < 1) {
        weights_ = model_->randomWeights(settings.seed);
        stage_ = 1;
        return;
    }
    const double pairs = static_cast<double>(model_->components());
    stepsPerSlice_ = static_cast<int>(std::clamp(kSlice / stepOperations(model_->shape(), pairs), 1.0, 200.0));
    search_.emplace(*model_, task_, optionsOf(settings, model_->shape(), pairs));
}

bool StackRun::step() {
    if (stage_ == 0) {
        bool more = true;
        for (int i = 0; i < stepsPerSlice_ && more; ++i) more = search_->step();
        if (more) return true;
        weights_ = search_->weights();
        search_.reset();
        stage_ = 1;
        return true;
    }
    if (stage_ == 1) {
        result_.total = static_cast<double>(model_->exactRank());
        stage_ = 2;
        return true;
    }
    if (stage_ == 2) finish();
    stage_ = 3;
    return false;
}

double StackRun::progress() const { return stage_ == 0 ? 0.7 * search_->progress() : 0.7 + 0.1 * stage_; }

void StackRun::finish() {
    const Constraints k = constraints(*model_, weights_, task_.covariance);
    const std::vector<double> response = model_->response(weights_);
    result_.rank = static_cast<double>(k.rank);
    result_.loss = taskLoss(task_, response);
    result_.optimality = optimality(k, task_, response);
    result_.layers = linear::printedLayers(*model_, weights_);
    result_.capacity = newestFirst(capacityPerInput(k.basis), result_.components);
}

Cost costOfStack(const HierarchicalShape& shape, const SearchSettings& settings, double pairs) {
    const double inputs = receptiveField(shape) * shape.channels.front(), parameters = parameterCount(shape);
    if (!(inputs <= kMaxModelInputs) || !(parameters <= kMaxModelParameters)) return {1e12, 1e12};
    const bool train = isTensorTrain(shape);
    const double columns = std::min(parameters, static_cast<double>(tensorTrainDimension(shape)) + 1), rank = std::min(inputs, columns);
    const double positions = receptiveField(shape);
    const OptimumOptions options = optionsOf(settings, shape, pairs);
    double operations = 4 * inputs * rank * rank + positions * positions * pairs * rank + 50 * inputs * columns;
    if (settings.steps > 0) operations += stepOperations(shape, pairs) * options.iterations * options.restarts;
    // The QR decomposition of the tangent; elimination for the exact rank.
    if (!train) operations += 4 * inputs * columns * rank + 3.5 * inputs * std::min(parameters, 4 * inputs) * rank;
    return {operations, 8 * (4 * inputs * rank + 3 * inputs * columns + 6 * parameters) + (train ? 0 : 8 * inputs * parameters)};
}

Cost costOfSeries(const std::vector<Member>& members, const SearchSettings& settings) {
    Cost cost{1e6, 4e6};
    for (const Member& member : members) {
        const Cost one = costOfStack(member.shape, settings, member.pairs);
        cost.operations += one.operations;
        cost.bytes = std::max(cost.bytes, 4e6 + one.bytes);
    }
    return cost;
}

std::string costliestOf(const Request& request, Cost (*cost)(const Request&), const std::vector<const char*>& keys, const char* last) {
    const Values defaults = findDeclaration(request.scene)->defaults();
    const Cost now = cost(request);
    for (const char* key : keys) {
        Request fewer = request;
        fewer.params.set(key, defaults.at(key));
        const Cost less = cost(fewer);
        if (less.operations < 0.5 * now.operations || less.bytes < 0.5 * now.bytes) return key;
    }
    return last;
}

std::vector<double> numbersOf(const SeriesRun& series, std::size_t first, std::size_t count, double (*number)(const StackCapacity&)) {
    std::vector<double> values;
    for (std::size_t i = first; i < first + count; ++i)
        values.push_back(series.found()[i] ? number(*series.found()[i]) : std::numeric_limits<double>::quiet_NaN());
    return values;
}

SeriesRun::SeriesRun(std::vector<Member> members, std::function<LinearTask(std::size_t)> task, SearchSettings settings)
    : members_(std::move(members)),
      makeTask_(std::move(task)),
      settings_(settings),
      found_(members_.size()),
      lowerBounds_(members_.size(), std::numeric_limits<double>::quiet_NaN()),
      shares_{0} {
    for (const Member& member : members_) {
        checkShape(member.shape);
        shares_.push_back(shares_.back() + costOfStack(member.shape, settings_, member.pairs).operations);
    }
}

bool SeriesRun::step() {
    if (finished()) return false;
    if (!run_) {
        task_ = std::make_unique<LinearTask>(makeTask_(done_));
        run_.emplace(members_[done_].shape, *task_, settings_);
        return true;
    }
    if (run_->step()) return true;
    found_[done_] = run_->result();
    lowerBounds_[done_] = task_->lowerBound / task_->variance;
    run_.reset();
    ++done_;
    return !finished();
}

void SeriesRun::addNetwork(Report& report, const std::vector<std::size_t>& members) const {
    for (const std::size_t member : members)
        for (const ReportLayer& layer : found_[member]->layers) report.network.push_back(layer);
}

double SeriesRun::progress() const {
    if (finished()) return 1;
    const double one = shares_[done_ + 1] - shares_[done_];
    return 0.999 * (shares_[done_] + one * (run_ ? run_->progress() : 0)) / shares_.back();
}

Report finished(FilledReport& r, const SeriesRun& series, const char* stacks, std::string summary) {
    r.report.status = series.finished() ? Status::Ok : Status::Partial;
    r.report.message = series.finished() ? "" : std::string("Weights of more ") + stacks + " are being looked for.";
    r.report.summary = std::move(summary);
    return std::move(r.report);
}

std::string aboutWeights(const StackCapacity& stack, const SearchSettings& search) {
    std::string text;
    if (stack.rank != stack.total) text = " At these weights " + inWords(stack.rank, 6) + " units are found.";
    if (search.steps < 1) return text + " The weights are random ones.";
    return text +
           (stack.optimality <= linear::kOptimal ? " The weights are an optimum"
                                                 : " The weights are the best that were found, not an optimum") +
           ": ‖KᵀX‖/‖X‖ is " + inWords(stack.optimality, 2) + ".";
}

}  // namespace kappaflow::wide
