#include "scenes/activation_regions/model_training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/errors.h"
#include "core/io/csv.h"

namespace kappaflow::regions {
namespace {

/// Operations of one slice: a few milliseconds.
constexpr double kSliceWork = 4e6;
/// Points of the curves beside the first, and checkpoints; the latter within this memory.
constexpr double kCurvePoints = 200, kMostKept = 64, kKeptBytes = 1.6e7;
/// Points of standard deviation 1/2 fill the square from −1 to 1.
constexpr double kSpread = 0.5;

bool fromFile(const Values& v) { return v.is("data", "file"); }

LabelledPoints pointsOf(const Request& request) {
    const Values& v = request.params;
    if (fromFile(v) && !request.data) throw InputError("data=file needs the data file itself, which a link does not carry: open it again.");
    LabelledPoints points = fromFile(v) ? readCsv(request.data->bytes, request.data->name)
                                        : drawDataSet(dataSetFromKey(v.text("data")), static_cast<std::size_t>(v.integer("samples")),
                                                      v.number("noise"), v.seed());
    for (double& x : points.points.values) x *= kSpread;
    return points;
}

std::size_t outputsFor(const LabelledPoints& points) { return points.classes.size() > 2 ? points.classes.size() : 1; }

bool sameParameters(const Network& a, const Network& b) {
    return std::equal(a.layers.begin(), a.layers.end(), b.layers.begin(), b.layers.end(), [](const Layer& x, const Layer& y) {
        return x.kind == y.kind && x.out == y.out && x.weights == y.weights && x.bias == y.bias && x.activation == y.activation &&
               x.slope == y.slope;
    });
}

/// Whether two tasks differ in nothing but the step they show.
bool sameRun(const TrainingTask& a, const TrainingTask& b) {
    const OptimiserSpec &p = a.spec.optimiser, &q = b.spec.optimiser;
    return a.steps == b.steps && a.spec.loss == b.spec.loss && a.spec.batch == b.spec.batch && a.spec.seed == b.spec.seed &&
           p.kind == q.kind && p.learningRate == q.learningRate && a.data.inputs.values == b.data.inputs.values &&
           a.data.targets.rows == b.data.targets.rows && a.data.targets.values == b.data.targets.values && sameParameters(a.start, b.start);
}

double samplesOf(const Request& request) {
    return fromFile(request.params) ? static_cast<double>(pointsOf(request).labels.size()) : request.params.number("samples");
}

double ceiling(double steps, double parts) { return std::max(1.0, std::ceil(steps / parts)); }

}  // namespace

bool trains(const Values& v) { return !v.is("data", "none") && v.is("network", "") && v.number("inputs") == 2; }

std::size_t trainedOutputs(const Request& request) {
    return trains(request.params) && fromFile(request.params) ? outputsFor(pointsOf(request)) : 1;
}

TrainingTask trainingTask(const Request& request, Network drawn) {
    const Values& v = request.params;
    TrainingTask task;
    task.points = pointsOf(request);
    task.spec.loss = v.is("loss", "mean-square") ? Loss::MeanSquare : Loss::CrossEntropy;
    task.spec.optimiser.kind = v.is("optimiser", "momentum") ? Optimiser::Momentum : Optimiser::Adam;
    task.spec.optimiser.learningRate = v.number("learningRate");
    task.spec.batch = static_cast<std::size_t>(v.integer("batch"));
    task.spec.seed = v.seed();
    task.data = {task.points.points,
                 classTargets(task.spec.loss, task.points.labels, static_cast<int>(task.points.classes.size()), outputsFor(task.points))};
    task.steps = static_cast<std::uint64_t>(v.integer("steps"));
    task.step = static_cast<std::uint64_t>(v.integer("step"));
    for (Layer& layer : drawn.layers)
        if (layer.kind == LayerKind::Dense && layer.bias.empty()) layer.bias.assign(layer.out.units(), 0.0);
    task.start = std::move(drawn);
    return task;
}

Cost trainingCost(const Request& request, const Architecture& network) {
    const Values& v = request.params;
    if (!trains(v)) return {};
    const double samples = samplesOf(request), batch = std::min(samples, v.number("batch")), steps = v.number("steps");
    double parameters = 0, units = 2;
    for (const Layer& layer : network.layers) {
        parameters += layer.kind == LayerKind::Dense ? weightCount(layer) + static_cast<double>(layer.out.units()) : 0;
        units += static_cast<double>(layer.out.units());
    }
    // Twice the run at worst: to its end and from a checkpoint to the step. A step's own overhead is some microseconds.
    const double evaluations = kCurvePoints + 2,
                 step = trainingStepOperations(network, static_cast<std::size_t>(batch)) + 40 * samples + 4e3;
    Cost cost;
    cost.operations = (steps + ceiling(steps, kMostKept)) * step + evaluations * samples * (2 * parameters + 4 * units + 100);
    cost.bytes = 8 * (parameters * 12 + 4 * units * (batch + 256) + 12 * samples) + kKeptBytes + 24 * parameters;
    return cost;
}

void TrainingRun::begin(TrainingTask task) {
    arrived_ = false;
    if (trainer_ && sameRun(task_, task)) {
        task_ = std::move(task);
        return;
    }
    task_ = std::move(task);
    trainer_ = std::make_unique<Trainer>(task_.start, task_.data, task_.spec);
    const double steps = static_cast<double>(task_.steps), bytes = static_cast<double>(trainer_->checkpoint().bytes());
    spacing_ = static_cast<std::uint64_t>(std::max(ceiling(steps, kMostKept), ceiling(steps * bytes, kKeptBytes)));
    curveStep_ = static_cast<std::uint64_t>(ceiling(steps, kCurvePoints));
    kept_.clear();
    loss_.clear();
    accuracy_.clear();
    end_ = 0;
    complete_ = false;
    trouble_.clear();
}

/// What is kept of the step that the trainer has reached.
void TrainingRun::note() {
    const std::uint64_t step = trainer_->steps();
    if (step % spacing_ == 0) kept_.push_back(trainer_->checkpoint());
    if (step % curveStep_ != 0) return;
    const Evaluation all = trainer_->evaluate();
    loss_.push_back(std::isfinite(all.loss) ? all.loss : std::numeric_limits<double>::quiet_NaN());
    accuracy_.push_back(all.accuracy);
}

void TrainingRun::goOn() {
    if (trainer_->steps() == 0 && kept_.empty()) note();
    if (trainer_->steps() < task_.steps && trainer_->step()) return note();
    end_ = trainer_->steps();
    trouble_ = trainer_->trouble();
    complete_ = true;
}

void TrainingRun::goTo(std::uint64_t step) {
    const TrainingCheckpoint& nearest = kept_[std::min<std::size_t>(kept_.size() - 1, static_cast<std::size_t>(step / spacing_))];
    if (trainer_->steps() > step || trainer_->steps() < nearest.step) trainer_->restore(nearest);
    if (trainer_->steps() < step && trainer_->step()) return;
    now_ = trainer_->evaluate();
    arrived_ = true;
}

bool TrainingRun::advance() {
    const std::size_t samples = task_.points.labels.size();
    // A look at all samples costs no more than a step with all of them.
    const double step = trainingStepOperations(task_.start, std::min(task_.spec.batch, samples)) + 1e4 +
                        trainingStepOperations(task_.start, samples) / static_cast<double>(curveStep_);
    for (double work = 0; work < kSliceWork && !arrived_; work += step) {
        if (complete_)
            goTo(shown());
        else
            goOn();
    }
    return !arrived_;
}

double TrainingRun::progress() const {
    if (arrived_) return 1;
    if (complete_ || task_.steps == 0) return 0.95;
    return 0.95 * static_cast<double>(trainer_->steps()) / static_cast<double>(task_.steps);
}

void TrainingRun::addTo(FilledReport& r) const {
    const std::size_t samples = task_.points.labels.size();
    std::vector<double> places(2 * samples), classes(samples);
    for (std::size_t s = 0; s < samples; ++s) {
        places[2 * s] = task_.points.points(0, s);
        places[2 * s + 1] = task_.points.points(1, s);
        classes[s] = task_.points.labels[s];
    }
    Axis sample = countedAxis("sample", samples);
    r.add("samplePoints", {sample, {"xy", {}, {"x", "y"}}}, std::move(places));
    r.add("sampleClass", {std::move(sample)}, std::move(classes));
    Axis step{"step", {}, {}};
    for (std::uint64_t s = 0; s < task_.steps; s += curveStep_) step.values.push_back(static_cast<double>(s));
    step.values.push_back(static_cast<double>(task_.steps));
    const auto curve = [&](const char* name, std::vector<double> values) {
        values.resize(step.size(), std::numeric_limits<double>::quiet_NaN());
        r.add(name, {step}, std::move(values)).mayBeUndefined = true;
    };
    curve("loss", loss_);
    curve("accuracy", accuracy_);
    r.add("trainedSteps", static_cast<double>(shown()));
    // About to diverge it may be beyond all numbers.
    if (std::isfinite(now_.loss)) r.add("trainingLoss", now_.loss);
    r.add("trainingAccuracy", now_.accuracy);
}

std::string TrainingRun::summary() const {
    return "After " + std::to_string(shown()) + " of " + std::to_string(task_.steps) + " training steps " + inWords(100 * now_.accuracy) +
           " % of the " + std::to_string(task_.points.labels.size()) + " samples are on their side of the decision boundary.";
}

}  // namespace kappaflow::regions
