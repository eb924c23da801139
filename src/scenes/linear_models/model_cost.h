#pragma once
#include "core/linear/optimum.h"

namespace kappaflow::linear {

/// Operations of a search: the core's bound, and for tensor trains, which end after some twenty steps, what these take.
double optimumCost(const LinearModel&, const OptimumOptions&);

}  // namespace kappaflow::linear
