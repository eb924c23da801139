#include "core/io/onnx.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "core/base/errors.h"
#include "core/io/onnx_graph.h"
#include "core/io/onnx_operators.h"
#include "core/io/onnx_patterns.h"
#include "core/io/printable.h"

namespace kappaflow {
namespace onnx {
namespace {

/// Reads nodes, each behind those that it reads, into layers with `reads` as inside a block.
class GraphReader {
public:
    GraphReader(const Source& source, const ValueInfo& input, const Value& start, const std::vector<Node>& order);
    /// Up to the model's output, as a chain.
    Network network();

private:
    /// What stands at a place of `layers_` (−1: the input).
    struct Site {
        int at = -1;
        Value value;
        std::optional<Frame> frame;
    };
    /// Layers of nodes one after another, each read once. `number`: in the order of their first nodes; `factor`: of the sum that reads it.
    struct Run {
        LayerChain chain;
        int from = -1;
        std::size_t number = 0;
        double factor = 1;
    };
    void keepLive(const std::vector<Node>& order, std::string_view input);
    void read(const Node&);
    void readInto(const Node&, Run);
    void join(const Node&, const std::vector<std::string_view>& reads);
    Run runBehind(std::string_view value);
    Run runAt(const Site&);
    Site close(Run&);
    void settle(std::string_view value, Run);
    bool isFactorOfSum(const Node&) const;

    const Source& source_;
    NetworkTotals totals_;
    Shape input_;
    std::vector<const Node*> live_;
    std::map<std::string_view, std::vector<const Node*>> readers_;
    std::vector<Layer> layers_;
    std::map<std::string_view, Run> open_;
    std::map<std::string_view, Site> closed_;
    std::size_t runs_ = 0;
};

GraphReader::GraphReader(const Source& source, const ValueInfo& input, const Value& start, const std::vector<Node>& order)
    : source_(source), input_(start.shape) {
    keepLive(order, input.name);
    for (const Node* node : live_) requireSupported(*node);
    closed_[input.name] = {-1, start, {}};
    for (const Node* node : live_) read(*node);
}

/// Nodes that do not lead to the output are left out.
void GraphReader::keepLive(const std::vector<Node>& order, std::string_view input) {
    std::map<std::string_view, const Node*> makers;
    for (const Node& node : order)
        for (std::string_view value : named(node.outputs)) makers[value] = &node;
    if (!makers.count(source_.output) && source_.output != input)
        throw InputError("output " + quoted(source_.output) + ": no node computes it from the model's input.");
    const auto requireFirst = [&](std::string_view value) {
        const auto maker = makers.find(value);
        if (maker == makers.end() || maker->second->type == "Split" || maker->second->outputs.front() == value) return;
        refuse(*maker->second, "of its outputs only the first may be read, not " + quoted(value));
    };
    requireFirst(source_.output);
    readers_[source_.output].push_back(nullptr);
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
        const bool isRead = std::any_of(node->outputs.begin(), node->outputs.end(), [&](std::string_view v) { return readers_.count(v); });
        if (!isRead) continue;
        live_.push_back(&*node);
        for (std::string_view value : source_.constants.computedInputs(*node)) {
            if (value != input && !makers.count(value))
                refuse(*node, "it reads " + quoted(value) + ", which is made from no input of the model");
            requireFirst(value);
            readers_[value].push_back(&*node);
        }
    }
    std::reverse(live_.begin(), live_.end());
}

GraphReader::Run GraphReader::runAt(const Site& site) {
    Run run{LayerChain(source_, totals_, site.value), site.at};
    if (site.frame) run.chain.pad(*site.frame);
    return run;
}

GraphReader::Run GraphReader::runBehind(std::string_view value) {
    if (const auto found = open_.find(value); found != open_.end()) return std::move(open_.extract(found).mapped());
    return runAt(closed_.at(value));
}

GraphReader::Site GraphReader::close(Run& run) {
    return {appendChain(layers_, run.from, run.chain.take()), run.chain.value(), run.chain.frame()};
}

void GraphReader::settle(std::string_view value, Run run) {
    const auto found = readers_.find(value);
    if (found == readers_.end()) return;
    const bool once = found->second.size() == 1 && found->second.front();
    if (once)
        open_.emplace(value, std::move(run));
    else
        closed_.emplace(value, close(run));
}

void GraphReader::read(const Node& node) {
    const std::vector<std::string_view> reads = source_.constants.computedInputs(node);
    if (reads.size() > 1) return join(node, reads);
    Run run = runBehind(reads.front());
    if (node.type == "Split") {
        run.chain.layFrame(node);
        const Site fork = close(run);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (!readers_.count(node.outputs[i])) continue;
            Run part = runAt(fork);
            readSplit(node, part.chain, i);
            settle(node.outputs[i], std::move(part));
        }
        return;
    }
    readInto(node, std::move(run));
}

void GraphReader::readInto(const Node& node, Run run) {
    const Operator& op = operatorOf(node);
    if (run.number == 0) run.number = ++runs_;
    if (run.chain.frame() && !isOneOf(node.type, {"Conv", "MaxPool", "AveragePool", "Pad", "Gather"})) run.chain.layFrame(node);
    if (!op.anyLayout) run.chain.bringInOrder(node);
    if (isFactorOfSum(node))
        run.factor = readFactor(node, run.chain.requiredConstant(node, source_.constants.find(node.inputs[0]) ? 0 : 1), totals_);
    else
        op.read(node, run.chain);
    settle(node.outputs.front(), std::move(run));
}

/// Whether the node multiplies by one number what a sum alone reads: the sum takes it as a scale.
bool GraphReader::isFactorOfSum(const Node& node) const {
    const auto& readers = readers_.at(node.outputs.front());
    if (node.type != "Mul" || readers.size() != 1 || !readers[0] || !isOneOf(readers[0]->type, {"Add", "Sum", "Sub"})) return false;
    if (source_.constants.computedInputs(*readers[0]).size() < 2) return false;
    const Tensor* factor = source_.constants.find(node.inputs[0]);
    if (!factor) factor = source_.constants.find(node.inputs[1]);
    return elementCount(*factor) == 1 && factor->dims.size() <= 1;
}

void GraphReader::join(const Node& node, const std::vector<std::string_view>& reads) {
    std::vector<Run> runs;
    runs.reserve(reads.size());
    std::vector<LayerChain*> chains;
    for (std::string_view value : reads) {
        runs.push_back(runBehind(value));
        runs.back().chain.layFrame(node);
        chains.push_back(&runs.back().chain);
    }
    Joined made = joined(node, chains);
    Layer layer{{}, made.out.shape, std::move(made.op), {}, printable(node.name)};
    std::vector<std::size_t> order(runs.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return runs[a].number < runs[b].number; });
    std::vector<Site> sites(runs.size());
    for (const std::size_t k : order) sites[k] = close(runs[k]);
    for (std::size_t k = 0; k < runs.size(); ++k) {
        layer.reads.push_back(sites[k].at);
        if (auto* sum = layer.getIf<Sum>()) sum->scales.push_back(node.type == "Sub" && k == 1 ? -runs[k].factor : runs[k].factor);
    }
    layer.in = sites[0].value.shape;
    requireNone(node, totals_.add(layer));
    layers_.push_back(std::move(layer));
    Run behind = runAt({static_cast<int>(layers_.size()) - 1, made.out, {}});
    made.behind(behind.chain);
    settle(node.outputs.front(), std::move(behind));
}

/// A Route that takes from one operand of a Concat alone reads that operand, as a last step does of a sequence of states; layers that then
/// lead nowhere are left out.
std::vector<Layer> withPartsReadDirectly(std::vector<Layer> layers, const Shape& input) {
    const auto shapeAt = [&](int at) -> const Shape& { return at < 0 ? input : layers[static_cast<std::size_t>(at)].out; };
    const auto step = [&](Layer& layer) {
        auto& route = layer.as<Route>().route;
        const auto [least, most] = std::minmax_element(route.begin(), route.end());
        const int from = layer.reads[0];
        if (from < 0 || *least < 0 || !layers[static_cast<std::size_t>(from)].is<Concat>()) return false;
        int first = 0;
        for (const int operand : layers[static_cast<std::size_t>(from)].reads) {
            const int behind = first + static_cast<int>(shapeAt(operand).units());
            if (*least >= first && *most < behind) {
                for (int& unit : route) unit -= first;
                layer.reads[0] = operand;
                layer.in = shapeAt(operand);
                return true;
            }
            first = behind;
        }
        return false;
    };
    const auto movesNothing = [](const Layer& layer) {
        const auto* op = layer.getIf<Route>();
        if (!op || layer.in != layer.out) return false;
        for (std::size_t i = 0; i < op->route.size(); ++i)
            if (op->route[i] != static_cast<int>(i)) return false;
        return true;
    };
    for (Layer& layer : layers)
        while (layer.is<Route>() && step(layer)) {
        }
    std::vector<bool> leads(layers.size());
    if (!leads.empty()) leads.back() = true;
    for (std::size_t l = layers.size(); l-- > 0;)
        for (const int read : layers[l].reads)
            if (leads[l] && read >= 0) leads[static_cast<std::size_t>(read)] = true;
    std::vector<Layer> left;
    std::vector<int> at(layers.size());
    for (std::size_t l = 0; l < layers.size(); ++l) {
        if (!leads[l]) continue;
        for (int& read : layers[l].reads) read = read < 0 ? read : at[static_cast<std::size_t>(read)];
        if (const int from = layers[l].reads[0]; from >= 0 && movesNothing(layers[l])) {
            at[l] = from;
            continue;
        }
        at[l] = static_cast<int>(left.size());
        left.push_back(std::move(layers[l]));
    }
    return left;
}

Network GraphReader::network() {
    Run run = runAt(closed_.at(source_.output));
    const Node* last = live_.empty() ? nullptr : live_.back();
    if (last) {
        run.chain.layFrame(*last);
        run.chain.bringInOrder(*last);
        if (run.chain.value().tensor().front() != 1)
            refuse(*last, "it makes the model's output, " + run.chain.value().text() + ", which does not have the batch axis in front");
    }
    close(run);
    if (totals_.linearLayers == 0) throw InputError("The model has no layer with weights.");
    return {input_, chainFromGraph(withPartsReadDirectly(std::move(layers_), input_))};
}

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

void requireBatch(const ValueInfo& input) {
    const Dimension& batch = (*input.shape)[input.batchAxis];
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

/// The one input that is no weight; old files list their weights as inputs too. Throws InputError when there are more or none.
const ValueInfo& onlyInput(const Graph& graph, const Constants& constants) {
    std::vector<const ValueInfo*> inputs;
    for (const ValueInfo& input : graph.inputs)
        if (!constants.find(input.name)) inputs.push_back(&input);
    return onlyOne(inputs, "input");
}

/// Name of the one output. Throws InputError when there are more or none.
std::string_view onlyOutput(const Graph& graph) {
    std::vector<const ValueInfo*> outputs;
    for (const ValueInfo& output : graph.outputs) outputs.push_back(&output);
    return onlyOne(outputs, "output").name;
}

/// Its shape. Throws InputError naming input and dimension.
Value valueOfInput(const ValueInfo& input) {
    if (input.type != kFloat && input.type != kDouble)
        refuseInput(input, "it holds " + typeName(input.type) + "; only FLOAT and DOUBLE are supported");
    if (!input.shape) refuseInput(input, "its shape is not stated");
    const std::vector<Dimension>& shape = *input.shape;
    if (shape.size() < 2 || shape.size() > 4)
        refuseInput(input, "it has " + std::to_string(shape.size()) + " dimensions; 2 to 4 are supported, the first being the batch");
    requireBatch(input);
    double units = 1;
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        sizes.push_back(i == input.batchAxis ? 1 : sizeOf(input, shape[i], i + 1));
        units *= static_cast<double>(sizes.back());
    }
    if (units > fileLimits().units)
        refuseInput(input, "it has " + whole(units) + " units; at most " + whole(fileLimits().units) + " are possible");
    return tensorOf(sizes);
}

/// Tells of a softmax that makes the output: readSoftmax leaves it out.
void tellSoftmax(const Source& source, const std::vector<Node>& nodes, std::vector<std::string>& notes) {
    for (const Node& node : nodes)
        if (node.outputs.front() == source.output && isOneOf(node.type, {"Softmax", "LogSoftmax"}))
            notes.push_back("The " + std::string(node.type) + " at the end is left out: outputs are the scores in front of it.");
}

Network networkOf(const Graph& graph, std::vector<std::string>& notes) {
    requireReadable(graph);
    const std::vector<const Node*> order = dataFlowOrder(graph);
    const Constants constants(graph, order);
    if (const std::optional<Graph> steps = writtenOut(graph, order, constants)) return networkOf(*steps, notes);
    const std::vector<Node> nodes = simplified(order, constants, graph.outputs.empty() ? "" : graph.outputs.front().name);
    const ValueInfo& input = onlyInput(graph, constants);
    const Value start = valueOfInput(input);
    const Source source{constants, onlyOutput(graph), graph.operatorSet.value_or(0)};
    Network network = GraphReader(source, input, start, nodes).network();
    validate(network);
    tellSoftmax(source, nodes, notes);
    return network;
}

Network networkOf(std::span<const unsigned char> bytes, std::vector<std::string>& notes) {
    if (bytes.size() > fileLimits().bytes)
        throw InputError("The file has " + std::to_string(bytes.size()) + " bytes; at most " + std::to_string(fileLimits().bytes) +
                         " are read.");
    return networkOf(parseModel(bytes), notes);
}

}  // namespace
}  // namespace onnx

Network readOnnx(std::span<const unsigned char> bytes, std::string_view fileName, std::vector<std::string>* notes) {
    std::vector<std::string> unheard;
    std::vector<std::string>& told = notes ? *notes : unheard;
    if (fileName.empty()) return onnx::networkOf(bytes, told);
    try {
        return onnx::networkOf(bytes, told);
    } catch (const InputError& error) {
        throw InputError(withFileName(error.what(), fileName));
    }
}

}  // namespace kappaflow
