#include "core/capacity/weight_layers.h"

#include <algorithm>
#include <cmath>

#include "core/net/layer_rows.h"

namespace kappaflow {

using Size = std::size_t;

namespace {

bool dropsOut(const Layer& layer) { return layer.is<Pointwise, Flatten>(); }

/// A convolution's weights cannot carry a scale of its own for every position.
bool folds(const Layer& norm, const Layer& linear) { return linear.is<Dense>() || (linear.is<Conv>() && norm.as<BatchNorm>().shared); }

/// weights[out][…] *= scale[out]: the batch norm stands right behind the linear map.
void foldBehind(const Layer& norm, Layer& linear) {
    std::vector<double>& weights = linear.as<Weights>().weights;
    const auto* conv = linear.getIf<Conv>();
    if (!conv) {
        const Size inputs = linear.in.units();
        for (Size w = 0; w < weights.size(); ++w) weights[w] *= batchNormScale(norm, w / inputs);
        return;
    }
    const Size plane = cellsOf(linear.out), row = static_cast<Size>(linear.in.channels / conv->groups) * tapsOf(conv->window);
    for (Size w = 0; w < weights.size(); ++w) weights[w] *= batchNormScale(norm, w / row % static_cast<Size>(linear.out.channels) * plane);
}

/// weights[out][in] *= scale[in]: the batch norm stands in front.
void foldInFront(const Layer& norm, Layer& linear) {
    std::vector<double>& weights = linear.as<Weights>().weights;
    const auto* conv = linear.getIf<Conv>();
    if (!conv) {
        const Size inputs = linear.in.units();
        for (Size w = 0; w < weights.size(); ++w) weights[w] *= batchNormScale(norm, w % inputs);
        return;
    }
    const Size plane = cellsOf(linear.in), kernel = tapsOf(conv->window);
    const Size perGroup = static_cast<Size>(linear.in.channels / conv->groups);
    const Size outPerGroup = static_cast<Size>(linear.out.channels / conv->groups);
    for (Size w = 0; w < weights.size(); ++w) {
        const Size in = w / kernel % perGroup, out = w / (kernel * perGroup) % static_cast<Size>(linear.out.channels);
        weights[w] *= batchNormScale(norm, (out / outPerGroup * perGroup + in) * plane);
    }
}

class Folder {
public:
    explicit Folder(const std::vector<Layer>& layers)
        : layers_(layers), parts_(layers.size()), foldedInto_(layers.size(), nullptr), readers_(layers.size() + 1) {
        for (Size l = 0; l < layers.size(); ++l) {
            if (!dropsOut(layers[l]) && !layers[l].is<Join>()) parts_[l].layer = &layers[l];
            for (Size k = 0; k < std::max<Size>(1, layers[l].reads.size()); ++k) readers_[operandOf(layers, l, k)].push_back(l);
        }
        for (Size l = 0; l < layers.size(); ++l)
            if (layers[l].is<BatchNorm>()) fold(l);
    }
    std::vector<WeightLayer> take() { return std::move(parts_); }

private:
    void fold(Size l) {
        const Layer& norm = layers_[l];
        const Size at = operandOf(layers_, l);
        // A norm that went into the linear map before it stands for that map.
        WeightLayer* linear = at == 0 ? nullptr : foldedInto_[at - 1] ? foldedInto_[at - 1] : &parts_[at - 1];
        if (linear && linear->layer && folds(norm, *linear->layer) && readers_[at].size() == 1) {
            linear->behind.push_back(&norm);
            foldedInto_[l] = linear;
            parts_[l].layer = nullptr;
            return;
        }
        bool elsewhere = false;
        foldForward(norm, l + 1, elsewhere);
        if (!elsewhere) parts_[l].layer = nullptr;
    }
    /// Into the linear maps that read a place past activations; whether anything else does.
    void foldForward(const Layer& norm, Size place, bool& elsewhere) {
        std::vector<Size> places{place};
        while (!places.empty()) {
            const Size at = places.back();
            places.pop_back();
            elsewhere = elsewhere || at == layers_.size();
            for (const Size l : readers_[at]) {
                if (dropsOut(layers_[l]))
                    places.push_back(l + 1);
                else if (folds(norm, layers_[l]))
                    parts_[l].inFront = &norm;
                else
                    elsewhere = true;
            }
        }
    }

    const std::vector<Layer>& layers_;
    std::vector<WeightLayer> parts_;
    std::vector<WeightLayer*> foldedInto_;  ///< [layer] the linear map that a batch norm right behind it went into
    std::vector<std::vector<Size>> readers_;
};

ZeroUnits zerosBehind(const std::vector<Layer>&, std::vector<ZeroUnits>&);

/// Units that are 0 at a layer's output, where its first operand has `in` and operand k of a join what `operand(k)` says.
template <class OperandOf>
ZeroUnits zerosOf(const Layer& layer, const OperandOf& operand) {
    const ZeroUnits& in = operand(0);
    ZeroUnits out;
    if (layer.is<Pointwise, Flatten, BatchNorm>()) return in;
    if (const auto* block = layer.getIf<Block>()) {
        std::vector<ZeroUnits> inside{in};
        return zerosBehind(block->inner, inside);
    }
    if (const auto* op = layer.getIf<Route>()) {
        for (const int from : op->route) out.push_back(from < 0 || (!in.empty() && in[static_cast<Size>(from)]));
    } else if (layer.is<Sum, Product>()) {
        // A factor of zeros is enough, a term is not.
        const bool sum = layer.is<Sum>();
        out.resize(layer.out.units(), sum);
        for (Size k = 0; k < layer.reads.size(); ++k)
            for (Size i = 0; i < out.size(); ++i) {
                const bool zero = !operand(k).empty() && operand(k)[i];
                out[i] = sum ? out[i] && zero : out[i] || zero;
            }
    }
    return std::find(out.begin(), out.end(), 1) == out.end() ? ZeroUnits() : out;
}

ZeroUnits concatenated(const std::vector<Layer>& layers, Size l, const std::vector<ZeroUnits>& at) {
    ZeroUnits out;
    bool any = false;
    for (Size k = 0; k < layers[l].reads.size(); ++k) {
        const Size place = operandOf(layers, l, k);
        const ZeroUnits& part = at[place];
        any = any || !part.empty();
        out.insert(out.end(), part.begin(), part.end());
        if (part.empty() && place > 0) out.resize(out.size() + layers[place - 1].out.units());
        if (part.empty() && place == 0) out.resize(out.size() + layers[0].in.units());
    }
    return any ? out : ZeroUnits();
}

bool makesZeros(const std::vector<Layer>& layers) {
    bool any = false;
    eachLayer(layers, [&](const Layer& layer) {
        const auto* op = layer.getIf<Route>();
        any = any || (op && std::find(op->route.begin(), op->route.end(), -1) != op->route.end());
    });
    return any;
}

/// Of every place; `at` holds that of the input.
ZeroUnits zerosBehind(const std::vector<Layer>& layers, std::vector<ZeroUnits>& at) {
    if (at[0].empty() && !makesZeros(layers)) {
        at.resize(layers.size() + 1);
        return {};
    }
    for (Size l = 0; l < layers.size(); ++l)
        at.push_back(layers[l].is<Concat>() ? concatenated(layers, l, at)
                                            : zerosOf(layers[l], [&](Size k) -> const ZeroUnits& { return at[operandOf(layers, l, k)]; }));
    return at.back();
}

}  // namespace

const Layer& WeightLayer::withNorms(Layer& scratch) const {
    if (!inFront && behind.empty()) return *layer;
    scratch = *layer;
    if (inFront) foldInFront(*inFront, scratch);
    for (const Layer* norm : behind) foldBehind(*norm, scratch);
    return scratch;
}

const Layer& WeightLayer::folded(Layer& scratch) const {
    if (zeros.empty()) return withNorms(scratch);
    Route route;
    for (Size i = 0; i < zeros.size(); ++i) route.route.push_back(zeros[i] ? -1 : static_cast<int>(i));
    Layer copy;
    Block block;
    appendChain(block.inner, -1, {{layer->in, layer->in, std::move(route)}, withNorms(copy)});
    return scratch = {layer->in, layer->out, std::move(block)};
}

std::vector<WeightLayer> foldedLayers(const std::vector<Layer>& layers) {
    std::vector<WeightLayer> parts = Folder(layers).take();
    std::vector<ZeroUnits> zeros{{}};
    zerosBehind(layers, zeros);
    for (Size l = 0; l < layers.size(); ++l)
        if (parts[l].layer) parts[l].zeros = zeros[operandOf(layers, l)];
    return parts;
}

std::vector<WeightLayer> weightLayerParts(const std::vector<Layer>& sequence) {
    std::vector<WeightLayer> parts = foldedLayers(sequence);
    parts.erase(std::remove_if(parts.begin(), parts.end(), [](const WeightLayer& part) { return !part.layer; }), parts.end());
    return parts;
}

std::vector<Size> weightLayerStates(const Network& network) {
    // A state ends where the next weight layer, or the batch norm in front of it, begins.
    const auto parts = weightLayerParts(network.layers);
    std::vector<Size> states{0};
    for (Size l = 1; l <= parts.size(); ++l)
        states.push_back(l == parts.size()
                             ? network.layers.size()
                             : static_cast<Size>((parts[l].inFront ? parts[l].inFront : parts[l].layer) - network.layers.data()));
    return states;
}

}  // namespace kappaflow
