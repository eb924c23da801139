#pragma once
#include <vector>

#include "core/base/rng.h"
#include "core/net/network.h"

namespace kappaflow {

/// Squared gradient of the output units at one Gaussian input N(0, I), [state as in `forward`][unit]: (Σ_j s_j √top_j ∂y_j/∂x^l_i)²
/// with random signs s_j. Its mean over inputs and signs is Σ_j top_j E(∂y_j/∂x^l_i)², which is the capacity of unit i where the
/// activation is pseudo-random (P1 5, "two sides of the same coin"). Draws from `rng` the input first, then the signs.
/// Cost: a forward and a backward pass.
std::vector<std::vector<double>> squaredGradient(const Network&, const std::vector<double>& top, Rng& rng);

}  // namespace kappaflow
