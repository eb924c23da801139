#include "core/capacity/drawn_network.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "core/base/rng.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

std::uint64_t streamOf(std::uint64_t draw, int l) { return (draw << 32) | static_cast<std::uint64_t>(l); }

/// Columns of one drawn convolution kernel: what it multiplies and where its centre is.
struct KernelShape {
    Size positions, outs, ins, taps;
    Size row() const { return ins * taps; }
    Size size() const { return positions * outs * row(); }
};

KernelShape shapeOf(const DrawnNetwork& n, int l) {
    if (n.space == Space::Dense) return {1, static_cast<Size>(n.extent), static_cast<Size>(n.extent), 1};
    const auto c = static_cast<Size>(n.channels), positions = static_cast<Size>(n.heightAt(l)) * static_cast<Size>(n.widthAt(l));
    return {n.alike() ? 1 : positions, c, c, n.tapsOf().size()};
}

double triangle(const DrawnNetwork& n, Size out, Size in, Tap tap) {
    if (n.space == Space::Dense) return n.extent - std::abs(static_cast<double>(out) - static_cast<double>(in));
    const double peak = (n.taps + 1) / 2, along = peak - std::abs(tap.x);
    return n.space == Space::Grid ? along * (peak - std::abs(tap.y)) : along;
}

bool isCentre(const DrawnNetwork& n, Size out, Size in, Tap tap) { return n.space == Space::Dense ? out == in : tap == Tap{}; }

/// Columns to the given norm; dead ones stay dead.
void normaliseColumns(std::vector<double>& weights, Size row, double norm) {
    for (Size first = 0; first < weights.size(); first += row) {
        double sum = 0;
        for (Size w = first; w < first + row; ++w) sum += weights[w] * weights[w];
        for (Size w = first; w < first + row && sum > 0; ++w) weights[w] *= norm / std::sqrt(sum);
    }
}

/// Unit columns with signs, times the gain.
std::vector<double> runnableWeights(const DrawnNetwork& n, int l, std::uint64_t draw, double gain) {
    auto weights = layerWeights(n, l, draw);
    normaliseColumns(weights, shapeOf(n, l).row(), gain);
    if (n.kernel == KernelType::Random) return weights;
    Rng signs(n.seed, Purpose::Signs, streamOf(draw, l));
    for (double& w : weights) w *= signs.sign();
    return weights;
}

/// Same-size padding along one axis.
void setAxis(Window& w, std::size_t axis, const DrawnNetwork& n, int l, int inputs, int outputs) {
    w.size[axis] = n.taps;
    w.stride[axis] = n.strideOf(l);
    w.dilation[axis] = n.dilationOf(l);
    w.before[axis] = (n.taps - 1) / 2 * w.dilation[axis];
    const int reach = (outputs - 1) * w.stride[axis] + (n.taps - 1) * w.dilation[axis] + 1;
    w.after[axis] = std::max(0, reach - inputs - w.before[axis]);
}

/// [..][tap] of a cross as [..][ky][kx] of the square around it.
std::vector<double> insideSquare(const DrawnNetwork& n, const std::vector<double>& weights) {
    const auto taps = n.tapsOf();
    const auto side = static_cast<Size>(n.taps), centre = (side - 1) / 2;
    std::vector<double> square(weights.size() / taps.size() * side * side);
    for (Size w = 0; w < weights.size(); ++w) {
        const Tap tap = taps[w % taps.size()];
        const Size y = static_cast<Size>(tap.y + static_cast<int>(centre)), x = static_cast<Size>(tap.x + static_cast<int>(centre));
        square[(w / taps.size() * side + y) * side + x] = weights[w];
    }
    return square;
}

Layer linearLayer(const DrawnNetwork& n, int l, std::vector<double> weights) {
    const Shape in{n.channelsAt(l - 1), n.heightAt(l - 1), n.widthAt(l - 1)}, out{n.channelsAt(l), n.heightAt(l), n.widthAt(l)};
    if (n.space == Space::Dense) return {in, out, Dense{{std::move(weights)}}};
    const bool cross = n.space == Space::Grid && n.filter == Filter::Cross;
    Conv conv{{cross ? insideSquare(n, weights) : std::move(weights)}};
    conv.shared = n.alike();
    conv.window.padding = n.periodic() ? Padding::Periodic : Padding::Zero;
    setAxis(conv.window, 1, n, l, in.width, out.width);
    if (n.space == Space::Grid) setAxis(conv.window, 0, n, l, in.height, out.height);
    return {in, out, std::move(conv)};
}

Layer activationLayer(const Shape& shape, Activation activation, double slope, std::uint64_t seed) {
    return {shape, shape, Pointwise{.activation = activation, .slope = slope, .seed = seed}};
}

}  // namespace

double DrawnNetwork::stay() const {
    if (type == LayerType::Plain) return 0;
    return type == LayerType::Residual ? 1 - epsilon : 1 / (1 + epsilon);
}

int DrawnNetwork::widthAt(int l) const {
    if (space == Space::Dense || mixes() || stride == 1) return extent;
    int width = extent;
    for (int i = 0; i < l && width > 1; ++i) width = (width + stride - 1) / stride;
    return width;
}

int DrawnNetwork::strideOf(int l) const { return space == Space::Dense || mixes() || widthAt(l - 1) == 1 ? 1 : stride; }

int DrawnNetwork::dilationOf(int l) const { return dilation > 0 ? dilation : 1 << ((l - 1) % 10); }

std::vector<Tap> DrawnNetwork::tapsOf() const {
    if (space == Space::Dense) return {Tap{}};
    if (space != Space::Grid) return rowTaps(taps);
    return filter == Filter::Square ? squareTaps(taps) : crossTaps(taps);
}

std::vector<double> layerWeights(const DrawnNetwork& n, int l, std::uint64_t draw) {
    const auto shape = shapeOf(n, l);
    const auto taps = n.tapsOf();
    std::vector<double> weights(shape.size(), 1.0);
    Rng rng(n.seed, Purpose::Weights, streamOf(draw, l));
    for (Size w = 0; w < weights.size(); ++w) {
        const Tap tap = taps[w % shape.taps];
        const Size in = w / shape.taps % shape.ins, out = w / shape.row() % shape.outs;
        if (n.kernel == KernelType::Random) weights[w] = drawWeight(rng, 1);
        if (n.kernel == KernelType::Triangle) weights[w] = triangle(n, out, in, tap);
        if (n.type == LayerType::Residual && isCentre(n, out, in, tap)) weights[w] = 0;
    }
    return weights;
}

CapacityKernel capacityKernel(const DrawnNetwork& n, int l, const std::vector<double>& weights) {
    const auto shape = shapeOf(n, l);
    CapacityKernel K;
    K.inHeight = n.heightAt(l - 1);
    K.inWidth = n.widthAt(l - 1);
    K.outHeight = n.heightAt(l);
    K.outWidth = n.widthAt(l);
    K.inChannels = K.outChannels = n.channels;
    K.taps = n.tapsOf();
    K.stride = n.strideOf(l);
    K.dilation = n.dilationOf(l);
    K.periodic = n.periodic();
    K.shared = n.alike();
    K.mixes = n.mixes();
    K.stay = n.stay();
    K.shares.resize(weights.size());
    for (Size column = 0; column < shape.positions * shape.outs; ++column) {
        const double* w = weights.data() + column * shape.row();
        double sum = 0;
        for (Size i = 0; i < shape.row(); ++i) sum += w[i] * w[i];
        const Size position = column / shape.outs, out = column % shape.outs;
        for (Size in = 0; in < shape.ins; ++in)
            for (Size tap = 0; tap < shape.taps; ++tap) {
                const double weight = w[in * shape.taps + tap];
                K.shares[((position * shape.taps + tap) * shape.ins + in) * shape.outs + out] = sum > 0 ? weight * weight / sum : 0;
            }
    }
    return K;
}

CapacityLayer denseCapacityLayer(const DrawnNetwork& n, const std::vector<double>& weights) {
    const Shape shape{1, 1, n.extent};
    auto D = capacityLayer({shape, shape, Dense{{weights}}});
    if (n.mixes()) return mixWithIdentity(D, n.stay());
    return D;
}

Network runnableNetwork(const DrawnNetwork& n, Activation activation, double slope, std::uint64_t draw) {
    Network network{{n.channelsAt(0), n.heightAt(0), n.widthAt(0)}, {}};
    const double gain = varianceGain(activation, slope);
    for (int l = 1; l <= n.layers; ++l) {
        auto linear = linearLayer(n, l, runnableWeights(n, l, draw, gain));
        auto pointwise = activationLayer(linear.out, activation, slope, n.seed + static_cast<std::uint64_t>(l));
        if (!n.mixes()) {
            network.layers.push_back(std::move(linear));
            if (l < n.layers) network.layers.push_back(std::move(pointwise));
            continue;
        }
        const Shape shape = linear.out;
        network.layers.push_back(
            residualBlock(shape, {std::move(linear), std::move(pointwise)}, {}, std::sqrt(n.stay()), std::sqrt(1 - n.stay())));
    }
    return network;
}

std::vector<std::size_t> runnableStates(const DrawnNetwork& n) {
    std::vector<std::size_t> states;
    for (int l = 0; l <= n.layers; ++l) states.push_back(static_cast<Size>(n.mixes() ? l : l == n.layers ? 2 * l - 1 : 2 * l));
    return states;
}

double varianceGain(Activation activation, double slope) {
    // Trapezoids on [−10, 10]: for a Gaussian weight far more exact than kinks in f leave it, about 1e-6.
    constexpr int kSteps = 4000;
    double sum = 0;
    for (int i = 0; i <= kSteps; ++i) {
        const double z = -10 + 20.0 * i / kSteps, f = activate(activation, z, slope);
        sum += f * f * std::exp(-0.5 * z * z);
    }
    return 1 / std::sqrt(sum * 20 / kSteps / std::sqrt(2 * std::numbers::pi));
}

}  // namespace kappaflow
