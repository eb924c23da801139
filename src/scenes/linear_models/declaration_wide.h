#pragma once
#include <vector>

#include "scene/declare.h"

namespace kappaflow::wide {

/// The params that scenes of stacks growing along a timeline have in common, after their own: the optimiser's `steps` and `restarts`,
/// `seed`, where the timeline stands (`at`, 1 … most, at the end to begin with) and whether it plays.
std::vector<Param> withStackParams(std::vector<Param> own, double most, Text symbol, Text label, Text help, Text serves);

}  // namespace kappaflow::wide
