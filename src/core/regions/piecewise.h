#pragma once
#include <cstddef>

#include "core/net/linear_pieces.h"

namespace kappaflow {

/// Whether the layer's activation is piecewise linear.
inline bool isPiecewiseLinear(const Layer& layer) { return isPiecewiseLinear(layer.activation); }
/// The function of the activation layer's unit i, with the layer's own slopes, gain and offset; only where isPiecewiseLinear. Neighbouring
/// equal slopes are joined (|z| of slope −1 and 1 keeps its threshold, a leaky ReLU of slope 1 has none).
LinearPieces piecewiseLinear(const Layer& activation, std::size_t unit);

}  // namespace kappaflow
