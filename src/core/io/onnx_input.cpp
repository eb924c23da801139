#include "core/io/onnx_input.h"

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

std::string namesOf(const std::vector<const ValueInfo*>& values) {
    std::string names;
    for (std::size_t i = 0; i < values.size() && i < 4; ++i) names += (i ? ", " : "") + quoted(values[i]->name);
    return names + (values.size() > 4 ? ", …" : "");
}

const ValueInfo& onlyOne(const std::vector<const ValueInfo*>& values, const std::string& what) {
    if (values.empty()) throw InputError("The model has no " + what + ".");
    if (values.size() == 1) return *values.front();
    throw InputError("The model has " + std::to_string(values.size()) + " " + what + "s (" + namesOf(values) + "); it must have one.");
}

[[noreturn]] void refuseInput(const ValueInfo& input, const std::string& reason) {
    throw InputError("input " + quoted(input.name) + ": " + reason + ".");
}

void requireBatch(const ValueInfo& input, const Dimension& batch) {
    if (!batch.size || *batch.size <= 1) return;
    refuseInput(input, "its batch size is " + std::to_string(*batch.size) + "; export the model with a batch of 1 or a named one");
}

std::int64_t sizeOf(const ValueInfo& input, const Dimension& dimension, std::size_t number) {
    if (!dimension.size)
        refuseInput(input, "dimension " + std::to_string(number) + (dimension.name.empty() ? "" : " (" + quoted(dimension.name) + ")") +
                               " has no fixed size; export the model with the size of its input stated");
    if (*dimension.size < 1 || *dimension.size > 2147483647)
        refuseInput(input, "a dimension of " + std::to_string(*dimension.size) + " is not possible");
    return *dimension.size;
}

}  // namespace

const ValueInfo& onlyInput(const Graph& graph, const Constants& constants) {
    std::vector<const ValueInfo*> inputs;
    for (const ValueInfo& input : graph.inputs)
        if (!constants.find(input.name)) inputs.push_back(&input);
    return onlyOne(inputs, "input");
}

std::string_view onlyOutput(const Graph& graph) {
    std::vector<const ValueInfo*> outputs;
    for (const ValueInfo& output : graph.outputs) outputs.push_back(&output);
    return onlyOne(outputs, "output").name;
}

Value valueOfInput(const ValueInfo& input) {
    if (input.type != kFloat && input.type != kDouble)
        refuseInput(input, "it holds " + typeName(input.type) + "; only FLOAT and DOUBLE are supported");
    if (!input.shape) refuseInput(input, "its shape is not stated");
    const std::vector<Dimension>& shape = *input.shape;
    if (shape.size() < 2 || shape.size() > 4)
        refuseInput(input, "it has " + std::to_string(shape.size()) + " dimensions; 2 to 4 are supported, the first being the batch");
    requireBatch(input, shape.front());
    double units = 1;
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 1; i < shape.size(); ++i) {
        sizes.push_back(sizeOf(input, shape[i], i + 1));
        units *= static_cast<double>(sizes.back());
    }
    if (units > kMaxFileUnits) refuseInput(input, "it has " + whole(units) + " units; at most " + whole(kMaxFileUnits) + " are possible");
    return valueOf(sizes);
}

}  // namespace kappaflow::onnx
