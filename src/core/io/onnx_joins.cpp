#include <algorithm>

#include "core/base/errors.h"
#include "core/io/onnx_operators.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

using Chains = std::vector<LayerChain*>;
using Sizes = std::vector<std::int64_t>;

bool areAlike(const Chains& operands) {
    return std::all_of(operands.begin(), operands.end(), [&](const LayerChain* x) { return x->value() == operands[0]->value(); });
}

void bringInOrder(const Node& node, const Chains& operands) {
    for (LayerChain* x : operands) x->bringInOrder(node);
}

/// Numpy's rule: axes of one entry are repeated.
void broadcast(const Node& node, const Chains& operands) {
    if (areAlike(operands)) return;
    bringInOrder(node, operands);
    Sizes sizes = operands[0]->value().sizes();
    for (const LayerChain* x : operands) {
        const Sizes own = x->value().sizes();
        bool fits = own.size() == sizes.size();
        for (std::size_t i = 0; fits && i < own.size(); ++i) {
            fits = own[i] == 1 || sizes[i] == 1 || own[i] == sizes[i];
            sizes[i] = std::max(sizes[i], own[i]);
        }
        if (!fits)
            refuse(node,
                   "it joins " + operands[0]->value().text() + " and " + x->value().text() + ", which do not broadcast to each other");
    }
    for (LayerChain* x : operands)
        if (x->value().sizes() != sizes) expandTo(node, *x, sizes);
}

Join concatenated(const Node& node, const Chains& operands) {
    std::int64_t axis = integerAttribute(node, "axis", 1);
    const auto rank = static_cast<std::int64_t>(operands[0]->value().rank);
    if (axis < 0) axis += rank;
    if (axis < 1 || axis >= rank) refuse(node, "its axis must be one behind the batch axis");
    const bool last = std::all_of(operands.begin(), operands.end(), [](const LayerChain* x) { return x->value().channelsLast; });
    if (!last) bringInOrder(node, operands);
    Sizes sizes = operands[0]->value().sizes();
    const auto at = static_cast<std::size_t>(axis) - 1;
    for (std::size_t k = 1; k < operands.size(); ++k) {
        Sizes own = operands[k]->value().sizes();
        const std::int64_t along = own.size() == sizes.size() ? own[at] : 0;
        if (along > 0) own[at] = sizes[at];
        if (own != sizes)
            refuse(node, "it puts " + operands[0]->value().text() + " and " + operands[k]->value().text() +
                             " side by side, which differ along other axes too");
        sizes[at] += along;
    }
    double units = 1;
    for (const std::int64_t size : sizes) units *= static_cast<double>(size);
    requireUnits(node, units);
    Join join;
    join.layer.kind = LayerKind::Concat;
    join.out = last && rank > 2 ? channelsLastOf(sizes) : valueOf(sizes);
    const bool channels = rank == 2 || at == (last ? sizes.size() - 1 : 0);
    if (!channels) refuse(node, "it puts values side by side along positions; only channels are supported");
    return join;
}

Join product(const Node& node, const Chains& operands) {
    bringInOrder(node, operands);
    const Sizes a = operands[0]->value().sizes(), b = operands[1]->value().sizes();
    if (a.size() < 2 || a.size() != b.size() || (a.size() == 3 && a[0] != b[0]) || a.back() != b[b.size() - 2])
        refuse(node,
               "it multiplies " + operands[0]->value().text() + " and " + operands[1]->value().text() + ", which are no matrices that fit");
    // Matrices stand in height and width; of three dimensions there is one.
    for (LayerChain* x : operands)
        if (a.size() == 2) x->reshape(node, {{1, x->value().shape.channels, x->value().shape.width}, 4});
    const Shape left = operands[0]->value().shape, right = operands[1]->value().shape;
    requireUnits(node, static_cast<double>(left.channels) * left.height * right.width);
    Join join;
    join.layer.kind = LayerKind::MatMul;
    join.out = {{left.channels, left.height, right.width}, 4};
    return join;
}

}  // namespace

bool mayJoin(const Node& node) { return isOneOf(node.type, {"Add", "Sum", "Sub", "Mul", "Concat", "MatMul"}); }

Join joined(const Node& node, const Chains& operands) {
    if (!mayJoin(node))
        refuse(node, "operator " + std::string(node.type) + " joins " + std::to_string(operands.size()) +
                         " computed values; Add, Sum, Sub, Mul, Concat and MatMul may");
    if (operands.size() != node.inputs.size())
        refuse(node, "operator " + std::string(node.type) + " joins computed values and constants at once, which is not supported");
    if (node.type == "Concat") return concatenated(node, operands);
    if (node.type == "MatMul") return product(node, operands);
    broadcast(node, operands);
    Join join;
    join.layer.kind = node.type == "Mul" ? LayerKind::Product : LayerKind::Sum;
    join.out = operands[0]->value();
    return join;
}

}  // namespace kappaflow::onnx
