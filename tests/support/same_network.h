#pragma once
#include <string>
#include <vector>

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

/// What differs between two layers, in the fields that their kind has; "" for nothing.
inline std::string difference(const Layer& a, const Layer& b, const std::string& place) {
    const auto fields = [&]() -> std::string {
        if (a.kind != b.kind) return "kind";
        if (a.in != b.in || a.out != b.out) return "shape";
        if (a.name != b.name) return "name";
        if (!sameBits(a.weights, b.weights)) return "weights";
        if (!sameBits(a.bias, b.bias)) return "bias";
        if (!sameBits(a.mean, b.mean) || !sameBits(a.variance, b.variance)) return "statistics";
        if (a.kind == LayerKind::BatchNorm && (a.shared != b.shared || a.batchNormEpsilon != b.batchNormEpsilon)) return "batch norm";
        const bool window = a.kind == LayerKind::Conv || a.kind == LayerKind::MaxPool || a.kind == LayerKind::AveragePool;
        if (window && (!sameWindow(a.window, b.window) || a.groups != b.groups || a.countsPadding != b.countsPadding)) return "window";
        if (a.kind == LayerKind::LayerNorm &&
            (a.shared != b.shared || a.eachPosition != b.eachPosition || a.groups != b.groups || a.batchNormEpsilon != b.batchNormEpsilon))
            return "layer norm";
        if (a.kind == LayerKind::Conv && a.shared != b.shared) return "sharing";
        if (a.activation != b.activation) return "activation";
        const bool leaky = a.activation == Activation::LeakyRelu, hard = a.activation == Activation::HardSigmoid;
        if (a.activation == Activation::Elu && a.slope != b.slope) return "factor";
        if (leaky && (!sameBits(a.slopes, b.slopes) || (a.slopes.empty() && bitsOf(a.slope) != bitsOf(b.slope)))) return "slope";
        if (hard && (a.gain != b.gain || a.offset != b.offset)) return "line";
        if (a.scales != b.scales || a.route != b.route || a.reads != b.reads) return "joins";
        return "";
    }();
    if (!fields.empty()) return place + ": " + fields;
    return differingLayer(a.inner, b.inner, place + " inner");
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
