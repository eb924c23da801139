#pragma once
#include <vector>

#include "scenes/linear_models/declaration_task.h"

namespace kappaflow::linear {

/// What the scenes of one model on one task have in common: which basis, how the optimum is looked for, what the timeline walks
/// through, where its weights were pulled to.
std::vector<Param> analysisParams();
/// Timeline over the numbers of channels (`at`, `play`) and over the steps of an optimisation (`step`).
std::vector<Param> walkParams();

/// The fields of P2 Figs 5 and 14 at the number of channels asked for, and the same along the timeline.
std::vector<Field> analysisFields();

/// Sets both timelines.
void walkAlong(Declaration&);

}  // namespace kappaflow::linear
