#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/errors.h"
#include "core/io/file_limits.h"
#include "core/io/onnx_folding.h"
#include "core/io/onnx_graph.h"
#include "core/io/printable.h"
#include "core/io/stored_numbers.h"

namespace kappaflow::onnx {
namespace {

using Sizes = std::vector<std::int64_t>;

template <class Stored, class Given>
std::string packed(const std::vector<Given>& values) {
    std::string bytes(values.size() * sizeof(Stored), '\0');
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto stored = static_cast<Stored>(values[i]);
        std::memcpy(bytes.data() + i * sizeof stored, &stored, sizeof stored);
    }
    return bytes;
}

std::string bytesOf(const Folded& f) {
    if (f.type == kFloat) return packed<float>(f.reals);
    if (f.type == kDouble) return packed<double>(f.reals);
    if (f.type == kInt64) return packed<std::int64_t>(f.wholes);
    return f.type == kInt32 ? packed<std::int32_t>(f.wholes) : packed<unsigned char>(f.wholes);
}

bool asksForSizes(const Node& node) { return node.type == "Shape" || node.type == "Size"; }

/// Operators that keep all numbers in their order.
bool saysSizes(const Node& node) { return isOneOf(node.type, {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Dropout"}); }

/// Numbers of a list of sizes, of axes or of pads, and then some.
constexpr double kMostSizes = 64;

/// Any number of samples as one; unknown when a size is.
std::optional<Sizes> sizesOf(const ValueInfo& input) {
    if (!input.shape || input.shape->empty()) return {};
    Sizes sizes;
    for (const Dimension& dimension : *input.shape) {
        const bool isBatch = sizes.size() == input.batchAxis;
        if (!isBatch && !dimension.size) return {};
        sizes.push_back(isBatch ? 1 : *dimension.size);
    }
    return sizes;
}

/// The list of sizes that Shape makes, or their product.
Folded shapeOf(const Node& node, const Sizes& sizes) {
    Folded out;
    if (node.type == "Size") {
        out.wholes = {1};
        for (const std::int64_t size : sizes) out.wholes[0] *= size;
        return out;
    }
    const auto rank = static_cast<std::int64_t>(sizes.size());
    const auto bound = [&](const char* name, std::int64_t standard) {
        const std::int64_t at = integerAttribute(node, name, standard);
        return std::clamp<std::int64_t>(at < 0 ? std::max(at, -rank) + rank : at, 0, rank);
    };
    const std::int64_t from = bound("start", 0), to = std::max(from, bound("end", rank));
    out.wholes.assign(sizes.begin() + from, sizes.begin() + to);
    out.dims = {to - from};
    return out;
}

}  // namespace

Folded foldedOf(const Tensor& tensor) {
    Folded out{tensor.dims, tensor.type, {}, {}};
    if (std::find(tensor.dims.begin(), tensor.dims.end(), 0) != tensor.dims.end() && tensor.dims.size() <= kMaxDims) {
        double budget = fileLimits().weights;
        for (const std::int64_t dim : tensor.dims) budget -= dim < 0 ? fileLimits().weights : static_cast<double>(dim);
        if (budget >= 0) return out;
    }
    if (out.isReal())
        out.reals = numbers(tensor);
    else
        out.wholes = wholesOf(tensor);
    return out;
}

Constants::Constants(const Graph& graph, const std::vector<const Node*>& order) {
    std::size_t stored = 0;
    const auto count = [&](const Tensor& tensor) {
        stored += tensor.floats.view().size() + tensor.doubles.view().size() + 8 * tensor.integers.size();
        if (tensor.raw) stored += tensor.raw->size();
    };
    for (const Node& node : graph.nodes)
        for (const Attribute& given : node.attributes)
            if (given.tensor) count(*given.tensor);
    for (const Tensor& tensor : graph.initialisers) {
        count(tensor);
        keep(tensor.name, &tensor);
    }
    budget_ = mostFoldedNumbers(static_cast<double>(stored));
    for (const ValueInfo& input : graph.inputs)
        if (const auto sizes = sizesOf(input)) remember(input.name, *sizes);
    for (const Node* node : order) {
        if (computedInputs(*node).empty())
            take(*node);
        else
            takeSizes(*node);
    }
}

const Tensor* Constants::find(std::string_view value) const {
    const auto found = byName_.find(value);
    return found == byName_.end() ? nullptr : found->second;
}

const Sizes* Constants::sizes(std::string_view value) const {
    const auto found = sizes_.find(value);
    return found == sizes_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> Constants::computedInputs(const Node& node) const {
    std::vector<std::string_view> computed;
    for (std::string_view input : named(node.inputs))
        if (!find(input)) computed.push_back(input);
    return computed;
}

void Constants::take(const Node& node) {
    const std::string_view output = node.outputs.front();
    if (node.type == "Constant" || node.type == "Identity") {
        const Tensor* tensor = node.type == "Constant" ? tensorOf(node) : find(node.inputs.empty() ? "" : node.inputs.front());
        if (tensor) return keep(output, tensor);
    } else if (asksForSizes(node)) {
        if (!node.inputs.empty() && sizes(node.inputs.front())) return keep(node, shapeOf(node, *sizes(node.inputs.front())));
    } else if (saysSizes(node)) {
        if (const Tensor* tensor = resized(node)) return keep(output, tensor);
    } else {
        std::deque<Folded> values;
        std::vector<const Folded*> inputs;
        for (std::string_view input : node.inputs) inputs.push_back(input.empty() ? nullptr : &values.emplace_back(foldedOf(*find(input))));
        if (const auto folded = fold(node, inputs, budget_)) return keep(node, *folded);
    }
    refuse(node, "it makes " + quoted(output) + " from constants alone by operator " + printable(node.type) + ", which is not supported");
}

void Constants::takeSizes(const Node& node) {
    if (asksForSizes(node) && sizes(node.inputs.front())) return keep(node, shapeOf(node, *sizes(node.inputs.front())));
    if (node.type == "Split") return takeParts(node);
    if (isRecurrent(node)) return takeSteps(node);
    if (const auto found = sizesOfOutput(node, sizes_, wholes())) remember(node.outputs.front(), *found);
}

void Constants::takeParts(const Node& node) {
    const Sizes* in = sizes(node.inputs.front());
    std::int64_t axis = integerAttribute(node, "axis", 0);
    if (in && axis < 0) axis += static_cast<std::int64_t>(in->size());
    if (!in || axis < 0 || axis >= static_cast<std::int64_t>(in->size())) return;
    const bool listed = node.inputs.size() > 1 && !node.inputs[1].empty();
    auto lengths = listed ? wholes()(node.inputs[1]) : std::optional(integersAttribute(node, "split"));
    const auto place = static_cast<std::size_t>(axis);
    if (lengths && lengths->empty()) lengths = evenParts((*in)[place], static_cast<std::int64_t>(node.outputs.size()));
    if (!lengths || lengths->size() != node.outputs.size()) return;
    Sizes part = *in;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        part[place] = (*lengths)[i];
        if (!node.outputs[i].empty()) remember(node.outputs[i], part);
    }
}

/// States of all steps, the last ones, and last cells.
void Constants::takeSteps(const Node& node) {
    const Sizes *x = sizes(node.inputs.front()), *r = node.inputs.size() > 2 ? sizes(node.inputs[2]) : nullptr;
    if (!x || !r || x->size() != 3 || r->size() != 3) return;
    const bool batchFirst = isBatchFirst(node);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        Sizes sizes{r->front(), r->back()};
        if (i == 0) sizes.insert(sizes.begin(), (*x)[batchFirst ? 1 : 0]);
        sizes.insert(batchFirst ? sizes.begin() : sizes.end() - 1, (*x)[batchFirst ? 0 : 1]);
        if (!node.outputs[i].empty()) remember(node.outputs[i], sizes);
    }
}

WholesOf Constants::wholes() const {
    return [this](std::string_view value) -> std::optional<Sizes> {
        const Tensor* tensor = find(value);
        if (!tensor || (tensor->type != kInt64 && tensor->type != kInt32 && tensor->type != kFloat) || productOf(tensor->dims) > kMostSizes)
            return {};
        Folded folded = foldedOf(*tensor);
        for (const double real : folded.reals) {  // the factors of a Resize
            if (!(std::abs(real) <= 1e9 && real == std::floor(real))) return {};
            folded.wholes.push_back(static_cast<std::int64_t>(real));
        }
        return std::move(folded.wholes);
    };
}

const Tensor* Constants::resized(const Node& node) {
    if (node.inputs.empty() || node.inputs.front().empty() || !sizes(node.inputs.front())) return nullptr;
    const Tensor& from = *find(node.inputs.front());
    const auto to = sizesOfOutput(node, sizes_, wholes());
    if (!to || productOf(*to) != productOf(from.dims)) refuse(node, "it cannot bring " + shapeText(from.dims) + " into that shape");
    Tensor tensor = from;
    tensor.name = node.outputs.front();
    tensor.dims = *to;
    return &made_.emplace_back(std::move(tensor));
}

void Constants::remember(std::string_view value, const Sizes& sizes) {
    if (sizes.size() > kMaxDims || productOf(sizes) > 1e15) return;
    if (std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size >= 0 && size <= 2147483647; }))
        sizes_.emplace(value, sizes);
}

void Constants::keep(std::string_view value, const Tensor* tensor) {
    byName_.emplace(value, tensor);
    remember(value, tensor->dims);
}

void Constants::keep(const Node& node, const Folded& folded) {
    Tensor tensor;
    tensor.name = node.outputs.front();
    tensor.dims = folded.dims;
    tensor.type = folded.type;
    tensor.raw = stored_.emplace_back(bytesOf(folded));
    keep(tensor.name, &made_.emplace_back(tensor));
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
