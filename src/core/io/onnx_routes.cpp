#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/errors.h"
#include "core/io/onnx_folding.h"
#include "core/io/onnx_operators.h"
#include "core/io/printable.h"

// Operators that only move numbers: each is the list of places that its output's numbers come from.

namespace kappaflow::onnx {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t kNothing = -1;

void requireCells(const Node& node, const Sizes& sizes) {
    double cells = 1;
    for (const std::int64_t size : sizes) cells *= static_cast<double>(size);
    if (cells > fileLimits().units)
        refuse(node, "it makes " + whole(cells) + " numbers; at most " + whole(fileLimits().units) + " are possible");
}

Sizes upTo(std::int64_t count) {
    Sizes list(static_cast<std::size_t>(count));
    std::iota(list.begin(), list.end(), 0);
    return list;
}

Sizes sizesOf(const std::vector<Sizes>& sources) {
    Sizes sizes;
    for (const Sizes& list : sources) sizes.push_back(static_cast<std::int64_t>(list.size()));
    return sizes;
}

/// sources[axis][i]: where along the axis entry i comes from, kNothing for a zero. `in`: sizes of what is read.
std::vector<int> placesAlong(const Sizes& in, const std::vector<Sizes>& sources) {
    std::vector<int> from{0};
    for (std::size_t axis = 0; axis < in.size(); ++axis) {
        std::vector<int> next;
        next.reserve(from.size() * sources[axis].size());
        for (const int before : from)
            for (const std::int64_t i : sources[axis])
                next.push_back(before < 0 || i < 0 ? -1 : before * static_cast<int>(in[axis]) + static_cast<int>(i));
        from = std::move(next);
    }
    return from;
}

/// Moves what the chain has come to as placesAlong says; `sources` leave the batch axis out.
void moveAlong(const Node& node, LayerChain& chain, const std::vector<Sizes>& sources) {
    requireCells(node, sizesOf(sources));
    chain.move(node, sizesOf(sources), placesAlong(chain.value().sizes(), sources));
}

std::vector<Sizes> allOf(const Value& value) {
    std::vector<Sizes> all;
    for (const std::int64_t size : value.sizes()) all.push_back(upTo(size));
    return all;
}

std::size_t axisOf(const Node& node, std::int64_t axis, const Value& value) {
    const std::optional<int> place = value.place(axis);
    if (!place || *place < 0) refuse(node, "its axis must be one behind the batch axis");
    return static_cast<std::size_t>(*place);
}

std::int64_t paddedPlace(std::int64_t i, std::int64_t cells, std::string_view mode) {
    if (i >= 0 && i < cells) return i;
    if (mode == "constant") return kNothing;
    if (mode == "edge") return std::clamp<std::int64_t>(i, 0, cells - 1);
    return paddedSource(static_cast<int>(i), static_cast<int>(cells), mode == "wrap" ? Padding::Periodic : Padding::Reflect);
}

}  // namespace

void LayerChain::move(const Node& node, const Value& out, const std::vector<int>& from) {
    requireNone(node, totals_.addConstant(static_cast<double>(value_.shape.units() + out.shape.units())));
    std::vector<int> unitAt(value_.shape.units());
    for (std::size_t i = 0; i < unitAt.size(); ++i) unitAt[value_.placeOf(i)] = static_cast<int>(i);
    std::vector<int> route;
    for (std::size_t i = 0; i < out.shape.units(); ++i) {
        const int place = from[out.placeOf(i)];
        route.push_back(place < 0 ? -1 : unitAt[static_cast<std::size_t>(place)]);
    }
    while (!layers_.empty() && layers_.back().is<Route, Flatten>()) {
        if (const auto* before = layers_.back().getIf<Route>())
            for (int& unit : route) unit = unit < 0 ? -1 : before->route[static_cast<std::size_t>(unit)];
        value_.shape = layers_.back().in;
        layers_.pop_back();
    }
    bool moves = route.size() != value_.shape.units();
    for (std::size_t i = 0; i < route.size(); ++i) moves |= route[i] != static_cast<int>(i);
    if (moves) return add(node, Route{std::move(route)}, out);
    reshape(node, out);
}

void LayerChain::move(const Node& node, const Sizes& sizes, const std::vector<int>& from) {
    if (value_.isFree()) return move(node, tensorOf(sizes), from);
    Value out = valueOf(sizes);
    if (value_.channelsLast && sizes.size() > 1 && sizes.size() + 1 == value_.rank) out = channelsLastOf(sizes);
    move(node, out, from);
}

void LayerChain::bringInOrder(const Node& node) {
    if (value_.channelsLast) move(node, value_.isFree() ? tensorOf(value_.dims) : valueOf(value_.sizes()), placesOf(value_));
}

void LayerChain::bringChannelsLast(const Node& node) {
    if (value_.rank == 2 || value_.channelsLast) return;
    if (!value_.isFree()) return move(node, channelsLastOf(value_.sizes()), placesOf(value_));
    Value rows = value_;
    const auto last = static_cast<int>(value_.dims.back());
    rows.shape = {last, 1, static_cast<int>(value_.shape.units()) / last};
    rows.channelsLast = true;
    move(node, rows, placesOf(value_));
}

void LayerChain::layFrame(const Node& node) {
    const std::optional<Frame> frame = takeFrame();
    if (!frame) return;
    std::vector<Sizes> sources = allOf(value_);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if (frame->before[axis] == 0 && frame->after[axis] == 0) continue;
        Sizes& list = sources[sources.size() + axis - 2];
        const auto cells = static_cast<int>(list.size());
        list.clear();
        for (int i = -frame->before[axis]; i < cells + frame->after[axis]; ++i) list.push_back(paddedSource(i, cells, frame->padding));
    }
    moveAlong(node, *this, sources);
}

// The route is what the operator makes of the tensor of places, as if that were a constant.
void readMoved(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    requireNone(node, chain.totals().addConstant(static_cast<double>(chain.value().shape.units())));
    Folded places;
    places.dims = chain.value().tensor();
    places.wholes = upTo(static_cast<std::int64_t>(chain.value().shape.units()));
    std::vector<Folded> constants;
    constants.reserve(node.inputs.size());
    std::vector<const Folded*> inputs{&places};
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
        const Tensor* constant = chain.constant(node, i);
        if (constant) constants.push_back(foldedOf(*constant));
        inputs.push_back(constant ? &constants.back() : nullptr);
    }
    double budget = fileLimits().units * 4;
    const std::optional<Folded> made = fold(node, inputs, budget);
    if (!made) refuse(node, "operator " + std::string(node.type) + " in this form is not supported");
    if (made->wholes.empty()) refuse(node, "nothing is left of what it reads");
    if (made->dims.empty()) refuse(node, "it leaves one number without an axis");
    requireCells(node, made->dims);
    const std::vector<int> from(made->wholes.begin(), made->wholes.end());
    const Value out = tensorOf(made->dims);
    if (chain.value().isFree() || out.isFree()) return chain.move(node, out, from);
    chain.move(node, out.sizes(), from);
}

bool readFreeShape(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const Value in = chain.value();
    const std::optional<Sizes> dims = sizesOfOutput(node, {{node.inputs.front(), in.tensor()}}, chain.source().constants.wholes());
    const bool fits = dims && !dims->empty() && productOf(*dims) == static_cast<double>(in.shape.units());
    if (!in.isFree() && (!fits || !tensorOf(*dims).isFree())) return false;
    if (!fits) refuse(node, "it cannot bring " + in.text() + " into that shape");
    chain.move(node, tensorOf(*dims), placesOf(in));
    return true;
}

// As the specification has it: six axes in another order.
void readDepth(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    requireGrid(node, chain.value());
    const Shape in = chain.value().shape;
    const std::int64_t b = integerAttribute(node, "blocksize", 0);
    const std::string_view mode = textAttribute(node, "mode", "DCR");
    const bool toSpace = node.type == "DepthToSpace";
    const bool fits =
        chain.value().rank == 4 && b >= 1 && b <= 512 && (toSpace ? in.channels % (b * b) == 0 : in.height % b == 0 && in.width % b == 0);
    if (!fits || (mode != "DCR" && mode != "CRD")) refuse(node, "blocks of " + std::to_string(b) + " do not fit " + chain.value().text());
    const std::int64_t c = in.channels, h = in.height, w = in.width;
    if (!toSpace) return chain.move(node, Sizes{c * b * b, h / b, w / b}, transposedPlaces({c, h / b, b, w / b, b}, {2, 4, 0, 1, 3}));
    const Sizes out{c / (b * b), h * b, w * b};
    if (mode == "DCR") return chain.move(node, out, transposedPlaces({b, b, c / (b * b), h, w}, {2, 3, 0, 4, 1}));
    chain.move(node, out, transposedPlaces({c / (b * b), b, b, h, w}, {0, 3, 1, 4, 2}));
}

void readSplit(const Node& node, LayerChain& chain, std::size_t output) {
    const std::size_t axis = axisOf(node, integerAttribute(node, "axis", 0), chain.value());
    const std::int64_t cells = chain.value().sizes()[axis], parts = static_cast<std::int64_t>(node.outputs.size());
    const Tensor* given = chain.constant(node, 1);
    Sizes lengths = given ? longList(*given, static_cast<double>(node.outputs.size())) : integersAttribute(node, "split");
    if (lengths.empty()) lengths = evenParts(cells, parts);
    std::int64_t first = 0, sum = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        if (lengths[i] < 1 || lengths[i] > cells) refuse(node, "a part of " + std::to_string(lengths[i]) + " entries is not possible");
        if (i < output) first += lengths[i];
        sum += lengths[i];
    }
    if (static_cast<std::int64_t>(lengths.size()) != parts || sum != cells)
        refuse(node, "its parts have " + std::to_string(sum) + " entries in all where the axis has " + std::to_string(cells));
    std::vector<Sizes> sources = allOf(chain.value());
    sources[axis] = Sizes(sources[axis].begin() + first, sources[axis].begin() + first + lengths[output]);
    moveAlong(node, chain, sources);
}

void padAnyAxis(const Node& node, LayerChain& chain, const Sizes& pads, std::string_view mode) {
    std::vector<Sizes> sources;
    const Sizes sizes = chain.value().sizes();
    const std::size_t axes = chain.value().tensor().size(), first = axes - sizes.size();
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        const std::int64_t before = pads[first + axis], after = pads[axes + first + axis], cells = sizes[axis];
        if (std::max(std::abs(before), std::abs(after)) > fileLimits().cells) refuse(node, "its pads are too large");
        if (mode == "reflect" && (before >= cells || after >= cells)) refuse(node, "it reflects more cells than there are");
        Sizes list;
        for (std::int64_t i = -before; i < cells + after; ++i) list.push_back(paddedPlace(i, cells, mode));
        if (list.empty()) refuse(node, "nothing is left of what it reads");
        sources.push_back(std::move(list));
        requireCells(node, sizesOf(sources));
    }
    moveAlong(node, chain, sources);
}

namespace {

/// Linear interpolation by whole factors f, cells f − 1 zeros apart and the outermost twice, under a convolution of every channel by
/// itself: output o lies at o + 1/2 − f/2 from the first cell and takes 1 − distance/f of each cell nearer than f.
void interpolate(const Node& node, LayerChain& chain, const std::vector<int>& factors) {
    requireGrid(node, chain.value());
    if (factors.front() != 1) refuse(node, "it scales channels");
    const Value in = chain.value();
    std::vector<Sizes> sources = allOf(in);
    std::array<std::vector<double>, 2> kernels{std::vector{1.0}, std::vector{1.0}};
    Conv conv;
    conv.groups = in.shape.channels;
    for (std::size_t axis = 1; axis < sources.size(); ++axis) {
        const int f = factors[axis];
        const std::size_t side = axis + 2 - sources.size();
        if (f == 1) continue;
        if ((static_cast<double>(sources[axis].size()) + 2) * f > fileLimits().cells) refuse(node, "it makes too many cells");
        Sizes spread;
        const auto add = [&](std::int64_t cell) {
            spread.push_back(cell);
            spread.insert(spread.end(), static_cast<std::size_t>(f - 1), kNothing);
        };
        add(0);
        for (const std::int64_t cell : sources[axis]) add(cell);
        spread.push_back(sources[axis].back());
        sources[axis] = std::move(spread);
        requireCells(node, sizesOf(sources));
        const double middle = 0.5 - f / 2.0;
        const int first = static_cast<int>(std::floor(middle - f)) + 1, last = static_cast<int>(std::ceil(middle + f)) - 1;
        kernels[side].clear();
        for (int k = first; k <= last; ++k) kernels[side].push_back(1 - std::abs(k - middle) / f);
        conv.window.size[side] = last - first + 1;
        conv.window.before[side] = -first - f;
        conv.window.after[side] = last - 1;
    }
    moveAlong(node, chain, sources);
    requireWeights(node, chain.totals(), static_cast<double>(conv.groups) * static_cast<double>(kernels[0].size() * kernels[1].size()));
    for (int c = 0; c < conv.groups; ++c)
        for (const double y : kernels[0])
            for (const double x : kernels[1]) conv.weights.push_back(y * x);
    const Value out = windowOutput(node, chain.value(), conv.window, in.shape.channels);
    chain.add(node, std::move(conv), out);
}

}  // namespace

void readResize(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const std::string_view mode = textAttribute(node, "mode", "nearest"),
                           place = textAttribute(node, "coordinate_transformation_mode", "half_pixel"),
                           rounding = textAttribute(node, "nearest_mode", "round_prefer_floor");
    const bool upsample = node.type == "Upsample";
    const bool middles = isOneOf(place, {"half_pixel", "pytorch_half_pixel", "half_pixel_symmetric"}), linear = mode == "linear" && middles;
    const bool repeats = upsample || (place == "asymmetric" ? rounding == "floor" : middles);
    if ((mode != "nearest" || !repeats) && (!linear || upsample))
        refuse(node, std::string(node.type) +
                         " is supported where it repeats every cell (mode nearest), or goes linearly from the middle of a cell to that of "
                         "the next (mode linear, half_pixel)");
    if (attribute(node, "axes")) refuse(node, "its attribute axes is not supported");
    if (linear) chain.bringInOrder(node);
    std::vector<Sizes> sources = allOf(chain.value());
    const auto scales = [&](std::size_t input) {
        const Tensor* tensor = chain.constant(node, input);
        return tensor && elementCount(*tensor) > 0 ? numbers(*tensor) : std::vector<double>();
    };
    std::vector<double> factors = scales(upsample ? 1 : 2);
    if (const Tensor* target = upsample ? nullptr : chain.constant(node, 3); target && factors.empty())
        for (const std::int64_t size : integers(*target))
            factors.push_back(factors.empty() ? 1.0
                                              : static_cast<double>(size) /
                                                    static_cast<double>(sources[std::min(factors.size(), sources.size()) - 1].size()));
    if (factors.size() != sources.size() + 1 || factors.front() != 1) refuse(node, "its scales do not fit what it reads");
    std::vector<int> steps;
    for (std::size_t axis = 0; axis < sources.size(); ++axis) {
        const double factor = factors[axis + 1];
        if (!(factor >= 1 && factor <= fileLimits().cells && factor == std::floor(factor)))
            refuse(node, "it scales by " + shortNumber(factor) + "; whole factors are supported");
        Sizes list;
        steps.push_back(static_cast<int>(factor));
        if (linear) continue;
        if (static_cast<double>(sources[axis].size()) * factor > fileLimits().units) refuse(node, "it makes too many cells");
        for (const std::int64_t i : sources[axis]) list.insert(list.end(), static_cast<std::size_t>(factor), i);
        sources[axis] = std::move(list);
        requireCells(node, sizesOf(sources));
    }
    if (linear) return interpolate(node, chain, steps);
    moveAlong(node, chain, sources);
}

void expandTo(const Node& node, LayerChain& chain, const Sizes& dims) {
    Sizes own = chain.value().tensor();
    own.insert(own.begin(), dims.size() - own.size(), 1);
    requireCells(node, dims);
    std::vector<Sizes> sources;
    for (std::size_t axis = 0; axis < dims.size(); ++axis)
        sources.push_back(own[axis] == 1 ? Sizes(static_cast<std::size_t>(dims[axis]), 0) : upTo(own[axis]));
    chain.move(node, tensorOf(dims), placesAlong(own, sources));
}

void spreadCells(const Node& node, LayerChain& chain, const std::array<int, 2>& strides) {
    std::vector<Sizes> sources = allOf(chain.value());
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if (strides[axis] == 1) continue;
        Sizes& list = sources[sources.size() + axis - 2];
        const double cells = static_cast<double>(list.size() - 1) * strides[axis] + 1;
        if (cells > fileLimits().cells) refuse(node, "it makes too many cells");
        Sizes spread(static_cast<std::size_t>(cells), kNothing);
        for (std::size_t i = 0; i < list.size(); ++i) spread[i * static_cast<std::size_t>(strides[axis])] = list[i];
        list = std::move(spread);
        requireCells(node, sizesOf(sources));
    }
    moveAlong(node, chain, sources);
}

std::vector<int> transposedPlaces(const std::vector<std::int64_t>& dims, const std::vector<std::size_t>& order) {
    std::vector<int> step(dims.size(), 1), places{0};
    for (std::size_t axis = dims.size() - 1; axis-- > 0;) step[axis] = step[axis + 1] * static_cast<int>(dims[axis + 1]);
    for (const std::size_t axis : order) {
        std::vector<int> next;
        next.reserve(places.size() * static_cast<std::size_t>(dims[axis]));
        for (const int place : places)
            for (int i = 0; i < static_cast<int>(dims[axis]); ++i) next.push_back(place + i * step[axis]);
        places = std::move(next);
    }
    return places;
}

std::vector<int> placesOf(const Value& value) {
    std::vector<int> places(value.shape.units());
    std::iota(places.begin(), places.end(), 0);
    return places;
}

Value channelsLastOf(const Sizes& sizes) {
    const auto size = [&](std::size_t i) { return static_cast<int>(sizes[i]); };
    if (sizes.size() == 2) return {{size(1), 1, size(0)}, 3, true};
    return {{size(2), size(0), size(1)}, 4, true};
}

}  // namespace kappaflow::onnx
