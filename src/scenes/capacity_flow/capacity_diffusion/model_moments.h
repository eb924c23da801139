#pragma once
#include <numeric>
#include <vector>

#include "scenes/capacity_flow/capacity_diffusion/model_chain.h"

namespace kappaflow::diffusion {

/// Mean of the offset's powers over the capacity of one layer: u_y, u_x, u_y², u_x², u_y u_x; zeros where there is no capacity.
struct LayerMoments {
    double firstY = 0, first = 0, secondY = 0, second = 0, product = 0;
};

inline double sumOf(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Offsets of the top's units, as `tracking` follows them: empty, by channel or by unit.
OffsetMoments topOffsets(const Start&, std::size_t channels, Tracking, bool plane);

/// `capacity` by position, row by row.
LayerMoments momentsOf(const ChainShape&, std::size_t l, const Start&, Tracking, const OffsetMoments&, const std::vector<double>& capacity);

}  // namespace kappaflow::diffusion
