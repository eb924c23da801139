#include "core/io/onnx_chain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

/// Entry `index` of the value's tensor in a constant whose sizes end where the value's end; sizes of 1 are repeated.
std::size_t constantIndex(std::size_t index, const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& dims) {
    std::size_t at = 0, step = 1;
    for (std::size_t i = 1; i <= sizes.size(); ++i) {
        const auto size = static_cast<std::size_t>(sizes[sizes.size() - i]), place = index % size;
        index /= size;
        if (i > dims.size()) break;
        const auto dim = static_cast<std::size_t>(dims[dims.size() - i]);
        if (dim > 1) at += place * step;
        step *= dim;
    }
    return at;
}

void requireBroadcast(const Node& node, const Tensor& tensor, const Value& value) {
    const std::vector<std::int64_t> sizes = value.sizes();
    bool fits = tensor.dims.size() <= value.rank;
    for (std::size_t i = 1; i <= tensor.dims.size() && fits; ++i) {
        const std::int64_t dim = tensor.dims[tensor.dims.size() - i], size = i <= sizes.size() ? sizes[sizes.size() - i] : 1;
        fits = dim == 1 || dim == size;
    }
    if (!fits) refuse(node, quoted(tensor.name) + " is " + shapeText(tensor.dims) + ", which does not broadcast to " + value.text());
}

/// Whether a constant that broadcasts has one number a channel: every axis behind the channels' is of size 1.
bool isPerChannel(const Tensor& tensor, const Value& value) {
    if (tensor.dims.size() + 1 < value.rank || value.rank == 2) return false;
    for (std::size_t i = tensor.dims.size() - (value.rank - 2); i < tensor.dims.size(); ++i)
        if (tensor.dims[i] != 1) return false;
    return true;
}

}  // namespace

std::vector<std::int64_t> Value::sizes() const {
    if (rank == 2) return {static_cast<std::int64_t>(shape.units())};
    if (rank == 3) return {shape.channels, shape.width};
    return {shape.channels, shape.height, shape.width};
}

std::string Value::text() const { return "N × " + shapeText(sizes()); }

Value valueOf(const std::vector<std::int64_t>& sizes) {
    const auto size = [&](std::size_t i) { return static_cast<int>(sizes[i]); };
    if (sizes.size() == 1) return {{1, 1, size(0)}, 2};
    if (sizes.size() == 2) return {{size(0), 1, size(1)}, 3};
    return {{size(0), size(1), size(2)}, 4};
}

const Tensor* LayerChain::constant(const Node& node, std::size_t index) const {
    if (index >= node.inputs.size() || node.inputs[index].empty()) return nullptr;
    const Tensor* tensor = source_.constants.find(node.inputs[index]);
    if (!tensor) refuse(node, "its input " + quoted(node.inputs[index]) + " must be a constant");
    return tensor;
}

const Tensor& LayerChain::requiredConstant(const Node& node, std::size_t index) const {
    const Tensor* tensor = constant(node, index);
    if (!tensor) refuse(node, "its input " + std::to_string(index + 1) + " is missing");
    return *tensor;
}

void LayerChain::requireComputed(const Node& node) const {
    if (source_.constants.find(node.inputs.front())) refuse(node, "its first input must be what the layers below make, not a constant");
}

void LayerChain::add(const Node& node, Layer layer, const Value& out) {
    layer.in = value_.shape;
    layer.out = out.shape;
    layer.name = printable(node.name);
    requireNone(node, totals_.add(layer));
    layers_.push_back(std::move(layer));
    value_ = out;
}

void LayerChain::reshape(const Node& node, const Value& out) {
    if (out.shape == value_.shape) {
        value_ = out;
        return;
    }
    Layer layer;
    layer.kind = LayerKind::Flatten;
    add(node, std::move(layer), out);
}

Layer* LayerChain::lastLinear() {
    if (layers_.empty()) return nullptr;
    Layer& last = layers_.back();
    return last.kind == LayerKind::Dense || last.kind == LayerKind::Conv ? &last : nullptr;
}

std::vector<double> LayerChain::broadcast(const Node& node, const Tensor& tensor) const {
    const double held = elementCount(tensor);
    requireBroadcast(node, tensor, value_);
    requireNone(node, totals_.addConstant(static_cast<double>(value_.shape.units())));
    std::vector<double> values = numbers(tensor);
    const std::vector<std::int64_t> sizes = value_.sizes();
    if (held == 1 || held == static_cast<double>(value_.shape.units()) || isPerChannel(tensor, value_)) return values;
    std::vector<double> units(value_.shape.units());
    for (std::size_t i = 0; i < units.size(); ++i) units[i] = values[constantIndex(i, sizes, tensor.dims)];
    return units;
}

void requireFloatRange(const Node& node, const std::vector<double>& values, const char* what) {
    for (double value : values)
        if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max())))
            refuse(node, std::string("one of its ") + what + " is too large");
}

void requireUnits(const Node& node, double units) {
    if (units > kMaxFileUnits) refuse(node, "it has " + whole(units) + " units; at most " + whole(kMaxFileUnits) + " are possible");
}

void requireWeights(const Node& node, const NetworkTotals& totals, double more) {
    if (totals.weights + more > kMaxFileWeights) refuse(node, "with it the model has more than " + whole(kMaxFileWeights) + " weights");
}

}  // namespace kappaflow::onnx
