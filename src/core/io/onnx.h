#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// Reads an ONNX model (operator sets 6 to 22): one input [N, D], [N, C, W] or [N, C, H, W] with N = 1, named or unknown (or [T, N, D]
/// where a recurrent layer reads it), one output, and any graph of nodes between them; what does not lead to the output is left out:
/// - Gemm, MatMul, Conv and ConvTranspose 1-D and 2-D; Add, Sum, Sub, Mul, Div with a constant (a bias, or a scale kept as a batch norm)
/// - BatchNormalization, LayerNormalization over a sample or over the channels of a position, InstanceNormalization, GroupNormalization
/// - Relu, LeakyRelu, PRelu, Abs, Tanh, Sigmoid, HardSigmoid, Clip, Elu, Selu, Celu, Softplus, Gelu, Mish, HardSwish, Softmax, Exp, Log,
/// Sqrt,
///   Reciprocal, Erf, Sin, Cos, Neg; Pow by 2, 1/2 and −1
/// - MaxPool, AveragePool, GlobalAveragePool, GlobalMaxPool, ReduceMean, -Sum, -Max, -Min, -L1, -L2, -SumSquare
/// - Add, Sub, Sum, Mul, Div, Max, Min of computed values (broadcast), Concat, MatMul and Einsum of two computed matrices: layers of a
/// block,
///   which holds all from a value that is read several times to the next that everything goes through
/// - Slice, Split, Gather, Transpose, Expand, DepthToSpace, SpaceToDepth, Pad, Resize and Upsample by whole factors (linear ones with a
///   convolution behind): Route layers, several in a row one; padding that a convolution or pooling can do is that layer's
/// - LSTM, GRU, RNN as the layers of their steps, Softsign, Mean (onnx_patterns.h)
/// - Flatten, Reshape, Squeeze, Unsqueeze, Identity, Dropout, Constant; a last Softmax or LogSoftmax has no weights and is left out
/// Constants are computed from constants and from shapes (onnx_folding.h); activations and layer norms that are written out in many nodes
/// are recognised (onnx_patterns.h). All attributes count that the specification gives; tensors of FLOAT or DOUBLE, raw or typed. Nodes are
/// taken as data flow, not as they stand in the file. The result passes `validate`. Throws InputError with one sentence naming node and
/// operator or attribute, tensor, or byte offset; a sentence about the whole file names it when a name is given. Every size is compared
/// with what the file holds before anything is allocated for it. Memory beside the file: eight bytes a weight, twenty of those that are
/// computed from others. A softmax that was left out is told in `notes`, if they are asked for.
Network readOnnx(std::span<const unsigned char> bytes, std::string_view fileName = {}, std::vector<std::string>* notes = nullptr);

/// `length` bytes of the file at `location`, a path beside the model's, from `offset` on; without a length all of them.
using ExternalRead = std::function<std::string(const std::string& location, std::uint64_t offset, std::optional<std::uint64_t> length)>;
/// The model with the weights that it keeps in other files put inside; nothing where it keeps none there, or is no ONNX model. Throws what
/// `read` throws, and InputError for an offset or a length that is no number. Memory: the model and those weights, once more.
std::optional<std::vector<unsigned char>> withExternalData(std::span<const unsigned char> model, const ExternalRead& read);

/// The network as an ONNX model of operator set 13, or of the first that has an operator for every layer, which `readNetwork` reads back
/// with the same outputs to the bit. Tensors are FLOAT when every number of the network is a float, as drawn weights are, else DOUBLE.
///   Dense Gemm · Conv Conv · BatchNorm BatchNormalization, or Mul and Add for one scale a unit of a grid · pools MaxPool, AveragePool,
///   GlobalAveragePool · Flatten Reshape · Residual Add, after a Mul by a scale other than 1
///   reflected padding Pad, periodic padding Gather along each axis
///   activations Relu, LeakyRelu or PRelu, Abs, Tanh, Sigmoid, HardSigmoid, Clip, Identity, Elu, Selu, Softplus, HardSwish, Mish, Gelu,
///   Exp, Log, Sqrt, Reciprocal, Erf, Sin, Cos; SiLU as Sigmoid and Mul, Square as Pow
///   LayerNorm LayerNormalization (between two Transposes over the channels of a position), GroupNormalization
/// Layers and weights come back as they are, to the bit, too, except where ONNX has another form for them:
///   a dense layer on a grid with Flatten layers around it
///   a batch norm's epsilon that is no single as 0, the variances with it inside
///   a batch norm with one scale a unit of a grid between two Flatten layers, or as two batch norms that scale and shift
///   a layer norm over all of a grid with a scale of its own for every unit
///   Identity, and Flatten layers that leave all as it is, not at all; the factor of a sum's side that has no layers then as a batch norm
/// Throws InputError naming the layer: no weights, kernels of their own at every position, pseudo-random signs, a hard sigmoid whose line
/// is no pair of singles, an ELU's factor or a layer norm's epsilon that is none. Memory beside the network: twice the file.
std::vector<unsigned char> writeOnnx(const Network&);

}  // namespace kappaflow
