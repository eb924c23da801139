#include <algorithm>
#include <limits>

#include "core/base/errors.h"
#include "core/io/onnx_operators.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

using Sizes = std::vector<std::int64_t>;

Layer activationLayer(Activation activation, double slope = 0) {
    Layer layer;
    layer.kind = LayerKind::Activation;
    layer.activation = activation;
    layer.slope = slope;
    return layer;
}

void addActivation(const Node& node, LayerChain& chain, Layer layer) { chain.add(node, std::move(layer), chain.value()); }

/// Bounds are attributes up to operator set 10, inputs from 11 on. What is beyond float, an exporter's word for none, is infinite.
double clipBound(const Node& node, const LayerChain& chain, std::size_t index, std::string_view name, double none) {
    double bound = none;
    if (const Tensor* tensor = chain.constant(node, index)) {
        if (elementCount(*tensor) != 1) refuse(node, "its " + std::string(name) + " must be a single number");
        bound = numbers(*tensor).front();
    } else {
        bound = numberAttribute(node, name, none);
    }
    constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
    return bound >= kLargest || bound <= -kLargest ? bound * 2 : bound;
}

}  // namespace

void readActivation(const Node& node, LayerChain& chain) {
    if (node.type == "Relu") return addActivation(node, chain, activationLayer(Activation::Relu));
    if (node.type == "Abs") return addActivation(node, chain, activationLayer(Activation::Abs));
    if (node.type == "Tanh") return addActivation(node, chain, activationLayer(Activation::Tanh));
    addActivation(node, chain, activationLayer(Activation::Sigmoid));
}

void readLeakyRelu(const Node& node, LayerChain& chain) {
    addActivation(node, chain, activationLayer(Activation::LeakyRelu, numberAttribute(node, "alpha", 0.01)));
}

void readPRelu(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    Layer layer = activationLayer(Activation::LeakyRelu);
    layer.slopes = chain.broadcast(node, chain.requiredConstant(node, 1));
    requireFloatRange(node, layer.slopes, "slopes");
    if (layer.slopes.size() == 1) {
        layer.slope = layer.slopes.front();
        layer.slopes.clear();
    }
    addActivation(node, chain, std::move(layer));
}

void readHardSigmoid(const Node& node, LayerChain& chain) {
    Layer layer = activationLayer(Activation::HardSigmoid);
    layer.gain = numberAttribute(node, "alpha", 0.2);
    layer.offset = numberAttribute(node, "beta", 0.5);
    addActivation(node, chain, std::move(layer));
}

void readClip(const Node& node, LayerChain& chain) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double low = clipBound(node, chain, 1, "min", -kInfinity), high = clipBound(node, chain, 2, "max", kInfinity);
    constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
    const bool unlimited = high > kLargest;
    if (low < -kLargest && unlimited) return;
    if (low == 0 && unlimited) return addActivation(node, chain, activationLayer(Activation::Relu));
    if (low == -1 && high == 1) return addActivation(node, chain, activationLayer(Activation::HardTanh));
    if (low == 0 && high == 6) return addActivation(node, chain, activationLayer(Activation::Relu6));
    refuse(node, "Clip to " + shortNumber(low) + " … " + shortNumber(high) + " is not supported; −1 … 1, 0 … 6 and 0 … inf are");
}

void readIdentity(const Node&, LayerChain&) {}

// In inference, which is all that is read, it passes everything on; the ratio has no meaning.
void readDropout(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const Tensor* training = chain.constant(node, 2);
    if (training && integers(*training) != std::vector<std::int64_t>{0})
        refuse(node, "it is in training mode; export the model in evaluation mode");
}

// It carries no weights and the capacity of the scores is that of the probabilities, so at the end it is left out.
void readSoftmax(const Node& node, LayerChain& chain) {
    if (!chain.isOutput(node)) refuse(node, "operator " + std::string(node.type) + " is supported only as the last node");
}

namespace {

/// "[0, -1]".
std::string listText(const Sizes& list) {
    std::string text;
    for (std::int64_t entry : list) text += (text.empty() ? "" : ", ") + std::to_string(entry);
    return "[" + text + "]";
}

void requireRank(const Node& node, std::size_t rank) {
    if (rank < 2 || rank > 4) refuse(node, "it makes a tensor of " + std::to_string(rank) + " dimensions; 2 to 4 are supported");
}

/// Batch axis and the others as a Reshape's list wants them: zeros copied, one −1 worked out for `units` numbers a sample.
Sizes resolved(const Node& node, Sizes wanted, const Value& in) {
    const Sizes sizes = in.sizes();
    double product = 1;
    std::int64_t* open = nullptr;
    for (std::size_t i = 1; i < wanted.size(); ++i) {
        if (wanted[i] == 0 && i <= sizes.size()) wanted[i] = sizes[i - 1];
        if (wanted[i] == -1 && !open) {
            open = &wanted[i];
            continue;
        }
        if (wanted[i] < 1) refuse(node, "a target size of " + std::to_string(wanted[i]) + " is not possible");
        product *= static_cast<double>(wanted[i]);
    }
    const double units = static_cast<double>(in.shape.units());
    if (open && product <= units) *open = static_cast<std::int64_t>(units / product);
    if (product * (open ? static_cast<double>(*open) : 1.0) != units)
        refuse(node, "its target " + listText(wanted) + " does not keep the batch axis in front and the " + whole(units) +
                         " numbers of a sample behind it");
    wanted.erase(wanted.begin());
    return wanted;
}

/// Axes of Squeeze and Unsqueeze, counted from the front and in order: an attribute up to operator set 12, an input from 13 on.
Sizes axesOf(const Node& node, const LayerChain& chain, std::size_t rank) {
    const Tensor* input = chain.constant(node, 1);
    const Sizes given = input ? integers(*input) : integersAttribute(node, "axes");
    if (given.empty()) refuse(node, "it must name its axes");
    Sizes axes = given;
    for (std::int64_t& axis : axes)
        if (axis < 0) axis += static_cast<std::int64_t>(rank);
    std::sort(axes.begin(), axes.end());
    const bool distinct = std::adjacent_find(axes.begin(), axes.end()) == axes.end();
    if (!distinct || axes.front() < 1 || axes.back() >= static_cast<std::int64_t>(rank))
        refuse(node, "its axes " + listText(given) + " must be different ones behind the batch axis");
    return axes;
}

}  // namespace

void readFlatten(const Node& node, LayerChain& chain) {
    const std::int64_t axis = integerAttribute(node, "axis", 1), rank = static_cast<std::int64_t>(chain.value().rank);
    if (axis != 1 && axis != 1 - rank) refuse(node, "Flatten from axis " + std::to_string(axis) + " is not supported; it must be 1");
    chain.reshape(node, valueOf({static_cast<std::int64_t>(chain.value().shape.units())}));
}

void readReshape(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const Sizes wanted = integers(chain.requiredConstant(node, 1));
    requireRank(node, wanted.size());
    const bool zerosCopy = !flagAttribute(node, "allowzero", false);
    if (!zerosCopy && std::count(wanted.begin(), wanted.end(), 0) > 0) refuse(node, "a target size of 0 is not possible");
    // The batch is one sample or any number of them: 0 keeps it, 1 states it, −1 works it out from the rest.
    const std::int64_t batch = wanted.front();
    const bool twoOpen = batch == -1 && std::count(wanted.begin() + 1, wanted.end(), -1) > 0;
    if ((batch != 0 && batch != 1 && batch != -1) || twoOpen)
        refuse(node, "its target " + listText(wanted) + " does not keep the batch axis in front");
    chain.reshape(node, valueOf(resolved(node, wanted, chain.value())));
}

void readSqueeze(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const Sizes axes = axesOf(node, chain, chain.value().rank);
    Sizes sizes = chain.value().sizes();
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        const auto at = sizes.begin() + (*axis - 1);
        if (*at != 1) refuse(node, "axis " + std::to_string(*axis) + " has " + std::to_string(*at) + " entries and cannot be squeezed");
        sizes.erase(at);
    }
    requireRank(node, sizes.size() + 1);
    chain.reshape(node, valueOf(sizes));
}

void readUnsqueeze(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const Tensor* input = chain.constant(node, 1);
    const std::size_t added = input ? integers(*input).size() : integersAttribute(node, "axes").size();
    requireRank(node, chain.value().rank + added);
    Sizes sizes = chain.value().sizes();
    for (std::int64_t axis : axesOf(node, chain, chain.value().rank + added)) sizes.insert(sizes.begin() + (axis - 1), 1);
    chain.reshape(node, valueOf(sizes));
}

// Safe when only axes of one entry move: the numbers stay in their order.
void readTranspose(const Node& node, LayerChain& chain) {
    const Sizes perm = integersAttribute(node, "perm"), sizes = chain.value().sizes();
    Sizes sorted = perm;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
        if (sorted[i] != static_cast<std::int64_t>(i)) sorted.clear();
    if (sorted.size() != sizes.size() + 1 || perm.front() != 0)
        refuse(node, "its perm " + listText(perm) + " does not keep the batch axis in front");
    Sizes moved;
    std::int64_t last = 0;
    for (std::size_t i = 1; i < perm.size(); ++i) {
        moved.push_back(sizes[static_cast<std::size_t>(perm[i] - 1)]);
        if (moved.back() == 1) continue;
        if (perm[i] < last) refuse(node, "its perm " + listText(perm) + " changes the order of the numbers, which is not supported");
        last = perm[i];
    }
    chain.reshape(node, valueOf(moved));
}

}  // namespace kappaflow::onnx
