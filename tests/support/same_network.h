#pragma once
#include <string>
#include <vector>

#include "core/net/layer_rows.h"
#include "core/net/network.h"
#include "support/bits.h"

namespace kappaflow {

inline bool sameBits(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (bitsOf(a[i]) != bitsOf(b[i])) return false;
    return true;
}

inline bool sameWindow(const Window& a, const Window& b) {
    const bool padded = a.before != std::array{0, 0} || a.after != std::array{0, 0};
    return a.size == b.size && a.stride == b.stride && a.dilation == b.dilation && a.before == b.before && a.after == b.after &&
           (!padded || a.padding == b.padding);
}

std::string differingLayer(const std::vector<Layer>& a, const std::vector<Layer>& b, const std::string& place);

/// In the numbers that the activation uses; "" for nothing.
inline std::string difference(const Pointwise& a, const Pointwise& b) {
    if (a.activation != b.activation) return "activation";
    if (a.activation == Activation::Elu && a.slope != b.slope) return "factor";
    if (a.activation == Activation::LeakyRelu &&
        (!sameBits(a.slopes, b.slopes) || (a.slopes.empty() && bitsOf(a.slope) != bitsOf(b.slope))))
        return "slope";
    return a.activation == Activation::HardSigmoid && (a.gain != b.gain || a.offset != b.offset) ? "line" : "";
}

/// What differs between two layers, in the fields that their kind has; "" for nothing.
inline std::string difference(const Layer& a, const Layer& b, const std::string& place) {
    const auto fields = [&]() -> std::string {
        if (a.op.index() != b.op.index()) return "kind";
        if (a.in != b.in || a.out != b.out) return "shape";
        if (a.name != b.name) return "name";
        if (a.reads != b.reads) return "operands";
        if (!sameBits(weightsOf(a).weights, weightsOf(b).weights)) return "weights";
        if (!sameBits(weightsOf(a).bias, weightsOf(b).bias)) return "bias";
        if (!sameWindow(windowOf(a), windowOf(b))) return "window";
        if (const auto* x = a.getIf<Conv>(), *y = b.getIf<Conv>(); x && (x->groups != y->groups || x->shared != y->shared))
            return "kernels";
        if (const auto* x = a.getIf<AveragePool>(), *y = b.getIf<AveragePool>(); x && x->countsPadding != y->countsPadding)
            return "padding";
        if (const auto* x = a.getIf<Norm>(), *y = b.getIf<Norm>(); x && (x->shared != y->shared || x->epsilon != y->epsilon)) return "norm";
        if (const auto* x = a.getIf<BatchNorm>(), *y = b.getIf<BatchNorm>();
            x && (!sameBits(x->mean, y->mean) || !sameBits(x->variance, y->variance)))
            return "statistics";
        if (const auto* x = a.getIf<LayerNorm>(), *y = b.getIf<LayerNorm>();
            x && (x->groups != y->groups || x->eachPosition != y->eachPosition))
            return "layer norm";
        if (const auto* x = a.getIf<Pointwise>(), *y = b.getIf<Pointwise>(); x) return difference(*x, *y);
        if (const auto* x = a.getIf<Sum>(), *y = b.getIf<Sum>(); x && x->scales != y->scales) return "scales";
        if (const auto* x = a.getIf<Route>(), *y = b.getIf<Route>(); x && x->route != y->route) return "route";
        return "";
    }();
    if (!fields.empty()) return place + ": " + fields;
    return a.is<Block>() ? differingLayer(a.as<Block>().inner, b.as<Block>().inner, place + " inner") : "";
}

inline std::string differingLayer(const std::vector<Layer>& a, const std::vector<Layer>& b, const std::string& place) {
    if (a.size() != b.size()) return place + ": " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + " layers";
    for (std::size_t l = 0; l < a.size(); ++l)
        if (std::string found = difference(a[l], b[l], place + " " + std::to_string(l + 1)); !found.empty()) return found;
    return "";
}

/// Where and in what two networks differ, weights to the bit; "" when they are the same.
inline std::string difference(const Network& a, const Network& b) {
    return a.input != b.input ? "input" : differingLayer(a.layers, b.layers, "layer");
}

}  // namespace kappaflow
