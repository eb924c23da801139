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

template <class Op>
Layer layerOf(Shape in, Shape out) {
    return {in, out, Op{}};
}

inline Layer denseLayer(int inputs, int outputs) { return layerOf<Dense>({1, 1, inputs}, {1, 1, outputs}); }

inline Layer activationLayer(Shape shape, Activation activation, double slope = 0.2, std::uint64_t seed = 1) {
    return {shape, shape, Pointwise{.activation = activation, .slope = slope, .seed = seed}};
}

/// A convolution or pooling with the output's shape worked out by trying positions until the window leaves the padded input.
template <class Op>
Layer windowLayer(Shape in, int outChannels, const Window& window) {
    const auto positions = [&](int size, int axis) {
        int count = 0;
        const int reach = window.dilation[axis] * (window.size[axis] - 1);
        for (int at = -window.before[axis]; at + reach < size + window.after[axis]; at += window.stride[axis]) ++count;
        return count;
    };
    Op op;
    op.window = window;
    return {in, {outChannels, positions(in.height, 0), positions(in.width, 1)}, op};
}

/// Weights, biases and statistics of the right number, none of them special.
inline Layer withNumbers(Layer layer, std::uint64_t seed) {
    const auto count = static_cast<std::size_t>(weightCount(layer));
    if (auto* own = layer.getIf<Weights>()) {
        own->weights = gaussians(count, seed);
        own->bias = gaussians(layer.is<Dense>()  ? layer.out.units()
                              : layer.is<Conv>() ? static_cast<std::size_t>(layer.out.channels)
                                                 : count,
                              seed + 1);
    }
    if (auto* norm = layer.getIf<BatchNorm>()) {
        norm->mean = gaussians(count, seed + 2);
        norm->variance = gaussians(count, seed + 3);
        for (double& variance : norm->variance) variance = 0.5 + std::abs(variance);
    }
    std::uint64_t inner = seed + 10;
    if (auto* block = layer.getIf<Block>())
        for (Layer& part : block->inner) part = withNumbers(part, inner += 10);
    return layer;
}

inline Layer layerNorm(Shape shape, bool eachPosition, bool shared, int groups = 1) {
    LayerNorm norm;
    norm.eachPosition = eachPosition;
    norm.shared = shared;
    norm.groups = groups;
    return {shape, shape, norm};
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
        Layer layer = windowLayer<Conv>(in, channels, window);
        layer.as<Conv>().groups = groups;
        layer.as<Conv>().shared = shared;
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
    add("max pool", windowLayer<MaxPool>({3, 6, 8}, 3, {{2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, Padding::Zero}));
    add("max pool padded", windowLayer<MaxPool>({2, 5, 5}, 2, {{3, 3}, {2, 1}, {1, 1}, {1, 1}, {1, 1}, Padding::Zero}));
    add("average pool", windowLayer<AveragePool>({2, 5, 6}, 2, {{3, 2}, {2, 2}, {1, 1}, {1, 0}, {1, 0}, Padding::Zero}));
    Layer counting = windowLayer<AveragePool>({2, 5, 6}, 2, {{3, 2}, {2, 1}, {1, 2}, {1, 2}, {2, 1}, Padding::Zero});
    counting.as<AveragePool>().countsPadding = true;
    add("average pool counting padding", counting);
    add("average pool ring", windowLayer<AveragePool>({2, 1, 6}, 2, window1d(3, 1, 2, 2, 2, Padding::Periodic)));
    add("global average pool", layerOf<GlobalAveragePool>({3, 4, 5}, {3, 1, 1}));
    add("batch norm", layerOf<BatchNorm>({3, 2, 4}, {3, 2, 4}));
    Layer perUnit = layerOf<BatchNorm>({1, 1, 6}, {1, 1, 6});
    perUnit.as<Norm>().shared = false;
    add("batch norm per unit", perUnit);
    add("flatten", layerOf<Flatten>({2, 3, 4}, {1, 1, 24}));
    add("layer norm", layerNorm({1, 1, 6}, false, false));
    add("layer norm of a grid", layerNorm({3, 2, 4}, false, false));
    add("layer norm of positions", layerNorm({5, 2, 3}, true, true));
    add("layer norm of a signal's positions", layerNorm({4, 1, 3}, true, true));
    add("group norm", layerNorm({4, 2, 3}, false, true, 2));
    add("instance norm", layerNorm({3, 1, 4}, false, true, 3));
    for (const Activation smooth :
         {Activation::Elu, Activation::Selu, Activation::Softplus, Activation::Gelu, Activation::GeluTanh, Activation::Silu,
          Activation::Mish, Activation::HardSwish, Activation::Exp, Activation::Square, Activation::Erf, Activation::Sin})
        add(std::string(activationKey(smooth)), activationLayer({2, 1, 5}, smooth, 0.75));
    add("tanh", activationLayer({2, 1, 5}, Activation::Tanh));
    add("hard sigmoid", activationLayer({2, 1, 5}, Activation::HardSigmoid));
    Layer steep = activationLayer({2, 2, 5}, Activation::HardSigmoid);
    steep.as<Pointwise>().gain = -0.75;
    steep.as<Pointwise>().offset = 0.25;
    add("hard sigmoid falling", steep);
    Layer slopes = activationLayer({3, 2, 4}, Activation::LeakyRelu);
    slopes.as<Pointwise>().slopes = {0.25, -0.5, 2};
    add("slope per channel", slopes);
    slopes.as<Pointwise>().slopes = gaussians(24, 5);
    add("slope per unit", slopes);
    const auto tanh = activationLayer({1, 1, 4}, Activation::Tanh);
    add("residual", residualBlock({1, 1, 6}, {denseLayer(6, 4), tanh, denseLayer(4, 6)}, {}, 0.8, 0.6));
    add("residual with projection", residualBlock({1, 1, 6}, {denseLayer(6, 4), tanh, denseLayer(4, 3)}, {denseLayer(6, 3)}, 0.8, 0.6));
    return layers;
}

/// Puts a layer that reads the given inner layers (−1: the block's input) into a block; returns its index.
inline int addInner(Layer& block, Layer layer, std::vector<int> reads) {
    layer.reads = std::move(reads);
    if (auto* sum = layer.getIf<Sum>(); sum && sum->scales.empty()) sum->scales.assign(layer.reads.size(), 1.0);
    std::vector<Layer>& inner = block.as<Block>().inner;
    inner.push_back(std::move(layer));
    block.out = inner.back().out;
    return static_cast<int>(inner.size()) - 1;
}

inline Layer routeLayer(Shape in, Shape out, std::vector<int> route) { return {in, out, Route{std::move(route)}}; }

/// Blocks as networks have them, with numbers: names say which. `linear`: those whose layers are all linear or piecewise linear.
inline std::vector<Layer> blocksOfEveryJoin(bool linear = false) {
    std::vector<Layer> blocks;
    const auto add = [&](const std::string& name, Layer block) {
        block = withNumbers(std::move(block), 50 * (blocks.size() + 1));
        block.name = name;
        blocks.push_back(std::move(block));
    };
    const Window three = window1d(3, 1, 1, 1, 1, Padding::Zero), one = window1d(1, 1, 1, 0, 0, Padding::Zero);
    const auto conv = [](Shape in, int channels, const Window& window) { return windowLayer<Conv>(in, channels, window); };
    const Shape two{2, 1, 6}, four{4, 1, 6};

    // Each layer reads all before it: x, then [x, f(x)], then [x, f, g].
    Layer dense = layerOf<Block>(two, two);
    int f = addInner(dense, conv(two, 2, three), {-1});
    f = addInner(dense, activationLayer(two, Activation::Relu), {f});
    const int pair = addInner(dense, layerOf<Concat>(two, four), {-1, f});
    int g = addInner(dense, conv(four, 1, three), {pair});
    g = addInner(dense, activationLayer({1, 1, 6}, Activation::Relu), {g});
    addInner(dense, layerOf<Concat>(two, {5, 1, 6}), {-1, f, g});
    add("densely connected", dense);

    // A squeeze, two expansions side by side.
    Layer fire = layerOf<Block>(four, four);
    int squeeze = addInner(fire, conv(four, 2, one), {-1});
    squeeze = addInner(fire, activationLayer(two, Activation::Relu), {squeeze});
    const int narrow = addInner(fire, conv(two, 2, one), {squeeze}), wide = addInner(fire, conv(two, 3, three), {squeeze});
    const int joined = addInner(fire, layerOf<Concat>(two, {5, 1, 6}), {narrow, wide});
    addInner(fire, activationLayer({5, 1, 6}, Activation::Relu), {joined});
    add("fire", fire);

    // Blocks of a WaveNet without gates: what each hands to the sum at the end goes around all that follow.
    Layer overlapping = layerOf<Block>(two, two);
    int state = -1;
    std::vector<int> handed;
    for (int k = 0; k < 2; ++k) {
        int z = addInner(overlapping, conv(two, 2, window1d(2, 1, k + 1, k + 1, 0, Padding::Zero)), {state});
        z = addInner(overlapping, activationLayer(two, Activation::LeakyRelu), {z});
        handed.push_back(addInner(overlapping, conv(two, 3, one), {z}));
        if (k > 0) break;
        const int back = addInner(overlapping, conv(two, 2, one), {z});
        Layer sum = layerOf<Sum>(two, two);
        sum.as<Sum>().scales = {0.7, 0.5};
        state = addInner(overlapping, sum, {state, back});
    }
    addInner(overlapping, layerOf<Sum>({3, 1, 6}, {3, 1, 6}), handed);
    add("overlapping", overlapping);

    // Channels dealt out anew, one of them left out and one of zeros.
    std::vector<int> dealt;
    for (int i = 0; i < 24; ++i) dealt.push_back(i < 6 ? -1 : i < 12 ? 17 - i : 29 - i);
    Layer shuffled = layerOf<Block>(four, four);
    const int moved = addInner(shuffled, routeLayer(four, four, dealt), {-1});
    const int back = addInner(shuffled, conv(four, 4, three), {moved});
    addInner(shuffled, layerOf<Sum>(four, four), {-1, back, moved});
    add("shuffled", shuffled);
    if (linear) return blocks;

    // Squeeze and excite: every channel times a gate made from the means of all.
    Layer gated = layerOf<Block>(four, four);
    int gate = addInner(gated, layerOf<GlobalAveragePool>(four, {4, 1, 1}), {-1});
    gate = addInner(gated, conv({4, 1, 1}, 4, one), {gate});
    gate = addInner(gated, activationLayer({4, 1, 1}, Activation::Sigmoid), {gate});
    std::vector<int> copies;
    for (int i = 0; i < 24; ++i) copies.push_back(i / 6);
    gate = addInner(gated, routeLayer({4, 1, 1}, four, copies), {gate});
    addInner(gated, layerOf<Product>(four, four), {-1, gate});
    add("squeeze and excite", gated);

    Layer wave = layerOf<Block>(two, two);
    int filter = addInner(wave, conv(two, 3, three), {-1});
    filter = addInner(wave, activationLayer({3, 1, 6}, Activation::Tanh), {filter});
    int open = addInner(wave, conv(two, 3, three), {-1});
    open = addInner(wave, activationLayer({3, 1, 6}, Activation::Sigmoid), {open});
    addInner(wave, layerOf<Product>({3, 1, 6}, {3, 1, 6}), {filter, open});
    add("gated", wave);

    // One head over six positions: softmax(Q Kᵀ) V.
    const Shape head{1, 6, 2};
    std::vector<int> asRows, asColumns;
    for (int y = 0; y < 6; ++y)
        for (int c = 0; c < 2; ++c) asRows.push_back(c * 6 + y);
    for (int i = 0; i < 12; ++i) asColumns.push_back(i);
    Layer attention = layerOf<Block>(two, two);
    const int q = addInner(attention, routeLayer(two, head, asRows), {addInner(attention, conv(two, 2, one), {-1})});
    const int k = addInner(attention, routeLayer(two, {1, 2, 6}, asColumns), {addInner(attention, conv(two, 2, one), {-1})});
    const int v = addInner(attention, routeLayer(two, head, asRows), {addInner(attention, conv(two, 2, one), {-1})});
    int scores = addInner(attention, layerOf<MatMul>(head, {1, 6, 6}), {q, k});
    scores = addInner(attention, layerOf<Softmax>({1, 6, 6}, {1, 6, 6}), {scores});
    const int mixed = addInner(attention, layerOf<MatMul>({1, 6, 6}, head), {scores, v});
    std::vector<int> back2;
    for (int c = 0; c < 2; ++c)
        for (int y = 0; y < 6; ++y) back2.push_back(y * 2 + c);
    const int out = addInner(attention, routeLayer(head, two, back2), {mixed});
    addInner(attention, layerOf<Sum>(two, two), {-1, out});
    add("attention", attention);
    return blocks;
}

/// Layers of every kind, and blocks with every join.
inline std::vector<Layer> layersAndBlocks() {
    std::vector<Layer> all = layersOfEveryKind();
    for (Layer& block : blocksOfEveryJoin()) all.push_back(std::move(block));
    all.push_back(layerOf<Softmax>({2, 3, 4}, {2, 3, 4}));
    all.back().name = "softmax";
    return all;
}

}  // namespace kappaflow
