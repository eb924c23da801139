#pragma once
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// The network as an ONNX model of operator set 13 (19 when a mean is taken over cells that lie apart), which `readNetwork` reads back with
/// the same outputs to the bit. Tensors are FLOAT when every number of the network is a float, as drawn weights are, else DOUBLE.
///   Dense Gemm · Conv Conv · BatchNorm BatchNormalization, or Mul and Add for one scale a unit of a grid · pools MaxPool, AveragePool,
///   GlobalAveragePool · Flatten Reshape · Residual Add, after a Mul by a scale other than 1
///   reflected padding Pad, periodic padding Gather along each axis
///   activations Relu, LeakyRelu or PRelu, Abs, Tanh, Sigmoid, HardSigmoid, Clip, Identity
/// Layers and weights come back as they are, to the bit, too, except where ONNX has another form for them:
///   a dense layer on a grid with Flatten layers around it
///   a batch norm's epsilon that is no single as 0, the variances with it inside
///   a batch norm with one scale a unit of a grid between two Flatten layers, or as two batch norms that scale and shift
///   Identity, and Flatten layers that leave all as it is, not at all; the factor of a sum's side that has no layers then as a batch norm
/// Throws InputError naming the layer: no weights, kernels of their own at every position, pseudo-random signs, a hard sigmoid whose line
/// is no pair of singles. Memory beside the network: twice the file.
std::vector<unsigned char> writeOnnx(const Network&);

}  // namespace kappaflow
