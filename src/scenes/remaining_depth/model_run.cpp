#include "scenes/remaining_depth/model_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kappaflow::remaining_depth {
namespace {

using namespace digit_training;

constexpr double kSlice = 4e6;  ///< nanoseconds

Matrix through(const std::vector<Layer>& layers, Matrix state) {
    Matrix next;
    for (const Layer& layer : layers) {
        applyBatch(layer, state, next);
        std::swap(state, next);
    }
    return state;
}

TrainingSpec momentumSpec(const Values& v, std::uint64_t draw) {
    OptimiserSpec optimiser;
    optimiser.kind = Optimiser::Momentum;
    return specOf(v, optimiser, draw);
}

std::size_t stepsAnEpoch(std::size_t samples, std::size_t batch) { return (samples + batch - 1) / std::min(batch, samples); }

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

TrainedLayer trainedLayer(const Network& network, std::size_t layer, const Samples& samples, TrainingSpec spec) {
    const auto from = network.layers.begin() + static_cast<std::ptrdiff_t>(2 * layer);
    const std::vector<Layer> before(network.layers.begin(), from);
    Network behind{from->in, {from, network.layers.end()}};
    spec.frozen.assign(behind.layers.size(), true);
    spec.frozen[0] = false;
    TrainedLayer trained;
    trained.held = {through(before, samples.held.inputs), samples.held.targets};
    trained.trainer = std::make_unique<Trainer>(
        std::move(behind), TrainingData{through(before, samples.train.inputs), samples.train.targets}, std::move(spec));
    return trained;
}

Run::Run(const Request& request)
    : request_(request),
      samples_(readSamples(request)),
      layers_(static_cast<std::size_t>(request.params.integer("layers")) - 1),
      epochs_(static_cast<std::size_t>(request.params.integer("epochs"))),
      allDraws_(static_cast<std::size_t>(request.params.integer("draws"))),
      train_(layers_, epochs_),
      test_(layers_, epochs_) {}

void Run::beginDraw() {
    const Values& v = request_.params;
    const Network network = hardTanhNet(v, samples_.inputs(), samples_.classes(), draw_);
    for (std::size_t l = 1; l <= layers_; ++l) trained_.push_back(trainedLayer(network, l, samples_, momentumSpec(v, draw_)));
    epoch_ = layer_ = 0;
    for (std::size_t l = 0; l < layers_; ++l) look(l);
}

/// Accuracies of a layer's network as it stands; none of one that diverged.
void Run::look(std::size_t layer) {
    const TrainedLayer& t = trained_[layer];
    if (!t.trainer->trouble().empty()) return;
    const std::size_t steps = stepsAnEpoch(samples_.train.inputs.columns, static_cast<std::size_t>(request_.params.integer("batch")));
    const auto epoch = static_cast<std::size_t>(t.trainer->steps()) / steps;
    if (layer == 0) save(epoch);
    train_.add(layer, epoch, t.trainer->evaluate().accuracy);
    test_.add(layer, epoch, accuracyOf(Loss::CrossEntropy, t.trainer->outputs(t.held.inputs), t.held.targets));
}

void Run::save(std::size_t epoch) {
    if (!request_.withNetwork || draw_ > 0 || static_cast<double>(epoch) > std::round(request_.params.number("at"))) return;
    Network network = hardTanhNet(request_.params, samples_.inputs(), samples_.classes());
    const auto& trained = trained_[0].trainer->network().layers;
    std::copy(trained.begin(), trained.end(), network.layers.begin() + 2);
    saved_ = std::make_shared<Network>(std::move(network));
}

/// Some steps of the layer whose turn it is; false once it has this epoch.
bool Run::goOn() {
    Trainer& trainer = *trained_[layer_].trainer;
    const std::size_t perEpoch = stepsAnEpoch(samples_.train.inputs.columns, static_cast<std::size_t>(request_.params.integer("batch")));
    const std::uint64_t goal = (epoch_ + 1) * perEpoch;
    const double each = stepOperations(trainer.network(), request_.params.number("batch"));
    for (double work = 0; work < kSlice && trainer.steps() < goal; work += each) {
        const bool known = !trainer.trouble().empty();
        if (trainer.step()) continue;
        if (!known) troubles_.push_back("Layer " + std::to_string(layer_ + 1) + ": " + trainer.trouble());
        return false;
    }
    return trainer.steps() < goal;
}

bool Run::advance() {
    if (draw_ == allDraws_) return false;
    if (trained_.empty()) {
        beginDraw();
        return true;
    }
    if (goOn()) return true;
    look(layer_);
    if (++layer_ < layers_) return true;
    layer_ = 0;
    if (++epoch_ < epochs_) return true;
    trained_.clear();
    return ++draw_ < allDraws_;
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
        double draw = all * lookOperations(network) * trained;
        for (std::size_t l = 1; l < network.layers.size() / 2; ++l) {
            const auto from = network.layers.begin() + static_cast<std::ptrdiff_t>(2 * l);
            const Architecture behind{from->in, {from, network.layers.end()}};
            draw += epochs * (std::ceil(sizes.samples / batch) * stepOperations(behind, batch) + all * lookOperations(behind));
        }
        const double parameters = parametersOf(network);
        return {1e4 * all + v.number("draws") * draw + 1e6,
                8 * (2.1 * sizes.inputs * all + trained * (1.3 * (width + 2 * sizes.classes) * all + 5 * parameters) +
                     4 * unitsOf(network) * (batch + 256) + 3 * width * all + trained * 8 * epochs) +
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

}  // namespace kappaflow::remaining_depth
