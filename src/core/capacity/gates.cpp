#include "core/capacity/gates.h"

#include <algorithm>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

[[noreturn]] void refuseSoftmax(const Layer& layer) {
    throw InputError(named(layer, "softmax") + " is no gate of a single value here, so that no capacity is followed through it.");
}

/// The one factor that is no gate.
Size followedFactor(const std::vector<Layer>& layers, Size l, const std::vector<bool>& gates, CapacityRule rule) {
    const Layer& layer = layers[l];
    const std::string name = named(layer, layer.is<Product>() ? "product" : "product of matrices");
    Size followed = 0, others = 0;
    for (Size k = 0; k < layer.reads.size(); ++k)
        if (!gates[operandOf(layers, l, k)]) followed = k, ++others;
    if (others != 1)
        throw InputError(name + " has " + (others == 0 ? "gates alone" : "more than one factor that is no gate") +
                         " (a gate comes from sigmoid, hard sigmoid or softmax), so that capacity has no one way down.");
    if (layer.is<MatMul>() && rule == CapacityRule::Squares)
        throw InputError(name +
                         " mixes values by weights that its input makes, where D = P∘P does not hold: capacity can only be measured there, "
                         "by measured-capacity.");
    return followed;
}

}  // namespace

std::string named(const Layer& layer, const std::string& what) {
    return layer.name.empty() ? "A " + what : "The " + what + " \"" + layer.name + "\"";
}

std::vector<bool> gatePlaces(const std::vector<Layer>& layers) {
    std::vector<bool> gates(layers.size() + 1);
    for (Size l = 0; l < layers.size(); ++l) {
        const Layer& layer = layers[l];
        if (const auto* f = layer.getIf<Pointwise>())
            gates[l + 1] = f->activation == Activation::Sigmoid || f->activation == Activation::HardSigmoid;
        else if (layer.is<BatchNorm, Flatten, Route>())
            gates[l + 1] = gates[operandOf(layers, l)];
        else
            gates[l + 1] = layer.is<Softmax, Concat, Product>();
        if (layer.is<Concat, Product>())
            for (Size k = 0; k < layer.reads.size(); ++k) gates[l + 1] = gates[l + 1] && gates[operandOf(layers, l, k)];
    }
    return gates;
}

std::vector<std::vector<Size>> followedOperands(const std::vector<Layer>& layers, CapacityRule rule) {
    const std::vector<bool> gates = gatePlaces(layers);
    std::vector<std::vector<Size>> followed(layers.size());
    std::vector<bool> reached(layers.size() + 1);
    reached.back() = true;
    for (Size l = layers.size(); l-- > 0;) {
        if (!reached[l + 1]) continue;
        const Layer& layer = layers[l];
        const auto* sum = layer.getIf<Sum>();
        if (layer.is<Softmax>()) refuseSoftmax(layer);
        if (layer.is<Product, MatMul>())
            followed[l] = {followedFactor(layers, l, gates, rule)};
        else
            for (Size k = 0; k < std::max<Size>(1, layer.reads.size()); ++k)
                if (!sum || rule == CapacityRule::Squares || sum->scales[k] != 0) followed[l].push_back(k);
        for (const Size k : followed[l]) reached[operandOf(layers, l, k)] = true;
    }
    return followed;
}

}  // namespace kappaflow
