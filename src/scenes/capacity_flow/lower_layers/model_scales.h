#pragma once
#include <vector>

#include "core/net/network.h"

namespace kappaflow::lower {

/// Factors a unit's incoming weights are multiplied by and its outgoing ones divided by: 1/4 … 4 in steps of √2, from products and square
/// roots alone, so that they are the same bits everywhere.
std::vector<double> scaleFactors();
inline constexpr std::size_t kFactors = 9, kWhole = 4;  ///< factor kWhole is 1
inline constexpr std::size_t kPlaces = 41;              ///< inputs along the line x(t) = a + t·u, t = −3 … 3

/// What the network's first output does along a line of inputs while one hidden unit is scaled.
struct ScaledUnit {
    std::vector<double> output;  ///< [factor][place]
    double change = 0;           ///< largest |y_s − y_1| over outputs, factors and places, over the largest |y_1|
};

/// For every hidden unit in the order of scaleDirections. The line is drawn once: a and u Gaussian times `deviation`, stream (seed, Data).
/// Cost: units · 9 · 41 forward passes.
std::vector<ScaledUnit> scaleUnits(const Network&, double deviation, std::uint64_t seed);

/// Hidden units whose argument met a single linear piece of its activation over the first `inputs` inputs of FunctionJacobian's stream:
/// always on one side of zero, or for the hard tanh never beyond ±1 or always. All of them for the identity; NaN for smooth ones.
double onePieceUnits(const Network&, std::size_t inputs, double deviation, std::uint64_t seed);

}  // namespace kappaflow::lower
