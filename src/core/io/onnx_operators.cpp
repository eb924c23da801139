#include "core/io/onnx_operators.h"

#include <algorithm>

#include "core/base/errors.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

constexpr std::int64_t kOldestOperators = 7, kNewestOperators = 22;

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
    std::string known;
    for (const Operator& op : operators()) known += (known.empty() ? "" : ", ") + std::string(op.type);
    const bool standard = node.domain.empty() || node.domain == "ai.onnx";
    refuse(node, "operator " + (standard ? "" : printable(node.domain) + ".") + printable(node.type) +
                     " is not supported; it may be one of " + known);
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
        {"Gemm", readGemm, 2, 3, 1, {"alpha", "beta", "transA", "transB"}},
        {"MatMul", readMatMul, 2, 2, 1, {}},
        {"Conv", readConv, 2, 3, 1, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}},
        {"BatchNormalization", readBatchNormalization, 5, 5, 1, {"epsilon", "momentum", "spatial", "training_mode"}},
        {"Add", readArithmetic, 2, 2, 1, {}},
        {"Sum", readArithmetic, 1, 2, 1, {}},
        {"Sub", readArithmetic, 2, 2, 1, {}},
        {"Mul", readArithmetic, 2, 2, 1, {}},
        {"Div", readArithmetic, 2, 2, 1, {}},
        {"Relu", readActivation, 1, 1, 1, {}},
        {"LeakyRelu", readLeakyRelu, 1, 1, 1, {"alpha"}},
        {"PRelu", readPRelu, 2, 2, 1, {}},
        {"Abs", readActivation, 1, 1, 1, {}},
        {"Tanh", readActivation, 1, 1, 1, {}},
        {"Sigmoid", readActivation, 1, 1, 1, {}},
        {"HardSigmoid", readHardSigmoid, 1, 1, 1, {"alpha", "beta"}},
        {"Clip", readClip, 1, 3, 1, {"min", "max"}},
        {"MaxPool", readMaxPool, 1, 1, 2, {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"}},
        {"AveragePool",
         readAveragePool,
         1,
         1,
         1,
         {"auto_pad", "ceil_mode", "count_include_pad", "dilations", "kernel_shape", "pads", "strides"}},
        {"GlobalAveragePool", readGlobalAveragePool, 1, 1, 1, {}},
        {"GlobalMaxPool", readGlobalMaxPool, 1, 1, 1, {}},
        {"ReduceMean", readReduceMean, 1, 2, 1, {"axes", "keepdims", "noop_with_empty_axes"}},
        {"Pad", readPad, 1, 3, 1, {"mode", "pads", "value"}},
        {"Gather", readGather, 2, 2, 1, {"axis"}},
        {"Flatten", readFlatten, 1, 1, 1, {"axis"}},
        {"Reshape", readReshape, 2, 2, 1, {"allowzero"}},
        {"Squeeze", readSqueeze, 1, 2, 1, {"axes"}},
        {"Unsqueeze", readUnsqueeze, 1, 2, 1, {"axes"}},
        {"Transpose", readTranspose, 1, 1, 1, {"perm"}},
        {"Dropout", readDropout, 1, 3, 2, {"ratio", "seed"}},
        {"Identity", readIdentity, 1, 1, 1, {}},
        {"Constant", readIdentity, 0, 0, 1, {"value", "value_float", "value_floats", "value_int", "value_ints"}},
        {"Softmax", readSoftmax, 1, 1, 1, {"axis"}},
        {"LogSoftmax", readSoftmax, 1, 1, 1, {"axis"}},
    };
    return all;
}

const Operator& operatorOf(const Node& node) {
    if (const Operator* op = find(node)) return *op;
    refuseOperator(node);
}

void requireSupported(const Graph& graph) {
    requireOperatorSet(graph);
    for (const Node& node : graph.nodes) {
        const Operator& op = operatorOf(node);
        requireInputs(node, op);
        requireOutputs(node, op);
        requireAttributes(node, op);
    }
}

}  // namespace kappaflow::onnx
