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

/// The constant that a step multiplies what comes to it by, when that is a single number; else null.
const Tensor* factorOf(const Step& step, const LayerChain& side) {
    if (step.joins || step.node->type != "Mul") return nullptr;
    const Node& node = *step.node;
    const Tensor& factor = side.requiredConstant(node, side.source().constants.find(node.inputs[0]) ? 0 : 1);
    return elementCount(factor) == 1 && factor.dims.size() <= side.value().rank ? &factor : nullptr;
}

/// A side of a sum. A factor that it ends in becomes its `scale`, where that is asked for and the side has layers besides: it stays a
/// layer else, since a side without any is the sum's input itself, and two of those are no sum.
LayerChain sideOf(const std::vector<Step>& steps, const LayerChain& fork, double& scale, bool mayBeEmpty) {
    LayerChain side(fork.source(), fork.totals(), fork.value());
    for (const Step& step : steps) {
        const bool last = &step == &steps.back() && (mayBeEmpty || !side.isEmpty());
        const Tensor* factor = last ? factorOf(step, side) : nullptr;
        if (factor)
            scale = readFactor(*step.node, *factor, fork.totals());
        else
            readStep(step, side);
    }
    requireNoFrame(side, nullptr);
    return side;
}

void readJoin(const Step& step, LayerChain& chain) {
    Layer layer;
    layer.kind = LayerKind::Residual;
    LayerChain branch = sideOf(step.branch, chain, layer.branchScale, false),
               skip = sideOf(step.skip, chain, layer.skipScale, !branch.isEmpty());
    if (branch.value() != skip.value())
        refuse(*step.node, "it adds " + branch.value().text() + " to " + skip.value().text() + "; the two must have the same shape");
    const Value out = branch.value();
    layer.branch = branch.take();
    layer.skip = skip.take();
    if (layer.branch.empty() && layer.skip.empty()) return addFactor(*step.node, chain, layer.branchScale + layer.skipScale);
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
    NetworkTotals totals;
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
