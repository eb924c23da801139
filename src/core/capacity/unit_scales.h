#pragma once
#include <cstdint>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

// Small networks without biases (see lower_layers.h) as they run: what scaling a hidden unit does to their outputs, and which linear
// pieces of its activation each hidden unit meets.

/// Factors a unit's incoming weights are multiplied by and its outgoing ones divided by: 1/4 … 4 in steps of √2, from products and square
/// roots alone, so that they are the same bits everywhere.
std::vector<double> scaleFactors();
inline constexpr std::size_t kScaleFactors = 9;
inline constexpr std::size_t kScalePlaces = 41;  ///< inputs along the line x(t) = a + t·u, t = −3 … 3
std::vector<double> scalePlaces();               ///< t of each

/// The network's first output along a line of inputs while one hidden unit is scaled.
struct ScaledUnit {
    std::vector<double> output;  ///< [factor][place]
    double change = 0;           ///< largest |y_s − y_1| over outputs, factors and places, over the largest |y_1|
};
/// For every hidden unit in the order of scaleDirections. The line is drawn once: a and u Gaussian times `deviation`, stream (seed, Data).
/// Cost: units · 9 · 41 forward passes.
std::vector<ScaledUnit> scaleUnits(const Network&, double deviation, std::uint64_t seed);

/// Linear pieces met over the first `inputs` inputs of FunctionJacobian's stream. NaN for smooth activations.
struct PiecesMet {
    /// Hidden units (channels of a convolution) whose argument met a single piece: always on one side of zero, or for the hard tanh never
    /// beyond ±1 or always. All of them for the identity.
    double onePieceUnits = 0;
    /// Different combinations of pieces of all hidden units together: without biases sectors of the input space, on each of which the
    /// network is linear.
    double sectors = 0;
};
/// Cost: `inputs` forward passes.
PiecesMet piecesMet(const Network&, std::size_t inputs, double deviation, std::uint64_t seed);

}  // namespace kappaflow
