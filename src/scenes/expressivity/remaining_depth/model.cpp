#include "scenes/expressivity/remaining_depth/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scene/filled_report.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace remaining_depth {
namespace {

using namespace digit_training;
using Numbers = std::vector<double>;

constexpr double kSlice = 4e6;  ///< nanoseconds

TrainingSpec momentumSpec(const Values& v, std::uint64_t draw) {
    OptimiserSpec optimiser;
    optimiser.kind = Optimiser::Momentum;
    return specOf(v, optimiser, draw);
}

}  // namespace

void Accuracies::add(std::size_t layer, std::size_t epoch, double accuracy) {
    ++count_[at(layer, epoch)];
    sum_[at(layer, epoch)] += accuracy;
    squares_[at(layer, epoch)] += accuracy * accuracy;
}

double Accuracies::mean(std::size_t layer, std::size_t epoch) const {
    const double n = count_[at(layer, epoch)];
    return n > 0 ? sum_[at(layer, epoch)] / n : std::numeric_limits<double>::quiet_NaN();
}

double Accuracies::standardError(std::size_t layer, std::size_t epoch) const {
    const double n = count_[at(layer, epoch)];
    if (n < 2) return 0;
    const double mean = sum_[at(layer, epoch)] / n;
    return std::sqrt(std::max(squares_[at(layer, epoch)] / n - mean * mean, 0.0) / (n - 1));
}

TrainedLayer trainedLayer(const Network& network, std::size_t layer, Samples reaching, TrainingSpec spec) {
    const auto from = network.layers.begin() + static_cast<std::ptrdiff_t>(2 * layer);
    Network behind{from->in, {from, network.layers.end()}};
    spec.frozen.assign(behind.layers.size(), true);
    spec.frozen[0] = false;
    return {std::make_unique<Trainer>(std::move(behind), std::move(reaching.train), std::move(spec)), std::move(reaching.held)};
}

Run::Run(const Request& request)
    : request_(request),
      samples_(readSamples(request)),
      layers_(static_cast<std::size_t>(request.params.integer("layers")) - 1),
      epochs_(static_cast<std::size_t>(request.params.integer("epochs"))),
      allDraws_(static_cast<std::size_t>(request.params.integer("draws"))),
      train_(layers_, epochs_),
      test_(layers_, epochs_) {}

/// The network, then layer after layer what reaches it: what reached the one in front, a layer further.
void Run::prepare() {
    const std::size_t layer = trained_.size();
    if (!pass_) {
        if (layer == 0) drawn_ = hardTanhNet(request_.params, samples_.inputs(), samples_.classes(), draw_);
        const bool first = layer == 0;
        pass_.emplace(std::span<const Layer>(drawn_.layers).subspan(2 * layer, 2),
                      first ? samples_.train.inputs : trained_.back().trainer->data().inputs,
                      first ? samples_.held.inputs : trained_.back().held.inputs);
    }
    if (pass_->advance()) return;
    Samples reaching{{std::move(pass_->learnt), samples_.train.targets}, {std::move(pass_->held), samples_.held.targets}};
    pass_.reset();
    trained_.push_back(trainedLayer(drawn_, layer + 1, std::move(reaching), momentumSpec(request_.params, draw_)));
    // Before training all are the same network: the shortest rest tells what every one of them does.
    if (trained_.size() == layers_) beginLook(trained_.back());
}

void Run::beginLook(const TrainedLayer& trained) {
    pass_.emplace(trained.trainer->network().layers, trained.trainer->data().inputs, trained.held.inputs);
}

void Run::finishLook() {
    const double learnt = accuracyOf(Loss::CrossEntropy, pass_->learnt, samples_.train.targets),
                 held = accuracyOf(Loss::CrossEntropy, pass_->held, samples_.held.targets);
    pass_.reset();
    const std::size_t epoch = looked_ ? epoch_ + 1 : 0;
    for (std::size_t l = looked_ ? layer_ : 0; l < (looked_ ? layer_ + 1 : layers_); ++l) {
        train_.add(l, epoch, learnt);
        test_.add(l, epoch, held);
    }
    if (layer_ == 0) save(epoch);
    if (std::exchange(looked_, true)) turn();
}

void Run::save(std::size_t epoch) {
    if (!request_.withNetwork || draw_ > 0 || static_cast<double>(epoch) > std::round(request_.params.number("at"))) return;
    Network network = drawn_;
    const auto& trained = trained_[0].trainer->network().layers;
    std::copy(trained.begin(), trained.end(), network.layers.begin() + 2);
    saved_ = std::make_shared<Network>(std::move(network));
}

/// Some steps of the layer whose turn it is; false once it has this epoch.
bool Run::goOn() {
    Trainer& trainer = *trained_[layer_].trainer;
    const std::uint64_t goal = (epoch_ + 1) * trainer.stepsAnEpoch();
    const double each = lowestStepOperations(trainer.network().layers, request_.params.number("batch"));
    for (double work = 0; work < kSlice && trainer.steps() < goal; work += each) {
        const bool known = !trainer.trouble().empty();
        if (trainer.step()) continue;
        if (!known) troubles_.push_back("W^(" + std::to_string(layer_ + 1) + "): " + trainer.trouble());
        return false;
    }
    return trainer.steps() < goal;
}

/// The next layer's turn; behind the highest the next epoch, behind the last of these the next draw.
void Run::turn() {
    if (++layer_ < layers_) return;
    layer_ = 0;
    if (++epoch_ < epochs_) return;
    ++draw_;
    epoch_ = 0;
    trained_.clear();
    looked_ = false;
}

bool Run::advance() {
    if (draw_ == allDraws_) return false;
    if (trained_.size() < layers_) {
        prepare();
        return true;
    }
    if (pass_) {
        if (!pass_->advance()) finishLook();
        return draw_ < allDraws_;
    }
    if (goOn()) return true;
    if (trained_[layer_].trainer->trouble().empty())
        beginLook(trained_[layer_]);
    else
        turn();
    return draw_ < allDraws_;
}

double Run::parameters() const {
    const double width = request_.params.number("width");
    return width * (width + 1);
}

double Run::progress() const {
    if (draw_ == allDraws_) return 0.99;
    const double layer = trained_.empty() ? 0 : static_cast<double>(layer_) / static_cast<double>(layers_);
    const double epoch = trained_.empty() ? 0 : (static_cast<double>(epoch_) + layer) / static_cast<double>(epochs_);
    return 0.99 * (static_cast<double>(draw_) + epoch) / static_cast<double>(allDraws_);
}

Cost costOf(const Request& request) {
    try {
        const Values& v = request.params;
        const SampleSizes sizes = sizesOf(request);
        const Architecture network =
            hardTanhArchitecture(v, static_cast<std::size_t>(sizes.inputs), static_cast<std::size_t>(sizes.classes));
        const double batch = std::min(v.number("batch"), sizes.samples), all = sizes.samples + sizes.held, epochs = v.number("epochs");
        const double width = v.number("width"), trained = v.number("layers") - 1;
        double draw = all * lookOperations(network.layers);
        for (std::size_t l = 1; l < network.layers.size() / 2; ++l) {
            const auto behind = std::span<const Layer>(network.layers).subspan(2 * l);
            draw += epochs * (std::ceil(sizes.samples / batch) * lowestStepOperations(behind, batch) + all * lookOperations(behind));
        }
        const double parameters = parametersOf(network.layers);
        return {1e4 * all + v.number("draws") * draw + 1e6,
                8 * (2.1 * sizes.inputs * all + trained * (1.3 * (width + 2 * sizes.classes) * all + 5 * parameters) +
                     4 * unitsOf(network.layers) * (batch + 256) + 3 * width * all + trained * 8 * epochs) +
                    2e6};
    } catch (const InputError&) {
        // Nothing will be computed: the start refuses the file and says why.
        return {1e4, 1e5};
    }
}

std::string costliestOf(const Request& request) {
    const auto weight = [](const Cost& cost) { return std::max(cost.operations / kCostLimit.operations, cost.bytes / kCostLimit.bytes); };
    const auto* declaration = findDeclaration(request.scene);
    std::string worst = "epochs";
    double least = weight(costOf(request));
    for (const char* key : {"epochs", "draws", "width", "samples", "batch", "layers"}) {
        Request lower = request;
        lower.params.set(key, declaration->param(key)->min);
        if (weight(costOf(lower)) >= least) continue;
        least = weight(costOf(lower));
        worst = key;
    }
    return worst;
}

namespace {

Axis trainedAxis(const Run& run) {
    Axis axis{"trainedLayer", {}, {}};
    for (std::size_t l = 1; l <= run.layers(); ++l) axis.values.push_back(static_cast<double>(l));
    return axis;
}

void addCurves(FilledReport& r, const char* name, const Run& run, const Accuracies& accuracies) {
    Numbers means, errors;
    for (std::size_t l = 0; l < run.layers(); ++l)
        for (std::size_t e = 0; e <= run.epochs(); ++e) {
            means.push_back(accuracies.mean(l, e));
            errors.push_back(accuracies.standardError(l, e));
        }
    Array& array = r.add(name, {trainedAxis(run), countedAxis("epoch", run.epochs() + 1)}, std::move(means));
    array.standardError = std::move(errors);
    array.mayBeUndefined = true;
}

std::string percent(double share) { return inWords(100 * share) + " %"; }

std::string countInWords(std::size_t learnt, std::size_t held) {
    return "in " + std::to_string(learnt) + " on the samples learnt from and in " + std::to_string(held) + " on those held out";
}

std::string nameOf(std::size_t layer) { return "W^(" + std::to_string(layer + 1) + ")"; }

std::string summaryOf(const Run& run, const NeighbourOrder& learnt, const NeighbourOrder& held) {
    const std::size_t last = run.layers() - 1, epoch = run.reached();
    const auto known = [&](std::size_t layer) { return std::isfinite(run.test().mean(layer, epoch)); };
    if (!known(0) || !known(last)) return "Training diverged in every draw of some layer; a lower learning rate avoids that.";
    const auto both = [&](std::size_t layer) {
        return percent(run.train().mean(layer, epoch)) + " and " + percent(run.test().mean(layer, epoch));
    };
    const std::string begin = "After " + std::to_string(epoch) + " epochs, training " + nameOf(0) + " alone names " +
                              percent(run.train().mean(0, epoch)) + " of the samples learnt from and " +
                              percent(run.test().mean(0, epoch)) + " of those held out rightly";
    if (last == 0) return begin + ". It is the only one trained: there is none to compare it with.";
    return begin + ", training " + nameOf(last) + " alone " + both(last) + ". " + orderInWords(learnt, held, run.draws() > 1);
}

}  // namespace

NeighbourOrder orderOf(const Accuracies& accuracies, std::size_t layers, std::size_t epoch) {
    NeighbourOrder order;
    for (std::size_t l = 1; l < layers; ++l) {
        const double gain = accuracies.mean(l - 1, epoch) - accuracies.mean(l, epoch);
        const double error = std::hypot(accuracies.standardError(l - 1, epoch), accuracies.standardError(l, epoch));
        ++(gain > error ? order.lower : gain < -error ? order.upper : order.ties);
    }
    return order;
}

std::string orderInWords(const NeighbourOrder& learnt, const NeighbourOrder& held, bool severalDraws) {
    const std::size_t pairs = learnt.lower + learnt.upper + learnt.ties;
    const std::string all = pairs == 1 ? "Of the two the lower" : "Of " + std::to_string(pairs) + " pairs of neighbours the lower";
    if (learnt.lower == pairs && held.lower == pairs)
        return all + " one always does better, on the samples learnt from and on those held out: the survey's order throughout.";
    const std::string others = learnt.ties + held.ties == 0 ? "."
                               : severalDraws               ? "; the others differ by no more than a standard error."
                                                            : "; the others are equal.";
    return all + " one does better " + countInWords(learnt.lower, held.lower) + ", the upper one in " + std::to_string(learnt.upper) +
           " and " + std::to_string(held.upper) + others;
}

Report reportOf(const Run& run, bool finished) {
    FilledReport r("remaining-depth");
    r.report.status = finished ? Status::Ok : Status::Partial;
    r.report.message = finished ? "" : "The layers are being trained.";
    r.report.warnings = run.troubles();
    addCurves(r, "trainAccuracy", run, run.train());
    addCurves(r, "testAccuracy", run, run.test());
    Numbers remaining;
    for (std::size_t l = 1; l <= run.layers(); ++l) remaining.push_back(static_cast<double>(run.layers() - l));
    r.add("remainingDepth", {trainedAxis(run)}, std::move(remaining));
    r.add("draws", static_cast<double>(std::max<std::size_t>(1, run.draws())));
    if (!finished && !std::isfinite(run.train().mean(run.layers() - 1, 0))) return std::move(r.report);
    const NeighbourOrder learnt = orderOf(run.train(), run.layers(), run.reached()),
                         held = orderOf(run.test(), run.layers(), run.reached());
    r.add("inversionsTrain", static_cast<double>(learnt.upper));
    r.add("inversionsTest", static_cast<double>(held.upper));
    r.add("parameters", run.parameters());
    r.report.summary = summaryOf(run, learnt, held);
    return std::move(r.report);
}

namespace {

class DepthComputation final : public Computation {
public:
    explicit DepthComputation(const Request& request) : run_(request) {}

    bool step() override {
        finished_ = !run_.advance();
        return !finished_;
    }
    double progress() const override { return finished_ ? 1 : run_.progress(); }
    Report report() const override { return reportOf(run_, finished_); }
    std::shared_ptr<const Network> network() const override { return run_.network(); }

private:
    Run run_;
    bool finished_ = false;
};

std::unique_ptr<Computation> startDepth(const Request& request) { return std::make_unique<DepthComputation>(request); }

}  // namespace
}  // namespace remaining_depth

Model remaining_depth_model() {
    return stepwise<remaining_depth::costOf, remaining_depth::costliestOf, remaining_depth::startDepth>("remaining-depth");
}

}  // namespace kappaflow
