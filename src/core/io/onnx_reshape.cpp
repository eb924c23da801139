#include <algorithm>

#include "core/base/errors.h"
#include "core/io/onnx_operators.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

using Sizes = std::vector<std::int64_t>;

/// "[0, -1]".
std::string listText(const Sizes& list) {
    std::string text;
    for (std::int64_t entry : list) text += (text.empty() ? "" : ", ") + std::to_string(entry);
    return "[" + text + "]";
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

namespace {

/// What is flattened with its channels last keeps its shape until a matrix reads it, whose columns can be put in order.
void bringInto(const Node& node, LayerChain& chain, const Sizes& sizes) {
    const Value& in = chain.value();
    if (in.isInOrder()) return chain.reshape(node, valueOf(sizes));
    if (sizes.size() == 1) return chain.setValue({in.shape, 2, true});
    chain.bringInOrder(node);
    chain.reshape(node, valueOf(sizes));
}

}  // namespace

void readFlatten(const Node& node, LayerChain& chain) {
    if (readFreeShape(node, chain)) return;
    const std::int64_t axis = integerAttribute(node, "axis", 1), rank = static_cast<std::int64_t>(chain.value().rank);
    if (axis != 1 && axis != 1 - rank) refuse(node, "Flatten from axis " + std::to_string(axis) + " is not supported; it must be 1");
    bringInto(node, chain, {static_cast<std::int64_t>(chain.value().shape.units())});
}

void readReshape(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const Sizes wanted = integers(chain.requiredConstant(node, 1));
    if (readFreeShape(node, chain)) return;
    if (wanted.empty()) refuse(node, "it leaves one number without an axis");
    const bool zerosCopy = !flagAttribute(node, "allowzero", false);
    if (!zerosCopy && std::count(wanted.begin(), wanted.end(), 0) > 0) refuse(node, "a target size of 0 is not possible");
    // The batch is one sample or any number of them: 0 keeps it, 1 states it, −1 works it out from the rest.
    const std::int64_t batch = wanted.front();
    const bool twoOpen = batch == -1 && std::count(wanted.begin() + 1, wanted.end(), -1) > 0;
    if ((batch != 0 && batch != 1 && batch != -1) || twoOpen)
        refuse(node, "its target " + listText(wanted) + " does not keep the batch axis in front");
    bringInto(node, chain, resolved(node, wanted, chain.value()));
}

void readSqueeze(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    if (readFreeShape(node, chain)) return;
    const Sizes axes = axesOf(node, chain, chain.value().rank);
    Sizes sizes = chain.value().sizes();
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        const auto at = sizes.begin() + (*axis - 1);
        if (*at != 1) refuse(node, "axis " + std::to_string(*axis) + " has " + std::to_string(*at) + " entries and cannot be squeezed");
        sizes.erase(at);
    }
    if (sizes.empty()) sizes = {1};
    bringInto(node, chain, sizes);
}

void readUnsqueeze(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    if (readFreeShape(node, chain)) return;
    const Tensor* input = chain.constant(node, 1);
    const std::size_t added = input ? integers(*input).size() : integersAttribute(node, "axes").size();
    Sizes sizes = chain.value().sizes();
    for (std::int64_t axis : axesOf(node, chain, chain.value().rank + added)) sizes.insert(sizes.begin() + (axis - 1), 1);
    bringInto(node, chain, sizes);
}

// The numbers stay in their order when only axes of one entry move, and when the channels' axis goes behind or comes back.
void readTranspose(const Node& node, LayerChain& chain) {
    const Value in = chain.value();
    const Sizes perm = integersAttribute(node, "perm"), sizes = in.sizes();
    Sizes sorted = perm;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
        if (sorted[i] != static_cast<std::int64_t>(i)) sorted.clear();
    if (sorted.size() != in.tensor().size()) refuse(node, "its perm " + listText(perm) + " does not name every axis once");
    if (in.isFree() || perm.front() != 0) return readMoved(node, chain);
    const Sizes behind = in.rank == 4 ? Sizes{0, 2, 3, 1} : Sizes{0, 2, 1}, back = in.rank == 4 ? Sizes{0, 3, 1, 2} : Sizes{0, 2, 1};
    if (in.rank > 2 && perm == (in.channelsLast ? back : behind) && !(in.isInOrder() && in.channelsLast)) {
        if (in.channelsLast || (in.shape.channels > 1 && in.shape.height * in.shape.width > 1))
            return chain.setValue({in.shape, in.rank, !in.channelsLast});
    }
    Sizes moved;
    std::int64_t last = 0;
    for (std::size_t i = 1; i < perm.size(); ++i) {
        moved.push_back(sizes[static_cast<std::size_t>(perm[i] - 1)]);
        if (moved.back() == 1) continue;
        if (perm[i] < last) return readMoved(node, chain);
        last = perm[i];
    }
    bringInto(node, chain, moved);
}

}  // namespace kappaflow::onnx
