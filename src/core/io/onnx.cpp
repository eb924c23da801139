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
    requireNoFrame(side, nullptr);
    return side;
}

/// The factor of a side's last step when that multiplies by one number, which it is then without; else 1.
double takeScale(std::vector<Step>& steps, const LayerChain& fork) {
    if (steps.empty() || steps.back().joins || steps.back().node->type != "Mul") return 1;
    const Node& node = *steps.back().node;
    const Tensor& factor = fork.requiredConstant(node, fork.source().constants.find(node.inputs[0]) ? 0 : 1);
    if (elementCount(factor) != 1 || factor.dims.size() > fork.value().rank) return 1;
    const double scale = readFactor(node, factor, fork.totals());
    steps.pop_back();
    return scale;
}

void readJoin(Step step, LayerChain& chain) {
    Layer layer;
    // A branch that a factor alone stands in keeps it as a layer.
    if (step.branch.size() > 1) layer.branchScale = takeScale(step.branch, chain);
    if (!step.branch.empty()) layer.skipScale = takeScale(step.skip, chain);
    LayerChain branch = sideOf(step.branch, chain), skip = sideOf(step.skip, chain);
    if (branch.value() != skip.value())
        refuse(*step.node, "it adds " + branch.value().text() + " to " + skip.value().text() + "; the two must have the same shape");
    const Value out = branch.value();
    layer.kind = LayerKind::Residual;
    layer.branch = branch.take();
    layer.skip = skip.take();
    if (layer.branch.empty() && layer.skip.empty()) return addFactor(*step.node, chain, 2);
    chain.add(*step.node, std::move(layer), out);
}

void readStep(const Step& step, LayerChain& chain) {
    requireNoFrame(chain, step.node);
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
    requireNoFrame(chain, nullptr);
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

}  // namespace
}  // namespace onnx

Network readOnnx(std::span<const unsigned char> bytes, std::string_view fileName) {
    if (fileName.empty()) return onnx::networkOf(bytes);
    try {
        return onnx::networkOf(bytes);
    } catch (const InputError& error) {
        throw InputError(withFileName(error.what(), fileName));
    }
}

}  // namespace kappaflow
