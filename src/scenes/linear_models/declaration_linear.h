#pragma once
#include <vector>

#include "scene/declare.h"

namespace kappaflow {
namespace linear {

/// The params of a Gaussian-process task (P2 App. B), alike in every scene of linear models: `process`, and what it takes.
std::vector<Param> taskParams();

/// What the scenes of one model on one task have in common: which basis, how the optimum is looked for, what the timeline walks
/// through, where its weights were pulled to.
std::vector<Param> analysisParams();
/// Timeline over the numbers of channels (`at`, `play`) and over the steps of an optimisation (`step`).
std::vector<Param> walkParams();

/// The fields of P2 Figs 5 and 14 at the number of channels asked for, and the same along the timeline.
std::vector<Field> analysisFields();

/// Sets both timelines.
void walkAlong(Declaration&);

/// The params of a stack of dilated convolutions (P2 Eq 19): channels, with this default, layers, taps and dilations.
std::vector<Param> treeParams(double channels);

/// An optimum is called one while ‖KᵀX‖/‖X‖ is at most this: searches that end there reach 1e-7 to 1e-11, searches that stall stay
/// between 1e-3 and 1.
inline constexpr double kOptimal = 1e-6;

}  // namespace linear

namespace wide {

/// The params that scenes of stacks growing along a timeline have in common, after their own: the optimiser's `steps` and `restarts`,
/// `seed`, where the timeline stands (`at`, 1 … most, at the end to begin with) and whether it plays.
std::vector<Param> withStackParams(std::vector<Param> own, double most, Text symbol, Text label, Text help, Text serves);

}  // namespace wide
}  // namespace kappaflow
