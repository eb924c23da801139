#include "scenes/expressivity/training_tradeoff/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/expressivity/growth_theory.h"
#include "scene/filled_report.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace training_tradeoff {
namespace {

using namespace digit_training;
using Numbers = std::vector<double>;
using Steps = std::vector<std::uint64_t>;

constexpr double kSlice = 4e6;  ///< nanoseconds
constexpr ArcSampling kSampling{16, 40};
/// Streams of the ends of arcs and of the windows on them.
constexpr std::uint64_t kEnds = std::uint64_t{1} << 32;

OptimiserSpec optimiserOf(const Values& v) {
    OptimiserSpec optimiser;
    optimiser.kind = v.is("optimiser", "momentum") ? Optimiser::Momentum : Optimiser::Adam;
    return optimiser;
}

Numbers column(const Matrix& m, std::size_t s) {
    Numbers x(m.rows);
    for (std::size_t i = 0; i < m.rows; ++i) x[i] = m(i, s);
    return x;
}

/// Two different samples.
RandomEnds sampleEnds(const Matrix& inputs, std::uint64_t seed, std::size_t arc) {
    Rng rng(seed, Purpose::Inputs, kEnds + arc);
    const auto first = static_cast<std::size_t>(rng.below(inputs.columns));
    auto second = static_cast<std::size_t>(rng.below(inputs.columns - 1));
    if (second >= first) ++second;
    return {column(inputs, first), column(inputs, second)};
}

void meanOf(const std::vector<ArcImages>& images, std::vector<double> ArcImages::*part, Numbers& means, Numbers& errors) {
    const double n = static_cast<double>(images.size());
    for (std::size_t l = 0; l < (images.front().*part).size(); ++l) {
        double sum = 0, squares = 0;
        for (const ArcImages& image : images) sum += (image.*part)[l];
        for (const ArcImages& image : images) squares += ((image.*part)[l] - sum / n) * ((image.*part)[l] - sum / n);
        means.push_back(sum / n);
        errors.push_back(std::sqrt(squares / (n * (n - 1))));
    }
}

ArcMeans meansOf(const std::vector<ArcImages>& images) {
    ArcMeans m;
    meanOf(images, &ArcImages::length, m.length, m.lengthError);
    meanOf(images, &ArcImages::transitions, m.transitions, m.transitionsError);
    for (const ArcImages& image : images) m.lengths.push_back(image.length);
    return m;
}

/// Of a request that went through the codec every file is a copy.
bool sameFile(const Attachment* a, const Attachment* b) { return a == b || (a && b && a->name == b->name && a->bytes == b->bytes); }

}  // namespace

std::vector<std::uint64_t> lookedAt(std::uint64_t last) {
    std::vector<std::uint64_t> steps{0};
    // Tenths of a decade.
    constexpr std::uint64_t kTenths[] = {10, 13, 16, 20, 25, 32, 40, 50, 63, 79};
    for (std::uint64_t decade = 1; decade * 10 <= last; decade *= 10)
        for (const std::uint64_t tenth : kTenths)
            if (tenth * decade <= last) steps.push_back(tenth * decade);
    if (steps.back() != last) steps.push_back(last);
    return steps;
}

std::vector<std::uint64_t> lookedAtUntil(std::uint64_t last, std::uint64_t end) {
    std::vector<std::uint64_t> steps = lookedAt(last);
    if (last <= end) return steps;
    steps.erase(std::upper_bound(steps.begin(), steps.end(), end), steps.end());
    if (steps.back() != end) steps.push_back(end);
    return steps;
}

Run::Look::Look(const Network& network, const Matrix& learnt, const Matrix& held)
    : pass(std::make_unique<SamplePass>(network.layers, learnt, held)), layers(arcLayers(network)) {}

Run::Run(const Request& request)
    : request_(request),
      layers_(static_cast<std::size_t>(request.params.integer("layers"))),
      arcs_(static_cast<std::size_t>(request.params.integer("arcs"))),
      last_(static_cast<std::uint64_t>(request.params.integer("steps"))) {
    const Values& v = request.params;
    Samples samples = readSamples(request);
    held_ = std::move(samples.held);
    Network network = hardTanhNet(v, samples.inputs(), samples.classes());
    trainer_ = std::make_unique<Trainer>(std::move(network), std::move(samples.train), specOf(v, optimiserOf(v)));
    start_ = trainer_->checkpoint();
}

bool Run::continues(const Request& request) {
    Values before = request_.params;
    for (const auto& [key, value] : request.params) {
        const Param* param = findDeclaration(request.scene)->param(key);
        if (key == "steps" || (param && param->affects == Affects::View)) before.set(key, value);
    }
    if (!(before == request.params) || !sameFile(request.data.get(), request_.data.get())) return false;
    request_ = request;
    last_ = static_cast<std::uint64_t>(request.params.integer("steps"));
    // A look at the end of a shorter run is none of this one's.
    const auto steps = wanted();
    if (look_ && !std::binary_search(steps.begin(), steps.end(), trainer_->steps())) look_.reset();
    return true;
}

std::vector<std::uint64_t> Run::wanted() const { return lookedAtUntil(last_, diverged_); }

std::vector<std::uint64_t> Run::known() const {
    std::vector<std::uint64_t> steps;
    for (const std::uint64_t step : wanted())
        if (snapshots_.count(step)) steps.push_back(step);
    return steps;
}

void Run::train(std::uint64_t to) {
    if (trainer_->steps() > to) trainer_->restore(start_);
    const double each = stepOperations(trainer_->network().layers, request_.params.number("batch"));
    for (double work = 0; work < kSlice && trainer_->steps() < to; work += each)
        if (!trainer_->step()) {
            trouble_ = trainer_->trouble();
            diverged_ = trainer_->steps();
            return;
        }
}

bool Run::advance() {
    if (look_) {
        if (!advanceLook()) look_.reset();
        return true;
    }
    for (const std::uint64_t step : wanted()) {
        if (snapshots_.count(step)) continue;
        if (trainer_->steps() == step)
            beginLook();
        else
            train(step);
        return true;
    }
    if (!request_.withNetwork || trainer_->steps() == shown()) return false;
    train(shown());
    return true;
}

/// The one looked at that is nearest to the step that stands out, as in the picture.
std::uint64_t Run::shown() const {
    const double at = request_.params.number("at");
    std::uint64_t nearest = 0;
    for (const std::uint64_t step : wanted())
        if (std::abs(static_cast<double>(step) - at) <= std::abs(static_cast<double>(nearest) - at)) nearest = step;
    return nearest;
}

void Run::beginLook() { look_ = std::make_unique<Look>(trainer_->network(), trainer_->data().inputs, held_.inputs); }

void Run::nameSamples() {
    const Matrix &targets = trainer_->data().targets, &outputs = look_->pass->learnt;
    look_->made.learnt = {lossOf(Loss::CrossEntropy, outputs, targets), accuracyOf(Loss::CrossEntropy, outputs, targets)};
    look_->made.heldOut = accuracyOf(Loss::CrossEntropy, look_->pass->held, held_.targets);
    look_->pass.reset();
}

void Run::beginArc() {
    const std::uint64_t seed = request_.params.seed();
    const bool random = look_->arc >= arcs_;
    const std::size_t arc = random ? look_->arc - arcs_ : look_->arc;
    RandomEnds ends = random ? randomEnds(trainer_->data().inputs.rows, seed, arc) : sampleEnds(trainer_->data().inputs, seed, arc);
    look_->sampler.emplace(look_->layers, std::move(ends.x0), std::move(ends.x1), kSampling, Rng(seed, Purpose::MonteCarlo, look_->arc));
}

bool Run::advanceLook() {
    if (look_->pass) {
        if (!look_->pass->advance()) nameSamples();
        return true;
    }
    if (!look_->sampler) beginArc();
    if (look_->sampler->advance()) return true;
    look_->images.push_back(look_->sampler->images());
    look_->sampler.reset();
    if (++look_->arc % arcs_ != 0) return true;
    (look_->arc == arcs_ ? look_->made.samples : look_->made.random) = meansOf(look_->images);
    look_->images.clear();
    if (look_->arc < 2 * arcs_) return true;
    snapshots_[trainer_->steps()] = std::move(look_->made);
    return false;
}

double Run::progress() const {
    const auto steps = wanted();
    double done = 0;
    for (const std::uint64_t step : steps) {
        if (!snapshots_.count(step)) break;
        done = static_cast<double>(step);
    }
    const double last = static_cast<double>(last_), made = static_cast<double>(trainer_->steps());
    const double share = std::min(std::max(done, made) / last, 1.0);
    // Looks take their share beside the steps.
    return 0.9 * share + 0.09 * static_cast<double>(known().size()) / static_cast<double>(steps.size());
}

Cost costOf(const Request& request) {
    try {
        const Values& v = request.params;
        const SampleSizes sizes = sizesOf(request);
        const Architecture network =
            hardTanhArchitecture(v, static_cast<std::size_t>(sizes.inputs), static_cast<std::size_t>(sizes.classes));
        const double parameters = parametersOf(network.layers), units = unitsOf(network.layers), all = sizes.samples + sizes.held;
        const double width = v.number("width"), layers = v.number("layers"), steps = v.number("steps");
        const double batch = std::min(v.number("batch"), sizes.samples), looks = static_cast<double>(lookedAt(v.integer("steps")).size());
        // Measured: 18 pieces in each layer of a stratum, failed windows included, each some nanoseconds a unit and weight.
        const double pieces = static_cast<double>(kSampling.strata) * layers * 18;
        const double arc = pieces * (0.32 * width * width + 14 * width) + 3 * sizes.inputs * width;
        Cost cost;
        cost.operations = 1e4 * all + steps * stepOperations(network.layers, batch) +
                          looks * (all * lookOperations(network.layers) + 2 * v.number("arcs") * arc) + 1e6;
        // Samples as they are drawn, and parted; the file's bytes are the reader's.
        cost.bytes =
            8 * (2.1 * sizes.inputs * all + 14 * parameters + 4 * units * (batch + 256) + 50 * width * 200) + 2e6 + looks * layers * 80;
        return cost;
    } catch (const InputError&) {
        // Nothing will be computed: the start refuses the file and says why.
        return {1e4, 1e5};
    }
}

std::string costliestOf(const Request& request) {
    const auto weight = [](const Cost& cost) { return std::max(cost.operations / kCostLimit.operations, cost.bytes / kCostLimit.bytes); };
    const auto* declaration = findDeclaration(request.scene);
    std::string worst = "steps";
    double least = weight(costOf(request));
    for (const char* key : {"steps", "width", "batch", "samples", "layers", "arcs"}) {
        Request lower = request;
        lower.params.set(key, declaration->param(key)->min);
        if (weight(costOf(lower)) >= least) continue;
        least = weight(costOf(lower));
        worst = key;
    }
    return worst;
}

namespace {

Axis stepAxis(const Steps& steps) {
    Axis axis{"step", {}, {}};
    for (const std::uint64_t step : steps) axis.values.push_back(static_cast<double>(step));
    return axis;
}

void addRows(FilledReport& r, const char* name, const Run& run, const Steps& steps, ArcMeans Snapshot::*arcs, Numbers ArcMeans::*mean,
             Numbers ArcMeans::*error) {
    Numbers values, errors;
    for (const std::uint64_t step : steps) {
        const ArcMeans& means = run.at(step).*arcs;
        values.insert(values.end(), (means.*mean).begin(), (means.*mean).end());
        errors.insert(errors.end(), (means.*error).begin(), (means.*error).end());
    }
    r.add(name, {stepAxis(steps), countedAxis("layer", run.layers() + 1)}, std::move(values)).standardError = std::move(errors);
}

template <class Value>
void addCurve(FilledReport& r, const char* name, const Run& run, const Steps& steps, Value value) {
    Numbers values;
    for (const std::uint64_t step : steps) {
        const double x = value(run.at(step));
        values.push_back(std::isfinite(x) ? x : std::numeric_limits<double>::quiet_NaN());
    }
    r.add(name, {stepAxis(steps)}, std::move(values)).mayBeUndefined = true;
}

/// After training over before; NaN where no length was found before.
struct Changes {
    double last = 1, lastRandom = 1, first = 1;
    std::size_t rising = 0, layers = 0;  ///< of so many that have any length
};

bool rises(const ArcMeans& before, const ArcMeans& after, std::size_t layer) {
    const double n = static_cast<double>(before.lengths.size());
    double sum = 0, squares = 0;
    for (std::size_t arc = 0; arc < before.lengths.size(); ++arc) {
        const double difference = after.lengths[arc][layer] - before.lengths[arc][layer];
        sum += difference, squares += difference * difference;
    }
    const double variance = std::max(squares - sum * sum / n, 0.0) / (n - 1);
    return sum / n > std::sqrt(variance / n);
}

double ratio(double after, double before) { return before > 0 ? after / before : std::numeric_limits<double>::quiet_NaN(); }

Changes changesOf(const Run& run, const Steps& steps) {
    const Snapshot &before = run.at(steps.front()), &after = run.at(steps.back());
    const std::size_t n = run.layers();
    Changes c{ratio(after.samples.length[n], before.samples.length[n]), ratio(after.random.length[n], before.random.length[n]),
              ratio(after.samples.length[1], before.samples.length[1]), risingLayers(before.samples, after.samples), 0};
    for (std::size_t l = 1; l <= n; ++l) c.layers += before.samples.length[l] > 0 || after.samples.length[l] > 0;
    return c;
}

std::string percent(double share) { return inWords(100 * share) + " %"; }

std::string summaryOf(const Run& run, const Steps& steps, const Changes& c) {
    const std::uint64_t end = steps.back();
    const Snapshot& after = run.at(end);
    const std::string accuracy = percent(after.learnt.accuracy) + " of the samples learnt from and " + percent(after.heldOut) +
                                 " of those held out are named rightly.";
    if (end == 0) return "Before training " + accuracy;
    const std::string begin = "After " + std::to_string(end) + " steps ";
    if (!std::isfinite(c.last) || !std::isfinite(c.lastRandom))
        return begin + "there is nothing to compare in the last layer: before training no length was found there between " +
               (std::isfinite(c.last) ? "random points" : "samples") + ". " + accuracy;
    return begin + "the last layer's images are " + inWords(c.last) + " times as long between samples and " + inWords(c.lastRandom) +
           " times between random points: " + lengthsInWords(c.last, c.lastRandom) +
           ". Between samples they end longer by over a standard error in " + std::to_string(c.rising) + " of " + std::to_string(c.layers) +
           " layers, in the first " + inWords(c.first) + " times as long. " + accuracy;
}

void addScalars(FilledReport& r, const Steps& steps, const Changes& c) {
    r.add("steps", static_cast<double>(steps.back()));
    const auto add = [&](const char* name, double change) {
        if (std::isfinite(change)) r.add(name, change);
    };
    add("lastLayerChange", c.last);
    add("lastLayerChangeRandom", c.lastRandom);
    add("firstLayerChange", c.first);
    r.add("risingLayers", static_cast<double>(c.rising));
}

}  // namespace

std::string lengthsInWords(double last, double lastRandom) {
    // What "1 times as long" rounds to.
    constexpr double kSame = 0.005;
    if (std::abs(last - 1) < kSame) return "lengths stay as they were between samples";
    if (last > 1) return "lengths rise between samples";
    return last < lastRandom ? "lengths fall, and faster between samples"
                             : "lengths fall between samples, but not faster than between random points";
}

std::size_t risingLayers(const ArcMeans& before, const ArcMeans& after) {
    std::size_t rising = 0;
    for (std::size_t l = 1; l < before.length.size(); ++l) rising += rises(before, after, l);
    return rising;
}

Report reportOf(const Run& run, bool finished) {
    const Steps steps = run.known();
    FilledReport r("training-tradeoff");
    r.report.status = finished ? Status::Ok : Status::Partial;
    r.report.message = finished ? "" : "The network is being trained.";
    if (!run.trouble().empty()) r.report.warnings.push_back(run.trouble());
    if (steps.empty()) return std::move(r.report);
    addRows(r, "length", run, steps, &Snapshot::samples, &ArcMeans::length, &ArcMeans::lengthError);
    addRows(r, "lengthRandom", run, steps, &Snapshot::random, &ArcMeans::length, &ArcMeans::lengthError);
    addRows(r, "transitions", run, steps, &Snapshot::samples, &ArcMeans::transitions, &ArcMeans::transitionsError);
    addRows(r, "transitionsRandom", run, steps, &Snapshot::random, &ArcMeans::transitions, &ArcMeans::transitionsError);
    addCurve(r, "accuracy", run, steps, [](const Snapshot& s) { return s.learnt.accuracy; });
    addCurve(r, "testAccuracy", run, steps, [](const Snapshot& s) { return s.heldOut; });
    addCurve(r, "loss", run, steps, [](const Snapshot& s) { return s.learnt.loss; });
    const Changes changes = changesOf(run, steps);
    addScalars(r, steps, changes);
    r.report.summary = summaryOf(run, steps, changes);
    return std::move(r.report);
}

namespace {

class TradeoffComputation final : public Computation {
public:
    explicit TradeoffComputation(std::unique_ptr<Run> run) : run_(std::move(run)) {}

    bool step() override {
        finished_ = !run_->advance();
        return !finished_;
    }
    double progress() const override { return finished_ ? 1 : run_->progress(); }
    Report report() const override { return reportOf(*run_, finished_); }
    bool reusable() const override { return true; }
    std::shared_ptr<const Network> network() const override { return std::make_shared<Network>(run_->network()); }
    std::unique_ptr<Run> takeRun() { return std::move(run_); }

private:
    std::unique_ptr<Run> run_;
    bool finished_ = false;
};

std::unique_ptr<Computation> startTradeoff(const Request& request) {
    return std::make_unique<TradeoffComputation>(std::make_unique<Run>(request));
}

std::unique_ptr<Computation> resumeTradeoff(const Request& request, std::unique_ptr<Computation> previous) {
    std::unique_ptr<Run> run = static_cast<TradeoffComputation&>(*previous).takeRun();
    if (!run || !run->continues(request)) return startTradeoff(request);
    return std::make_unique<TradeoffComputation>(std::move(run));
}

}  // namespace
}  // namespace training_tradeoff

Model training_tradeoff_model() {
    return stepwise<training_tradeoff::costOf, training_tradeoff::costliestOf, training_tradeoff::startTradeoff, training_tradeoff::resumeTradeoff>("training-tradeoff");
}

}  // namespace kappaflow
