#include <map>
#include <set>

#include "core/base/errors.h"
#include "core/io/onnx_constants.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

std::set<std::string_view> givenValues(const Graph& graph) {
    std::set<std::string_view> given;
    for (const Tensor& tensor : graph.initialisers)
        if (!given.insert(tensor.name).second) throw InputError("tensor " + quoted(tensor.name) + ": two tensors have this name.");
    std::set<std::string_view> inputs;
    for (const ValueInfo& input : graph.inputs) {
        if (!inputs.insert(input.name).second) throw InputError("input " + quoted(input.name) + ": two inputs have this name.");
        given.insert(input.name);  // may also be a tensor: old files list their weights as inputs
    }
    return given;
}

/// Which node makes a value.
using Makers = std::map<std::string_view, const Node*>;

Makers makersOf(const Graph& graph, const std::set<std::string_view>& given) {
    Makers makers;
    for (const Node& node : graph.nodes)
        for (std::string_view output : node.outputs) {
            if (output.empty()) continue;
            if (given.count(output))
                throw InputError(label(node) + ": its output " + quoted(output) + " has the name of an input or tensor.");
            const auto [at, isNew] = makers.emplace(output, &node);
            if (!isNew) throw InputError(label(node) + ": its output " + quoted(output) + " is made by " + label(*at->second) + " too.");
        }
    return makers;
}

[[noreturn]] void refuseCycle(const std::vector<const Node*>& waiting) {
    std::string names;
    for (std::size_t i = 0; i < waiting.size() && i < 3; ++i) names += (i ? ", " : "") + label(*waiting[i]);
    throw InputError("The nodes read each other's outputs in a cycle: " + names + (waiting.size() > 3 ? ", …" : "") + ".");
}

}  // namespace

std::vector<const Node*> dataFlowOrder(const Graph& graph) {
    std::set<std::string_view> ready = givenValues(graph);
    const Makers makers = makersOf(graph, ready);
    std::map<const Node*, int> missing;
    std::map<std::string_view, std::vector<const Node*>> readers;
    std::vector<const Node*> order;
    for (const Node& node : graph.nodes) {
        for (std::string_view input : node.inputs) {
            if (input.empty() || ready.count(input)) continue;
            if (!makers.count(input)) throw InputError(label(node) + ": it reads " + quoted(input) + ", which the file does not hold.");
            readers[input].push_back(&node);
            ++missing[&node];
        }
        if (!missing.count(&node)) order.push_back(&node);
    }
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::string_view output : order[i]->outputs)
            for (const Node* reader : readers[output])
                if (--missing[reader] == 0) order.push_back(reader);
    if (order.size() < graph.nodes.size()) {
        std::vector<const Node*> waiting;
        for (const Node& node : graph.nodes)
            if (missing[&node] > 0) waiting.push_back(&node);
        refuseCycle(waiting);
    }
    return order;
}

}  // namespace kappaflow::onnx
