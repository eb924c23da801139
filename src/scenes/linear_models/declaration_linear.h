#pragma once
#include <vector>

#include "scene/declare.h"
#include "scenes/linear_models/gaussian_task.h"

namespace kappaflow {
namespace linear {

/// The params of a Gaussian-process task (P2 App. B), alike in every scene of linear models: `process`, and what it takes.
std::vector<Param> taskParams();

}  // namespace linear

namespace wide {

/// The params that scenes of stacks growing along a timeline have in common, after their own: the optimiser's `steps` and `restarts`,
/// `seed`, where the timeline stands (`at`, 1 … most, at the end to begin with) and whether it plays.
std::vector<Param> withStackParams(std::vector<Param> own, double most, Text symbol, Text label, Text help, Text serves);

}  // namespace wide
}  // namespace kappaflow
