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

/// A graph as a chain of nodes, some of them joins: additions of two chains that fork from one value. Where branch and skip are empty
/// in turn, they are that value itself.
struct Step {
    const Node* node = nullptr;
    bool joins = false;
    std::vector<Step> branch, skip;
};

/// Residual blocks inside residual blocks, at most: what `validate` takes too.
constexpr int kMaxResidualNesting = 8;

/// Places in the data flow: 0 is the model's input, i + 1 the i-th computed node.
class Planner {
public:
    Planner(const std::vector<Node>& order, const Constants& constants, std::string_view input);
    std::vector<Step> planTo(std::string_view output);

private:
    struct Place {
        const Node* node = nullptr;
        std::vector<std::size_t> readsFrom;  ///< one place or two
        std::size_t dominator = 0, depth = 0;
        bool taken = false;
    };
    void addNode(const Node&, const std::vector<std::string_view>& reads);
    std::size_t placeOf(const Node& reader, std::string_view value) const;
    std::size_t commonDominator(std::size_t a, std::size_t b) const;
    std::vector<Step> chain(std::size_t from, std::size_t to, int nesting);
    Step join(Place&, int nesting);
    void requireAllTaken() const;

    std::vector<Place> places_{Place{}};
    std::map<std::string_view, std::size_t> makers_;
};

bool mayJoin(const Node& node) { return node.type == "Add" || node.type == "Sum"; }

Planner::Planner(const std::vector<Node>& order, const Constants& constants, std::string_view input) {
    makers_[input] = 0;
    for (const Node& node : order) addNode(node, constants.computedInputs(node));
}

void Planner::addNode(const Node& node, const std::vector<std::string_view>& reads) {
    if (reads.size() > 2 || (reads.size() == 2 && !mayJoin(node)))
        refuse(node, "operator " + std::string(node.type) + " joins " + std::to_string(reads.size()) +
                         " computed values; the only join that is supported is the Add (or Sum) of two, as in residual networks");
    Place place;
    place.node = &node;
    for (std::string_view value : reads) place.readsFrom.push_back(placeOf(node, value));
    place.dominator = commonDominator(place.readsFrom.front(), place.readsFrom.back());
    place.depth = places_[place.dominator].depth + 1;
    makers_[node.outputs.front()] = places_.size();
    for (std::size_t i = 1; i < node.outputs.size(); ++i)
        if (!node.outputs[i].empty()) makers_[node.outputs[i]] = places_.size();
    places_.push_back(std::move(place));
}

std::size_t Planner::placeOf(const Node& reader, std::string_view value) const {
    const auto found = makers_.find(value);
    if (found == makers_.end()) refuse(reader, "it reads " + quoted(value) + ", which is made from no input of the model");
    const Node* maker = places_[found->second].node;
    if (maker && maker->outputs.front() != value)
        refuse(reader, "it reads " + quoted(value) + ", which is not the first output of " + label(*maker));
    return found->second;
}

std::size_t Planner::commonDominator(std::size_t a, std::size_t b) const {
    while (a != b) {
        if (places_[a].depth < places_[b].depth) std::swap(a, b);
        a = places_[a].dominator;
    }
    return a;
}

std::vector<Step> Planner::planTo(std::string_view output) {
    const auto found = makers_.find(output);
    if (found == makers_.end()) throw InputError("output " + quoted(output) + ": no node computes it from the model's input.");
    const Node* last = places_[found->second].node;
    if (last && last->outputs.front() != output)
        throw InputError("output " + quoted(output) + ": it is not the first output of " + label(*last) + ".");
    std::vector<Step> steps = chain(0, found->second, 0);
    requireAllTaken();
    return steps;
}

std::vector<Step> Planner::chain(std::size_t from, std::size_t to, int nesting) {
    std::vector<Step> steps;
    while (to != from) {
        Place& place = places_[to];
        if (place.taken)
            refuse(*place.node, "what it makes (" + quoted(place.node->outputs.front()) +
                                    ") is read by residual blocks that overlap; they must follow each other or be nested");
        place.taken = true;
        if (place.readsFrom.size() == 1) {
            steps.push_back({place.node, false, {}, {}});
            to = place.readsFrom.front();
        } else {
            steps.push_back(join(place, nesting));
            to = place.dominator;
        }
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

Step Planner::join(Place& place, int nesting) {
    if (nesting >= kMaxResidualNesting)
        refuse(*place.node, "residual blocks are nested more than " + std::to_string(kMaxResidualNesting) + " deep");
    std::vector<Step> first = chain(place.dominator, place.readsFrom[0], nesting + 1);
    std::vector<Step> second = chain(place.dominator, place.readsFrom[1], nesting + 1);
    if (first.size() < second.size()) first.swap(second);
    return {place.node, true, std::move(first), std::move(second)};
}

void Planner::requireAllTaken() const {
    for (std::size_t i = 1; i < places_.size(); ++i)
        if (!places_[i].taken)
            refuse(*places_[i].node, "what it makes (" + quoted(places_[i].node->outputs.front()) +
                                         ") does not lead to the output; networks that branch without an Add are not supported");
}

/// The steps from the input to the output. A join forks at its immediate dominator, the last value that all its ways come through, so
/// nested blocks come out as nested; the shorter of its sides is the skip, the second when both are as long.
/// Throws InputError naming a node when a value is read otherwise: by nodes of two blocks that overlap, or by one that leads nowhere.
std::vector<Step> residualPlan(const std::vector<Node>& order, const Constants& constants, std::string_view input,
                               std::string_view output) {
    return Planner(order, constants, input).planTo(output);
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
    if (step.joins) return readJoin(step, chain);
    const Operator& op = operatorOf(*step.node);
    if (!op.anyLayout) requireChannelsFirst(*step.node, chain.value());
    op.read(*step.node, chain);
}

Network networkOf(const Graph& graph) {
    requireReadable(graph);
    const std::vector<const Node*> order = dataFlowOrder(graph);
    const Constants constants(graph, order);
    const std::vector<Node> nodes = simplified(order, constants, graph.outputs.empty() ? "" : graph.outputs.front().name);
    for (const Node& node : nodes) requireSupported(node);
    const ValueInfo& input = onlyInput(graph, constants);
    const Value start = valueOfInput(input);
    const std::string_view output = onlyOutput(graph);
    const std::vector<Step> steps = residualPlan(nodes, constants, input.name, output);

    const Source source{constants, output, graph.operatorSet.value_or(0)};
    NetworkTotals totals;
    LayerChain chain(source, totals, start);
    for (const Step& step : steps) readStep(step, chain);
    requireNoFrame(chain, nullptr);
    if (!chain.value().isInOrder())
        throw InputError("output " + quoted(output) +
                         ": its channels come last; the model must end with a Transpose that brings them in front.");
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
