#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// The two rules that capacity goes down a network by: D = P∘P, and what its own gates leave on samples (GatedPaths).
enum class CapacityRule { Squares, Measured };

/// Places of a chain or of a block's inside (as operandOf has them) whose values are gates: what comes from sigmoid, hard sigmoid or
/// softmax, moved about, scaled and shifted (batch norm: 1 − σ), and products of such.
std::vector<bool> gatePlaces(const std::vector<Layer>&);

/// Of every layer the operands that the capacity behind it goes down to; none of a layer whose values end up in gates alone. A Product and,
/// measured, a MatMul follow the one factor that is no gate. Throws InputError naming the layer where there is no such one, for a Softmax
/// on the way and, by D = P∘P, for a MatMul: the weights that it mixes by are no squares of numbers. Sums measured leave out operands of
/// scale 0.
std::vector<std::vector<std::size_t>> followedOperands(const std::vector<Layer>&, CapacityRule);

/// `The product "mul_3"`, or `A product` of one without a name.
std::string named(const Layer&, const std::string& what);

}  // namespace kappaflow
