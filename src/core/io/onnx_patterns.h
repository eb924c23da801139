#pragma once
#include <optional>
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

/// The graph with LSTM, GRU and RNN nodes as the nodes of their steps, and Softsign and Mean as several; nothing where it has none of
/// these. A step is a dense layer (GRU: three), Split, activations, Mul and Add, the weights of every step the same numbers. The sizes of a
/// sequence and its weights are constants; no peepholes, no clipping, no early ends. Views into both graphs. Throws InputError naming the
/// node. Memory: the weights of one step once more.
std::optional<Graph> writtenOut(const Graph&, const std::vector<const Node*>& order, const Constants&);

}  // namespace kappaflow::onnx
