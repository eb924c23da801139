#include "core/io/onnx_chain.h"

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "core/io/printable.h"

namespace kappaflow {
namespace onnx {
namespace {

std::string namesOf(const std::vector<const ValueInfo*>& values) {
    std::string names;
    for (std::size_t i = 0; i < values.size() && i < 4; ++i) names += (i ? ", " : "") + quoted(values[i]->name);
    return names + (values.size() > 4 ? ", …" : "");
}

}  // namespace

ChainBuilder::ChainBuilder(const Graph& graph) : graph_(graph) {
    for (const Tensor& tensor : graph.initialisers) constants_.emplace(tensor.name, &tensor);
}

Network ChainBuilder::build() {
    requireSupported();
    const std::vector<const Node*> order = dataFlowOrder(graph_);
    takeInput();
    for (const Node* node : order) takeNode(*node);
    takeOutput();
    if (weights_ == 0) throw InputError("The model has no layer with weights.");
    validate(network_);
    return std::move(network_);
}

void ChainBuilder::requireSupported() const {
    std::string known;
    for (const Operator& op : operators()) known += (known.empty() ? "" : ", ") + std::string(op.type);
    for (const Node& node : graph_.nodes) {
        bool supported = false;
        for (const Operator& op : operators()) supported |= op.type == node.type;
        const bool standard = node.domain.empty() || node.domain == "ai.onnx";
        if (supported && standard) continue;
        throw InputError(label(node) + ": operator " + (standard ? "" : printable(node.domain) + ".") + printable(node.type) +
                         " is not supported yet; it may be one of " + known + ".");
    }
}

void ChainBuilder::takeInput() {
    std::vector<const ValueInfo*> inputs;
    for (const ValueInfo& input : graph_.inputs)
        if (!isConstant(input.name)) inputs.push_back(&input);
    if (inputs.empty()) throw InputError("The model has no input.");
    if (inputs.size() > 1)
        throw InputError("The model has " + std::to_string(inputs.size()) + " inputs (" + namesOf(inputs) + "); it must have one.");
    readInputShape(*inputs.front());
    current_ = inputs.front()->name;
}

void ChainBuilder::readInputShape(const ValueInfo& input) {
    const auto refuse = [&](const std::string& reason) { throw InputError("input " + quoted(input.name) + ": " + reason + "."); };
    if (input.type != 1 && input.type != 11) refuse("it holds " + typeName(input.type) + "; only FLOAT and DOUBLE are supported");
    if (!input.shape) refuse("its shape is not stated");
    const std::vector<Dimension>& shape = *input.shape;
    rank_ = shape.size();
    if (rank_ < 2 || rank_ > 4) refuse("it has " + std::to_string(rank_) + " dimensions; 2 to 4 are supported, the first being the batch");
    if (shape[0] && *shape[0] != 1)
        refuse("its batch size is " + std::to_string(*shape[0]) + "; export the model with a batch of 1 or a named one");
    double units = 1;
    std::vector<int> sizes;
    for (std::size_t i = 1; i < rank_; ++i) {
        if (!shape[i]) refuse("the size of dimension " + std::to_string(i + 1) + " is not stated");
        if (*shape[i] < 1 || *shape[i] > 2147483647) refuse("a dimension of " + std::to_string(*shape[i]) + " is not possible");
        sizes.push_back(static_cast<int>(*shape[i]));
        units *= sizes.back();
    }
    if (units > kMaxFileUnits) refuse("it has " + whole(units) + " units; at most " + whole(kMaxFileUnits) + " are possible");
    const std::size_t n = sizes.size();
    network_.input = {n > 1 ? sizes[0] : 1, n > 2 ? sizes[1] : 1, sizes[n - 1]};
}

void ChainBuilder::takeNode(const Node& node) {
    if (node.outputs.size() != 1 || node.outputs[0].empty())
        throw InputError(label(node) + ": it has " + std::to_string(node.outputs.size()) + " outputs; it must have one, with a name.");
    std::size_t computed = 0;
    for (std::string_view input : node.inputs) {
        if (input.empty() || isConstant(input)) continue;
        ++computed;
        if (input != current_)
            throw InputError(label(node) + ": it reads " + quoted(input) +
                             ", which another node reads already; networks that branch are not supported yet.");
    }
    if (computed > 1)
        throw InputError(label(node) + ": it reads " + quoted(current_) + " twice; networks that branch are not supported yet.");
    for (const Operator& op : operators())
        if (op.type == node.type) (this->*op.read)(node);
    if (computed == 0 && !isConstant(node.outputs[0]))
        throw InputError(label(node) + ": it makes " + quoted(node.outputs[0]) + " from constants alone, which is not supported.");
    if (computed == 0) return;
    current_ = node.outputs[0];
}

void ChainBuilder::takeOutput() const {
    std::vector<const ValueInfo*> outputs;
    for (const ValueInfo& output : graph_.outputs) outputs.push_back(&output);
    if (outputs.size() != 1)
        throw InputError("The model has " + std::to_string(outputs.size()) + " outputs" +
                         (outputs.empty() ? "" : " (" + namesOf(outputs) + ")") + "; it must have one.");
    if (outputs.front()->name != current_)
        throw InputError("output " + quoted(outputs.front()->name) + ": it is not what the last node makes (" + quoted(current_) + ").");
}

const Tensor* ChainBuilder::constantInput(const Node& node, std::size_t index) const {
    if (index >= node.inputs.size() || node.inputs[index].empty()) return nullptr;
    const auto found = constants_.find(node.inputs[index]);
    if (found == constants_.end()) throw InputError(label(node) + ": its input " + quoted(node.inputs[index]) + " must be a constant.");
    return found->second;
}

void ChainBuilder::requireFlat(const Node& node) const {
    if (rank_ == 2) return;
    throw InputError(label(node) + ": its input has " + std::to_string(rank_) + " dimensions; a Flatten must come first.");
}

}  // namespace onnx

Network readOnnx(std::span<const unsigned char> bytes) {
    if (bytes.size() > kMaxNetworkFileBytes)
        throw InputError("The file has " + std::to_string(bytes.size()) + " bytes; at most " + std::to_string(kMaxNetworkFileBytes) +
                         " are read.");
    const onnx::Graph graph = onnx::parseModel(bytes);
    return onnx::ChainBuilder(graph).build();
}

}  // namespace kappaflow
