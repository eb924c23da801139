#pragma once
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// The network as an ONNX model of operator set 13 (19 when a mean is taken over cells that lie apart), which `readNetwork` reads back:
/// the same architecture, weights to the bit, and so the same outputs to the bit. Tensors are FLOAT when every number of the network is a
/// float, as drawn weights are, else DOUBLE.
///   Dense Gemm · Conv Conv · BatchNorm BatchNormalization, or Mul and Add for one scale a unit of a grid · pools MaxPool, AveragePool,
///   GlobalAveragePool · Flatten Reshape · Residual Add, after a Mul by a scale other than 1
///   reflected padding Pad, periodic padding Gather along each axis
///   activations Relu, LeakyRelu or PRelu, Abs, Tanh, Sigmoid, HardSigmoid, Clip, Identity
/// What ONNX has no form for comes back in another one with the same outputs: a Reshape before a dense layer on a grid as a Flatten layer,
/// batch norm's epsilon, a single in ONNX, inside the variances where it is none; Identity, and layers that leave all as it is, not at all.
/// Throws InputError naming the layer: no weights, kernels of their own at every position, pseudo-random signs, a hard sigmoid whose line
/// is no pair of singles. Memory beside the network: twice the file.
std::vector<unsigned char> writeOnnx(const Network&);

}  // namespace kappaflow
