#pragma once
#include <cstdint>
#include <vector>

#include "core/linear/hierarchical_model.h"

namespace kappaflow {

/// Rank of ∂A/∂w of the columns of these layers (0-based; all when empty) for weights in general position: the layers' canonical columns
/// over the integers modulo 2³¹ − 1 at residues from the stream (seed, Weights), then elimination. No threshold; wrong
/// with probability of about degree·rank/2³¹. Channels are cut to bondDimensions first when all layers are free. Throws InputError for
/// shapes over the limits, layers that do not exist and more work than kMaxGenericRankWork.
std::size_t genericRank(const HierarchicalShape&, const std::vector<std::size_t>& freeLayers, std::uint64_t seed);

/// Modular multiplications of one such elimination at most, about 5e8 a second: inputs · columns · rank. It ends when the rank is full.
double genericRankWork(const HierarchicalShape&, const std::vector<std::size_t>& freeLayers);
inline constexpr double kMaxGenericRankWork = 1e10;

/// Of the recurrent model: layers 0 in, 1 rec, 2 out.
std::size_t genericRecurrentRank(std::size_t length, std::size_t channels, const std::vector<std::size_t>& freeLayers, std::uint64_t seed);

}  // namespace kappaflow
