#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "scenes/chosen_network.h"
#include "scenes/one_network/network_lens/model_setup.h"

namespace kappaflow::lens {
namespace {

/// Convolutions halve a side until so little is left.
constexpr int kLeastSide = 4;
/// Channels of a convolution at the most.
constexpr double kMostChannels = 64;

Shape flatShape(std::size_t units) { return {1, 1, static_cast<int>(units)}; }

Layer denseLayer(const Shape& in, std::size_t out) {
    Layer layer;
    layer.in = in;
    layer.out = flatShape(out);
    return layer;
}

Layer bend(const Values& v, const Shape& shape, std::uint64_t index) {
    Layer layer;
    layer.kind = LayerKind::Activation;
    layer.in = layer.out = shape;
    layer.activation = activationFromKey(v.text("activation"));
    layer.slope = v.number("slope");
    layer.seed = v.seed() + index;
    return layer;
}

/// Three taps along every axis, zero padding, every second position while there are enough.
Layer convLayer(const Shape& in, int channels) {
    Layer layer;
    layer.kind = LayerKind::Conv;
    layer.in = in;
    layer.out.channels = channels;
    const int sides[] = {in.height, in.width};
    int outSides[2];
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const int stride = sides[axis] > kLeastSide ? 2 : 1, taps = sides[axis] > 1 ? 3 : 1;
        layer.window.size[axis] = taps;
        layer.window.stride[axis] = stride;
        layer.window.before[axis] = layer.window.after[axis] = taps / 2;
        outSides[axis] = (sides[axis] + 2 * (taps / 2) - taps) / stride + 1;
    }
    layer.out.height = outSides[0];
    layer.out.width = outSides[1];
    return layer;
}

/// x + W φ(x) where sizes agree; where they do not, the skip is a matrix of its own.
Layer block(const Values& v, const Shape& in, std::size_t out, std::uint64_t index) {
    Layer layer;
    layer.kind = LayerKind::Residual;
    layer.in = in;
    layer.out = flatShape(out);
    layer.branch = {bend(v, in, index), denseLayer(in, out)};
    if (in.units() != out) layer.skip = {denseLayer(in, out)};
    return layer;
}

std::size_t outputsOf(const Values& v, const SamplePlan& samples) {
    if (samples.classes == 0) return static_cast<std::size_t>(v.integer("outputs"));
    return samples.classes > 2 ? static_cast<std::size_t>(samples.classes) : 1;
}

}  // namespace

Architecture architectureOf(const Request& request, const SamplePlan& samples, std::vector<std::string>* warnings) {
    const Values& v = request.params;
    if (!drawn(v)) return chosenNetwork(request, v.text("network"), warnings);
    Architecture network;
    network.input = samples.shape;
    Shape at = samples.shape;
    const bool planes = v.is("layers", "conv") && samples.shape.units() > 2;
    const auto& widths = v.list("widths");
    if (planes && warnings && std::any_of(widths.begin(), widths.end(), [](double width) { return width > kMostChannels; }))
        warnings->push_back("Widths above 64 were lowered: a convolution has at most 64 channels here.");
    std::uint64_t index = 0;
    for (const double given : widths) {
        const double width = std::max(1.0, std::round(given));
        const bool first = index == 0;
        if (v.is("layers", "residual") && !first)
            network.layers.push_back(block(v, at, static_cast<std::size_t>(width), index));
        else
            network.layers.push_back(planes ? convLayer(at, static_cast<int>(std::min(width, kMostChannels)))
                                            : denseLayer(at, static_cast<std::size_t>(width)));
        at = network.layers.back().out;
        if (!v.is("layers", "residual")) network.layers.push_back(bend(v, at, index));
        ++index;
    }
    if (v.is("layers", "residual")) network.layers.push_back(bend(v, at, index));
    if (planes) {
        Layer flatten;
        flatten.kind = LayerKind::Flatten;
        flatten.in = at;
        flatten.out = at = flatShape(at.units());
        network.layers.push_back(flatten);
    }
    network.layers.push_back(denseLayer(at, outputsOf(v, samples)));
    return network;
}

}  // namespace kappaflow::lens
