#pragma once
#include <span>
#include <string_view>

#include "core/io/network_file.h"

namespace kappaflow {

/// Reads an ONNX model (operator sets 7 to 22): one input [N, D], [N, C, W] or [N, C, H, W] with N = 1, named or unknown, one output, and a
/// chain of nodes between them with residual additions:
///   Gemm, MatMul · Conv 1-D, 2-D · BatchNormalization · Add, Sum, Sub, Mul, Div with a constant (a bias, or a scale kept as a batch norm)
///   Relu, LeakyRelu, PRelu, Abs, Tanh, Sigmoid, HardSigmoid, Clip (−1…1, 0…6, 0…∞)
///   MaxPool, AveragePool, GlobalAveragePool, GlobalMaxPool, ReduceMean over positions
///   Pad with reflect or wrap, and Gather that pads an axis so, before a convolution or pooling
///   Flatten, Reshape, Squeeze, Unsqueeze, Transpose of single-entry axes: what keeps a sample's numbers in their order
///   Add or Sum of two chains that fork from one value (Residual: identity or projection skips, nested blocks; a last Mul
///   by one number is the side's scale)
///   Identity, Dropout, Constant; a last Softmax or LogSoftmax has no weights and is left out
/// with all attributes that the specification gives them; tensors of FLOAT or DOUBLE, raw or typed. Nodes are taken as data flow, not as
/// they stand in the file. The result passes `validate`. Throws InputError with one sentence naming node and operator or attribute,
/// tensor, or byte offset; a sentence about the whole file names it when a name is given. Every size is compared with what the file
/// holds before anything is allocated for it. Memory beside the file: eight bytes a weight.
Network readOnnx(std::span<const unsigned char> bytes, std::string_view fileName = {});

}  // namespace kappaflow
