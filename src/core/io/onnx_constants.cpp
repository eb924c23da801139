#include "core/io/onnx_constants.h"

#include <cstring>

#include "core/io/onnx_attributes.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {

Constants::Constants(const Graph& graph, const std::vector<const Node*>& order) {
    for (const Tensor& tensor : graph.initialisers) byName_.emplace(tensor.name, &tensor);
    for (const Node* node : order)
        if (computedInputs(*node).empty()) take(*node);
}

const Tensor* Constants::find(std::string_view value) const {
    const auto found = byName_.find(value);
    return found == byName_.end() ? nullptr : found->second;
}

std::vector<std::string_view> Constants::computedInputs(const Node& node) const {
    std::vector<std::string_view> computed;
    for (std::string_view input : named(node.inputs))
        if (!find(input)) computed.push_back(input);
    return computed;
}

void Constants::take(const Node& node) {
    const std::string_view output = node.outputs.front();
    if (node.type == "Constant")
        byName_.emplace(output, tensorOf(node));
    else if (node.type == "Identity" && !node.inputs.front().empty())
        byName_.emplace(output, find(node.inputs.front()));
    else
        refuse(node, "it makes " + quoted(output) + " from constants alone, which is not supported");
}

const Tensor* Constants::tensorOf(const Node& node) {
    if (node.attributes.size() != 1) refuse(node, "a constant must have one value");
    const Attribute& given = node.attributes.front();
    if (given.name == "value" && given.tensor) return &*given.tensor;
    Tensor tensor;
    tensor.name = node.outputs.front();
    if (given.name == "value_float" && given.number) {
        tensor.type = kFloat;
        tensor.floats.append({reinterpret_cast<const char*>(&*given.number), sizeof(float)});
    } else if (given.name == "value_floats") {
        tensor.type = kFloat;
        tensor.floats = given.numbers;
        tensor.dims = {static_cast<std::int64_t>(given.numbers.view().size() / sizeof(float))};
    } else if (given.name == "value_int" && given.integer) {
        tensor.type = kInt64;
        tensor.integers = {*given.integer};
    } else if (given.name == "value_ints") {
        tensor.type = kInt64;
        tensor.integers = given.integers;
        tensor.isCut = given.isCut;
        tensor.dims = {static_cast<std::int64_t>(given.integers.size())};
    } else {
        refuse(node, "a constant given as attribute " + quoted(given.name) +
                         " is not supported; it may be value (a tensor), value_float, value_floats, value_int or value_ints");
    }
    return &made_.emplace_back(std::move(tensor));
}

}  // namespace kappaflow::onnx
