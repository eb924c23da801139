#include "scenes/one_network/network_lens/model_sensitivity.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/capacity/capacity_network.h"

namespace kappaflow::lens {
namespace {

/// Samples that moments are taken over at the most; ranks cannot be larger.
constexpr std::size_t kMostSamples = 128, kLeastSamples = 4;
constexpr double kMostBytes = 3e7;

/// The samples' first ones, [unit][sample].
Matrix firstOf(const Matrix& inputs, std::size_t count) {
    Matrix some(inputs.rows, count);
    for (std::size_t i = 0; i < inputs.rows; ++i) std::copy_n(inputs.row(i), count, some.row(i));
    return some;
}

/// What the scene calls every state of `forward`: the layer that it lies in.
std::vector<std::string> namesOfStates(const Network& network) {
    const auto ends = weightLayerStates(network);
    std::vector<std::string> names;
    for (std::size_t l = 0; l <= network.layers.size(); ++l) {
        const auto state = std::lower_bound(ends.begin(), ends.end(), l) - ends.begin();
        names.push_back(state == 0                                              ? "the input"
                        : state + 1 >= static_cast<std::ptrdiff_t>(ends.size()) ? "the output"
                                                                                : "layer " + std::to_string(state));
    }
    return names;
}

}  // namespace

bool isPseudoRandom(const std::vector<Layer>& layers) {
    return std::any_of(layers.begin(), layers.end(), [](const Layer& layer) {
        return (layer.kind == LayerKind::Activation && layer.activation == Activation::PseudoRandom) || isPseudoRandom(layer.branch) ||
               isPseudoRandom(layer.skip);
    });
}

void SensitivityLens::start(const Setup& setup, const Network& network, double work) {
    beginNote();
    moments_.reset();
    network_ = &network;
    if (isPseudoRandom(network.layers)) {
        note_ = "The pseudo-random sign has no slope, so that noise on its inputs has no first order.";
        return;
    }
    samples_ = std::min(kMostSamples, setup.samples.count());
    const auto tooMuch = [&] {
        const Cost cost = costOfNetworkMoments(network, static_cast<double>(samples_));
        return cost.operations > work || cost.bytes > kMostBytes;
    };
    while (samples_ > kLeastSamples && tooMuch()) samples_ = std::max(kLeastSamples, samples_ / 2);
    if (tooMuch()) {
        note_ = "The network is too large for signal and noise to be followed in the time there is.";
        return;
    }
    try {
        moments_.emplace(network, firstOf(setup.samples.inputs, samples_), drawInputNoise(setup.samples.inputs.rows, samples_, setup.seed),
                         true, namesOfStates(network));
    } catch (const InputError& error) {
        note_ = error.what();
    }
}

bool SensitivityLens::step() {
    if (!moments_) return false;
    if (moments_->step()) return true;
    const auto ends = weightLayerStates(*network_);
    const auto first = std::find_if(ends.begin(), ends.end(), [&](std::size_t at) { return !moments_->states()[at].undefined.empty(); });
    if (first != ends.end()) note_ = moments_->states()[*first].undefined;
    return false;
}

void SensitivityLens::addTo(FilledReport& r) const {
    if (!moments_) return;
    std::vector<double> chi, signal, noise;
    for (const std::size_t at : weightLayerStates(*network_)) {
        const StateMoments& state = moments_->states()[at];
        chi.push_back(std::isfinite(state.chi()) ? state.chi() : kNone);
        signal.push_back(state.rankSignal);
        noise.push_back(state.rankNoise);
    }
    const Axis layer = countedAxis("layer", chi.size());
    r.add("chi", {layer}, std::move(chi)).mayBeUndefined = true;
    r.add("rankSignal", {layer}, std::move(signal)).mayBeUndefined = true;
    r.add("rankNoise", {layer}, std::move(noise)).mayBeUndefined = true;
    r.add("sensitivitySamples", static_cast<double>(samples_));
}

}  // namespace kappaflow::lens
