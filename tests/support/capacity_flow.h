#pragma once
#include <vector>

#include "core/capacity/capacity_network.h"

namespace kappaflow {

/// Capacity of every weight layer's units, and what dead units kept, accumulated from the top.
struct CapacityFlow {
    std::vector<std::vector<double>> capacity;  ///< [layer 0 … L][unit]
    std::vector<double> unattributed;           ///< [layer 0 … L]
};

/// When the output units hold `top`.
inline CapacityFlow capacityFlow(const Network& network, const std::vector<double>& top) {
    const auto layers = weightLayerParts(network.layers);
    Layer scratch;
    CapacityFlow flow{std::vector<std::vector<double>>(layers.size() + 1), std::vector<double>(layers.size() + 1)};
    flow.capacity.back() = top;
    for (std::size_t l = layers.size(); l > 0; --l) {
        flow.unattributed[l - 1] = flow.unattributed[l];
        flow.capacity[l - 1] = propagate(layers[l - 1].folded(scratch), flow.capacity[l], flow.unattributed[l - 1]);
    }
    return flow;
}

}  // namespace kappaflow
