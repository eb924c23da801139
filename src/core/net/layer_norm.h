#pragma once
#include <cstddef>
#include <vector>

#include "core/net/batch_layers.h"
#include "core/net/network.h"

namespace kappaflow {

/// Units that a layer norm takes one mean and one variance of: first, first + stride, … `count` of them.
struct NormalisedSet {
    std::size_t first = 0, stride = 1, count = 0;
};
std::vector<NormalisedSet> normalisedSets(const Layer& layerNorm);

// Of n units x with mean μ, variance σ² and x̂ = (x − μ)/s, s = √(σ² + epsilon), the output is w x̂ + b and the Jacobian
// diag(w) (1 − 1/n − x̂ x̂ᵀ/n)/s. Where all units are equal and epsilon is 0, x̂ and the Jacobian are 0. Cost: a few operations a unit.

/// y and pulled are already of their sizes.
void applyLayerNorm(const Layer&, const Batch& x, Batch& y);
void pullLayerNorm(const Layer&, const Batch& x, const Batch& g, Batch& pulled);
/// Jacobian times tangents; tangents [units][samples × k], those of a sample side by side.
Batch layerNormTangents(const Layer&, const Batch& x, const Batch& tangents);

}  // namespace kappaflow
