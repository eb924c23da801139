#pragma once
#include <string_view>
#include <vector>

#include "core/io/onnx_chain.h"

namespace kappaflow::onnx {

/// Adds what a node computes to the chain. Throws InputError naming the node.
using Read = void (*)(const Node&, LayerChain&);

/// An operator that is read; what a node may have of inputs, outputs and attributes is checked before any node is read.
struct Operator {
    std::string_view type;
    Read read;
    std::size_t leastInputs, mostInputs, mostOutputs;
    std::vector<std::string_view> attributes;
};
const std::vector<Operator>& operators();
const Operator& operatorOf(const Node&);

/// Throws InputError naming the first node with an operator, an attribute or a number of inputs or outputs that is not supported.
void requireSupported(const Graph&);

// onnx_linear.cpp
void readGemm(const Node&, LayerChain&);
void readMatMul(const Node&, LayerChain&);
void readConv(const Node&, LayerChain&);
/// Adds a constant to what a linear layer makes. False when the layer holds no bias of that form.
bool addBias(const Node&, Layer& linear, const std::vector<double>& bias);

// onnx_scale.cpp
void readBatchNormalization(const Node&, LayerChain&);
/// A single number that multiplies a side of a residual sum.
double readFactor(const Node&, const Tensor&, NetworkTotals&);
/// Multiplies what the chain has come to.
void addFactor(const Node&, LayerChain&, double factor);
/// Add, Sum, Sub, Mul, Div with one constant operand.
void readArithmetic(const Node&, LayerChain&);

// onnx_pointwise.cpp
void readActivation(const Node&, LayerChain&);
void readLeakyRelu(const Node&, LayerChain&);
void readPRelu(const Node&, LayerChain&);
void readHardSigmoid(const Node&, LayerChain&);
void readClip(const Node&, LayerChain&);
void readIdentity(const Node&, LayerChain&);
void readDropout(const Node&, LayerChain&);
/// Softmax and LogSoftmax.
void readSoftmax(const Node&, LayerChain&);

// onnx_pooling.cpp
void readMaxPool(const Node&, LayerChain&);
void readAveragePool(const Node&, LayerChain&);
void readGlobalAveragePool(const Node&, LayerChain&);
void readGlobalMaxPool(const Node&, LayerChain&);
void readReduceMean(const Node&, LayerChain&);

// onnx_padding.cpp
void readPad(const Node&, LayerChain&);
/// A list of cells that is an axis with its padding around it.
void readGather(const Node&, LayerChain&);
/// Throws InputError when the node, or nothing (null), reads padding that only a window may read.
void requireNoFrame(const LayerChain&, const Node*);

// onnx_reshape.cpp
void readFlatten(const Node&, LayerChain&);
void readReshape(const Node&, LayerChain&);
void readSqueeze(const Node&, LayerChain&);
void readUnsqueeze(const Node&, LayerChain&);
void readTranspose(const Node&, LayerChain&);

}  // namespace kappaflow::onnx
