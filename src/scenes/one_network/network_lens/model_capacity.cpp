#include "scenes/one_network/network_lens/model_capacity.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/errors.h"
#include "core/capacity/layer_columns.h"

namespace kappaflow::lens {
namespace {

/// More edges of the flow than a picture can show, and connections that are looked at for them.
constexpr double kMostEdges = 4000, kMostConnections = 5e6;
/// Operations of one connection on the way down.
constexpr double kConnectionWork = 10;

std::vector<double> sumsOf(const std::vector<std::vector<double>>& rows) {
    std::vector<double> sums;
    for (const auto& row : rows) sums.push_back(row.empty() ? kNone : std::accumulate(row.begin(), row.end(), 0.0));
    return sums;
}

}  // namespace

std::vector<Shape> stateShapes(const Network& network, const std::vector<WeightLayer>& layers) {
    std::vector<Shape> shapes{network.input};
    for (const WeightLayer& part : layers) shapes.push_back(part.layer->out);
    return shapes;
}

double parametersOf(const Layer& layer) {
    double count = static_cast<double>(layer.weights.size() + layer.bias.size());
    for (const auto* side : {&layer.branch, &layer.skip})
        for (const Layer& inner : *side) count += parametersOf(inner);
    return count;
}

void appendRow(std::vector<double>& rows, const std::vector<double>& values, std::size_t width) {
    rows.insert(rows.end(), values.begin(), values.end());
    rows.insert(rows.end(), width - values.size(), kNone);
}

double holdersOf(const std::vector<double>& capacity) {
    double sum = 0, squares = 0;
    for (const double k : capacity) sum += k, squares += k * k;
    return squares > 0 ? sum * sum / squares : kNone;
}

void addShape(FilledReport& r, const Network& network) {
    const auto parts = weightLayerParts(network.layers);
    const auto shapes = stateShapes(network, parts);
    const Axis layer = countedAxis("layer", shapes.size());
    std::vector<double> units, channels, heights, columns, parameters{kNone};
    for (const Shape& shape : shapes) {
        units.push_back(static_cast<double>(shape.units()));
        channels.push_back(shape.channels);
        heights.push_back(shape.height);
        columns.push_back(shape.width);
    }
    for (const WeightLayer& part : parts) parameters.push_back(parametersOf(*part.layer));
    r.add("units", {layer}, std::move(units));
    r.add("channels", {layer}, std::move(channels));
    r.add("heights", {layer}, std::move(heights));
    r.add("columns", {layer}, std::move(columns));
    r.add("parameters", {layer}, std::move(parameters)).mayBeUndefined = true;
}

void CapacityLens::start(const Setup& setup, const Network& network, double work) {
    beginNote();
    layers_ = weightLayerParts(network.layers);
    left_ = work;
    descent_ = {};
    descent_.capacity.resize(layers_.size() + 1);
    descent_.reached = layers_.size();
    if (layers_.empty()) note_ = "The network has no layer with weights, so there is nothing for capacity to flow through.";
    auto& top = descent_.capacity.back();
    top.assign(network.output().units(), 0.0);
    top[std::min(setup.unit, top.size() - 1)] = 1;
    beginFlow();
}

/// Only of vectors: in a plane there are more edges than a picture has room for.
void CapacityLens::beginFlow() {
    flow_.assign(layers_.size(), {});
    bin_ = 0;
    double connections = 0;
    std::vector<FlowGeometry> geometry;
    for (const WeightLayer& part : layers_) {
        const Layer& layer = *part.layer;
        if (layer.kind == LayerKind::Residual || layer.in.units() != static_cast<std::size_t>(layer.in.width) ||
            layer.out.units() != static_cast<std::size_t>(layer.out.width))
            return;
        connections += propagationWork(layer);
        const double inputs = static_cast<double>(layer.in.units());
        geometry.push_back({layer.in.width, layer.out.width, inputs, inputs});
    }
    if (!geometry.empty() && connections <= kMostConnections) bin_ = flowBinSize(geometry, kMostEdges);
}

void CapacityLens::descend(std::size_t l) {
    Layer scratch;
    const Layer& layer = layers_[l - 1].folded(scratch);
    const auto& above = descent_.capacity[l];
    double unattributed = 0;  // what the totals of both states differ by
    descent_.capacity[l - 1] = propagate(layer, above, unattributed);
    if (bin_ == 0) return;
    FlowLayer flow(bin_, layer.in.width);
    visitColumns(layer, [&](std::size_t unit, std::span<const CapacityLayer::Entry> entries, double) {
        for (const auto& entry : entries) flow.add(static_cast<int>(unit), static_cast<int>(entry.input), entry.share * above[unit]);
    });
    flow_[l - 1] = flow.finish();
}

bool CapacityLens::step() {
    const std::size_t l = descent_.reached;
    if (l == 0) return false;
    left_ -= kConnectionWork * propagationWork(*layers_[l - 1].layer);
    if (left_ < 0) {
        note_ = "Capacity is shown down to state " + std::to_string(l) + " only: the layers below have too many connections to look at.";
        bin_ = 0;
        return false;
    }
    descend(l);
    return --descent_.reached > 0;
}

void CapacityLens::addFlow(FilledReport& r) const {
    std::vector<double> from, to, amount, offsets{0};
    for (const LayerEdges& edges : flow_) {
        from.insert(from.end(), edges.from.begin(), edges.from.end());
        to.insert(to.end(), edges.to.begin(), edges.to.end());
        amount.insert(amount.end(), edges.amount.begin(), edges.amount.end());
        offsets.push_back(static_cast<double>(from.size()));
    }
    const Axis edge = countedAxis("edge", from.size()), layer = countedAxis("layer", offsets.size());
    r.add("flowFrom", {edge}, std::move(from));
    r.add("flowTo", {edge}, std::move(to));
    r.add("flowAmount", {edge}, std::move(amount));
    r.add("flowOffsets", {layer}, std::move(offsets));
    r.add("flowBin", bin_);
}

void CapacityLens::addTo(FilledReport& r) const {
    if (layers_.empty()) return;
    const auto& rows = descent_.capacity;
    const Axis layer = countedAxis("layer", rows.size());
    std::size_t width = 0;
    for (const auto& row : rows) width = std::max(width, row.size());
    if (static_cast<double>(width) * static_cast<double>(rows.size()) <= kMostCells) {
        std::vector<double> all;
        for (const auto& row : rows) appendRow(all, row, width);
        r.add("capacity", {layer, countedAxis("unit", width)}, std::move(all)).mayBeUndefined = true;
    }
    std::vector<double> holders;
    for (const auto& row : rows) holders.push_back(holdersOf(row));
    r.add("total", {layer}, sumsOf(rows)).mayBeUndefined = true;
    r.add("holders", {layer}, std::move(holders)).mayBeUndefined = true;
    if (bin_ > 0) addFlow(r);
}

}  // namespace kappaflow::lens
