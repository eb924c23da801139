#include "core/io/onnx_graph.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <queue>
#include <set>

#include "core/base/errors.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {

void refuse(const Node& node, const std::string& reason) { throw InputError(label(node) + ": " + reason + "."); }

void requireNone(const Node& node, const std::string& reason) {
    if (!reason.empty()) refuse(node, reason);
}

Attribute listOf(std::string_view name, std::vector<std::int64_t> values) {
    Attribute attribute;
    attribute.name = name;
    attribute.integers = std::move(values);
    return attribute;
}

Attribute wholeOf(std::string_view name, std::int64_t value) {
    Attribute attribute;
    attribute.name = name;
    attribute.integer = value;
    return attribute;
}

const Attribute* attribute(const Node& node, std::string_view name) {
    for (const Attribute& candidate : node.attributes)
        if (candidate.name == name) return &candidate;
    return nullptr;
}

double numberAttribute(const Node& node, std::string_view name, double standard) {
    const Attribute* found = attribute(node, name);
    if (!found) return standard;
    if (!found->number || !std::isfinite(*found->number)) refuse(node, "its attribute " + std::string(name) + " must be a finite number");
    return static_cast<double>(*found->number);
}

std::int64_t integerAttribute(const Node& node, std::string_view name, std::int64_t standard) {
    const Attribute* found = attribute(node, name);
    if (!found) return standard;
    if (!found->integer) refuse(node, "its attribute " + std::string(name) + " must be a whole number");
    return *found->integer;
}

bool flagAttribute(const Node& node, std::string_view name, bool standard) {
    const std::int64_t value = integerAttribute(node, name, standard ? 1 : 0);
    if (value != 0 && value != 1) refuse(node, std::string(name) + " = " + std::to_string(value) + " must be 0 or 1");
    return value == 1;
}

std::string_view textAttribute(const Node& node, std::string_view name, std::string_view standard) {
    const Attribute* found = attribute(node, name);
    if (!found) return standard;
    if (!found->text) refuse(node, "its attribute " + std::string(name) + " must be a text");
    return *found->text;
}

std::vector<std::int64_t> integersAttribute(const Node& node, std::string_view name) {
    const Attribute* found = attribute(node, name);
    if (!found) return {};
    if (found->isCut)
        refuse(node, "its attribute " + std::string(name) + " has more than the " + std::to_string(found->integers.size() - 1) +
                         " whole numbers that are read");
    if (found->integers.empty()) refuse(node, "its attribute " + std::string(name) + " must be a list of whole numbers");
    return found->integers;
}

std::string shortNumber(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

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
    std::priority_queue<const Node*, std::vector<const Node*>, std::greater<const Node*>> next;  // as they stand in the file
    for (const Node& node : graph.nodes) {
        for (std::string_view input : node.inputs) {
            if (input.empty() || ready.count(input)) continue;
            if (!makers.count(input)) throw InputError(label(node) + ": it reads " + quoted(input) + ", which the file does not hold.");
            readers[input].push_back(&node);
            ++missing[&node];
        }
        if (!missing.count(&node)) next.push(&node);
    }
    std::vector<const Node*> order;
    while (!next.empty()) {
        const Node* node = next.top();
        next.pop();
        order.push_back(node);
        for (std::string_view output : node->outputs)
            for (const Node* reader : readers[output])
                if (--missing[reader] == 0) next.push(reader);
    }
    if (order.size() < graph.nodes.size()) {
        std::vector<const Node*> waiting;
        for (const Node& node : graph.nodes)
            if (missing[&node] > 0) waiting.push_back(&node);
        refuseCycle(waiting);
    }
    return order;
}

}  // namespace kappaflow::onnx
