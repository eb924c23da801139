#pragma once
#include <string_view>
#include <vector>

#include "core/io/onnx_graph.h"

namespace kappaflow::onnx {

/// The nodes that compute something from the model's input, in the order given, what exporters write out in many nodes replaced by one:
///   activations: a value through pointwise operators with single numbers (Add, Sub, Mul, Div, Pow, Min, Max, Neg, Abs, Exp, Log, Sqrt,
///     Reciprocal, Erf, Tanh, Sigmoid, Softplus, Relu, HardSigmoid, Clip), whatever their form, that agrees with Gelu (erf or tanh), Swish
///     (SiLU), Mish, HardSwish, Softplus, Sigmoid, Tanh, Relu or Abs to 2·10⁻⁶ on 71 numbers from −40 to 40
///   LayerNormalization: (x − mean x)/√(mean (x − mean x)² + ε), axes as an attribute of that name, with the constants that multiply it and
///     are added behind it
/// Only where a node among them is none that could be read alone. `output`: the model's. Cost: a few hundred operations a node.
std::vector<Node> simplified(const std::vector<const Node*>& order, const Constants&, std::string_view output);

}  // namespace kappaflow::onnx
