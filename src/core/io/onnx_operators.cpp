#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "core/io/onnx_chain.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

[[noreturn]] void refuse(const Node& node, const std::string& reason) { throw InputError(label(node) + ": " + reason + "."); }

const Attribute* attribute(const Node& node, std::string_view name) {
    for (const Attribute& candidate : node.attributes)
        if (candidate.name == name) return &candidate;
    return nullptr;
}

double numberAttribute(const Node& node, std::string_view name, double standard) {
    const Attribute* found = attribute(node, name);
    if (!found) return standard;
    if (!found->number || !std::isfinite(*found->number)) refuse(node, "its attribute " + std::string(name) + " must be a finite number");
    return *found->number;
}

std::int64_t integerAttribute(const Node& node, std::string_view name, std::int64_t standard) {
    const Attribute* found = attribute(node, name);
    if (!found) return standard;
    if (!found->integer) refuse(node, "its attribute " + std::string(name) + " must be a whole number");
    return *found->integer;
}

void requireInputs(const Node& node, std::size_t least, std::size_t most) {
    const std::size_t count = node.inputs.size();
    const bool complete = count >= least && std::none_of(node.inputs.begin(), node.inputs.begin() + static_cast<std::ptrdiff_t>(least),
                                                         [](std::string_view input) { return input.empty(); });
    if (complete && count <= most) return;
    refuse(node, "operator " + printable(node.type) + " takes " + std::to_string(least) +
                     (most > least ? " to " + std::to_string(most) : std::string()) + " inputs");
}

std::string shortNumber(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

// Beyond float's range squares of weights overflow even in double, a little further up.
void requireFloatRange(const Node& node, const std::vector<double>& values, const char* what) {
    for (double value : values)
        if (!(std::abs(value) <= std::numeric_limits<float>::max())) refuse(node, std::string("one of its ") + what + " is too large");
}

}  // namespace

const std::vector<ChainBuilder::Operator>& ChainBuilder::operators() {
    static const std::vector<Operator> all = {
        {"Gemm", &ChainBuilder::readGemm},         {"MatMul", &ChainBuilder::readMatMul},        {"Add", &ChainBuilder::readAdd},
        {"Relu", &ChainBuilder::readActivation},   {"LeakyRelu", &ChainBuilder::readActivation}, {"Abs", &ChainBuilder::readActivation},
        {"Tanh", &ChainBuilder::readActivation},   {"Sigmoid", &ChainBuilder::readActivation},   {"Clip", &ChainBuilder::readClip},
        {"Identity", &ChainBuilder::readIdentity}, {"Flatten", &ChainBuilder::readFlatten},      {"Constant", &ChainBuilder::readConstant},
        {"Softmax", &ChainBuilder::readSoftmax},
    };
    return all;
}

void ChainBuilder::append(Layer layer, const Node& node, const Shape& out) {
    layer.in = network_.output();
    layer.out = out;
    layer.name = printable(node.name);
    network_.layers.push_back(std::move(layer));
}

void ChainBuilder::addDense(const Node& node, const Tensor& matrix, bool outputsFirst, double scale) {
    requireFlat(node);
    elementCount(matrix);
    if (matrix.dims.size() != 2) refuse(node, "its weights " + quoted(matrix.name) + " are " + shapeText(matrix.dims) + ", not a matrix");
    const double inputs = static_cast<double>(matrix.dims[outputsFirst ? 1 : 0]),
                 outputs = static_cast<double>(matrix.dims[outputsFirst ? 0 : 1]);
    if (outputs > kMaxFileUnits) refuse(node, "it has " + whole(outputs) + " units; at most " + whole(kMaxFileUnits) + " are possible");
    if (inputs != static_cast<double>(network_.output().units()))
        refuse(node, "its weights " + quoted(matrix.name) + " take " + whole(inputs) + " units, but " +
                         std::to_string(network_.output().units()) + " come from below");
    weights_ += inputs * outputs;
    if (weights_ > kMaxFileWeights) refuse(node, "with it the model has more than " + whole(kMaxFileWeights) + " weights");

    Layer layer;
    layer.weights = numbers(matrix);
    const std::size_t rows = static_cast<std::size_t>(outputs), columns = static_cast<std::size_t>(inputs);
    if (!outputsFirst) {
        std::vector<double> turned(layer.weights.size());
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < columns; ++j) turned[i * columns + j] = layer.weights[j * rows + i];
        layer.weights.swap(turned);
    }
    for (double& weight : layer.weights) weight *= scale;
    requireFloatRange(node, layer.weights, "weights");
    append(std::move(layer), node, {1, 1, static_cast<int>(outputs)});
}

void ChainBuilder::addBias(const Node& node, const Tensor& tensor, double scale) {
    Layer& layer = network_.layers.back();
    const double count = elementCount(tensor), units = static_cast<double>(layer.out.units());
    const bool single = count == 1, perUnit = !tensor.dims.empty() && count == units && static_cast<double>(tensor.dims.back()) == units;
    if (tensor.dims.size() > 2 || !(single || perUnit))
        refuse(node, "its bias " + quoted(tensor.name) + " is " + shapeText(tensor.dims) + " for " + whole(units) + " units");
    const std::vector<double> bias = numbers(tensor);
    layer.bias.resize(layer.out.units(), 0.0);
    for (std::size_t i = 0; i < layer.bias.size(); ++i) layer.bias[i] += scale * bias[single ? 0 : i];
    requireFloatRange(node, layer.bias, "biases");
}

void ChainBuilder::readGemm(const Node& node) {
    requireInputs(node, 2, 3);
    if (integerAttribute(node, "transA", 0) != 0) refuse(node, "transA = 1 is not supported");
    const std::int64_t transB = integerAttribute(node, "transB", 0);
    if (transB != 0 && transB != 1) refuse(node, "transB = " + std::to_string(transB) + " must be 0 or 1");
    if (node.inputs[0] != current_) refuse(node, "its first input must be what the layers below make, not a constant");
    addDense(node, *constantInput(node, 1), transB == 1, numberAttribute(node, "alpha", 1));
    const double beta = numberAttribute(node, "beta", 1);
    if (const Tensor* bias = constantInput(node, 2)) addBias(node, *bias, beta);
}

void ChainBuilder::readMatMul(const Node& node) {
    requireInputs(node, 2, 2);
    if (node.inputs[0] != current_) refuse(node, "its first input must be what the layers below make, not a constant");
    addDense(node, *constantInput(node, 1), false, 1);
}

void ChainBuilder::readAdd(const Node& node) {
    requireInputs(node, 2, 2);
    if (network_.layers.empty() || network_.layers.back().kind != LayerKind::Dense)
        refuse(node, "Add is supported only as the bias of the Gemm or MatMul before it");
    addBias(node, *constantInput(node, node.inputs[0] == current_ ? 1 : 0), 1);
}

void ChainBuilder::addActivation(const Node& node, Activation activation, double slope) {
    Layer layer;
    layer.kind = LayerKind::Activation;
    layer.activation = activation;
    layer.slope = slope;
    append(std::move(layer), node, network_.output());
}

void ChainBuilder::readActivation(const Node& node) {
    requireInputs(node, 1, 1);
    if (node.type == "LeakyRelu") return addActivation(node, Activation::LeakyRelu, numberAttribute(node, "alpha", 0.01));
    if (node.type == "Relu") return addActivation(node, Activation::Relu);
    if (node.type == "Abs") return addActivation(node, Activation::Abs);
    if (node.type == "Tanh") return addActivation(node, Activation::Tanh);
    addActivation(node, Activation::Sigmoid);
}

// The bounds are attributes up to opset 10, inputs from 11 on.
void ChainBuilder::readClip(const Node& node) {
    requireInputs(node, 1, 3);
    const auto bound = [&](std::size_t index, std::string_view name, double standard) {
        const Tensor* tensor = constantInput(node, index);
        if (!tensor) return numberAttribute(node, name, standard);
        if (elementCount(*tensor) != 1) refuse(node, "its " + std::string(name) + " must be a single number");
        return numbers(*tensor).front();
    };
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double low = bound(1, "min", -kInfinity), high = bound(2, "max", kInfinity);
    if (low == -1 && high == 1) return addActivation(node, Activation::HardTanh);
    if (low == 0 && high == 6) return addActivation(node, Activation::Relu6);
    refuse(node, "Clip to " + shortNumber(low) + " … " + shortNumber(high) + " is not supported; −1 … 1 and 0 … 6 are");
}

void ChainBuilder::readFlatten(const Node& node) {
    requireInputs(node, 1, 1);
    const std::int64_t axis = integerAttribute(node, "axis", 1), rank = static_cast<std::int64_t>(rank_);
    if (axis != 1 && axis != 1 - rank) refuse(node, "Flatten from axis " + std::to_string(axis) + " is not supported; it must be 1");
    Layer layer;
    layer.kind = LayerKind::Flatten;
    append(std::move(layer), node, {1, 1, static_cast<int>(network_.output().units())});
    rank_ = 2;
}

// Of a computed value: nothing to do. Of a constant: another name for it, as exporters write shared weights.
void ChainBuilder::readIdentity(const Node& node) {
    requireInputs(node, 1, 1);
    if (isConstant(node.inputs[0])) constants_.emplace(node.outputs[0], constantInput(node, 0));
}

// It carries no weights and the capacity of the scores is that of the probabilities, so at the end it is left out.
void ChainBuilder::readSoftmax(const Node& node) {
    requireInputs(node, 1, 1);
    for (const ValueInfo& output : graph_.outputs)
        if (output.name == node.outputs[0]) return;
    refuse(node, "operator Softmax is supported only as the last node");
}

void ChainBuilder::readConstant(const Node& node) {
    requireInputs(node, 0, 0);
    const Attribute* value = attribute(node, "value");
    if (!value || !value->tensor) refuse(node, "only constants given as a tensor (attribute \"value\") are supported");
    constants_.emplace(node.outputs[0], &*value->tensor);
}

}  // namespace kappaflow::onnx
