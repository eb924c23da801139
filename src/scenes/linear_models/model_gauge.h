#pragma once
#include <cstdint>
#include <vector>

#include "core/linear/hierarchical_model.h"

namespace kappaflow::linear {

/// The same response from weights in general position. A tensor train makes use of bondDimensions of its channels, and a search may leave
/// the others at 0; what a layer can do by itself, the others constant, then looks smaller than it is. Such a channel gets random
/// weights on one side of its bond (N(0, 1/c), stream (seed, Weights, 5000 + bond)): those that read it where the layers below fill the
/// bond, those that write it where the layers above do. Channels that are in use stay as they are.
std::vector<double> fillUnusedChannels(const HierarchicalModel&, std::vector<double> weights, std::uint64_t seed);

}  // namespace kappaflow::linear
