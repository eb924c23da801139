#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/errors.h"
#include "core/io/onnx_operators.h"
#include "core/io/printable.h"
#include "core/io/stored_numbers.h"

namespace kappaflow::onnx {
namespace {

std::vector<double> statistics(const Node& node, const LayerChain& chain, std::size_t index, const std::vector<std::int64_t>& dims) {
    const Tensor& tensor = chain.requiredConstant(node, index);
    if (tensor.dims != dims)
        refuse(node, "its input " + quoted(tensor.name) + " is " + shapeText(tensor.dims) + " where " + shapeText(dims) + " is needed");
    std::vector<double> values = numbers(tensor);
    requireFloatRange(node, values, "numbers");
    return values;
}

}  // namespace

void readBatchNormalization(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    requireEvaluation(node, chain);
    if (flagAttribute(node, "training_mode", false)) refuse(node, "it is in training mode; export the model in evaluation mode");
    const Value& in = chain.value();
    if (in.isFree())
        refuse(node, "BatchNormalization of a tensor of " + in.text() + " is not supported; 2 to 4 dimensions are, the batch in front");
    const bool perUnit = !flagAttribute(node, "spatial", true);
    std::vector<std::int64_t> dims = in.sizes();
    if (!perUnit) dims.resize(1);
    BatchNorm norm;
    norm.shared = !perUnit && in.rank > 2;
    norm.epsilon = numberAttribute(node, "epsilon", 1e-5);
    norm.weights = statistics(node, chain, 1, dims);
    norm.bias = statistics(node, chain, 2, dims);
    norm.mean = statistics(node, chain, 3, dims);
    norm.variance = statistics(node, chain, 4, dims);
    if (norm.epsilon < 0) refuse(node, "its epsilon is negative");
    for (double variance : norm.variance)
        if (variance < 0 || variance + norm.epsilon <= 0) refuse(node, "its variances must be positive");
    requireNone(node, chain.totals().addScale(norm));
    chain.add(node, std::move(norm), in);
}

namespace {

/// Scale and shift, one a channel or one a unit, each 1 or 0 where it is left out.
void addLayerNorm(const Node& node, LayerChain& chain, LayerNorm norm, const std::vector<double>& scale, const std::vector<double>& shift) {
    const Value in = chain.value();
    const auto channels = static_cast<std::size_t>(in.shape.channels);
    if (in.shape.units() == channels) norm.eachPosition = false;
    const bool perUnit = std::max(scale.size(), shift.size()) > channels;
    if (perUnit && (norm.eachPosition || norm.groups > 1))
        refuse(node, "its scales or shifts differ from position to position, which is not supported here");
    norm.shared = norm.eachPosition || norm.groups > 1 || (!perUnit && channels > 1);
    norm.epsilon = numberAttribute(node, "epsilon", 1e-5);
    if (norm.epsilon < 0) refuse(node, "its epsilon is negative");
    const std::size_t together = norm.eachPosition ? channels : in.shape.units() / static_cast<std::size_t>(norm.groups);
    if (together < 2) refuse(node, "it normalises over one number alone, of which nothing is left");
    const std::size_t count = norm.shared ? channels : in.shape.units();
    const auto spread = [&](const std::vector<double>& values) {
        std::vector<double> all(count);
        for (std::size_t i = 0; i < count; ++i) all[i] = values[i * values.size() / count];
        return all;
    };
    norm.weights = spread(scale);
    norm.bias = spread(shift);
    requireFloatRange(node, norm.weights, "scales");
    requireFloatRange(node, norm.bias, "shifts");
    double largest = 0;
    for (const double weight : norm.weights) largest = std::max(largest, std::abs(weight));
    // What comes out is no larger than its scale times √units, but its derivative may be 1/√epsilon.
    requireNone(node, chain.totals().addScale(largest * std::max(1 / std::sqrt(std::max(norm.epsilon, 1e-30)), 1.0)));
    chain.add(node, std::move(norm), in);
}

/// Axes that a layer norm goes over, in order.
std::vector<std::int64_t> normalisedAxes(const Node& node, const Value& in) {
    const bool listed = attribute(node, "axes");
    std::vector<std::int64_t> axes = listed ? integersAttribute(node, "axes") : std::vector{integerAttribute(node, "axis", -1)};
    for (std::int64_t& axis : axes) {
        const std::optional<int> place = in.place(axis);
        if (!place || *place < 0) refuse(node, "its axis must be one behind the batch axis");
        axis = *place + 1;
    }
    while (!listed && axes.back() + 1 < static_cast<std::int64_t>(in.rank)) axes.push_back(axes.back() + 1);
    return axes;
}

std::vector<double> operandOr(const Node& node, const LayerChain& chain, std::size_t index, double standard) {
    const Tensor* tensor = chain.constant(node, index);
    return tensor ? chain.broadcast(node, *tensor) : std::vector<double>{standard};
}

}  // namespace

void readLayerNormalization(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const auto last = static_cast<std::int64_t>(chain.value().rank) - 1;
    if (normalisedAxes(node, chain.value()) == std::vector{last} && (chain.value().isFree() || chain.constant(node, 1)))
        chain.bringChannelsLast(node);
    const Value in = chain.value();
    const std::vector<std::int64_t> axes = normalisedAxes(node, in);
    const std::int64_t channelAxis = in.channelsLast ? static_cast<std::int64_t>(in.rank) - 1 : 1;
    const std::vector<std::int64_t> sizes = in.sizes();
    bool whole = true;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        whole = whole && (sizes[i] == 1 || std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i + 1)) != axes.end());
    LayerNorm norm;
    if (!whole) {
        norm.eachPosition = axes.size() == 1 && axes.front() == channelAxis;
        if (in.isFree() && !in.channelsLast) refuse(node, "LayerNormalization of " + in.text() + " is supported over its last axis only");
        const auto covers = [&](std::int64_t axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); };
        bool positions = axes.size() + 2 == in.rank && !covers(channelAxis);
        for (std::int64_t axis = 1; axis < static_cast<std::int64_t>(in.rank); ++axis) positions &= axis == channelAxis || covers(axis);
        if (!norm.eachPosition && !positions)
            refuse(node,
                   "LayerNormalization is supported over all of a sample, over its channels or over its positions, not over other axes");
        norm.groups = positions ? in.shape.channels : 1;
    }
    addLayerNorm(node, chain, std::move(norm), operandOr(node, chain, 1, 1), operandOr(node, chain, 2, 0));
}

void readInstanceNormalization(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    requireGrid(node, chain.value());
    LayerNorm norm;
    norm.groups = chain.value().shape.channels;
    const std::vector<std::int64_t> dims{norm.groups};
    addLayerNorm(node, chain, std::move(norm), statistics(node, chain, 1, dims), statistics(node, chain, 2, dims));
}

// One scale a channel since operator set 21, one a group before.
void readGroupNormalization(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    requireGrid(node, chain.value());
    const std::int64_t channels = chain.value().shape.channels, groups = integerAttribute(node, "num_groups", 0);
    if (groups < 1 || groups > channels || channels % groups != 0)
        refuse(node, std::to_string(channels) + " channels cannot be shared out to " + std::to_string(groups) + " groups");
    LayerNorm norm;
    norm.groups = static_cast<int>(groups);
    const std::vector<std::int64_t> dims{chain.requiredConstant(node, 1).dims == std::vector{groups} ? groups : channels};
    const auto spread = [&](std::vector<double> values) {
        std::vector<double> all(static_cast<std::size_t>(channels));
        for (std::size_t c = 0; c < all.size(); ++c) all[c] = values[c * values.size() / all.size()];
        return all;
    };
    addLayerNorm(node, chain, std::move(norm), spread(statistics(node, chain, 1, dims)), spread(statistics(node, chain, 2, dims)));
}

}  // namespace kappaflow::onnx
