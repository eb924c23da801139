#include <cmath>

#include "core/capacity/capacity_network.h"

namespace kappaflow {
namespace {

bool carriesWeights(const Layer& layer) { return layer.kind == LayerKind::Dense || layer.kind == LayerKind::Conv; }

bool dropsOut(const Layer& layer) { return layer.kind == LayerKind::Activation || layer.kind == LayerKind::Flatten; }

/// gamma / sqrt(variance + eps) of a unit of the batch norm's input.
double scaleOf(const Layer& norm, std::size_t unit) {
    const std::size_t plane = static_cast<std::size_t>(norm.in.height) * static_cast<std::size_t>(norm.in.width);
    const std::size_t c = norm.shared ? unit / plane : unit;
    return norm.weights[c] / std::sqrt(norm.variance[c] + norm.batchNormEpsilon);
}

/// A convolution's weights cannot carry a scale of its own for every position.
bool folds(const Layer& norm, const Layer& linear) { return carriesWeights(linear) && (linear.kind == LayerKind::Dense || norm.shared); }

/// weights[out][…] *= scale[out]: the batch norm stands right behind the linear map.
void foldBehind(const Layer& norm, Layer& linear) {
    if (linear.kind == LayerKind::Dense) {
        const std::size_t inputs = linear.in.units();
        for (std::size_t w = 0; w < linear.weights.size(); ++w) linear.weights[w] *= scaleOf(norm, w / inputs);
        return;
    }
    const std::size_t plane = linear.out.units() / static_cast<std::size_t>(linear.out.channels);
    const std::size_t row = static_cast<std::size_t>(linear.in.channels / linear.groups) * static_cast<std::size_t>(linear.window.size[0]) *
                            static_cast<std::size_t>(linear.window.size[1]);
    for (std::size_t w = 0; w < linear.weights.size(); ++w)
        linear.weights[w] *= scaleOf(norm, w / row % static_cast<std::size_t>(linear.out.channels) * plane);
}

/// weights[out][in] *= scale[in]: the batch norm stands in front.
void foldInFront(const Layer& norm, Layer& linear) {
    if (linear.kind == LayerKind::Dense) {
        const std::size_t inputs = linear.in.units();
        for (std::size_t w = 0; w < linear.weights.size(); ++w) linear.weights[w] *= scaleOf(norm, w % inputs);
        return;
    }
    const std::size_t plane = linear.in.units() / static_cast<std::size_t>(linear.in.channels);
    const std::size_t kernel = static_cast<std::size_t>(linear.window.size[0]) * static_cast<std::size_t>(linear.window.size[1]);
    const std::size_t perGroup = static_cast<std::size_t>(linear.in.channels / linear.groups);
    const std::size_t outPerGroup = static_cast<std::size_t>(linear.out.channels / linear.groups);
    for (std::size_t w = 0; w < linear.weights.size(); ++w) {
        const std::size_t in = w / kernel % perGroup, out = w / (kernel * perGroup) % static_cast<std::size_t>(linear.out.channels);
        linear.weights[w] *= scaleOf(norm, (out / outPerGroup * perGroup + in) * plane);
    }
}

/// Weight layers of a sequence, and for each the index just behind it and the activations that follow.
struct Joined {
    std::vector<WeightLayer> layers;
    std::vector<std::size_t> states;
};

class Joiner {
public:
    Joined join(const std::vector<Layer>& sequence) {
        joined_.states.push_back(0);
        for (std::size_t i = 0; i < sequence.size(); ++i) {
            take(sequence[i], i);
            // What precedes the first weight layer belongs to the input; a batch norm that waits belongs to the next layer.
            if (!waiting_ && !joined_.layers.empty()) joined_.states.back() = i + 1;
        }
        if (waiting_) addWaiting(sequence.size());
        return std::move(joined_);
    }

private:
    void take(const Layer& layer, std::size_t index) {
        if (layer.kind == LayerKind::BatchNorm) {
            takeNorm(layer, index);
        } else if (dropsOut(layer)) {
            behindLinear_ = false;
        } else {
            takeLinear(layer, index);
        }
    }
    void takeNorm(const Layer& norm, std::size_t index) {
        if (waiting_) addWaiting(index);
        if (behindLinear_ && folds(norm, *joined_.layers.back().layer)) {
            joined_.layers.back().behind.push_back(&norm);
        } else {
            waiting_ = &norm;
        }
    }
    void takeLinear(const Layer& layer, std::size_t index) {
        if (waiting_ && !folds(*waiting_, layer)) addWaiting(index);
        add(layer);
        if (waiting_) joined_.layers.back().inFront = waiting_;
        waiting_ = nullptr;
        behindLinear_ = carriesWeights(layer);
    }
    void addWaiting(std::size_t state) {
        add(*waiting_);
        joined_.states.back() = state;
        waiting_ = nullptr;
    }
    void add(const Layer& layer) {
        joined_.layers.push_back({&layer, nullptr, {}});
        joined_.states.push_back(joined_.states.back());
        behindLinear_ = false;
    }

    Joined joined_;
    const Layer* waiting_ = nullptr;  ///< a batch norm that found no linear map right before it
    bool behindLinear_ = false;       ///< nothing stands between the last weight layer and here
};

}  // namespace

const Layer& WeightLayer::folded(Layer& scratch) const {
    if (!inFront && behind.empty()) return *layer;
    scratch = *layer;
    if (inFront) foldInFront(*inFront, scratch);
    for (const Layer* norm : behind) foldBehind(*norm, scratch);
    return scratch;
}

std::vector<WeightLayer> weightLayerParts(const std::vector<Layer>& sequence) { return Joiner().join(sequence).layers; }

std::vector<Layer> weightLayers(const Network& network) {
    std::vector<Layer> layers;
    Layer scratch;
    for (const WeightLayer& part : weightLayerParts(network.layers)) layers.push_back(part.folded(scratch));
    return layers;
}

std::vector<std::size_t> weightLayerStates(const Network& network) { return Joiner().join(network.layers).states; }

}  // namespace kappaflow
