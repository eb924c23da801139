#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/capacity/lower_layers.h"
#include "core/net/edits.h"
#include "scenes/one_network/measuring_model.h"
#include "scenes/one_network/network_lens_model.h"

namespace kappaflow::network_lens {
namespace {

using Vector = std::vector<double>;

}  // namespace

bool isPseudoRandom(const std::vector<Layer>& layers) {
    bool any = false;
    eachLayer(layers, [&](const Layer& layer) {
        const auto* f = layer.getIf<Pointwise>();
        any = any || (f && f->activation == Activation::PseudoRandom);
    });
    return any;
}

double parametersOf(const Layer& layer) {
    double count = 0;
    const std::span<const Layer> one(&layer, 1);
    eachLayer(one, [&](const Layer& inner) {
        const Weights& own = weightsOf(inner);
        count += static_cast<double>(own.weights.size() + own.bias.size());
    });
    return count;
}

// The reader's edit.

namespace {

/// Index in network.layers of the layer below state `number`.
std::size_t placeOf(const Network& network, int number) {
    const auto parts = weightLayerParts(network.layers);
    if (number < 1 || static_cast<std::size_t>(number) > parts.size())
        throw InputError("There is no layer " + std::to_string(number) + " to edit: the last is " + std::to_string(parts.size()) + ".");
    const auto place = static_cast<std::size_t>(parts[static_cast<std::size_t>(number) - 1].layer - network.layers.data());
    if (!hasTrainableWeights(network.layers[place]))
        throw InputError("Layer " + std::to_string(number) +
                         " is neither dense nor a convolution: blocks, pools and batch norms are not edited.");
    return place;
}

Network changed(const Network& network, const Params& p, std::size_t place) {
    switch (p.edit) {
        case EditKind::Insert:
            return withLayerInserted(network, place, p.editAmount, p.seed);
        case EditKind::Remove:
            return withLayerRemoved(network, place);
        case EditKind::Widen:
            return withLayerWidened(network, place, static_cast<std::size_t>(std::round(p.editAmount)), p.seed);
        case EditKind::Rescale:
            return withLayerRescaled(network, place, p.editAmount);
        case EditKind::Skip:
            return withSkipAdded(network, place, p.editAmount, p.seed);
        case EditKind::None:
        case EditKind::Freeze:
            break;
    }
    return network;
}

/// The layers that an edit put in, with those behind them: where they begin, how many there are, and how many stood in their place.
struct Patch {
    std::size_t at, now, before;
};

Patch patchOf(const Network& network, const Network& edited, EditKind kind, std::size_t place) {
    const std::size_t before = network.layers.size(), now = edited.layers.size();
    if (kind == EditKind::Insert) {
        std::size_t end = place + 1;
        while (end < before && network.layers[end].is<Pointwise, Norm>()) ++end;
        return {end, now - before, 0};
    }
    if (kind == EditKind::Remove) return {place, 0, before - now};
    // The layer that stands for the others is the block around them.
    if (kind == EditKind::Skip) return {place + 1, 0, before - now};
    return {now, 0, 0};
}

/// State of the network before the edit behind each state's layer: that of the same layer. A batch norm that only the edit made a layer of
/// its own, or no longer is one, has none.
Vector statesBefore(const Network& network, const Network& edited, const Patch& patch) {
    const auto parts = weightLayerParts(network.layers);
    Vector states{0};
    for (const WeightLayer& part : weightLayerParts(edited.layers)) {
        const auto now = static_cast<std::size_t>(part.layer - edited.layers.data());
        const bool added = now >= patch.at && now < patch.at + patch.now;
        const std::size_t place = now < patch.at ? now : now - patch.now + patch.before;
        const auto found = std::find_if(parts.begin(), parts.end(), [&](const WeightLayer& old) {
            return static_cast<std::size_t>(old.layer - network.layers.data()) == place;
        });
        states.push_back(added || found == parts.end() ? kNone : static_cast<double>(found - parts.begin()) + 1);
    }
    return states;
}

/// How far the edit moved the outputs of some samples, rms over the outputs' own rms; NaN where these are zero, and behind pseudo-random
/// signs, which rounding alone flips.
double functionChange(const Network& network, const Network& edited, const Samples& samples, double work) {
    if (isPseudoRandom(network.layers)) return kNone;
    constexpr std::size_t kMost = 32;
    double each = 0;
    for (const Network* n : {&network, &edited})
        for (const WeightLayer& part : weightLayerParts(n->layers)) each += 4 * connectionsOf(*part.layer);
    const auto count = std::min({kMost, samples.count(), static_cast<std::size_t>(std::max(1.0, work / std::max(each, 1.0)))});
    double own = 0, apart = 0;
    for (std::size_t s = 0; s < count; ++s) {
        const auto x = samples.at(s), y = forward(network, x).back(), z = forward(edited, x).back();
        for (std::size_t i = 0; i < y.size(); ++i) {
            own += y[i] * y[i];
            apart += (z[i] - y[i]) * (z[i] - y[i]);
        }
    }
    return own > 0 ? std::sqrt(apart / own) : kNone;
}

}  // namespace

std::shared_ptr<const Network> addEdited(const Setup& s, const Network& network, double work, Result& r) {
    const std::size_t place = placeOf(network, s.p.editLayer);
    auto edited = std::make_shared<const Network>(changed(network, s.p, place));
    const double change = functionChange(network, *edited, s.samples, work);
    const auto frozen = frozenLayers(network, s.p);
    r.stateBefore = statesBefore(network, *edited, patchOf(network, *edited, s.p.edit, place));
    r.editedStates = countUp(r.stateBefore.size());
    r.editedUnits = {static_cast<double>(edited->input.units())};
    r.editedParameters = {kNone};
    for (const WeightLayer& part : weightLayerParts(edited->layers)) {
        const bool stays = !frozen.empty() && frozen[static_cast<std::size_t>(part.layer - edited->layers.data())];
        r.editedUnits.push_back(static_cast<double>(part.layer->out.units()));
        r.editedParameters.push_back(stays ? 0 : parametersOf(*part.layer));
    }
    r.editedParameterCapacity = parameterCapacity(*edited, frozen);
    if (std::isfinite(change)) r.functionChange = change;
    return edited;
}

// Capacity of a chosen output.

namespace {

/// More edges of the flow than a picture can show, connections that are looked at for them, and numbers of capacities in a report.
constexpr double kMostEdges = 4000, kMostConnections = 5e6, kMostCells = 3e5;
/// Operations of a connection whose flow is collected.
constexpr double kFlowWork = 10;

/// Only of vectors: in a plane there are more edges than a picture has room for.
int binOf(const std::vector<WeightLayer>& layers) {
    double connections = 0;
    std::vector<FlowGeometry> geometry;
    for (const WeightLayer& part : layers) {
        const Layer& layer = *part.layer;
        if (layer.is<Block>() || layer.in.units() != static_cast<std::size_t>(layer.in.width) ||
            layer.out.units() != static_cast<std::size_t>(layer.out.width))
            return 0;
        connections += connectionsOf(layer);
        const double inputs = static_cast<double>(layer.in.units());
        geometry.push_back({layer.in.width, layer.out.width, inputs, inputs});
    }
    return !geometry.empty() && connections <= kMostConnections ? flowBinSize(geometry, kMostEdges) : 0;
}

}  // namespace

Descent descend(const Network& network, std::size_t unit, double work, const Tick& tick) {
    const auto layers = weightLayerParts(network.layers);
    Descent d;
    if (layers.empty()) {
        d.note = "The network has no layer with weights, so there is nothing for capacity to flow through.";
        return d;
    }
    d.capacity.resize(layers.size() + 1);
    d.flow.resize(layers.size());
    d.capacity.back().assign(network.output().units(), 0.0);
    d.capacity.back()[std::min(unit, d.capacity.back().size() - 1)] = 1;
    d.bin = binOf(layers);
    for (std::size_t l = layers.size(); l > 0; --l) {
        tick(0);
        work -= propagationOperations(*layers[l - 1].layer) + (d.bin > 0 ? kFlowWork * connectionsOf(*layers[l - 1].layer) : 0);
        if (work < 0) {
            d.note =
                "Capacity is shown down to state " + std::to_string(l) + " only: the layers below have too many connections to look at.";
            d.bin = 0;
            break;
        }
        Layer scratch;
        const Layer& layer = layers[l - 1].folded(scratch);
        const Vector& above = d.capacity[l];
        double unattributed = 0;  // what the totals of both states differ by
        d.capacity[l - 1] = propagate(layer, above, unattributed);
        if (d.bin == 0) continue;
        FlowLayer flow(d.bin, layer.in.width);
        visitColumns(layer, [&](std::size_t above_, std::span<const CapacityLayer::Entry> entries, double) {
            for (const auto& entry : entries)
                flow.add(static_cast<int>(above_), static_cast<int>(entry.input), entry.share * above[above_]);
        });
        d.flow[l - 1] = flow.finish();
    }
    return d;
}

namespace {

/// The rows padded with NaN to the longest; nothing where a report has no room for them. Their sums, and (Σκ)²/Σκ², NaN of nothing.
void addRows(const std::vector<Vector>& rows, Vector& all, Vector& unitNumbers, Vector& totals, Vector& holders) {
    std::size_t width = 0;
    for (const auto& row : rows) width = std::max(width, row.size());
    if (static_cast<double>(width) * static_cast<double>(rows.size()) <= kMostCells) {
        unitNumbers = countUp(width);
        for (const auto& row : rows) {
            all.insert(all.end(), row.begin(), row.end());
            all.insert(all.end(), width - row.size(), kNone);
        }
    }
    for (const auto& row : rows) {
        double sum = 0, squares = 0;
        for (const double k : row) sum += k, squares += k * k;
        totals.push_back(row.empty() ? kNone : sum);
        holders.push_back(squares > 0 ? sum * sum / squares : kNone);
    }
}

}  // namespace

void addCapacity(const Descent& d, Result& r) {
    if (d.capacity.empty()) return;
    r.states = countUp(d.capacity.size());
    addRows(d.capacity, r.capacity, r.unitNumbers, r.total, r.holders);
    if (d.bin == 0) return;
    r.flowBin = d.bin;
    r.flowOffsets = {0};
    for (const LayerEdges& edges : d.flow) {
        r.flowFrom.insert(r.flowFrom.end(), edges.from.begin(), edges.from.end());
        r.flowTo.insert(r.flowTo.end(), edges.to.begin(), edges.to.end());
        r.flowAmount.insert(r.flowAmount.end(), edges.amount.begin(), edges.amount.end());
        r.flowOffsets.push_back(static_cast<double>(r.flowFrom.size()));
    }
    r.flowEdges = countUp(r.flowFrom.size());
}

void addEditedCapacity(const Descent& before, const Descent& after, Result& r) {
    if (after.capacity.empty()) return;
    addRows(after.capacity, r.editedCapacity, r.editedUnitNumbers, r.editedTotal, r.editedHolders);
    const Vector &a = before.capacity.front(), &b = after.capacity.front();
    if (a.size() != b.size() || a.empty()) return;
    r.moved = 0;
    for (std::size_t i = 0; i < a.size(); ++i) *r.moved += std::abs(a[i] - b[i]) / 2;
}

// Capacity measured.

namespace {

constexpr double kMostMeasuredBytes = 3e7;
constexpr std::size_t kLeastMeasured = 20;

/// The most samples, at most those there are, whose look takes no more than so many operations; 0 when even few take more.
std::size_t measuredWithin(const Architecture& network, const measuring::LookSpec& p, std::size_t count, double work) {
    const std::size_t least = std::min(kLeastMeasured, count);
    for (std::size_t samples = std::min(kMostMeasured, count);; samples = std::max(least, samples / 2)) {
        const Cost cost = measuring::costOfLook(network, static_cast<double>(samples), p);
        if (cost.operations <= work && cost.bytes <= kMostMeasuredBytes) return samples;
        if (samples <= least) return 0;
    }
}

void addRow(Vector& rows, const Vector& row, std::size_t length) {
    rows.insert(rows.end(), row.begin(), row.end());
    rows.resize(rows.size() + length - row.size(), kNone);
}

void addLook(const Network& network, const measuring::Look& look, Result& r) {
    std::size_t widest = 0;
    for (const auto& layer : look.layers) widest = std::max(widest, layer.measured.size());
    const auto ends = weightLayerStates(network);
    for (const std::size_t state : look.states)
        r.measuredStates.push_back(static_cast<double>(std::lower_bound(ends.begin(), ends.end(), state) - ends.begin()));
    r.measuredUnits = countUp(widest);
    for (const auto& layer : look.layers) {
        addRow(r.measured.values, layer.measured, widest);
        addRow(r.measured.standardErrors, layer.errors, widest);
        addRow(r.decoupled, layer.decoupled, widest);
        addRow(r.channel, layer.channel, widest);
        for (const auto& [all, one] : {std::pair{&r.toDecoupled, layer.toDecoupled}, {&r.toChannel, layer.toChannel}}) {
            all->values.push_back(one.value);
            all->standardErrors.push_back(one.standardError);
        }
    }
    r.gateLayers = countUp(look.gates.size(), 1);
    for (const auto& gates : look.gates) {
        r.nu.push_back(gates.on > 0 ? gates.nu : kNone);
        r.overlap.push_back(gates.on > 0 ? gates.overlap : kNone);
    }
}

/// Count of measured capacities in a report: every state has a row as long as the widest.
double numbersOf(const Architecture& network) {
    const auto states = measuring::statesOf(network);
    std::size_t widest = 0;
    for (const std::size_t state : states)
        widest = std::max(widest, state == 0 ? network.input.units() : network.layers[state - 1].out.units());
    return static_cast<double>(widest) * static_cast<double>(states.size());
}

}  // namespace

std::string measureCapacity(const Setup& s, const Network& network, double work, const Tick& tick, Result& r) {
    const measuring::LookSpec p{.unit = s.unit, .seed = s.p.seed};
    const std::size_t all = s.samples.count(), count = measuredWithin(network, p, all, work);
    if (count == 0)
        return "The network is too large for its capacity to be measured beside the other lenses: the scene measured-capacity allows more "
               "work.";
    if (numbersOf(network) > kMostCells) return "The network has too many units for their measured capacities to stand in a report.";
    // In random order, since groups of them are left out in turn.
    std::vector<std::size_t> order(all);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Rng rng(s.p.seed, Purpose::Data, std::uint64_t{1} << 40);
    Matrix inputs(s.samples.inputs.rows, count);
    for (std::size_t k = 0; k < count; ++k) {
        std::swap(order[k], order[k + static_cast<std::size_t>(rng.below(all - k))]);
        for (std::size_t i = 0; i < inputs.rows; ++i) inputs(i, k) = s.samples.inputs(i, order[k]);
    }
    const auto look = measuring::lookAt(network, inputs, p, tick);
    addLook(network, look, r);
    r.measuredSamples = static_cast<double>(count);
    return look.unruly;
}

Cost costOfMeasuring(const Architecture& network, double samples) {
    const measuring::LookSpec own;
    const auto count = measuredWithin(network, own, static_cast<std::size_t>(samples), kFinalWork);
    if (count == 0 || numbersOf(network) > kMostCells) return {1e4, 1e4};
    const Cost cost = measuring::costOfLook(network, static_cast<double>(count), own);
    return {2 * cost.operations, cost.bytes + 2 * 4 * 8 * numbersOf(network)};
}

std::vector<bool> frozenLayers(const Network& network, const Params& p) {
    if (p.edit != EditKind::Freeze) return {};
    std::vector<bool> frozen(network.layers.size());
    try {
        frozen[placeOf(network, p.editLayer)] = true;
    } catch (const InputError&) {
        return {};
    }
    return frozen;
}

}  // namespace kappaflow::network_lens
