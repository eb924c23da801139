#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/net/network.h"

namespace kappaflow {

inline std::vector<double> gaussians(std::size_t count, std::uint64_t seed) {
    Rng rng(seed, Purpose::Data);
    std::vector<double> values(count);
    for (double& value : values) value = rng.gaussian();
    return values;
}

inline Layer layerOf(LayerKind kind, Shape in, Shape out) {
    Layer layer;
    layer.kind = kind;
    layer.in = in;
    layer.out = out;
    return layer;
}

inline Layer denseLayer(int inputs, int outputs) { return layerOf(LayerKind::Dense, {1, 1, inputs}, {1, 1, outputs}); }

inline Layer activationLayer(Shape shape, Activation activation, double slope = 0.2, std::uint64_t seed = 1) {
    Layer layer = layerOf(LayerKind::Activation, shape, shape);
    layer.activation = activation;
    layer.slope = slope;
    layer.seed = seed;
    return layer;
}

/// A convolution or pooling with the output's shape worked out by trying positions until the window leaves the padded input.
inline Layer windowLayer(LayerKind kind, Shape in, int outChannels, const Window& window) {
    const auto positions = [&](int size, int axis) {
        int count = 0;
        const int reach = window.dilation[axis] * (window.size[axis] - 1);
        for (int at = -window.before[axis]; at + reach < size + window.after[axis]; at += window.stride[axis]) ++count;
        return count;
    };
    Layer layer = layerOf(kind, in, {outChannels, positions(in.height, 0), positions(in.width, 1)});
    layer.window = window;
    return layer;
}

/// Weights, biases and statistics of the right number, none of them special.
inline Layer withNumbers(Layer layer, std::uint64_t seed) {
    layer.weights = gaussians(static_cast<std::size_t>(weightCount(layer)), seed);
    if (layer.kind == LayerKind::Dense) layer.bias = gaussians(layer.out.units(), seed + 1);
    if (layer.kind == LayerKind::Conv) layer.bias = gaussians(static_cast<std::size_t>(layer.out.channels), seed + 1);
    if (layer.kind == LayerKind::BatchNorm) {
        layer.bias = gaussians(layer.weights.size(), seed + 1);
        layer.mean = gaussians(layer.weights.size(), seed + 2);
        layer.variance = gaussians(layer.weights.size(), seed + 3);
        for (double& variance : layer.variance) variance = 0.5 + std::abs(variance);
    }
    if (layer.kind == LayerKind::LayerNorm) layer.bias = gaussians(layer.weights.size(), seed + 1);
    std::uint64_t inner = seed + 10;
    for (Layer& branchLayer : layer.branch) branchLayer = withNumbers(branchLayer, inner += 10);
    for (Layer& skipLayer : layer.skip) skipLayer = withNumbers(skipLayer, inner += 10);
    return layer;
}

inline Layer layerNorm(Shape shape, bool eachPosition, bool shared, int groups = 1) {
    Layer layer = layerOf(LayerKind::LayerNorm, shape, shape);
    layer.eachPosition = eachPosition;
    layer.shared = shared;
    layer.groups = groups;
    return layer;
}

inline Window window1d(int size, int stride, int dilation, int before, int after, Padding padding) {
    return {{1, size}, {1, stride}, {1, dilation}, {0, before}, {0, after}, padding};
}

/// One layer of every kind and of every form that changes the code's path, ready to run; names say what is special.
inline std::vector<Layer> layersOfEveryKind() {
    std::vector<Layer> layers;
    const auto add = [&](const std::string& name, Layer layer) {
        layer = withNumbers(std::move(layer), 100 * (layers.size() + 1));
        layer.name = name;
        layers.push_back(std::move(layer));
    };
    const auto conv = [](Shape in, int channels, const Window& window, int groups = 1, bool shared = true) {
        Layer layer = windowLayer(LayerKind::Conv, in, channels, window);
        layer.groups = groups;
        layer.shared = shared;
        return layer;
    };
    const Window wide{{3, 5}, {2, 1}, {1, 2}, {1, 3}, {2, 4}, Padding::Zero};
    Window wideRing = wide, wideMirror = wide;
    wideRing.padding = Padding::Periodic;
    wideMirror.padding = Padding::Reflect;

    add("dense", denseLayer(7, 5));
    add("conv valid", conv({2, 1, 9}, 3, window1d(3, 1, 1, 0, 0, Padding::Zero)));
    add("conv zero", conv({2, 1, 9}, 3, window1d(3, 1, 1, 1, 1, Padding::Zero)));
    add("conv ring", conv({1, 1, 9}, 1, window1d(5, 1, 1, 2, 2, Padding::Periodic)));
    add("conv ring wound twice", conv({1, 1, 4}, 2, window1d(3, 1, 5, 5, 5, Padding::Periodic)));
    add("conv mirror", conv({2, 1, 6}, 2, window1d(7, 1, 1, 3, 3, Padding::Reflect)));
    add("conv stride dilation", conv({2, 1, 17}, 3, window1d(3, 3, 2, 2, 1, Padding::Zero)));
    add("conv ring stride", conv({2, 1, 12}, 2, window1d(3, 2, 3, 3, 3, Padding::Periodic)));
    add("conv groups", conv({6, 1, 7}, 4, window1d(3, 1, 1, 1, 1, Padding::Zero), 2));
    add("conv own weights", conv({4, 1, 7}, 2, window1d(3, 2, 1, 1, 1, Padding::Periodic), 2, false));
    add("conv 2-D zero", conv({2, 7, 6}, 3, wide));
    add("conv 2-D ring", conv({2, 7, 6}, 3, wideRing));
    add("conv 2-D mirror", conv({2, 7, 6}, 3, wideMirror));
    add("conv 2-D groups own weights", conv({4, 5, 6}, 2, wide, 2, false));
    add("max pool", windowLayer(LayerKind::MaxPool, {3, 6, 8}, 3, {{2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, Padding::Zero}));
    add("max pool padded", windowLayer(LayerKind::MaxPool, {2, 5, 5}, 2, {{3, 3}, {2, 1}, {1, 1}, {1, 1}, {1, 1}, Padding::Zero}));
    add("average pool", windowLayer(LayerKind::AveragePool, {2, 5, 6}, 2, {{3, 2}, {2, 2}, {1, 1}, {1, 0}, {1, 0}, Padding::Zero}));
    Layer counting = windowLayer(LayerKind::AveragePool, {2, 5, 6}, 2, {{3, 2}, {2, 1}, {1, 2}, {1, 2}, {2, 1}, Padding::Zero});
    counting.countsPadding = true;
    add("average pool counting padding", counting);
    add("average pool ring", windowLayer(LayerKind::AveragePool, {2, 1, 6}, 2, window1d(3, 1, 2, 2, 2, Padding::Periodic)));
    add("global average pool", layerOf(LayerKind::GlobalAveragePool, {3, 4, 5}, {3, 1, 1}));
    add("batch norm", layerOf(LayerKind::BatchNorm, {3, 2, 4}, {3, 2, 4}));
    Layer perUnit = layerOf(LayerKind::BatchNorm, {1, 1, 6}, {1, 1, 6});
    perUnit.shared = false;
    add("batch norm per unit", perUnit);
    add("flatten", layerOf(LayerKind::Flatten, {2, 3, 4}, {1, 1, 24}));
    add("layer norm", layerNorm({1, 1, 6}, false, false));
    add("layer norm of a grid", layerNorm({3, 2, 4}, false, false));
    add("layer norm of positions", layerNorm({5, 2, 3}, true, true));
    add("layer norm of a signal's positions", layerNorm({4, 1, 3}, true, true));
    add("group norm", layerNorm({4, 2, 3}, false, true, 2));
    add("instance norm", layerNorm({3, 1, 4}, false, true, 3));
    for (const Activation smooth : {Activation::Elu, Activation::Selu, Activation::Softplus, Activation::Gelu, Activation::GeluTanh,
                                    Activation::Silu, Activation::Mish, Activation::HardSwish})
        add(std::string(activationKey(smooth)), activationLayer({2, 1, 5}, smooth, 0.75));
    add("tanh", activationLayer({2, 1, 5}, Activation::Tanh));
    add("hard sigmoid", activationLayer({2, 1, 5}, Activation::HardSigmoid));
    Layer steep = activationLayer({2, 2, 5}, Activation::HardSigmoid);
    steep.gain = -0.75;
    steep.offset = 0.25;
    add("hard sigmoid falling", steep);
    Layer slopes = activationLayer({3, 2, 4}, Activation::LeakyRelu);
    slopes.slopes = {0.25, -0.5, 2};
    add("slope per channel", slopes);
    slopes.slopes = gaussians(24, 5);
    add("slope per unit", slopes);
    Layer residual = layerOf(LayerKind::Residual, {1, 1, 6}, {1, 1, 6});
    residual.branch = {denseLayer(6, 4), activationLayer({1, 1, 4}, Activation::Tanh), denseLayer(4, 6)};
    residual.skipScale = 0.8;
    residual.branchScale = 0.6;
    add("residual", residual);
    residual.out = {1, 1, 3};
    residual.branch.back() = denseLayer(4, 3);
    residual.skip = {denseLayer(6, 3)};
    add("residual with projection", residual);
    return layers;
}

}  // namespace kappaflow
