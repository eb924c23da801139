#pragma once
#include <cstdint>
#include <vector>

#include "core/capacity/capacity_network.h"

namespace kappaflow {

/// Paths of capacity from one top unit down, taken layer by layer: the weight of a path is the product of D's entries along it (P1 Eq 35).
class PathStatistics {
public:
    PathStatistics(std::size_t units, std::size_t top);

    /// One layer down. Cost: one logarithm an entry; 4 bytes a unit kept for the way back.
    void descend(const CapacityLayer&);

    /// Logarithm of the heaviest path's weight, over all units of the present layer (max-product recursion).
    double logMaxWeight() const;
    /// −Σ w log w over all paths so far, in nats: E_i = Σ_j D_ij E_j − κ_j D_ij log D_ij, H = Σ_i E_i.
    double entropy() const;
    const std::vector<double>& capacity() const { return mass_; }
    /// Entry number (within its column) taken at each layer by the heaviest path to the present layer, from the top down. Between
    /// equally heavy paths the one that wanders least wins.
    std::vector<std::uint32_t> heaviestPath() const;

private:
    std::size_t heaviestUnit() const;

    struct Best {
        double logWeight;
        double wander;  ///< Σ |offset| of its steps
    };
    struct Step {
        std::uint32_t from, entry;
    };
    std::vector<Best> best_;
    std::vector<double> mass_, entropy_;
    std::vector<std::vector<Step>> steps_;  ///< [layer from the top][unit]
};

}  // namespace kappaflow
