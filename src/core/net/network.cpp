#include "core/net/network.h"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>

#include "core/base/rng.h"
#include "core/linalg/matrix.h"

namespace kappaflow {
namespace {

constexpr int kMaxNesting = 8;

/// Where in the network we are, for messages: "layer 3 ("conv1")", "layer 3, branch layer 1".
class Validator {
public:
    void chain(const std::vector<Layer>& layers, const Shape& in, const Shape& out, const std::string& place, int nesting);
    void shape(const Shape&, const std::string& place) const;

private:
    void layer(const Layer&, const std::string& place, int nesting);
    void kind(const Layer&, const std::string& place, int nesting);
    void activation(const Layer&, const std::string& place) const;
    void conv(const Layer&, const std::string& place) const;
    void pool(const Layer&, const std::string& place) const;
    void window(const Layer&, const std::string& place) const;
    void batchNorm(const Layer&, const std::string& place) const;
    void layerNorm(const Layer&, const std::string& place) const;
    void residual(const Layer&, const std::string& place, int nesting);
    void weights(const Layer&, const std::string& place);

    double totalWeights_ = 0;
};

[[noreturn]] void refuse(const std::string& place, const std::string& reason) { throw InputError(place + ": " + reason + "."); }

void require(bool holds, const std::string& place, const char* reason) {
    if (!holds) refuse(place, reason);
}

std::string text(const Shape& s) { return std::to_string(s.channels) + "×" + std::to_string(s.height) + "×" + std::to_string(s.width); }
std::string text(double count) {
    char digits[64];
    std::snprintf(digits, sizeof digits, "%.0f", count);
    return digits;
}

double unitsOf(const Shape& s) { return static_cast<double>(s.channels) * s.height * s.width; }
double positionsOf(const Shape& s) { return static_cast<double>(s.height) * s.width; }

/// Scales of a batch norm, biases of a linear layer.
double biasCount(const Layer& layer) {
    switch (layer.kind) {
        case LayerKind::Dense:
            return unitsOf(layer.out);
        case LayerKind::Conv:
            return layer.out.channels;
        case LayerKind::BatchNorm:
        case LayerKind::LayerNorm:
            return weightCount(layer);
        default:
            return 0;
    }
}

void requireNumbers(const std::vector<double>& values, double count, const std::string& place, const char* what) {
    if (static_cast<double>(values.size()) != count)
        refuse(place, "it has " + std::to_string(values.size()) + " " + what + " where its shape needs " + text(count));
    for (double value : values)
        if (!std::isfinite(value)) refuse(place, std::string("its ") + what + " contain a NaN or an infinity");
}

void Validator::chain(const std::vector<Layer>& layers, const Shape& in, const Shape& out, const std::string& place, int nesting) {
    Shape current = in;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        std::string here = place + "layer " + std::to_string(l + 1);
        if (!layers[l].name.empty()) here += " (\"" + layers[l].name + "\")";
        if (layers[l].in != current) refuse(here, "it takes " + text(layers[l].in) + " units, but " + text(current) + " come from below");
        layer(layers[l], here, nesting);
        current = layers[l].out;
    }
    if (current != out) refuse(place + "end", "the output is " + text(current) + " units instead of " + text(out));
}

void Validator::shape(const Shape& s, const std::string& place) const {
    require(s.channels >= 1 && s.height >= 1 && s.width >= 1, place, "channels, height and width must be 1 or more");
    if (unitsOf(s) > kMaxLayerUnits)
        refuse(place, "a layer of " + text(s) + " units is more than the " + text(kMaxLayerUnits) + " that are possible");
}

void Validator::layer(const Layer& layer, const std::string& place, int nesting) {
    shape(layer.in, place);
    shape(layer.out, place);
    kind(layer, place, nesting);
    weights(layer, place);
}

void Validator::kind(const Layer& layer, const std::string& place, int nesting) {
    switch (layer.kind) {
        case LayerKind::Dense:
            return;
        case LayerKind::Conv:
            return conv(layer, place);
        case LayerKind::BatchNorm:
            return batchNorm(layer, place);
        case LayerKind::LayerNorm:
            return layerNorm(layer, place);
        case LayerKind::Activation:
            return activation(layer, place);
        case LayerKind::MaxPool:
        case LayerKind::AveragePool:
            return pool(layer, place);
        case LayerKind::GlobalAveragePool:
            return require(layer.out == Shape{layer.in.channels, 1, 1}, place, "global pooling leaves one unit a channel");
        case LayerKind::Flatten:
            return require(unitsOf(layer.in) == unitsOf(layer.out), place, "flattening keeps the number of units");
        case LayerKind::Residual:
            return residual(layer, place, nesting);
    }
}

void Validator::activation(const Layer& layer, const std::string& place) const {
    require(layer.in == layer.out, place, "an activation keeps the shape");
    require(std::isfinite(layer.slope), place, "the slope of its activation is not finite");
    require(std::isfinite(layer.gain) && std::isfinite(layer.offset), place, "the line of its activation is not finite");
    if (layer.slopes.empty()) return;
    const bool perChannel = layer.slopes.size() == static_cast<std::size_t>(layer.in.channels);
    requireNumbers(layer.slopes, perChannel ? layer.in.channels : unitsOf(layer.in), place, "slopes");
}

void Validator::conv(const Layer& layer, const std::string& place) const {
    require(layer.groups >= 1 && layer.in.channels % layer.groups == 0 && layer.out.channels % layer.groups == 0, place,
            "the number of groups must divide the channels");
    window(layer, place);
}

void Validator::pool(const Layer& layer, const std::string& place) const {
    require(layer.in.channels == layer.out.channels, place, "pooling keeps the channels");
    window(layer, place);
    if (layer.window.padding != Padding::Zero) return;
    const Window& w = layer.window;
    for (int axis = 0; axis < 2; ++axis) {
        const int in = axis == 0 ? layer.in.height : layer.in.width, out = axis == 0 ? layer.out.height : layer.out.width;
        for (int x = 0; x < out; ++x) {
            bool inside = false;
            for (int k = 0; k < w.size[axis] && !inside; ++k) {
                const int cell = x * w.stride[axis] + k * w.dilation[axis] - w.before[axis];
                inside = cell >= 0 && cell < in;
            }
            require(inside, place, "a pooling window lies wholly in the padding");
        }
    }
}

void Validator::window(const Layer& layer, const std::string& place) const {
    const Window& w = layer.window;
    const int in[] = {layer.in.height, layer.in.width}, out[] = {layer.out.height, layer.out.width};
    double paddedCells = layer.in.channels;
    for (int axis = 0; axis < 2; ++axis) {
        require(w.size[axis] >= 1 && w.stride[axis] >= 1 && w.dilation[axis] >= 1, place,
                "size, stride and dilation of a window must be 1 or more");
        require(w.before[axis] >= 0 && w.after[axis] >= 0, place, "padding must not be negative");
        require(w.padding != Padding::Reflect || (w.before[axis] < in[axis] && w.after[axis] < in[axis]), place,
                "reflected padding must be narrower than what it reflects");
        paddedCells *= static_cast<double>(in[axis]) + w.before[axis] + w.after[axis];
        const double outputs = windowOutputs(in[axis], w, axis);
        if (outputs != out[axis])
            refuse(place, std::string("its window gives ") + text(outputs) + (axis == 0 ? " rows" : " columns") + ", not " +
                              std::to_string(out[axis]));
    }
    require(paddedCells <= kMaxLayerUnits, place, "its input with padding is too large");
}

void Validator::batchNorm(const Layer& layer, const std::string& place) const {
    require(layer.in == layer.out, place, "batch normalisation keeps the shape");
    require(std::isfinite(layer.batchNormEpsilon) && layer.batchNormEpsilon >= 0, place, "epsilon must be 0 or more");
    if (layer.weights.empty()) return;
    requireNumbers(layer.mean, weightCount(layer), place, "means");
    requireNumbers(layer.variance, weightCount(layer), place, "variances");
    for (double variance : layer.variance)
        require(variance >= 0 && variance + layer.batchNormEpsilon > 0, place, "its variances must be positive");
}

void Validator::layerNorm(const Layer& layer, const std::string& place) const {
    require(layer.in == layer.out, place, "layer normalisation keeps the shape");
    require(std::isfinite(layer.batchNormEpsilon) && layer.batchNormEpsilon >= 0, place, "epsilon must be 0 or more");
    require(layer.groups >= 1 && layer.in.channels % layer.groups == 0, place, "the number of groups must divide the channels");
    require(!layer.eachPosition || layer.groups == 1, place, "the channels of a position are normalised in one group");
    const double together = layer.eachPosition ? layer.in.channels : unitsOf(layer.in) / layer.groups;
    require(together > 1, place, "it normalises over one unit alone");
    require(layer.shared || !(layer.eachPosition || layer.groups > 1), place, "it has one scale a channel");
}

void Validator::residual(const Layer& layer, const std::string& place, int nesting) {
    require(nesting < kMaxNesting, place, "residual layers are nested too deeply");
    require(std::isfinite(layer.skipScale) && std::isfinite(layer.branchScale), place, "its scales must be finite");
    chain(layer.branch, layer.in, layer.out, place + ", branch ", nesting + 1);
    chain(layer.skip, layer.in, layer.out, place + ", skip ", nesting + 1);
}

void Validator::weights(const Layer& layer, const std::string& place) {
    const double count = weightCount(layer);
    totalWeights_ += count;
    if (totalWeights_ > kMaxNetworkWeights)
        refuse(place,
               "with its " + text(count) + " weights the network has more than the " + text(kMaxNetworkWeights) + " that are possible");
    if (!layer.weights.empty()) requireNumbers(layer.weights, count, place, "weights");
    if (!layer.bias.empty()) requireNumbers(layer.bias, biasCount(layer), place, "biases");
}

}  // namespace

double weightCount(const Layer& layer) {
    switch (layer.kind) {
        case LayerKind::Dense:
            return unitsOf(layer.in) * unitsOf(layer.out);
        case LayerKind::Conv: {
            const double kernel = static_cast<double>(layer.in.channels) / layer.groups * layer.window.size[0] * layer.window.size[1];
            return layer.out.channels * kernel * (layer.shared ? 1 : positionsOf(layer.out));
        }
        case LayerKind::BatchNorm:
        case LayerKind::LayerNorm:
            return layer.shared ? layer.in.channels : unitsOf(layer.in);
        default:
            return 0;
    }
}

void validate(const Network& network) {
    Validator validator;
    validator.shape(network.input, "input");
    validator.chain(network.layers, network.input, network.output(), "", 0);
}

namespace {

std::vector<int> sources(int in, const Window& window, int axis) {
    std::vector<int> source;
    for (int i = -window.before[axis]; i < in + window.after[axis]; ++i) source.push_back(paddedSource(i, in, window.padding));
    return source;
}

/// Calls visit(padded row, input row's offset, sources along x) for every padded row that is not all zeros.
template <class Visit>
void forEachRow(const Layer& layer, Visit visit) {
    const std::vector<int> ys = sources(layer.in.height, layer.window, 0), xs = sources(layer.in.width, layer.window, 1);
    for (int c = 0; c < layer.in.channels; ++c)
        for (std::size_t y = 0; y < ys.size(); ++y)
            if (ys[y] >= 0) visit(c, static_cast<int>(y), (static_cast<std::size_t>(c) * layer.in.height + ys[y]) * layer.in.width, xs);
}

}  // namespace

double windowOutputs(int in, const Window& window, int axis) {
    const double reach = static_cast<double>(window.dilation[axis]) * (window.size[axis] - 1.0) + 1;
    return std::floor((static_cast<double>(in) + window.before[axis] + window.after[axis] - reach) / window.stride[axis]) + 1;
}

int paddedSource(int i, int in, Padding padding) {
    if (i >= 0 && i < in) return i;
    switch (padding) {
        case Padding::Zero:
            return -1;
        case Padding::Periodic:
            return (i % in + in) % in;
        case Padding::Reflect:
            return i < 0 ? -i : 2 * (in - 1) - i;
    }
    return -1;
}

PaddedGrid zeroGrid(const Layer& layer) {
    const Window& w = layer.window;
    PaddedGrid grid{layer.in.channels, layer.in.height + w.before[0] + w.after[0], layer.in.width + w.before[1] + w.after[1], {}};
    grid.cells.assign(static_cast<std::size_t>(grid.channels) * grid.height * grid.width, 0.0);
    return grid;
}

PaddedGrid padded(const Layer& layer, const std::vector<double>& input) {
    PaddedGrid grid = zeroGrid(layer);
    forEachRow(layer, [&](int channel, int y, std::size_t offset, const std::vector<int>& xs) {
        double* row = grid.row(channel, y);
        for (std::size_t x = 0; x < xs.size(); ++x)
            if (xs[x] >= 0) row[x] = input[offset + xs[x]];
    });
    return grid;
}

std::vector<double> folded(const Layer& layer, const PaddedGrid& grid) {
    std::vector<double> input(layer.in.units(), 0.0);
    forEachRow(layer, [&](int channel, int y, std::size_t offset, const std::vector<int>& xs) {
        const double* row = grid.row(channel, y);
        for (std::size_t x = 0; x < xs.size(); ++x)
            if (xs[x] >= 0) input[offset + xs[x]] += row[x];
    });
    return input;
}

namespace {

bool isLinear(const Layer& layer) { return layer.kind == LayerKind::Dense || layer.kind == LayerKind::Conv; }

std::size_t fanIn(const Layer& layer) {
    if (layer.kind == LayerKind::Dense) return layer.in.units();
    return static_cast<std::size_t>(layer.in.channels / layer.groups) * layer.window.size[0] * layer.window.size[1];
}

/// Rows of one matrix that an orthogonal draw makes: the outputs that share their inputs.
std::size_t rowsOfBlock(const Layer& layer) {
    return layer.kind == LayerKind::Dense ? layer.out.units() : static_cast<std::size_t>(layer.out.channels / layer.groups);
}

double weightVariance(const InitialiserSpec& spec, double k) {
    switch (spec.kind) {
        case Initialiser::He:
            return 2 / k;
        case Initialiser::LeCun:
            return 1 / k;
        case Initialiser::Gaussian:
            return spec.weightVariance / k;
        case Initialiser::Orthogonal:
            return 1;
    }
    return 1;
}

/// Replaces each [rows][columns] block of gaussians by a Haar matrix: orthonormal rows when it is wide, columns when it is tall.
void orthogonalise(std::vector<double>& weights, std::size_t rows, std::size_t columns, double scale) {
    const bool wide = rows < columns;
    const std::size_t block = rows * columns, tall = wide ? columns : rows, narrow = wide ? rows : columns;
    for (std::size_t at = 0; at < weights.size(); at += block) {
        // The gaussians are exchangeable: a wide block may read them as the transpose already.
        const std::vector<double> q = orthonormalColumns(std::span(weights).subspan(at, block), tall, narrow);
        for (std::size_t i = 0; i < tall; ++i)
            for (std::size_t j = 0; j < narrow; ++j) weights[at + (wide ? j * columns + i : i * columns + j)] = scale * q[i * narrow + j];
    }
}

void drawLinear(Layer& layer, const InitialiserSpec& spec, std::uint64_t seed, std::uint64_t index) {
    const std::size_t k = fanIn(layer);
    Rng weights(seed, Purpose::Weights, index);
    layer.weights.resize(static_cast<std::size_t>(weightCount(layer)));
    const double scale = std::sqrt(weightVariance(spec, static_cast<double>(k)));
    for (double& weight : layer.weights) weight = drawWeight(weights, scale);
    if (spec.kind == Initialiser::Orthogonal) orthogonalise(layer.weights, rowsOfBlock(layer), k, std::sqrt(spec.weightVariance));

    layer.bias.clear();
    if (spec.biasVariance == 0) return;
    Rng biases(seed, Purpose::Biases, index);
    layer.bias.resize(layer.kind == LayerKind::Dense ? layer.out.units() : static_cast<std::size_t>(layer.out.channels));
    for (double& bias : layer.bias) bias = drawWeight(biases, std::sqrt(spec.biasVariance));
}

/// Of a layer norm: no scale and no shift.
void becomeIdentity(Layer& norm) {
    const auto count = static_cast<std::size_t>(weightCount(norm));
    norm.weights.assign(count, 1.0);
    norm.bias.assign(count, 0.0);
    if (norm.kind == LayerKind::LayerNorm) return;
    norm.mean.assign(count, 0.0);
    norm.variance.assign(count, 1.0);
}

void drawChain(std::vector<Layer>& layers, const InitialiserSpec& spec, std::uint64_t seed, std::uint64_t& index) {
    for (Layer& layer : layers) {
        const std::uint64_t own = index++;
        if (isLinear(layer)) drawLinear(layer, spec, seed, own);
        if (layer.kind == LayerKind::BatchNorm || layer.kind == LayerKind::LayerNorm) becomeIdentity(layer);
        drawChain(layer.branch, spec, seed, index);
        drawChain(layer.skip, spec, seed, index);
    }
}

}  // namespace

void initialise(Network& network, const InitialiserSpec& spec, std::uint64_t seed) {
    validate(network);
    std::uint64_t index = 0;
    drawChain(network.layers, spec, seed, index);
}

}  // namespace kappaflow
