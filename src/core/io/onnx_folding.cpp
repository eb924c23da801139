#include "core/io/onnx_folding.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/io/onnx_operators.h"
#include "core/io/printable.h"
#include "core/io/stored_numbers.h"

namespace kappaflow::onnx {
namespace {

using Sizes = std::vector<std::int64_t>;
using Inputs = std::vector<const Folded*>;

void spend(const Node& node, double numbers, double& budget) {
    if (!(numbers <= budget))
        refuse(node, "with it more numbers are computed from constants while the file is read than a file of this size may ask for");
    budget -= numbers;
}

/// Sizes of a result, in bounds.
void requireSizes(const Node& node, const Sizes& dims, double& budget) {
    if (dims.size() > kMaxDims) refuse(node, "it makes a tensor of more than " + std::to_string(kMaxDims) + " dimensions");
    double numbers = productOf(dims), along = 0;
    for (const std::int64_t dim : dims) {
        if (dim < 0) refuse(node, "it makes a tensor of " + std::to_string(dim) + " entries along an axis, which is not possible");
        along += static_cast<double>(dim);
    }
    if (std::max(numbers, along) > fileLimits().weights)
        refuse(node, "it makes a tensor of " + shapeText(dims) + "; at most " + whole(fileLimits().weights) + " numbers are possible");
    spend(node, std::max(numbers, along), budget);
}

std::int64_t axisOf(const Node& node, std::int64_t axis, std::size_t rank) {
    const auto size = static_cast<std::int64_t>(rank);
    if (axis < -size || axis >= size)
        refuse(node, "its axis " + std::to_string(axis) + " is none of a tensor of " + std::to_string(rank) + " dimensions");
    return axis < 0 ? axis + size : axis;
}

/// Places hold, for every axis of a result, what each index along it adds to the place that an entry is read from.
using Places = std::vector<std::vector<std::size_t>>;

std::vector<std::size_t> stepsOf(const Sizes& dims) {
    std::vector<std::size_t> steps(dims.size(), 1);
    for (std::size_t d = dims.size(); d-- > 1;) steps[d - 1] = steps[d] * static_cast<std::size_t>(dims[d]);
    return steps;
}

Places allPlaces(const Sizes& dims) {
    const std::vector<std::size_t> steps = stepsOf(dims);
    Places places(dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d)
        for (std::int64_t i = 0; i < dims[d]; ++i) places[d].push_back(static_cast<std::size_t>(i) * steps[d]);
    return places;
}

/// Calls visit(place) for every entry of the result in its order.
template <class Visit>
void walk(const Places& places, std::size_t axis, std::size_t at, Visit& visit) {
    if (axis == places.size()) return visit(at);
    for (const std::size_t add : places[axis]) walk(places, axis + 1, at + add, visit);
}

Folded moved(const Folded& in, Sizes dims, const Places& places) {
    Folded out{std::move(dims), in.type, {}, {}};
    if (productOf(out.dims) == 0) return out;  // axes before one of length 0 may be long
    if (in.isReal()) {
        out.reals.reserve(static_cast<std::size_t>(productOf(out.dims)));
        auto take = [&](std::size_t at) { out.reals.push_back(in.reals[at]); };
        walk(places, 0, 0, take);
    } else {
        auto take = [&](std::size_t at) { out.wholes.push_back(in.wholes[at]); };
        walk(places, 0, 0, take);
    }
    return out;
}

/// Sizes of two tensors together by numpy's rule.
Sizes together(const Node& node, const Sizes& a, const Sizes& b) {
    Sizes dims(std::max(a.size(), b.size()), 1);
    for (std::size_t i = 1; i <= dims.size(); ++i) {
        const std::int64_t m = i <= a.size() ? a[a.size() - i] : 1, n = i <= b.size() ? b[b.size() - i] : 1;
        if (m != n && m != 1 && n != 1) refuse(node, shapeText(a) + " and " + shapeText(b) + " do not broadcast together");
        dims[dims.size() - i] = m == 1 ? n : m;
    }
    return dims;
}

Folded spread(const Folded& in, const Sizes& dims) {
    if (in.dims == dims) return in;
    const Places own = allPlaces(in.dims);
    Places places(dims.size());
    for (std::size_t i = 1; i <= dims.size(); ++i) {
        const auto size = static_cast<std::size_t>(dims[dims.size() - i]);
        const bool runs = i <= in.dims.size() && in.dims[in.dims.size() - i] != 1;
        places[dims.size() - i] = runs ? own[own.size() - i] : std::vector<std::size_t>(size, 0);
    }
    return moved(in, dims, places);
}

void round(Folded& f) {
    if (f.type == kFloat)
        for (double& value : f.reals) value = static_cast<double>(static_cast<float>(value));
    if (f.type == kInt32)
        for (std::int64_t& value : f.wholes) value = static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::int64_t wholeResult(const Node& node, std::int64_t a, std::int64_t b) {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    if (node.type == "Add") return wrapped(x + y);
    if (node.type == "Sub") return wrapped(x - y);
    if (node.type == "Mul") return wrapped(x * y);
    if (node.type == "Min") return std::min(a, b);
    if (node.type == "Max") return std::max(a, b);
    if (node.type == "And") return a && b;
    if (node.type == "Or") return a || b;
    if (node.type == "Pow") {
        const double power = std::pow(static_cast<double>(a), static_cast<double>(b));
        if (!(std::abs(power) < 9e15)) refuse(node, "its power is too large");
        return static_cast<std::int64_t>(power);
    }
    if (b == 0) refuse(node, "it divides by 0");
    if (node.type == "Mod") {
        const std::int64_t rest = b == -1 ? 0 : a % b;
        return rest != 0 && (rest < 0) != (b < 0) && integerAttribute(node, "fmod", 0) == 0 ? rest + b : rest;
    }
    return b == -1 ? wrapped(0 - x) : a / b;
}

double realResult(const Node& node, double a, double b) {
    if (node.type == "Add") return a + b;
    if (node.type == "Sub") return a - b;
    if (node.type == "Mul") return a * b;
    if (node.type == "Min") return std::min(a, b);
    if (node.type == "Max") return std::max(a, b);
    if (node.type == "Pow") return std::pow(a, b);
    if (b == 0) refuse(node, "it divides by 0");
    return a / b;
}

template <class Number>
bool comparison(const Node& node, Number a, Number b) {
    if (node.type == "Equal") return a == b;
    if (node.type == "Less") return a < b;
    if (node.type == "Greater") return a > b;
    return node.type == "LessOrEqual" ? a <= b : a >= b;
}

bool compares(const Node& node) { return isOneOf(node.type, {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"}); }

std::optional<Folded> binary(const Node& node, const Inputs& in, double& budget) {
    if (in.size() != 2 || !in[0] || !in[1] || in[0]->type != in[1]->type) return {};
    if (isOneOf(node.type, {"And", "Or"}) && in[0]->type != kBool) return {};
    if (node.type == "Mod" && in[0]->isReal()) return {};
    const Sizes dims = together(node, in[0]->dims, in[1]->dims);
    requireSizes(node, dims, budget);
    spend(node, 2 * productOf(dims), budget);
    const Folded a = spread(*in[0], dims), b = spread(*in[1], dims);
    Folded out{dims, compares(node) ? std::int64_t{kBool} : a.type, {}, {}};
    for (std::size_t i = 0; i < a.count(); ++i) {
        if (compares(node))
            out.wholes.push_back(a.isReal() ? comparison(node, a.reals[i], b.reals[i]) : comparison(node, a.wholes[i], b.wholes[i]));
        else if (a.isReal())
            out.reals.push_back(realResult(node, a.reals[i], b.reals[i]));
        else
            out.wholes.push_back(wholeResult(node, a.wholes[i], b.wholes[i]));
    }
    round(out);
    return out;
}

std::optional<Folded> unary(const Node& node, const Inputs& in, double& budget) {
    if (in.size() != 1 || !in[0]) return {};
    Folded out = *in[0];
    spend(node, static_cast<double>(out.count()), budget);
    if (!out.isReal()) {
        if (node.type == "Not" && out.type == kBool)
            for (std::int64_t& value : out.wholes) value = !value;
        else if (isOneOf(node.type, {"Neg", "Abs"}) && out.type != kBool)
            for (std::int64_t& value : out.wholes)
                value = node.type == "Neg" || value < 0 ? wrapped(0 - static_cast<std::uint64_t>(value)) : value;
        else
            return {};
        round(out);
        return out;
    }
    static const std::map<std::string_view, double (*)(double)> functions = {
        {"Neg", [](double x) { return -x; }},
        {"Abs", [](double x) { return std::abs(x); }},
        {"Sqrt", [](double x) { return std::sqrt(x); }},
        {"Exp", [](double x) { return std::exp(x); }},
        {"Log", [](double x) { return std::log(x); }},
        {"Floor", [](double x) { return std::floor(x); }},
        {"Ceil", [](double x) { return std::ceil(x); }},
        {"Reciprocal", [](double x) { return 1 / x; }},
    };
    const auto function = functions.find(node.type);
    if (function == functions.end()) return {};
    for (double& value : out.reals) value = function->second(value);
    round(out);
    return out;
}

std::optional<Folded> cast(const Node& node, const Inputs& in, double& budget) {
    if (in.empty() || !in[0]) return {};
    Folded out{in[0]->dims, integerAttribute(node, "to", 0), {}, {}};
    if (!out.isReal() && out.type != kInt64 && out.type != kInt32 && out.type != kBool) return {};
    spend(node, static_cast<double>(in[0]->count()), budget);
    for (std::size_t i = 0; i < in[0]->count(); ++i) {
        const double real = in[0]->isReal() ? in[0]->reals[i] : static_cast<double>(in[0]->wholes[i]);
        if (out.isReal())
            out.reals.push_back(real);
        else if (out.type == kBool)
            out.wholes.push_back(real != 0);
        else if (!in[0]->isReal())
            out.wholes.push_back(in[0]->wholes[i]);
        else if (std::abs(real) < 9e15)
            out.wholes.push_back(static_cast<std::int64_t>(real));
        else
            refuse(node, "it turns a number into a whole one that is too large to be");
    }
    round(out);
    return out;
}

std::optional<Folded> gather(const Node& node, const Inputs& in, double& budget) {
    if (in.size() != 2 || !in[0] || !in[1] || in[1]->isReal()) return {};
    const Folded &data = *in[0], &list = *in[1];
    const auto axis = static_cast<std::size_t>(axisOf(node, integerAttribute(node, "axis", 0), data.dims.size()));
    Sizes dims(data.dims.begin(), data.dims.begin() + static_cast<std::ptrdiff_t>(axis));
    dims.insert(dims.end(), list.dims.begin(), list.dims.end());
    dims.insert(dims.end(), data.dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1, data.dims.end());
    requireSizes(node, dims, budget);
    Places places = allPlaces(data.dims);
    std::vector<std::size_t> chosen;
    for (const std::int64_t given : list.wholes) {
        const std::int64_t index = given < 0 ? given + data.dims[axis] : given;
        if (index < 0 || index >= data.dims[axis])
            refuse(node, "it takes entry " + std::to_string(given) + " of an axis of " + std::to_string(data.dims[axis]));
        chosen.push_back(places[axis][static_cast<std::size_t>(index)]);
    }
    places[axis] = std::move(chosen);
    return moved(data, std::move(dims), places);
}

/// Starts, ends, axes and steps are inputs; attributes without steps up to operator set 9.
std::optional<Folded> slice(const Node& node, const Inputs& in, double& budget) {
    if (in.empty() || !in[0]) return {};
    const auto list = [&](std::size_t i, const char* name) -> Sizes {
        if (i < in.size() && in[i] && !in[i]->isReal()) return in[i]->wholes;
        return in.size() == 1 ? integersAttribute(node, name) : Sizes{};
    };
    const Sizes starts = list(1, "starts"), ends = list(2, "ends"), steps = list(4, "steps");
    Sizes axes = list(3, "axes");
    if (axes.empty())
        for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
    if (starts.size() != ends.size() || axes.size() != starts.size() || (!steps.empty() && steps.size() != starts.size()))
        refuse(node, "its starts, ends, axes and steps are not as many of each");
    Folded out = *in[0];
    Places places = allPlaces(out.dims);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<std::size_t>(axisOf(node, axes[i], out.dims.size()));
        const std::int64_t step = steps.empty() ? 1 : steps[i], size = out.dims[axis];
        if (step == 0) refuse(node, "its step is 0");
        // Ends far beyond an axis are an exporter's word for all of it.
        const auto bounded = [&](std::int64_t at) {
            at = at < 0 ? std::max(at, -size - 1) + size : at;
            return step > 0 ? std::clamp<std::int64_t>(at, 0, size) : std::clamp<std::int64_t>(at, -1, size - 1);
        };
        std::vector<std::size_t> chosen;
        const std::int64_t from = bounded(starts[i]), to = bounded(ends[i]);
        const std::int64_t pace = std::clamp<std::int64_t>(step, -size - 1, size + 1);
        for (std::int64_t at = from; pace > 0 ? at < to : at > to; at += pace) chosen.push_back(places[axis][static_cast<std::size_t>(at)]);
        places[axis] = std::move(chosen);
        out.dims[axis] = static_cast<std::int64_t>(places[axis].size());
    }
    requireSizes(node, out.dims, budget);
    return moved(*in[0], out.dims, places);
}

std::optional<Folded> concat(const Node& node, const Inputs& in, double& budget) {
    if (in.empty() || !in[0]) return {};
    const auto axis = static_cast<std::size_t>(axisOf(node, integerAttribute(node, "axis", 0), in[0]->dims.size()));
    Folded out{in[0]->dims, in[0]->type, {}, {}};
    out.dims[axis] = 0;
    for (const Folded* part : in) {
        if (!part || part->type != out.type) return {};
        Sizes dims = part->dims;
        if (dims.size() == out.dims.size()) dims[axis] = out.dims[axis];
        if (dims != out.dims) refuse(node, "its inputs are not of the same sizes beside its axis");
        out.dims[axis] += part->dims[axis];
    }
    requireSizes(node, out.dims, budget);
    if (productOf(out.dims) == 0) return out;
    std::size_t inner = 1, outer = 1;
    for (std::size_t d = axis + 1; d < out.dims.size(); ++d) inner *= static_cast<std::size_t>(out.dims[d]);
    for (std::size_t d = 0; d < axis; ++d) outer *= static_cast<std::size_t>(out.dims[d]);
    const auto append = [&](const auto& from, auto& to, std::size_t row, std::size_t length) {
        to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(row * length),
                  from.begin() + static_cast<std::ptrdiff_t>((row + 1) * length));
    };
    for (std::size_t row = 0; row < outer; ++row)
        for (const Folded* part : in) {
            const std::size_t length = static_cast<std::size_t>(part->dims[axis]) * inner;
            if (out.isReal())
                append(part->reals, out.reals, row, length);
            else
                append(part->wholes, out.wholes, row, length);
        }
    return out;
}

std::optional<Folded> transpose(const Node& node, const Inputs& in, double& budget) {
    if (in.size() != 1 || !in[0]) return {};
    Sizes perm = integersAttribute(node, "perm"), sorted;
    if (perm.empty())
        for (std::size_t d = in[0]->dims.size(); d-- > 0;) perm.push_back(static_cast<std::int64_t>(d));
    sorted = perm;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t d = 0; d < sorted.size(); ++d)
        if (sorted[d] != static_cast<std::int64_t>(d)) sorted.clear();
    if (sorted.size() != in[0]->dims.size()) refuse(node, "its perm is no order of the axes");
    spend(node, static_cast<double>(in[0]->count()), budget);
    const Places own = allPlaces(in[0]->dims);
    Places places;
    Sizes dims;
    for (const std::int64_t axis : perm) {
        places.push_back(own[static_cast<std::size_t>(axis)]);
        dims.push_back(in[0]->dims[static_cast<std::size_t>(axis)]);
    }
    return moved(*in[0], dims, places);
}

std::optional<Folded> filled(const Node& node, const Inputs& in, double& budget) {
    if (in.size() != 1 || !in[0] || in[0]->isReal()) return {};
    Folded out{in[0]->wholes, kFloat, {}, {}};
    requireSizes(node, out.dims, budget);
    const auto count = static_cast<std::size_t>(productOf(out.dims));
    const Attribute* value = attribute(node, "value");
    if (!value) {
        out.reals.assign(count, 0);
        return out;
    }
    if (!value->tensor) return {};
    const Folded entry = foldedOf(*value->tensor);
    if (entry.count() != 1) refuse(node, "its value must be a single number");
    out.type = entry.type;
    if (out.isReal())
        out.reals.assign(count, entry.reals[0]);
    else
        out.wholes.assign(count, entry.wholes[0]);
    return out;
}

std::optional<Folded> range(const Node& node, const Inputs& in, double& budget) {
    if (in.size() != 3) return {};
    for (const Folded* f : in)
        if (!f || f->count() != 1 || f->type != in[0]->type) return {};
    const auto number = [&](std::size_t i) { return in[i]->isReal() ? in[i]->reals[0] : static_cast<double>(in[i]->wholes[0]); };
    const double start = number(0), step = number(2);
    if (step == 0) refuse(node, "its step is 0");
    const double count = std::max(0.0, std::ceil((number(1) - start) / step));
    if (!(count <= fileLimits().weights))
        refuse(node, "it makes more than " + whole(fileLimits().weights) + " numbers, which is not possible");
    Folded out{{static_cast<std::int64_t>(count)}, in[0]->type, {}, {}};
    requireSizes(node, out.dims, budget);
    for (std::int64_t i = 0; i < out.dims[0]; ++i) {
        if (out.isReal())
            out.reals.push_back(start + static_cast<double>(i) * step);
        else
            out.wholes.push_back(wrapped(static_cast<std::uint64_t>(in[0]->wholes[0]) +
                                         static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(in[2]->wholes[0])));
    }
    round(out);
    return out;
}

std::optional<Folded> where(const Node& node, const Inputs& in, double& budget) {
    if (in.size() != 3 || !in[0] || !in[1] || !in[2] || in[0]->isReal() || in[1]->type != in[2]->type) return {};
    const Sizes dims = together(node, in[0]->dims, together(node, in[1]->dims, in[2]->dims));
    requireSizes(node, dims, budget);
    spend(node, 3 * productOf(dims), budget);
    const Folded condition = spread(*in[0], dims), no = spread(*in[2], dims);
    Folded out = spread(*in[1], dims);
    for (std::size_t i = 0; i < condition.wholes.size(); ++i) {
        if (condition.wholes[i]) continue;
        if (out.isReal())
            out.reals[i] = no.reals[i];
        else
            out.wholes[i] = no.wholes[i];
    }
    return out;
}

std::optional<Folded> expand(const Node& node, const Inputs& in, double& budget) {
    if (in.size() != 2 || !in[0] || !in[1] || in[1]->isReal()) return {};
    const Sizes dims = together(node, in[0]->dims, in[1]->wholes);
    requireSizes(node, dims, budget);
    return spread(*in[0], dims);
}

/// Writes each update over one part of the data: along its last axis `in[1]` holds that part's place, an index for each of the data's
/// first axes.
std::optional<Folded> scattered(const Node& node, const Inputs& in, double& budget) {
    if (in.size() != 3 || !in[0] || !in[1] || !in[2] || in[1]->isReal() || in[0]->type != in[2]->type) return {};
    if (textAttribute(node, "reduction", "none") != "none") return {};
    const Folded &list = *in[1], &updates = *in[2];
    Folded out = *in[0];
    const auto named = list.dims.empty() ? 0 : static_cast<std::size_t>(list.dims.back());
    if (named == 0 || named > out.dims.size()) refuse(node, "its indices name no part of " + shapeText(out.dims));
    Sizes wanted(list.dims.begin(), list.dims.end() - 1);
    wanted.insert(wanted.end(), out.dims.begin() + static_cast<std::ptrdiff_t>(named), out.dims.end());
    if (updates.dims != wanted) refuse(node, "its updates are " + shapeText(updates.dims) + ", not " + shapeText(wanted));
    spend(node, static_cast<double>(updates.count()), budget);
    const std::vector<std::size_t> steps = stepsOf(out.dims);
    const std::size_t each = steps[named - 1];
    for (std::size_t i = 0; i * named < list.wholes.size(); ++i) {
        std::size_t at = 0;
        for (std::size_t d = 0; d < named; ++d) {
            const std::int64_t given = list.wholes[i * named + d], index = given < 0 ? given + out.dims[d] : given;
            if (index < 0 || index >= out.dims[d])
                refuse(node, "it writes entry " + std::to_string(given) + " of an axis of " + std::to_string(out.dims[d]));
            at += static_cast<std::size_t>(index) * steps[d];
        }
        for (std::size_t k = 0; k < each; ++k) {
            if (out.isReal())
                out.reals[at + k] = updates.reals[i * each + k];
            else
                out.wholes[at + k] = updates.wholes[i * each + k];
        }
    }
    return out;
}

}  // namespace

namespace {

using Rule = std::optional<Folded> (*)(const Node&, const Inputs&, double&);

Rule ruleOf(const Node& node) {
    static const std::vector<std::pair<Rule, std::vector<std::string_view>>> rules = {
        {binary,
         {"Add", "Sub", "Mul", "Div", "Mod", "Pow", "Min", "Max", "And", "Or", "Equal", "Less", "Greater", "LessOrEqual",
          "GreaterOrEqual"}},
        {unary, {"Neg", "Abs", "Sqrt", "Exp", "Log", "Floor", "Ceil", "Reciprocal", "Not"}},
        {cast, {"Cast"}},
        {gather, {"Gather"}},
        {slice, {"Slice"}},
        {concat, {"Concat"}},
        {transpose, {"Transpose"}},
        {expand, {"Expand"}},
        {filled, {"ConstantOfShape"}},
        {range, {"Range"}},
        {where, {"Where"}},
        {scattered, {"ScatterND"}},
    };
    if (!node.domain.empty() && node.domain != "ai.onnx") return nullptr;
    for (const auto& [rule, types] : rules)
        if (std::find(types.begin(), types.end(), node.type) != types.end()) return rule;
    return nullptr;
}

}  // namespace

bool isFolded(const Node& node) { return ruleOf(node); }

std::optional<Folded> fold(const Node& node, const Inputs& in, double& budget) {
    double read = 0;
    for (const Folded* input : in) read += input ? static_cast<double>(input->count()) : 0;
    spend(node, read, budget);
    const Rule rule = ruleOf(node);
    return rule ? rule(node, in, budget) : std::nullopt;
}

}  // namespace kappaflow::onnx
