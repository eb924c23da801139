#include "scenes/expressivity/training_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kappaflow::training_runs {
namespace {

/// Operations of one slice: a millisecond, in a browser some.
constexpr double kSliceWork = 1e6;
/// Points of the curves beside the first, and checkpoints; the latter within this memory.
constexpr double kCurvePoints = 200, kMostKept = 64, kKeptBytes = 1.6e7;

/// Whether two tasks differ in nothing but the step they show.
bool sameRun(const Task& a, const Task& b) {
    const OptimiserSpec &p = a.spec.optimiser, &q = b.spec.optimiser;
    return a.steps == b.steps && a.spec.loss == b.spec.loss && a.spec.batch == b.spec.batch && a.spec.seed == b.spec.seed &&
           a.spec.frozen == b.spec.frozen && p.kind == q.kind && p.learningRate == q.learningRate &&
           a.data.inputs.values == b.data.inputs.values && a.data.targets.rows == b.data.targets.rows &&
           a.data.targets.values == b.data.targets.values && a.start.input == b.start.input && a.start.layers == b.start.layers;
}

/// Points of the curves beside the first: fewer where looking at all samples so often would take longer than training.
double curvePoints(double steps, double step, double evaluation) {
    constexpr double kCheap = 2e8, kLeast = 8;
    return kCurvePoints * evaluation <= kCheap ? kCurvePoints : std::clamp(steps * step / (2 * evaluation), kLeast, kCurvePoints);
}

/// Operations of a step and of a look at all samples, of which the forward pass is a good third.
double stepWork(const Architecture& network, double batch) { return trainingStepOperations(network, static_cast<std::size_t>(batch)); }
double lookWork(const Architecture& network, double samples) {
    return 0.5 * trainingStepOperations(network, static_cast<std::size_t>(samples)) + 100 * samples;
}

double ceiling(double steps, double parts) { return std::max(1.0, std::ceil(steps / parts)); }

std::size_t biasesOf(const Layer& layer) { return layer.is<Conv>() ? static_cast<std::size_t>(layer.out.channels) : layer.out.units(); }

void addBiases(std::vector<Layer>& layers) {
    eachLayer(layers, [](Layer& layer) {
        if (hasTrainableWeights(layer) && weightsOf(layer).bias.empty()) layer.as<Weights>().bias.assign(biasesOf(layer), 0.0);
    });
}

struct Counts {
    double parameters = 0, units = 0;
};
void count(const std::vector<Layer>& layers, Counts& all) {
    eachLayer(layers, [&](const Layer& layer) {
        all.units += static_cast<double>(layer.out.units());
        all.parameters += hasTrainableWeights(layer) ? weightCount(layer) + static_cast<double>(biasesOf(layer)) : 0;
    });
}

}  // namespace

Task taskOf(TrainingSpec spec, int steps, int step, Network drawn, Matrix inputs, const std::vector<int>& labels, int classes) {
    Task task;
    task.spec = std::move(spec);
    task.data = {std::move(inputs), classTargets(task.spec.loss, labels, classes, drawn.output().units())};
    task.steps = static_cast<std::uint64_t>(steps);
    task.step = static_cast<std::uint64_t>(step);
    addBiases(drawn.layers);
    task.start = std::move(drawn);
    return task;
}

Cost costOf(double steps, double batch, const Architecture& network, double samples) {
    batch = std::min(samples, batch);
    Counts counts;
    count(network.layers, counts);
    const double inputs = static_cast<double>(network.input.units()), units = counts.units + inputs, parameters = counts.parameters;
    // Twice the run at worst: to its end and from a checkpoint to the step.
    const double step = stepWork(network, batch) + 40 * samples, look = lookWork(network, samples);
    Cost cost;
    cost.operations = (steps + ceiling(steps, kMostKept)) * step + (curvePoints(steps, step, look) + 2) * look;
    cost.bytes = 8 * (parameters * 12 + 4 * units * (batch + 256) + (10 + inputs) * samples) + kKeptBytes + 24 * parameters;
    return cost;
}

void Run::begin(Task task) {
    arrived_ = false;
    if (trainer_ && sameRun(task_, task)) {
        task_ = std::move(task);
        return;
    }
    task_ = std::move(task);
    trainer_ = std::make_unique<Trainer>(task_.start, task_.data, task_.spec);
    const double steps = static_cast<double>(task_.steps), bytes = static_cast<double>(trainer_->checkpoint().bytes());
    spacing_ = static_cast<std::uint64_t>(std::max(ceiling(steps, kMostKept), ceiling(steps * bytes, kKeptBytes)));
    const double samples = static_cast<double>(task_.data.inputs.columns), batch = std::min(static_cast<double>(task_.spec.batch), samples);
    const double points = curvePoints(steps, stepWork(task_.start, batch) + 40 * samples, lookWork(task_.start, samples));
    curveStep_ = static_cast<std::uint64_t>(ceiling(steps, points));
    kept_.clear();
    loss_.clear();
    accuracy_.clear();
    end_ = 0;
    complete_ = false;
    trouble_.clear();
}

/// What is kept of the step that the trainer has reached.
void Run::note() {
    const std::uint64_t step = trainer_->steps();
    if (step % spacing_ == 0) kept_.push_back(trainer_->checkpoint());
    if (step % curveStep_ != 0 && step != task_.steps) return;
    const Evaluation all = trainer_->evaluate();
    loss_.push_back(std::isfinite(all.loss) ? all.loss : std::numeric_limits<double>::quiet_NaN());
    accuracy_.push_back(all.accuracy);
}

void Run::goOn() {
    if (trainer_->steps() == 0 && kept_.empty()) note();
    if (trainer_->steps() < task_.steps && trainer_->step()) return note();
    end_ = trainer_->steps();
    trouble_ = trainer_->trouble();
    complete_ = true;
}

void Run::goTo(std::uint64_t step) {
    const TrainingCheckpoint& nearest = kept_[std::min<std::size_t>(kept_.size() - 1, static_cast<std::size_t>(step / spacing_))];
    if (trainer_->steps() > step || trainer_->steps() < nearest.step) trainer_->restore(nearest);
    if (trainer_->steps() < step && trainer_->step()) return;
    now_ = trainer_->evaluate();
    arrived_ = true;
}

bool Run::advance() {
    const std::size_t samples = task_.data.inputs.columns;
    // A look at all samples costs no more than a step with all of them.
    const double step = trainingStepOperations(task_.start, std::min(task_.spec.batch, samples)) +
                        trainingStepOperations(task_.start, samples) / static_cast<double>(curveStep_);
    for (double work = 0; work < kSliceWork && !arrived_; work += step) {
        if (complete_)
            goTo(shown());
        else
            goOn();
    }
    return !arrived_;
}

double Run::progress() const {
    if (arrived_) return 1;
    if (complete_ || task_.steps == 0) return 0.95;
    return 0.95 * static_cast<double>(trainer_->steps()) / static_cast<double>(task_.steps);
}

History Run::history() const {
    History all{{}, loss_, accuracy_};
    for (std::uint64_t s = 0; s < task_.steps; s += curveStep_) all.steps.push_back(static_cast<double>(s));
    all.steps.push_back(static_cast<double>(task_.steps));
    for (auto* curve : {&all.loss, &all.accuracy}) curve->resize(all.steps.size(), std::numeric_limits<double>::quiet_NaN());
    return all;
}

std::string Run::when() const { return "After " + std::to_string(shown()) + " of " + std::to_string(task_.steps) + " training steps"; }

}  // namespace kappaflow::training_runs
