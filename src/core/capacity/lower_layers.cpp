#include "core/capacity/lower_layers.h"

#include <algorithm>

namespace kappaflow {
namespace {

using Size = std::size_t;

void requireSmall(double parameters) {
    if (parameters > kMaxSmallParameters)
        throw InputError("This network has more than 512 weights; make it narrower, shallower or give it fewer taps.");
}

Layer activationAfter(const Layer& linear, Activation activation, double slope) {
    Layer layer;
    layer.kind = LayerKind::Activation;
    layer.in = layer.out = linear.out;
    layer.activation = activation;
    layer.slope = slope;
    return layer;
}

Network joined(const std::vector<Layer>& linear, Activation activation, double slope, std::uint64_t seed) {
    Network network{linear.front().in, {}};
    for (Size l = 0; l < linear.size(); ++l) {
        network.layers.push_back(linear[l]);
        if (l + 1 < linear.size()) network.layers.push_back(activationAfter(linear[l], activation, slope));
    }
    initialise(network, {Initialiser::LeCun, 1, 0}, seed);
    validate(network);
    return network;
}

bool isLinear(const Layer& layer) { return layer.kind == LayerKind::Dense || layer.kind == LayerKind::Conv; }

/// Units of a dense layer, channels of a convolution.
Size outputsOf(const Layer& layer) { return layer.kind == LayerKind::Dense ? layer.out.units() : static_cast<Size>(layer.out.channels); }

}  // namespace

Network smallDenseNetwork(const std::vector<int>& widths, Activation activation, double slope, std::uint64_t seed) {
    if (widths.size() < 2 || *std::min_element(widths.begin(), widths.end()) < 1)
        throw InputError("An architecture names at least two widths, each at least 1, such as 3-4-1.");
    double parameters = 0;
    std::vector<Layer> layers;
    for (Size l = 1; l < widths.size(); ++l) {
        parameters += static_cast<double>(widths[l - 1]) * widths[l];
        Layer layer;
        layer.in = {1, 1, widths[l - 1]};
        layer.out = {1, 1, widths[l]};
        layers.push_back(layer);
    }
    requireSmall(parameters);
    return joined(layers, activation, slope, seed);
}

Network smallConvNetwork(const std::vector<int>& taps, const std::vector<int>& dilations, const std::vector<int>& channels,
                         Activation activation, double slope, std::uint64_t seed) {
    if (taps.empty() || dilations.size() != taps.size() || channels.size() + 1 != taps.size())
        throw InputError("Give a number of taps and a dilation for each layer, and channels for each but the last.");
    double parameters = 0, length = 1;
    for (Size l = 0; l < taps.size(); ++l) {
        const int in = l == 0 ? 1 : channels[l - 1], out = l + 1 == taps.size() ? 1 : channels[l];
        if (taps[l] < 1 || dilations[l] < 1 || out < 1) throw InputError("Taps, dilations and channels are at least 1.");
        parameters += static_cast<double>(taps[l]) * in * out;
        length += static_cast<double>(taps[l] - 1) * dilations[l];
    }
    requireSmall(parameters);
    if (length > 4096) throw InputError("The output sees more than 4096 inputs; use smaller dilations.");
    std::vector<Layer> layers;
    int width = static_cast<int>(length);
    for (Size l = 0; l < taps.size(); ++l) {
        Layer layer;
        layer.kind = LayerKind::Conv;
        layer.in = {l == 0 ? 1 : channels[l - 1], 1, width};
        width -= (taps[l] - 1) * dilations[l];
        layer.out = {l + 1 == taps.size() ? 1 : channels[l], 1, width};
        layer.window.size = {1, taps[l]};
        layer.window.dilation = {1, dilations[l]};
        layers.push_back(layer);
    }
    return joined(layers, activation, slope, seed);
}

std::vector<double> allWeights(const Network& network) {
    std::vector<double> weights;
    for (const Layer& layer : network.layers) weights.insert(weights.end(), layer.weights.begin(), layer.weights.end());
    return weights;
}

void setAllWeights(Network& network, const std::vector<double>& weights) {
    if (weights.size() != allWeights(network).size()) throw InputError("The weights are not as many as the network has.");
    auto next = weights.begin();
    for (Layer& layer : network.layers)
        for (double& w : layer.weights) w = *next++;
}

std::vector<HiddenUnit> scaleDirections(const Network& network) {
    const auto weights = allWeights(network);
    std::vector<const Layer*> linear;
    for (const Layer& layer : network.layers)
        if (isLinear(layer)) linear.push_back(&layer);
    std::vector<HiddenUnit> units;
    Size offset = 0;
    for (Size l = 0; l + 1 < linear.size(); ++l) {
        const Size outs = outputsOf(*linear[l]), fanIn = linear[l]->weights.size() / outs, after = offset + linear[l]->weights.size();
        const Layer& above = *linear[l + 1];
        // Weights of the layer above run [out][in][tap].
        const Size taps = above.weights.size() / outputsOf(above) / outs;
        for (Size unit = 0; unit < outs; ++unit) {
            HiddenUnit hidden{l + 1, unit, std::vector<double>(weights.size())};
            for (Size k = 0; k < fanIn; ++k) hidden.direction[offset + unit * fanIn + k] = -weights[offset + unit * fanIn + k];
            for (Size w = 0; w < above.weights.size(); ++w)
                if (w / taps % outs == unit) hidden.direction[after + w] = weights[after + w];
            units.push_back(std::move(hidden));
        }
        offset = after;
    }
    return units;
}

bool derivativeIsEta(Activation activation) {
    return activation == Activation::Identity || activation == Activation::Relu || activation == Activation::LeakyRelu ||
           activation == Activation::Abs || activation == Activation::PseudoRandom;
}

}  // namespace kappaflow
