#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/io/onnx_operators.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

/// y = scale·x + shift as a batch norm of mean 0 and variance 1; either list has one number, one a channel, or one a unit.
void addScale(const Node& node, LayerChain& chain, const std::vector<double>& scale, const std::vector<double>& shift) {
    const Shape& shape = chain.value().shape;
    const std::size_t channels = static_cast<std::size_t>(shape.channels);
    Layer layer;
    layer.kind = LayerKind::BatchNorm;
    layer.shared = std::max(scale.size(), shift.size()) <= channels;
    const std::size_t count = layer.shared ? channels : shape.units();
    const auto spread = [&](const std::vector<double>& values) {
        std::vector<double> all(count);
        for (std::size_t i = 0; i < count; ++i) all[i] = values[i * values.size() / count];
        return all;
    };
    layer.weights = spread(scale);
    layer.bias = spread(shift);
    layer.mean.assign(count, 0);
    layer.variance.assign(count, 1);
    layer.batchNormEpsilon = 0;
    requireFloatRange(node, layer.weights, "factors");
    requireFloatRange(node, layer.bias, "terms");
    requireNone(node, chain.totals().addScale(layer));
    chain.add(node, std::move(layer), chain.value());
}

void addShift(const Node& node, LayerChain& chain, const std::vector<double>& shift) {
    Layer* linear = chain.lastLinear();
    if (linear && addBias(node, *linear, shift)) return;
    addScale(node, chain, {1}, shift);
}

std::vector<double> negated(std::vector<double> values) {
    for (double& value : values) value = -value;
    return values;
}

std::vector<double> inverted(const Node& node, std::vector<double> values) {
    for (double& value : values) {
        if (value == 0) refuse(node, "it divides by 0");
        value = 1 / value;
    }
    return values;
}

std::vector<double> statistics(const Node& node, const LayerChain& chain, std::size_t index, const std::vector<std::int64_t>& dims) {
    const Tensor& tensor = chain.requiredConstant(node, index);
    if (tensor.dims != dims)
        refuse(node, "its input " + quoted(tensor.name) + " is " + shapeText(tensor.dims) + " where " + shapeText(dims) + " is needed");
    std::vector<double> values = numbers(tensor);
    requireFloatRange(node, values, "numbers");
    return values;
}

}  // namespace

void readBatchNormalization(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    if (flagAttribute(node, "training_mode", false)) refuse(node, "it is in training mode; export the model in evaluation mode");
    const Value& in = chain.value();
    const bool perUnit = !flagAttribute(node, "spatial", true);
    std::vector<std::int64_t> dims = in.sizes();
    if (!perUnit) dims.resize(1);
    Layer layer;
    layer.kind = LayerKind::BatchNorm;
    layer.shared = !perUnit && in.rank > 2;
    layer.batchNormEpsilon = numberAttribute(node, "epsilon", 1e-5);
    layer.weights = statistics(node, chain, 1, dims);
    layer.bias = statistics(node, chain, 2, dims);
    layer.mean = statistics(node, chain, 3, dims);
    layer.variance = statistics(node, chain, 4, dims);
    if (layer.batchNormEpsilon < 0) refuse(node, "its epsilon is negative");
    for (double variance : layer.variance)
        if (variance < 0 || variance + layer.batchNormEpsilon <= 0) refuse(node, "its variances must be positive");
    requireNone(node, chain.totals().addScale(layer));
    chain.add(node, std::move(layer), in);
}

double readFactor(const Node& node, const Tensor& tensor, NetworkTotals& totals) {
    const std::vector<double> factor = numbers(tensor);
    requireFloatRange(node, factor, "factors");
    requireNone(node, totals.addScale(std::abs(factor.front())));
    return factor.front();
}

void addFactor(const Node& node, LayerChain& chain, double factor) { addScale(node, chain, {factor}, {0}); }

void readArithmetic(const Node& node, LayerChain& chain) {
    if (node.inputs.size() == 1) return;
    const bool constantFirst = chain.source().constants.find(node.inputs[0]);
    const std::vector<double> operand = chain.broadcast(node, chain.requiredConstant(node, constantFirst ? 0 : 1));
    if (node.type == "Mul") return addScale(node, chain, operand, {0});
    if (node.type == "Add" || node.type == "Sum") return addShift(node, chain, operand);
    if (node.type == "Sub") return constantFirst ? addScale(node, chain, {-1}, operand) : addShift(node, chain, negated(operand));
    if (constantFirst) refuse(node, "a constant divided by what the layers below make is not supported");
    addScale(node, chain, inverted(node, operand), {0});
}

}  // namespace kappaflow::onnx
