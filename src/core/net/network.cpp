#include "core/net/network.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

#include "core/base/cost.h"

namespace kappaflow {
namespace {

/// Where in the network we are, for messages: "layer 3 ("conv1")", "layer 3, inner layer 1".
class Validator {
public:
    void chain(const std::vector<Layer>& layers, const Shape& in, const std::string& place);
    void shape(const Shape&, const std::string& place) const;

private:
    void layer(const Layer&, const std::string& place);
    void kind(const Layer&, const std::string& place);
    void activation(const Layer&, const std::string& place) const;
    void conv(const Layer&, const std::string& place) const;
    void pool(const Layer&, const std::string& place) const;
    void window(const Layer&, const std::string& place) const;
    void batchNorm(const Layer&, const std::string& place) const;
    void layerNorm(const Layer&, const std::string& place) const;
    void route(const Layer&, const std::string& place) const;
    void join(const Layer&, const std::vector<Shape>& operands, const std::string& place) const;
    void block(const Layer&, const std::string& place);
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

std::string placeOf(const Layer& layer, const std::string& place, std::size_t l) {
    return place + "layer " + std::to_string(l + 1) + (layer.name.empty() ? "" : " (\"" + layer.name + "\")");
}

void Validator::chain(const std::vector<Layer>& layers, const Shape& in, const std::string& place) {
    Shape current = in;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const std::string here = placeOf(layers[l], place, l);
        if (layers[l].in != current) refuse(here, "it takes " + text(layers[l].in) + " units, but " + text(current) + " come from below");
        require(!isJoin(layers[l].kind) && layers[l].reads.empty(), here, "what joins several values must stand inside a block");
        layer(layers[l], here);
        current = layers[l].out;
    }
}

void Validator::shape(const Shape& s, const std::string& place) const {
    require(s.channels >= 1 && s.height >= 1 && s.width >= 1, place, "channels, height and width must be 1 or more");
    if (unitsOf(s) > kMaxLayerUnits)
        refuse(place, "a layer of " + text(s) + " units is more than the " + text(kMaxLayerUnits) + " that are possible");
}

void Validator::layer(const Layer& layer, const std::string& place) {
    shape(layer.in, place);
    shape(layer.out, place);
    kind(layer, place);
    weights(layer, place);
}

void Validator::kind(const Layer& layer, const std::string& place) {
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
        case LayerKind::Route:
            return route(layer, place);
        case LayerKind::Softmax:
            return require(layer.in == layer.out, place, "a softmax keeps the shape");
        case LayerKind::Block:
            return block(layer, place);
        case LayerKind::Sum:
        case LayerKind::Product:
        case LayerKind::Concat:
        case LayerKind::MatMul:
            return;  // checked with its operands
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

void Validator::route(const Layer& layer, const std::string& place) const {
    if (layer.route.size() != layer.out.units())
        refuse(place, "it has " + std::to_string(layer.route.size()) + " sources for " + text(unitsOf(layer.out)) + " units");
    for (const int source : layer.route)
        require(source >= -1 && source < static_cast<int>(layer.in.units()), place, "a source is no unit of its input");
}

void Validator::join(const Layer& layer, const std::vector<Shape>& operands, const std::string& place) const {
    require(operands.size() >= 2, place, "it joins two values or more");
    if (layer.kind == LayerKind::Sum) {
        requireNumbers(layer.scales, static_cast<double>(operands.size()), place, "scales");
        for (const Shape& s : operands)
            if (s != layer.out) refuse(place, "it adds " + text(s) + " units to " + text(layer.out));
    }
    if (layer.kind == LayerKind::Product)
        for (const Shape& s : operands)
            if (s != layer.out) refuse(place, "it multiplies " + text(s) + " units with " + text(layer.out));
    if (layer.kind == LayerKind::Concat) {
        const bool vectors = layer.out.channels == 1 && layer.out.height == 1;
        double units = 0;
        for (const Shape& s : operands) {
            units += unitsOf(s);
            require(vectors ? s.channels == 1 && s.height == 1 : s.height == layer.out.height && s.width == layer.out.width, place,
                    "what it puts side by side differs in more than its channels");
        }
        require(units == unitsOf(layer.out), place, "its operands have not as many units as it makes");
    }
    if (layer.kind == LayerKind::MatMul) {
        const Shape &a = operands[0], &b = operands[1];
        require(operands.size() == 2, place, "it multiplies two matrices");
        if (a.channels != b.channels || a.width != b.height || layer.out != Shape{a.channels, a.height, b.width})
            refuse(place, "matrices of " + text(a) + " and " + text(b) + " make none of " + text(layer.out));
    }
}

void Validator::block(const Layer& block, const std::string& place) {
    require(!block.inner.empty(), place, "it holds no layers");
    std::vector<bool> read(block.inner.size(), false);
    for (std::size_t l = 0; l < block.inner.size(); ++l) {
        const Layer& inner = block.inner[l];
        const std::string here = placeOf(inner, place + ", inner ", l);
        require(inner.kind != LayerKind::Block, here, "a block stands inside a block");
        require(!inner.reads.empty() && (isJoin(inner.kind) || inner.reads.size() == 1), here, "it must say what it reads");
        std::vector<Shape> operands;
        for (const int from : inner.reads) {
            require(from >= -1 && from < static_cast<int>(l), here, "it reads what does not stand before it");
            if (from >= 0) read[static_cast<std::size_t>(from)] = true;
            operands.push_back(from < 0 ? block.in : block.inner[static_cast<std::size_t>(from)].out);
        }
        if (inner.in != operands[0]) refuse(here, "it takes " + text(inner.in) + " units, but " + text(operands[0]) + " come from below");
        layer(inner, here);
        if (isJoin(inner.kind)) join(inner, operands, here);
    }
    for (std::size_t l = 0; l + 1 < read.size(); ++l) require(read[l], placeOf(block.inner[l], place + ", inner ", l), "nothing reads it");
    if (block.inner.back().out != block.out)
        refuse(place + " end", "the output is " + text(block.inner.back().out) + " units instead of " + text(block.out));
}

void Validator::weights(const Layer& layer, const std::string& place) {
    const double count = weightCount(layer);
    totalWeights_ += count;
    const double most = kMaxNetworkWeights * roomFactor();
    if (totalWeights_ > most)
        refuse(place, "with its " + text(count) + " weights the network has more than the " + text(most) + " that are possible");
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

double multiplyAdds(const Layer& layer) {
    switch (layer.kind) {
        case LayerKind::Conv:
            return unitsOf(layer.out) * layer.in.channels / layer.groups * layer.window.size[0] * layer.window.size[1];
        case LayerKind::BatchNorm:
        case LayerKind::LayerNorm:
            return unitsOf(layer.in);
        case LayerKind::MatMul:
            return unitsOf(layer.out) * layer.in.width;
        default:
            return weightCount(layer);
    }
}

double inputsRead(const Layer& layer) {
    switch (layer.kind) {
        case LayerKind::Dense:
        case LayerKind::Conv:
        case LayerKind::MatMul:
            return multiplyAdds(layer);
        case LayerKind::MaxPool:
        case LayerKind::AveragePool:
            return unitsOf(layer.out) * layer.window.size[0] * layer.window.size[1];
        case LayerKind::Sum:
        case LayerKind::Product:
            return unitsOf(layer.out) * static_cast<double>(layer.reads.size());
        case LayerKind::Concat:
        case LayerKind::Route:
            return unitsOf(layer.out);
        case LayerKind::Block: {
            double inside = 0;
            for (const Layer& inner : layer.inner) inside += inputsRead(inner);
            return inside;
        }
        default:
            return unitsOf(layer.in);
    }
}

void validate(const Network& network) {
    Validator validator;
    validator.shape(network.input, "input");
    validator.chain(network.layers, network.input, "");
}

int appendChain(std::vector<Layer>& inner, int from, std::vector<Layer> chain) {
    for (Layer& layer : chain) {
        const int base = static_cast<int>(inner.size());
        if (layer.kind != LayerKind::Block) {
            layer.reads = {from};
            inner.push_back(std::move(layer));
        } else {
            for (Layer& part : layer.inner) {
                for (int& read : part.reads) read = read < 0 ? from : base + read;
                inner.push_back(std::move(part));
            }
        }
        from = static_cast<int>(inner.size()) - 1;
    }
    return from;
}

Layer residualBlock(const Shape& in, std::vector<Layer> branch, std::vector<Layer> skip, double skipScale, double branchScale) {
    Layer block, sum;
    block.kind = LayerKind::Block;
    block.in = in;
    block.out = !branch.empty() ? branch.back().out : skip.empty() ? in : skip.back().out;
    const int b = appendChain(block.inner, -1, std::move(branch)), s = appendChain(block.inner, -1, std::move(skip));
    sum.kind = LayerKind::Sum;
    sum.in = s < 0 ? in : block.inner[static_cast<std::size_t>(s)].out;
    sum.out = block.out;
    sum.reads = {s, b};
    sum.scales = {skipScale, branchScale};
    block.inner.push_back(std::move(sum));
    return block;
}

std::vector<Layer> chainFromGraph(std::vector<Layer> graph) {
    const auto size = static_cast<int>(graph.size());
    std::vector<int> lowest(graph.size() + 1, size);  // place that is read from layer l on
    for (std::size_t l = graph.size(); l-- > 0;)
        lowest[l] = std::min(lowest[l + 1], *std::min_element(graph[l].reads.begin(), graph[l].reads.end()));
    std::vector<Layer> chain;
    for (int begin = 0, l = 0; l < size; ++l) {
        if (lowest[static_cast<std::size_t>(l) + 1] < l) continue;
        const auto first = graph.begin() + begin, last = graph.begin() + l;
        if (first == last && !isJoin(first->kind)) {
            first->reads.clear();
            chain.push_back(std::move(*first));
        } else {
            Layer block;
            block.kind = LayerKind::Block;
            block.in = first->in;
            block.out = last->out;
            block.name = std::exchange(last->name, "");
            block.inner.assign(std::make_move_iterator(first), std::make_move_iterator(last + 1));
            for (Layer& inner : block.inner)
                for (int& read : inner.reads) read -= begin;
            chain.push_back(std::move(block));
        }
        begin = l + 1;
    }
    return chain;
}

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

}  // namespace kappaflow
