#pragma once
#include <cstdint>
#include <vector>

#include "core/base/rng.h"
#include "core/capacity/capacity_kernel.h"
#include "core/capacity/capacity_network.h"

namespace kappaflow {

/// Parcels of capacity on their way down a network: one at output unit j goes on to input unit i with probability D_ij (P1 Eqs 25–27), each
/// by itself. The expected share of the parcels at a unit is its capacity, with a standard deviation of √(κ (1 − κ) / count), and a parcel
/// is lost only where capacity is, at a dead unit.
class Parcels {
public:
    /// One for each of these numbers, placed at random by the shares of `top`; parcel n draws from the stream (seed, Parcels, n).
    Parcels(const std::vector<double>& top, std::uint64_t seed, const std::vector<std::uint64_t>& numbers);

    // One layer down. Cost: a column of D for each parcel; layers visit all their columns.
    void descend(const CapacityKernel&);
    void descend(const CapacityLayer&);
    void descend(const Layer&);

    static constexpr std::int64_t kLost = -1;
    /// The unit where each parcel is, or kLost.
    const std::vector<std::int64_t>& units() const { return units_; }

private:
    std::vector<Rng> draws_;
    std::vector<std::int64_t> units_;
};

}  // namespace kappaflow
