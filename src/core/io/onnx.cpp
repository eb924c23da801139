#include "core/io/onnx.h"

#include "core/base/errors.h"
#include "core/io/onnx_input.h"
#include "core/io/onnx_operators.h"
#include "core/io/onnx_plan.h"
#include "core/io/printable.h"

namespace kappaflow {
namespace onnx {
namespace {

void readStep(const Step&, LayerChain&);

LayerChain sideOf(const std::vector<Step>& steps, const LayerChain& fork) {
    LayerChain side(fork.source(), fork.totals(), fork.value());
    for (const Step& step : steps) readStep(step, side);
    return side;
}

void readJoin(const Step& step, LayerChain& chain) {
    LayerChain branch = sideOf(step.branch, chain), skip = sideOf(step.skip, chain);
    if (branch.value() != skip.value())
        refuse(*step.node, "it adds " + branch.value().text() + " to " + skip.value().text() + "; the two must have the same shape");
    const Value out = branch.value();
    Layer layer;
    layer.kind = LayerKind::Residual;
    layer.branch = branch.take();
    layer.skip = skip.take();
    if (layer.branch.empty() && layer.skip.empty()) return addFactor(*step.node, chain, 2);
    chain.add(*step.node, std::move(layer), out);
}

void readStep(const Step& step, LayerChain& chain) {
    if (step.joins)
        readJoin(step, chain);
    else
        operatorOf(*step.node).read(*step.node, chain);
}

Network networkOf(const Graph& graph) {
    requireSupported(graph);
    const std::vector<const Node*> order = dataFlowOrder(graph);
    const Constants constants(graph, order);
    const ValueInfo& input = onlyInput(graph, constants);
    const Value start = valueOfInput(input);
    const std::string_view output = onlyOutput(graph);
    const std::vector<Step> steps = residualPlan(order, constants, input.name, output);

    const Source source{constants, output};
    Totals totals;
    LayerChain chain(source, totals, start);
    for (const Step& step : steps) readStep(step, chain);
    if (totals.linearLayers == 0) throw InputError("The model has no layer with weights.");
    Network network{start.shape, chain.take()};
    validate(network);
    return network;
}

Network networkOf(std::span<const unsigned char> bytes) {
    if (bytes.size() > kMaxNetworkFileBytes)
        throw InputError("The file has " + std::to_string(bytes.size()) + " bytes; at most " + std::to_string(kMaxNetworkFileBytes) +
                         " are read.");
    return networkOf(parseModel(bytes));
}

/// "The file is empty." → `The file "cnn.onnx" is empty.`; what speaks of a part of the file stays as it is.
std::string withFileName(const std::string& sentence, std::string_view name) {
    for (std::string_view start : {"The file", "The model"})
        if (sentence.rfind(start, 0) == 0) return std::string(start) + " " + quoted(name) + sentence.substr(start.size());
    return sentence;
}

}  // namespace
}  // namespace onnx

Network readOnnx(std::span<const unsigned char> bytes, std::string_view fileName) {
    if (fileName.empty()) return onnx::networkOf(bytes);
    try {
        return onnx::networkOf(bytes);
    } catch (const InputError& error) {
        throw InputError(onnx::withFileName(error.what(), fileName));
    }
}

}  // namespace kappaflow
