#pragma once
#include <cstddef>
#include <cstdint>

#include "core/net/network.h"

namespace kappaflow {

// What a reader may change about the make of a network. `layer` is an index into network.layers; what follows it up to the next layer
// that is neither an activation nor a norm counts as part of it. Results pass `validate`. All throw InputError in one sentence when
// the layer is none that can be changed so, or when the result would be too large. Fresh weights come from the stream (seed, Weights,
// kEditStream + place), places counting from 0 within one edit.

inline constexpr std::uint64_t kEditStream = std::uint64_t{1} << 40;
/// Multiply-adds that an edit may take.
inline constexpr double kMostEditWork = 2e9;

/// Behind the layer another one of as many units, with a copy of its activation: weights (1 − fresh)·I + fresh·R, R ~ N(0, 2/k). Of a
/// convolution: three taps along every axis longer than 1, I in their middle. fresh = 0 keeps the function where f(f(z)) = f(z): the
/// identity, ReLU, |z|, hard tanh, ReLU6. Throws unless 0 <= fresh <= 1.
Network withLayerInserted(const Network&, std::size_t layer, double fresh, std::uint64_t seed);

/// Without the layer's own bend: its weights are multiplied into those of the dense layer behind it, so that the function is that of the
/// network whose activation there is the identity. A convolution, or a layer in front of one, is taken out with its activation, which its
/// shape must allow.
Network withLayerRemoved(const Network&, std::size_t layer);

/// `units` more units of a dense layer, channels of a convolution, and as many more inputs of the layer behind it. New weights are
/// N(0, mean square of the weights of their layer), biases 0. units = 0 changes nothing.
Network withLayerWidened(const Network&, std::size_t layer, std::size_t units, std::uint64_t seed);

/// Weights and biases times a finite factor.
Network withLayerRescaled(const Network&, std::size_t layer, double factor);

/// layer(x) + scale·skip(x): the identity where the layer keeps its shape, else a matrix N(0, 1/k) (a 1 × 1 convolution between grids of
/// the same sides). scale = 0 keeps the function. Throws unless the scale is finite and not negative.
Network withSkipAdded(const Network&, std::size_t layer, double scale, std::uint64_t seed);

}  // namespace kappaflow
