#pragma once
#include "core/capacity/capacity_kernel.h"

namespace kappaflow {

// What the functions on capacity kernels share.

/// Input row of every output row and input column of every output column that a tap reads, −1 beyond the edges.
struct TapCells {
    std::vector<int> y, x;
};
TapCells tapCells(const CapacityKernel&, std::size_t tap);

/// Σ_in of the shares, [position, unless shared][tap][out].
std::vector<double> tapTotals(const CapacityKernel&);

/// Factor for every column, [out][position]: (1 − stay) over the sum of the taps that exist; 0 where none does. A column with all
/// its taps sums to 1 already and is left alone.
std::vector<double> columnFactors(const CapacityKernel&);

}  // namespace kappaflow
