#pragma once
#include <cstdint>

#include "core/moments/layer_moments.h"
#include "core/moments/moment_net.h"
#include "core/moments/point_values.h"

namespace kappaflow {

/// An expectation over weights, estimated.
struct FreshValue {
    double value = kUndefined, standardError = kUndefined;
};

/// What Theorems 2–4 say of a layer's increment before its weights are known: E_{c,θ} over weights that were drawn for this alone, on the
/// input that the layer really has.
struct FreshTheorems {
    FreshValue increment;  ///< δχ^l: Theorem 2, Theorem 3's product, (*) with the branch's variances expected over fresh branches
    FreshValue batchNorm, activation;  ///< Theorem 3's terms (batch norm, feedforward; the second for the ReLU)
    std::size_t draws = 0;             ///< of a layer's or unit's weights
};

/// `before` is the state that layer (or residual unit) `layer` = 1 … takes; fresh weights are numbers firstDraw … firstDraw + draws − 1 of
/// a seed made from `seed`, independent of the network's own. Channels of one feedforward layer are independent given its input, so that
/// each counts as a sample; of a resnet each draw counts as one, and a standard error needs two. Undefined where the theorems need a ReLU
/// and there is none, where a fresh unit leaves the range of numbers or its batch norm has nothing to divide by, and where no branch lets
/// anything through. Throws InputError when a size does not fit. Cost: `draws` times a layer's or unit's.
FreshTheorems freshTheorems(const MomentNet&, const SignalAndNoise& before, std::size_t layer, std::size_t draws, std::uint64_t seed,
                            std::uint64_t firstDraw = 0);

}  // namespace kappaflow
