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
    void operation(const Layer&, const std::string& place);
    void activation(const Layer&, const Pointwise&, const std::string& place) const;
    void conv(const Layer&, const Conv&, const std::string& place) const;
    void pool(const Layer&, const Window&, const std::string& place) const;
    void window(const Layer&, const Window&, const std::string& place) const;
    void batchNorm(const Layer&, const BatchNorm&, const std::string& place) const;
    void layerNorm(const Layer&, const LayerNorm&, const std::string& place) const;
    void route(const Layer&, const Route&, const std::string& place) const;
    void join(const Layer&, const std::vector<Shape>& operands, const std::string& place) const;
    void block(const Layer&, const Block&, const std::string& place);
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

/// Biases of a linear layer, shifts of a norm.
double biasCount(const Layer& layer) {
    return layer.is<Dense>() ? unitsOf(layer.out) : layer.is<Conv>() ? layer.out.channels : weightCount(layer);
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
        require(!layers[l].is<Join>() && layers[l].reads.empty(), here, "what joins several values must stand inside a block");
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
    operation(layer, place);
    weights(layer, place);
}

void Validator::operation(const Layer& layer, const std::string& place) {
    layer.visit([](const Dense&) {}, [&](const Conv& op) { conv(layer, op, place); },
                [&](const BatchNorm& op) { batchNorm(layer, op, place); }, [&](const LayerNorm& op) { layerNorm(layer, op, place); },
                [&](const Pointwise& op) { activation(layer, op, place); }, [&](const Pooling& op) { pool(layer, op.window, place); },
                [&](const GlobalAveragePool&) {
                    require(layer.out == Shape{layer.in.channels, 1, 1}, place, "global pooling leaves one unit a channel");
                },
                [&](const Flatten&) { require(unitsOf(layer.in) == unitsOf(layer.out), place, "flattening keeps the number of units"); },
                [&](const Route& op) { route(layer, op, place); },
                [&](const Softmax&) { require(layer.in == layer.out, place, "a softmax keeps the shape"); },
                [&](const Block& op) { block(layer, op, place); }, [](const Join&) {});  // joins are checked with their operands
}

void Validator::activation(const Layer& layer, const Pointwise& f, const std::string& place) const {
    require(layer.in == layer.out, place, "an activation keeps the shape");
    require(std::isfinite(f.slope), place, "the slope of its activation is not finite");
    require(std::isfinite(f.gain) && std::isfinite(f.offset), place, "the line of its activation is not finite");
    if (f.slopes.empty()) return;
    const bool perChannel = f.slopes.size() == static_cast<std::size_t>(layer.in.channels);
    requireNumbers(f.slopes, perChannel ? layer.in.channels : unitsOf(layer.in), place, "slopes");
}

void Validator::conv(const Layer& layer, const Conv& conv, const std::string& place) const {
    require(conv.groups >= 1 && layer.in.channels % conv.groups == 0 && layer.out.channels % conv.groups == 0, place,
            "the number of groups must divide the channels");
    window(layer, conv.window, place);
}

void Validator::pool(const Layer& layer, const Window& w, const std::string& place) const {
    require(layer.in.channels == layer.out.channels, place, "pooling keeps the channels");
    window(layer, w, place);
    if (w.padding != Padding::Zero) return;
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

void Validator::window(const Layer& layer, const Window& w, const std::string& place) const {
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

void Validator::batchNorm(const Layer& layer, const BatchNorm& norm, const std::string& place) const {
    require(layer.in == layer.out, place, "batch normalisation keeps the shape");
    require(std::isfinite(norm.epsilon) && norm.epsilon >= 0, place, "epsilon must be 0 or more");
    if (norm.weights.empty()) return;
    requireNumbers(norm.mean, weightCount(layer), place, "means");
    requireNumbers(norm.variance, weightCount(layer), place, "variances");
    for (double variance : norm.variance) require(variance >= 0 && variance + norm.epsilon > 0, place, "its variances must be positive");
}

void Validator::layerNorm(const Layer& layer, const LayerNorm& norm, const std::string& place) const {
    require(layer.in == layer.out, place, "layer normalisation keeps the shape");
    require(std::isfinite(norm.epsilon) && norm.epsilon >= 0, place, "epsilon must be 0 or more");
    require(norm.groups >= 1 && layer.in.channels % norm.groups == 0, place, "the number of groups must divide the channels");
    require(!norm.eachPosition || norm.groups == 1, place, "the channels of a position are normalised in one group");
    const double together = norm.eachPosition ? layer.in.channels : unitsOf(layer.in) / norm.groups;
    require(together > 1, place, "it normalises over one unit alone");
    require(norm.shared || !(norm.eachPosition || norm.groups > 1), place, "it has one scale a channel");
}

void Validator::route(const Layer& layer, const Route& op, const std::string& place) const {
    if (op.route.size() != layer.out.units())
        refuse(place, "it has " + std::to_string(op.route.size()) + " sources for " + text(unitsOf(layer.out)) + " units");
    for (const int source : op.route)
        require(source >= -1 && source < static_cast<int>(layer.in.units()), place, "a source is no unit of its input");
}

void Validator::join(const Layer& layer, const std::vector<Shape>& operands, const std::string& place) const {
    require(operands.size() >= 2, place, "it joins two values or more");
    if (const auto* sum = layer.getIf<Sum>()) {
        requireNumbers(sum->scales, static_cast<double>(operands.size()), place, "scales");
        for (const Shape& s : operands)
            if (s != layer.out) refuse(place, "it adds " + text(s) + " units to " + text(layer.out));
    }
    if (layer.is<Product>())
        for (const Shape& s : operands)
            if (s != layer.out) refuse(place, "it multiplies " + text(s) + " units with " + text(layer.out));
    if (layer.is<Concat>()) {
        const bool vectors = layer.out.channels == 1 && layer.out.height == 1;
        double units = 0;
        for (const Shape& s : operands) {
            units += unitsOf(s);
            require(vectors ? s.channels == 1 && s.height == 1 : s.height == layer.out.height && s.width == layer.out.width, place,
                    "what it puts side by side differs in more than its channels");
        }
        require(units == unitsOf(layer.out), place, "its operands have not as many units as it makes");
    }
    if (layer.is<MatMul>()) {
        const Shape &a = operands[0], &b = operands[1];
        require(operands.size() == 2, place, "it multiplies two matrices");
        if (a.channels != b.channels || a.width != b.height || layer.out != Shape{a.channels, a.height, b.width})
            refuse(place, "matrices of " + text(a) + " and " + text(b) + " make none of " + text(layer.out));
    }
}

void Validator::block(const Layer& layer, const Block& block, const std::string& place) {
    require(!block.inner.empty(), place, "it holds no layers");
    std::vector<bool> read(block.inner.size(), false);
    for (std::size_t l = 0; l < block.inner.size(); ++l) {
        const Layer& inner = block.inner[l];
        const std::string here = placeOf(inner, place + ", inner ", l);
        require(!inner.is<Block>(), here, "a block stands inside a block");
        require(!inner.reads.empty() && (inner.is<Join>() || inner.reads.size() == 1), here, "it must say what it reads");
        std::vector<Shape> operands;
        for (const int from : inner.reads) {
            require(from >= -1 && from < static_cast<int>(l), here, "it reads what does not stand before it");
            if (from >= 0) read[static_cast<std::size_t>(from)] = true;
            operands.push_back(from < 0 ? layer.in : block.inner[static_cast<std::size_t>(from)].out);
        }
        if (inner.in != operands[0]) refuse(here, "it takes " + text(inner.in) + " units, but " + text(operands[0]) + " come from below");
        this->layer(inner, here);
        if (inner.is<Join>()) join(inner, operands, here);
    }
    for (std::size_t l = 0; l + 1 < read.size(); ++l) require(read[l], placeOf(block.inner[l], place + ", inner ", l), "nothing reads it");
    if (block.inner.back().out != layer.out)
        refuse(place + " end", "the output is " + text(block.inner.back().out) + " units instead of " + text(layer.out));
}

void Validator::weights(const Layer& layer, const std::string& place) {
    const double count = weightCount(layer);
    totalWeights_ += count;
    const double most = kMaxNetworkWeights * roomFactor();
    if (totalWeights_ > most)
        refuse(place, "with its " + text(count) + " weights the network has more than the " + text(most) + " that are possible");
    const Weights& own = weightsOf(layer);
    if (!own.weights.empty()) requireNumbers(own.weights, count, place, "weights");
    if (!own.bias.empty()) requireNumbers(own.bias, biasCount(layer), place, "biases");
}

}  // namespace

double weightCount(const Layer& layer) {
    if (layer.is<Dense>()) return unitsOf(layer.in) * unitsOf(layer.out);
    if (const auto* norm = layer.getIf<Norm>()) return norm->shared ? layer.in.channels : unitsOf(layer.in);
    const auto* conv = layer.getIf<Conv>();
    if (!conv) return 0;
    const double kernel = static_cast<double>(layer.in.channels) / conv->groups * conv->window.size[0] * conv->window.size[1];
    return layer.out.channels * kernel * (conv->shared ? 1 : positionsOf(layer.out));
}

double multiplyAdds(const Layer& layer) {
    if (const auto* conv = layer.getIf<Conv>())
        return unitsOf(layer.out) * layer.in.channels / conv->groups * conv->window.size[0] * conv->window.size[1];
    if (layer.is<Norm>()) return unitsOf(layer.in);
    if (layer.is<MatMul>()) return unitsOf(layer.out) * layer.in.width;
    return weightCount(layer);
}

double inputsRead(const Layer& layer) {
    if (layer.is<Dense, Conv, MatMul>()) return multiplyAdds(layer);
    if (const auto* pooling = layer.getIf<Pooling>()) return unitsOf(layer.out) * pooling->window.size[0] * pooling->window.size[1];
    if (layer.is<Sum, Product>()) return unitsOf(layer.out) * static_cast<double>(layer.reads.size());
    if (layer.is<Concat, Route>()) return unitsOf(layer.out);
    const auto* block = layer.getIf<Block>();
    if (!block) return unitsOf(layer.in);
    double inside = 0;
    for (const Layer& inner : block->inner) inside += inputsRead(inner);
    return inside;
}

void validate(const Network& network) {
    Validator validator;
    validator.shape(network.input, "input");
    validator.chain(network.layers, network.input, "");
}

int appendChain(std::vector<Layer>& inner, int from, std::vector<Layer> chain) {
    for (Layer& layer : chain) {
        const int base = static_cast<int>(inner.size());
        if (auto* block = layer.getIf<Block>()) {
            for (Layer& part : block->inner) {
                for (int& read : part.reads) read = read < 0 ? from : base + read;
                inner.push_back(std::move(part));
            }
        } else {
            layer.reads = {from};
            inner.push_back(std::move(layer));
        }
        from = static_cast<int>(inner.size()) - 1;
    }
    return from;
}

Layer residualBlock(const Shape& in, std::vector<Layer> branch, std::vector<Layer> skip, double skipScale, double branchScale) {
    const Shape out = !branch.empty() ? branch.back().out : skip.empty() ? in : skip.back().out;
    Block block;
    const int b = appendChain(block.inner, -1, std::move(branch)), s = appendChain(block.inner, -1, std::move(skip));
    Sum sum;
    sum.scales = {skipScale, branchScale};
    const Shape first = s < 0 ? in : block.inner[static_cast<std::size_t>(s)].out;
    block.inner.push_back({first, out, std::move(sum), {s, b}});
    return {in, out, std::move(block)};
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
        if (first == last && !first->is<Join>()) {
            first->reads.clear();
            chain.push_back(std::move(*first));
        } else {
            const Shape in = first->in, out = last->out;
            std::string name = std::exchange(last->name, "");
            Block block{{std::make_move_iterator(first), std::make_move_iterator(last + 1)}};
            for (Layer& inner : block.inner)
                for (int& read : inner.reads) read -= begin;
            chain.push_back({in, out, std::move(block), {}, std::move(name)});
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
