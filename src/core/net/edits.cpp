#include "core/net/edits.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/cost.h"
#include "core/base/rng.h"
#include "core/linalg/matrix.h"
#include "core/net/layer_rows.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

bool isNorm(const Layer& layer) { return layer.is<Norm>(); }

bool follows(const Layer& layer) { return layer.is<Pointwise, Norm>(); }

std::string nameOf(Size layer) { return "Layer " + std::to_string(layer + 1); }

const Layer& editable(const Network& network, Size layer) {
    if (layer >= network.layers.size()) throw InputError("The network has no layer " + std::to_string(layer + 1) + ".");
    if (!hasTrainableWeights(network.layers[layer]))
        throw InputError(nameOf(layer) + " has no weights of its own: only dense layers and convolutions can be changed.");
    return network.layers[layer];
}

/// One past the last of what belongs to the layer.
Size endOf(const Network& network, Size layer) {
    Size end = layer + 1;
    while (end < network.layers.size() && follows(network.layers[end])) ++end;
    return end;
}

auto at(std::vector<Layer>& layers, Size index) { return layers.begin() + static_cast<std::ptrdiff_t>(index); }

void drawInto(std::vector<double>& weights, double deviation, std::uint64_t seed, std::uint64_t place) {
    Rng rng(seed, Purpose::Weights, kEditStream + place);
    for (double& weight : weights) weight = drawWeight(rng, deviation);
}

double rootMeanSquare(const std::vector<double>& values) {
    double sum = 0;
    for (const double x : values) sum += x * x;
    return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

Size inputsOfRow(const Layer& layer) {
    const auto* conv = layer.getIf<Conv>();
    return conv ? static_cast<Size>(layer.in.channels / conv->groups) * tapsOf(conv->window) : layer.in.units();
}

/// Weights of a convolution's row for one input channel; 1 of a dense layer.
Size tapsOf(const Layer& layer) {
    const auto* conv = layer.getIf<Conv>();
    return conv ? tapsOf(conv->window) : 1;
}

/// A dense layer or convolution from a shape to itself, without weights so far: the middle tap reads its own place. (Which one cannot be
/// read off the shape: a signal of one channel has that of a vector.)
Layer squareLayer(bool convolves, const Shape& shape) {
    if (!convolves) return {shape, shape, Dense{}};
    Conv conv;
    const int sides[] = {shape.height, shape.width};
    for (Size axis = 0; axis < 2; ++axis) {
        conv.window.size[axis] = sides[axis] > 1 ? 3 : 1;
        conv.window.before[axis] = conv.window.after[axis] = conv.window.size[axis] / 2;
    }
    return {shape, shape, std::move(conv)};
}

void requireSize(double weights) {
    if (weights > kMaxNetworkWeights * roomFactor()) throw InputError("The edited network would have more weights than there is room for.");
}

Network checked(Network network) {
    validate(network);
    return network;
}

/// Index of the next layer that takes this one's units, whatever is pointwise or flat between.
Size readerOf(const Network& network, Size layer) {
    Size next = endOf(network, layer);
    while (next < network.layers.size() && (follows(network.layers[next]) || network.layers[next].is<Flatten>())) ++next;
    return next;
}

void takeOut(Network& network, Size layer) {
    const Size end = endOf(network, layer);
    if (network.layers[layer].in != network.layers[end - 1].out)
        throw InputError("The layer changes the shape, so that the layers around it do not fit together without it.");
    network.layers.erase(at(network.layers, layer), at(network.layers, end));
}

/// W₂ W₁ and W₂ b₁ + b₂.
Layer multiplied(const Layer& first, const Layer& second) {
    const Size in = first.in.units(), middle = first.out.units(), out = second.out.units();
    if (static_cast<double>(in) * static_cast<double>(middle) * static_cast<double>(out) > kMostEditWork)
        throw InputError("The two layers are too wide to be multiplied into one.");
    requireSize(static_cast<double>(in) * static_cast<double>(out));
    const auto &a = first.as<Dense>(), &b = second.as<Dense>();
    Layer layer = second;
    layer.in = first.in;
    auto& both = layer.as<Dense>();
    both.weights = product(Matrix(out, middle, b.weights), Matrix(middle, in, a.weights)).values;
    if (a.bias.empty()) return layer;
    const Matrix moved = product(Matrix(out, middle, b.weights), Matrix(middle, 1, a.bias));
    if (both.bias.empty()) both.bias.assign(out, 0.0);
    for (Size i = 0; i < out; ++i) both.bias[i] += moved.values[i];
    return layer;
}

/// Makes a layer that only passes its input on take one of more units: those it has come first.
void widenPointwise(Layer& layer, const Shape& in) {
    const Shape before = layer.in;
    layer.in = in;
    if (layer.is<Flatten>())
        layer.out.width = static_cast<int>(in.units());
    else
        layer.out = in;
    if (auto* f = layer.getIf<Pointwise>(); f && !f->slopes.empty())
        f->slopes.resize(f->slopes.size() == before.units() ? in.units() : static_cast<Size>(in.channels), f->slope);
    const auto grow = [&](std::vector<double>& values, double with) {
        if (!values.empty()) values.resize(static_cast<Size>(weightCount(layer)), with);
    };
    if (auto* norm = layer.getIf<Norm>()) grow(norm->weights, 1), grow(norm->bias, 0);
    if (auto* norm = layer.getIf<BatchNorm>()) grow(norm->mean, 0), grow(norm->variance, 1);
}

/// More inputs of every row, behind those it has: units are numbered channel by channel.
void widenInputs(Layer& layer, Size more, std::uint64_t seed) {
    std::vector<double>& weights = layer.as<Weights>().weights;
    const Size row = inputsOfRow(layer), rows = row > 0 ? weights.size() / row : 0;
    requireSize(static_cast<double>(rows) * static_cast<double>(row + more));
    std::vector<double> fresh(rows * more), all;
    drawInto(fresh, rootMeanSquare(weights), seed, 1);
    all.reserve(rows * (row + more));
    for (Size r = 0; r < rows; ++r) {
        all.insert(all.end(), weights.begin() + static_cast<std::ptrdiff_t>(r * row),
                   weights.begin() + static_cast<std::ptrdiff_t>((r + 1) * row));
        all.insert(all.end(), fresh.begin() + static_cast<std::ptrdiff_t>(r * more),
                   fresh.begin() + static_cast<std::ptrdiff_t>((r + 1) * more));
    }
    weights = std::move(all);
}

void widenOutputs(Layer& layer, int units, std::uint64_t seed) {
    auto& own = layer.as<Weights>();
    const Size row = inputsOfRow(layer);
    requireSize(static_cast<double>(own.weights.size()) + static_cast<double>(row) * units);
    std::vector<double> fresh(row * static_cast<Size>(units));
    drawInto(fresh, rootMeanSquare(own.weights), seed, 0);
    own.weights.insert(own.weights.end(), fresh.begin(), fresh.end());
    if (!own.bias.empty()) own.bias.resize(own.bias.size() + static_cast<Size>(units), 0.0);
    (layer.is<Conv>() ? layer.out.channels : layer.out.width) += units;
}

bool widens(const Layer& layer) {
    const auto* conv = layer.getIf<Conv>();
    return conv ? conv->groups == 1 && conv->shared : layer.is<Dense>();
}

/// The linear layer of a skip connection between two shapes, with random weights.
Layer projection(bool convolves, const Shape& in, const Shape& out, std::uint64_t seed) {
    if (convolves && (in.height != out.height || in.width != out.width))
        throw InputError("A skip around a layer with a stride does not fit: its grid has other sides behind than in front.");
    Layer layer{in, out, convolves ? Layer::Operation(Conv{}) : Dense{}};
    requireSize(weightCount(layer));
    std::vector<double>& weights = layer.as<Weights>().weights;
    weights.resize(static_cast<Size>(weightCount(layer)));
    drawInto(weights, 1 / std::sqrt(static_cast<double>(inputsOfRow(layer))), seed, 0);
    return layer;
}

}  // namespace

Network withLayerInserted(const Network& network, std::size_t layer, double fresh, std::uint64_t seed) {
    const Layer& like = editable(network, layer);
    if (!(fresh >= 0 && fresh <= 1)) throw InputError("A new layer's share of fresh weights is from 0 to 1.");
    Layer added = squareLayer(like.is<Conv>(), like.out);
    const double count = weightCount(added);
    requireSize(count);
    std::vector<double>& weights = added.as<Weights>().weights;
    weights.resize(static_cast<Size>(count));
    const Size row = inputsOfRow(added), taps = tapsOf(added);
    drawInto(weights, std::sqrt(2 / static_cast<double>(row)), seed, 0);
    for (double& weight : weights) weight *= fresh;
    for (Size out = 0; out < weights.size() / row; ++out) weights[out * row + out * taps + taps / 2] += 1 - fresh;
    Network edited = network;
    const Size end = endOf(network, layer);
    std::vector<Layer> more{std::move(added)};
    for (Size i = layer + 1; i < end; ++i)
        if (network.layers[i].is<Pointwise>()) more.push_back(network.layers[i]);
    edited.layers.insert(at(edited.layers, end), more.begin(), more.end());
    return checked(std::move(edited));
}

Network withLayerRemoved(const Network& network, std::size_t layer) {
    const Layer& gone = editable(network, layer);
    const Size next = readerOf(network, layer);
    if (next == network.layers.size()) throw InputError("The last layer makes the network's outputs, so that it cannot be removed.");
    Network edited = network;
    // Behind a flattening too: all up to the next layer goes when the two are multiplied.
    const bool norms = std::any_of(at(edited.layers, layer), at(edited.layers, next), isNorm);
    if (gone.is<Dense>() && edited.layers[next].is<Dense>() && !norms) {
        edited.layers[next] = multiplied(gone, network.layers[next]);
        edited.layers.erase(at(edited.layers, layer), at(edited.layers, next));
    } else {
        takeOut(edited, layer);
    }
    return checked(std::move(edited));
}

Network withLayerWidened(const Network& network, std::size_t layer, std::size_t units, std::uint64_t seed) {
    const Layer& wide = editable(network, layer);
    const Size next = readerOf(network, layer);
    if (next == network.layers.size()) throw InputError("The last layer's units are the network's outputs, so that it keeps its width.");
    if (!widens(wide) || !hasTrainableWeights(network.layers[next]) || !widens(network.layers[next]))
        throw InputError("The layer cannot be widened: it and the one behind it must be dense or plain convolutions.");
    if (static_cast<double>(wide.out.units()) + static_cast<double>(units) > kMaxLayerUnits)
        throw InputError("No layer has room for so many units.");
    Network edited = network;
    if (units == 0) return edited;
    const Size before = network.layers[next].in.units();
    widenOutputs(edited.layers[layer], static_cast<int>(units), seed);
    for (Size i = layer + 1; i < next; ++i) widenPointwise(edited.layers[i], edited.layers[i - 1].out);
    Layer& reader = edited.layers[next];
    reader.in = edited.layers[next - 1].out;
    // The row of a convolution has its taps a channel, that of a dense layer its units.
    const Size more = reader.is<Conv>() ? units * tapsOf(reader) : reader.in.units() - before;
    Layer old = network.layers[next];
    widenInputs(old, more, seed);
    reader.as<Weights>() = std::move(old.as<Weights>());
    return checked(std::move(edited));
}

Network withLayerRescaled(const Network& network, std::size_t layer, double factor) {
    editable(network, layer);
    if (!std::isfinite(factor)) throw InputError("A layer is rescaled by a finite number.");
    Network edited = network;
    auto& own = edited.layers[layer].as<Weights>();
    for (auto* values : {&own.weights, &own.bias})
        for (double& value : *values) value *= factor;
    return checked(std::move(edited));
}

Network withSkipAdded(const Network& network, std::size_t layer, double scale, std::uint64_t seed) {
    editable(network, layer);
    if (!(scale >= 0) || !std::isfinite(scale)) throw InputError("A skip's scale is a finite number that is not negative.");
    const Size end = endOf(network, layer);
    Network edited = network;
    const Shape &in = network.layers[layer].in, &out = network.layers[end - 1].out;
    std::vector<Layer> skip;
    if (in != out) skip = {projection(network.layers[layer].is<Conv>(), in, out, seed)};
    Layer block = residualBlock(in, {at(edited.layers, layer), at(edited.layers, end)}, std::move(skip), scale);
    edited.layers.erase(at(edited.layers, layer), at(edited.layers, end));
    edited.layers.insert(at(edited.layers, layer), std::move(block));
    return checked(std::move(edited));
}

}  // namespace kappaflow
