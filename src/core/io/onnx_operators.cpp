#include "core/io/onnx_operators.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "core/io/onnx_folding.h"
#include "core/io/printable.h"
#include "core/io/stored_numbers.h"

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
    bool fits = tensor.dims.size() <= value.tensor().size();
    for (std::size_t i = 1; i <= tensor.dims.size() && fits; ++i) {
        const std::int64_t dim = tensor.dims[tensor.dims.size() - i], size = i <= sizes.size() ? sizes[sizes.size() - i] : 1;
        fits = dim == 1 || dim == size;
    }
    if (!fits) refuse(node, quoted(tensor.name) + " is " + shapeText(tensor.dims) + ", which does not broadcast to " + value.text());
}

/// Whether a constant that broadcasts has one number a channel: every axis behind the channels' is of size 1.
bool isPerChannel(const Tensor& tensor, const Value& value) {
    if (value.rank == 2 || (value.isFree() && !value.channelsLast)) return false;
    if (value.channelsLast)
        return !tensor.dims.empty() && productOf(tensor.dims) == value.shape.channels && tensor.dims.back() == value.shape.channels;
    if (tensor.dims.size() + 1 < value.rank) return false;
    for (std::size_t i = tensor.dims.size() - (value.rank - 2); i < tensor.dims.size(); ++i)
        if (tensor.dims[i] != 1) return false;
    return true;
}

}  // namespace

std::vector<std::int64_t> Value::tensor() const {
    std::vector<std::int64_t> all = sizes();
    if (!isFree()) all.insert(all.begin(), 1);
    return all;
}

std::optional<int> Value::place(std::int64_t axis) const {
    const auto axes = static_cast<std::int64_t>(tensor().size());
    if (axis < -axes || axis >= axes) return {};
    return static_cast<int>(axis < 0 ? axis + axes : axis) - (isFree() ? 0 : 1);
}

Value Value::withLast(int size) const {
    Value out = *this;
    (channelsLast ? out.shape.channels : out.shape.width) = size;
    if (isFree()) out.dims.back() = size;
    return out;
}

std::vector<std::int64_t> Value::sizes() const {
    if (isFree()) return dims;
    if (rank == 2) return {static_cast<std::int64_t>(shape.units())};
    if (channelsLast && rank == 3) return {shape.width, shape.channels};
    if (channelsLast) return {shape.height, shape.width, shape.channels};
    if (rank == 3) return {shape.channels, shape.width};
    return {shape.channels, shape.height, shape.width};
}

std::string Value::text() const { return (isFree() ? "" : "N × ") + shapeText(sizes()); }

std::size_t Value::placeOf(std::size_t i) const {
    if (!channelsLast) return i;
    const std::size_t channels = static_cast<std::size_t>(shape.channels), positions = shape.units() / channels;
    return i % positions * channels + i / positions;
}

Value valueOf(const std::vector<std::int64_t>& sizes) {
    const auto size = [&](std::size_t i) { return static_cast<int>(sizes[i]); };
    if (sizes.size() == 1) return {{1, 1, size(0)}, 2};
    if (sizes.size() == 2) return {{size(0), 1, size(1)}, 3};
    return {{size(0), size(1), size(2)}, 4};
}

Value tensorOf(const std::vector<std::int64_t>& dims) {
    if (dims.size() >= 2 && dims.size() <= 4 && dims.front() == 1) return valueOf({dims.begin() + 1, dims.end()});
    int units = 1;
    for (const std::int64_t dim : dims) units *= static_cast<int>(dim);
    return {{1, 1, units}, dims.size() + 1, false, dims};
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

void LayerChain::add(const Node& node, Layer::Operation op, const Value& out) {
    Layer layer{value_.shape, out.shape, std::move(op), {}, printable(node.name)};
    requireNone(node, totals_.add(layer));
    layers_.push_back(std::move(layer));
    value_ = out;
}

void LayerChain::reshape(const Node& node, const Value& out) {
    if (!layers_.empty() && layers_.back().is<Route>()) layers_.back().out = value_.shape = out.shape;
    if (out.shape == value_.shape) {
        value_ = out;
        return;
    }
    add(node, Flatten{}, out);
}

Layer* LayerChain::lastLinear() {
    if (layers_.empty()) return nullptr;
    Layer& last = layers_.back();
    return hasTrainableWeights(last) ? &last : nullptr;
}

std::vector<double> LayerChain::broadcast(const Node& node, const Tensor& tensor) const {
    const double held = elementCount(tensor);
    requireBroadcast(node, tensor, value_);
    requireNone(node, totals_.addConstant(static_cast<double>(value_.shape.units())));
    std::vector<double> values = numbers(tensor);
    const std::vector<std::int64_t> sizes = value_.sizes();
    if (held == 1 || isPerChannel(tensor, value_) || (held == static_cast<double>(value_.shape.units()) && value_.isInOrder()))
        return values;
    std::vector<double> units(value_.shape.units());
    for (std::size_t i = 0; i < units.size(); ++i) units[i] = values[constantIndex(value_.placeOf(i), sizes, tensor.dims)];
    return units;
}

void requireFloatRange(const Node& node, const std::vector<double>& values, const char* what) {
    for (double value : values)
        if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max())))
            refuse(node, std::string("one of its ") + what + " is too large");
}

void requireUnits(const Node& node, double units) {
    if (units > fileLimits().units)
        refuse(node, "it has " + whole(units) + " units; at most " + whole(fileLimits().units) + " are possible");
}

void requireWeights(const Node& node, const NetworkTotals& totals, double more) {
    if (totals.weights + more > fileLimits().weights)
        refuse(node, "with it the model has more than " + whole(fileLimits().weights) + " weights");
}

namespace {

constexpr std::int64_t kOldestOperators = 6, kNewestOperators = 22;

void requireOperatorSet(const Graph& graph) {
    if (!graph.operatorSet || (*graph.operatorSet >= kOldestOperators && *graph.operatorSet <= kNewestOperators)) return;
    throw InputError("The model uses version " + std::to_string(*graph.operatorSet) + " of the ONNX operators; " +
                     std::to_string(kOldestOperators) + " to " + std::to_string(kNewestOperators) + " are supported.");
}

const Operator* find(const Node& node) {
    const bool standard = node.domain.empty() || node.domain == "ai.onnx";
    for (const Operator& op : operators())
        if (standard && op.type == node.type) return &op;
    return nullptr;
}

[[noreturn]] void refuseOperator(const Node& node) {
    if (isFolded(node))
        refuse(node,
               "operator " + std::string(node.type) + " is supported between constants only, and it reads what is computed from the input");
    const bool standard = node.domain.empty() || node.domain == "ai.onnx";
    refuse(node, "operator " + (standard ? "" : printable(node.domain) + ".") + printable(node.type) +
                     " is not supported; docs/network-files.md lists those that are");
}

void requireInputs(const Node& node, const Operator& op) {
    const auto required = std::min(op.leastInputs, node.inputs.size());
    const bool complete = node.inputs.size() >= op.leastInputs &&
                          std::none_of(node.inputs.begin(), node.inputs.begin() + static_cast<std::ptrdiff_t>(required),
                                       [](std::string_view input) { return input.empty(); });
    if (complete && node.inputs.size() <= op.mostInputs) return;
    refuse(node, "operator " + std::string(op.type) + " takes " + std::to_string(op.leastInputs) +
                     (op.mostInputs > op.leastInputs ? " to " + std::to_string(op.mostInputs) : std::string()) + " inputs");
}

void requireOutputs(const Node& node, const Operator& op) {
    const std::size_t count = named(node.outputs).size();
    if (count >= 1 && count <= op.mostOutputs && !node.outputs.front().empty()) return;
    if (node.type == "BatchNormalization" && count > 1)
        refuse(node, "it has " + std::to_string(count) + " outputs, as in training; export the model in evaluation mode");
    refuse(node, "it has " + std::to_string(count) + " outputs; it must have one, with a name");
}

void requireAttributes(const Node& node, const Operator& op) {
    for (const Attribute& attribute : node.attributes) {
        if (&attribute != kappaflow::onnx::attribute(node, attribute.name))
            refuse(node, "attribute " + quoted(attribute.name) + " is given twice");
        const bool known = std::find(op.attributes.begin(), op.attributes.end(), attribute.name) != op.attributes.end();
        if (!known) refuse(node, "attribute " + quoted(attribute.name) + " of operator " + std::string(op.type) + " is not supported");
    }
}

}  // namespace

const std::vector<Operator>& operators() {
    static const std::vector<Operator> all = {
        {"Gemm", readGemm, 2, 3, 1, {"alpha", "beta", "broadcast", "transA", "transB"}, true},
        {"MatMul", readMatMul, 2, 2, 1, {}, true},
        {"Conv", readConv, 2, 3, 1, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}},
        {"Einsum", readEinsum, 2, 2, 1, {"equation"}, true},
        {"ConvTranspose",
         readConvTranspose,
         2,
         3,
         1,
         {"auto_pad", "dilations", "group", "kernel_shape", "output_padding", "output_shape", "pads", "strides"}},
        {"BatchNormalization", readBatchNormalization, 5, 5, 1, {"epsilon", "is_test", "momentum", "spatial", "training_mode"}},
        {"LayerNormalization", readLayerNormalization, 1, 3, 3, {"axes", "axis", "epsilon", "stash_type"}, true},
        {"InstanceNormalization", readInstanceNormalization, 3, 3, 1, {"epsilon"}},
        {"GroupNormalization", readGroupNormalization, 3, 3, 1, {"epsilon", "num_groups", "stash_type"}},
        {"Add", readArithmetic, 2, 2, 1, {"axis", "broadcast"}, true},
        {"Sum", readArithmetic, 1, kMostJoined, 1, {}, true},
        {"Sub", readArithmetic, 2, 2, 1, {"axis", "broadcast"}, true},
        {"Mul", readArithmetic, 2, 2, 1, {"axis", "broadcast"}, true},
        {"Div", readArithmetic, 2, 2, 1, {"axis", "broadcast"}, true},
        {"Pow", readPow, 2, 2, 1, {}, true},
        {"Relu", readActivation, 1, 1, 1, {}, true},
        {"LeakyRelu", readLeakyRelu, 1, 1, 1, {"alpha"}, true},
        {"PRelu", readPRelu, 2, 2, 1, {}, true},
        {"Abs", readActivation, 1, 1, 1, {}, true},
        {"Tanh", readActivation, 1, 1, 1, {}, true},
        {"Sigmoid", readActivation, 1, 1, 1, {}, true},
        {"Exp", readActivation, 1, 1, 1, {}, true},
        {"Log", readActivation, 1, 1, 1, {}, true},
        {"Sqrt", readActivation, 1, 1, 1, {}, true},
        {"Reciprocal", readActivation, 1, 1, 1, {}, true},
        {"Erf", readActivation, 1, 1, 1, {}, true},
        {"Sin", readActivation, 1, 1, 1, {}, true},
        {"Cos", readActivation, 1, 1, 1, {}, true},
        {"Neg", readActivation, 1, 1, 1, {}, true},
        {"HardSigmoid", readHardSigmoid, 1, 1, 1, {"alpha", "beta"}, true},
        {"Clip", readClip, 1, 3, 1, {"min", "max"}, true},
        {"Elu", readElu, 1, 1, 1, {"alpha"}, true},
        {"Selu", readSelu, 1, 1, 1, {"alpha", "gamma"}, true},
        {"Celu", readCelu, 1, 1, 1, {"alpha"}, true},
        {"Softplus", readSmooth, 1, 1, 1, {}, true},
        {"Gelu", readSmooth, 1, 1, 1, {"approximate"}, true},
        {"Swish", readSmooth, 1, 1, 1, {"alpha"}, true},
        {"Mish", readSmooth, 1, 1, 1, {}, true},
        {"HardSwish", readSmooth, 1, 1, 1, {}, true},
        {"MaxPool", readMaxPool, 1, 1, 2, {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"}},
        {"AveragePool",
         readAveragePool,
         1,
         1,
         1,
         {"auto_pad", "ceil_mode", "count_include_pad", "dilations", "kernel_shape", "pads", "strides"}},
        {"GlobalAveragePool", readGlobalAveragePool, 1, 1, 1, {}},
        {"GlobalMaxPool", readGlobalMaxPool, 1, 1, 1, {}},
        {"ReduceMean", readReduce, 1, 2, 1, {"axes", "keepdims", "noop_with_empty_axes"}, true},
        {"ReduceSum", readReduce, 1, 2, 1, {"axes", "keepdims", "noop_with_empty_axes"}, true},
        {"ReduceMax", readReduce, 1, 2, 1, {"axes", "keepdims", "noop_with_empty_axes"}, true},
        {"ReduceMin", readReduce, 1, 2, 1, {"axes", "keepdims", "noop_with_empty_axes"}, true},
        {"ReduceL1", readReduce, 1, 2, 1, {"axes", "keepdims", "noop_with_empty_axes"}, true},
        {"ReduceL2", readReduce, 1, 2, 1, {"axes", "keepdims", "noop_with_empty_axes"}, true},
        {"ReduceSumSquare", readReduce, 1, 2, 1, {"axes", "keepdims", "noop_with_empty_axes"}, true},
        {"Pad", readPad, 1, 4, 1, {"mode", "pads", "value"}, true},
        {"Gather", readGather, 2, 2, 1, {"axis"}, true},
        {"DepthToSpace", readDepth, 1, 1, 1, {"blocksize", "mode"}},
        {"SpaceToDepth", readDepth, 1, 1, 1, {"blocksize"}},
        {"Slice", readMoved, 1, 5, 1, {"axes", "ends", "starts"}, true},
        {"Split", readMoved, 1, 2, kMostJoined, {"axis", "num_outputs", "split"}, true},
        {"Max", readExtreme, 1, kMostJoined, 1, {}, true},
        {"Min", readExtreme, 1, kMostJoined, 1, {}, true},
        {"Concat", readConcat, 1, kMostJoined, 1, {"axis"}, true},
        {"Expand", readMoved, 2, 2, 1, {}, true},
        {"Resize",
         readResize,
         1,
         4,
         1,
         {"antialias", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside", "extrapolation_value",
          "keep_aspect_ratio_policy", "mode", "nearest_mode"},
         true},
        {"Upsample", readResize, 1, 2, 1, {"mode", "scales"}, true},
        {"Flatten", readFlatten, 1, 1, 1, {"axis"}, true},
        {"Reshape", readReshape, 2, 2, 1, {"allowzero"}, true},
        {"Squeeze", readSqueeze, 1, 2, 1, {"axes"}, true},
        {"Unsqueeze", readUnsqueeze, 1, 2, 1, {"axes"}, true},
        {"Transpose", readTranspose, 1, 1, 1, {"perm"}, true},
        {"Dropout", readDropout, 1, 3, 2, {"is_test", "ratio", "seed"}, true},
        {"Identity", readIdentity, 1, 1, 1, {}, true},
        {"Constant", readIdentity, 0, 0, 1, {"value", "value_float", "value_floats", "value_int", "value_ints"}},
        {"Softmax", readSoftmax, 1, 1, 1, {"axis"}, true},
        {"LogSoftmax", readSoftmax, 1, 1, 1, {"axis"}, true},
    };
    return all;
}

const Operator& operatorOf(const Node& node) {
    if (const Operator* op = find(node)) return *op;
    refuseOperator(node);
}

void requireReadable(const Graph& graph) {
    requireOperatorSet(graph);
    for (const Node& node : graph.nodes)
        if (named(node.outputs).empty() || (node.outputs.front().empty() && !isRecurrent(node)))
            refuse(node, "it has " + std::to_string(named(node.outputs).size()) + " outputs; it must have one, with a name");
}

void requireSupported(const Node& node) {
    const Operator& op = operatorOf(node);
    requireInputs(node, op);
    requireOutputs(node, op);
    requireAttributes(node, op);
}

}  // namespace kappaflow::onnx
