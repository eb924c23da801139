#pragma once
#include "core/capacity/function_jacobian.h"
#include "scenes/capacity_flow/lower_layers/model_scales.h"
#include "scenes/capacity_flow/lower_layers/model_setup.h"

namespace kappaflow::lower {

/// One activation's network, and what sampling its Jacobian has found so far.
struct SampledNetwork {
    Activation activation;
    Network network;
    FunctionJacobian jacobian;
    std::vector<ScaledUnit> units;       ///< in the order of scaleDirections
    double onePiece = 0;                 ///< see onePieceUnits
    std::vector<std::size_t> rankAt;     ///< after each of the looks so far
    std::vector<double> singularValues;  ///< at the last look, the largest 1

    SampledNetwork(const Setup&, Activation);
    /// Goes on to so many inputs in all, and at a look decides the rank.
    void sampleTo(std::size_t inputs, bool look);
};

/// When to stop and look at the rank: often while it grows, up to about 1.6 times as many rows as parameters, and at the end; between
/// the last two stops no more than a few milliseconds of samples each.
struct Stop {
    std::size_t inputs;
    bool look;
};
std::vector<Stop> stopsOf(const Setup&);

}  // namespace kappaflow::lower
