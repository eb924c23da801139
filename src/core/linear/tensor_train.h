#pragma once
#include <vector>

#include "core/linear/hierarchical_model.h"

namespace kappaflow {

/// r_0 = d, r_l = min(c_l, r_{l−1} n_l, n_{l+1} r_{l+1}), r_L = 1, [L + 1]: the channels that any stack of these sizes can make use of,
/// for its impulse responses below and above each layer span no more.
std::vector<std::size_t> bondDimensions(const HierarchicalShape&);

/// Dimension of the set of tensor trains, κ = Σ_l r_{l−1} n_l r_l − Σ_{0<l<L} r_l². The capacity of a stack that
/// isTensorTrain; an upper bound for others, whose shifted responses overlap. d inputs stand as a first mode that no gauge acts on.
std::size_t tensorTrainDimension(const HierarchicalShape&);

/// Taps (k_1 … k_L) through which a tensor train reaches each lag, [lag][L], newest first; an empty row where no combination does.
/// Throws InputError unless isTensorTrain.
std::vector<std::vector<int>> lagDigits(const HierarchicalShape&);

}  // namespace kappaflow
