#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/errors.h"
#include "core/capacity/capacity_network.h"
#include "scenes/one_network/network_lens/model_lens.h"

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

namespace {

/// Samples that moments are taken over at the most; ranks cannot be larger.
constexpr std::size_t kMostSamples = 128, kLeastSamples = 4;
constexpr double kMostBytes = 3e7;

/// The samples' first ones, [unit][sample].
Matrix firstOf(const Matrix& inputs, std::size_t count) {
    Matrix some(inputs.rows, count);
    for (std::size_t i = 0; i < inputs.rows; ++i) std::copy_n(inputs.row(i), count, some.row(i));
    return some;
}

/// What the scene calls every state of `forward`: the layer that it lies in.
std::vector<std::string> namesOfStates(const Network& network) {
    const auto ends = weightLayerStates(network);
    std::vector<std::string> names;
    for (std::size_t l = 0; l <= network.layers.size(); ++l) {
        const auto state = std::lower_bound(ends.begin(), ends.end(), l) - ends.begin();
        names.push_back(state == 0                                              ? "the input"
                        : state + 1 >= static_cast<std::ptrdiff_t>(ends.size()) ? "the output"
                                                                                : "layer " + std::to_string(state));
    }
    return names;
}

}  // namespace

bool isPseudoRandom(const std::vector<Layer>& layers) {
    return std::any_of(layers.begin(), layers.end(), [](const Layer& layer) {
        return (layer.kind == LayerKind::Activation && layer.activation == Activation::PseudoRandom) || isPseudoRandom(layer.branch) ||
               isPseudoRandom(layer.skip);
    });
}

void SensitivityLens::start(const Setup& setup, const Network& network, double work) {
    beginNote();
    moments_.reset(), noise_.reset();
    network_ = &network;
    if (isPseudoRandom(network.layers)) {
        note_ = "The pseudo-random sign has no slope, so that noise on its inputs has no first order.";
        return;
    }
    samples_ = std::min(kMostSamples, setup.samples.count());
    const auto tooMuch = [&] {
        const Cost cost = costOfNetworkMoments(network, static_cast<double>(samples_));
        return cost.operations > work || cost.bytes > kMostBytes;
    };
    while (samples_ > kLeastSamples && tooMuch()) samples_ = std::max(kLeastSamples, samples_ / 2);
    if (tooMuch()) {
        note_ = "The network is too large for signal and noise to be followed in the time there is.";
        return;
    }
    try {
        moments_.emplace(network, firstOf(setup.samples.inputs, samples_), drawInputNoise(setup.samples.inputs.rows, samples_, setup.seed),
                         true, namesOfStates(network));
        noise_.emplace(network, firstOf(setup.samples.inputs, samples_), setup.seed, setup.noiseShare * work);
    } catch (const InputError& error) {
        note_ = error.what();
    }
}

bool SensitivityLens::step() {
    if (!moments_) return false;
    if (moments_->step() || noise_->step()) return true;
    const auto ends = weightLayerStates(*network_);
    const auto first = std::find_if(ends.begin(), ends.end(), [&](std::size_t at) { return !moments_->states()[at].undefined.empty(); });
    if (first != ends.end()) note_ = moments_->states()[*first].undefined;
    return false;
}

void SensitivityLens::addTo(FilledReport& r) const {
    if (!moments_) return;
    std::vector<double> chi, errors, signal, noise;
    const auto expected = noise_->logMeanSquare(), error = noise_->relativeError();
    for (const std::size_t at : weightLayerStates(*network_)) {
        const StateMoments& state = moments_->states()[at];
        // The noise that was drawn, at the input too, gives way to its expectation, which is 1 there.
        const double drawn = state.logMu2Noise - moments_->states().front().logMu2Noise;
        const double value = std::exp(state.logChi + (expected[at] - drawn) / 2);
        chi.push_back(std::isfinite(value) ? value : kNone);
        errors.push_back(std::isfinite(value) ? value * error[at] / 2 : kNone);
        signal.push_back(state.rankSignal);
        noise.push_back(state.rankNoise);
    }
    const Axis layer = countedAxis("layer", chi.size());
    Array& sensitivity = r.add("chi", {layer}, std::move(chi));
    sensitivity.mayBeUndefined = true;
    if (noise_->draws() > 0) sensitivity.standardError = std::move(errors);
    r.add("rankSignal", {layer}, std::move(signal)).mayBeUndefined = true;
    r.add("rankNoise", {layer}, std::move(noise)).mayBeUndefined = true;
    r.add("sensitivitySamples", static_cast<double>(samples_));
    r.add("noiseDraws", static_cast<double>(noise_->draws()));
}

}  // namespace kappaflow::lens
