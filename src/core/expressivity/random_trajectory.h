#pragma once
#include <cstdint>
#include <vector>

#include "core/expressivity/curve_layer.h"
#include "core/expressivity/growth_theory.h"

namespace kappaflow {

/// `layers` layers from k to k units: weights N(0, σ_w²/k), biases N(0, σ_b²). Draw 0 is the network that `initialise` draws for dense
/// layers with an activation behind each; another draw shares nothing with it. Only their scale changes with σ_w².
/// Throws InputError when width or variances are no admissible numbers.
std::vector<CurveLayer> randomLayers(const GrowthSetting&, std::size_t layers, std::uint64_t seed, std::uint64_t draw = 0);

/// Draw 0 of these layers as a network: `curveLayers` has them back to the bit. Without `lastActivation` the last layer is linear.
Network randomNetwork(const GrowthSetting&, std::size_t layers, std::uint64_t seed, bool lastActivation = true);

/// Two vectors with entries N(0, 1), one after the other: what the paper's circular trajectories run between.
struct RandomEnds {
    std::vector<double> x0, x1;
};
RandomEnds randomEnds(std::size_t units, std::uint64_t seed, std::uint64_t draw = 0);

}  // namespace kappaflow
