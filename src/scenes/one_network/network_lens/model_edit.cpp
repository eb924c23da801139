#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/errors.h"
#include "core/capacity/lower_layers.h"
#include "core/net/edits.h"
#include "scenes/one_network/network_lens/model_lens.h"

namespace kappaflow::lens {
namespace {

/// Index in network.layers of the layer below state `number`.
std::size_t placeOf(const Network& network, int number) {
    const auto parts = weightLayerParts(network.layers);
    if (number < 1 || static_cast<std::size_t>(number) > parts.size())
        throw InputError("There is no layer " + std::to_string(number) + " to edit: the last is " + std::to_string(parts.size()) + ".");
    const auto place = static_cast<std::size_t>(parts[static_cast<std::size_t>(number) - 1].layer - network.layers.data());
    if (!isEditable(network.layers[place]))
        throw InputError("Layer " + std::to_string(number) +
                         " is neither dense nor a convolution: blocks, pools and batch norms are not edited.");
    return place;
}

Network changed(const Network& network, const Edit& edit, std::size_t place, std::uint64_t seed) {
    if (edit.kind == "insert") return withLayerInserted(network, place, edit.amount, seed);
    if (edit.kind == "remove") return withLayerRemoved(network, place);
    if (edit.kind == "widen") return withLayerWidened(network, place, static_cast<std::size_t>(std::round(edit.amount)), seed);
    if (edit.kind == "rescale") return withLayerRescaled(network, place, edit.amount);
    if (edit.kind == "skip") return withSkipAdded(network, place, edit.amount, seed);
    return network;
}

/// The layers that an edit put in, with those behind them: where they begin, how many there are, and how many stood in their place.
struct Patch {
    std::size_t at, now, before;
};

Patch patchOf(const Network& network, const Network& edited, const std::string& kind, std::size_t place) {
    const std::size_t before = network.layers.size(), now = edited.layers.size();
    if (kind == "insert") {
        std::size_t end = place + 1;
        while (end < before && (network.layers[end].kind == LayerKind::Activation || network.layers[end].kind == LayerKind::BatchNorm))
            ++end;
        return {end, now - before, 0};
    }
    if (kind == "remove") return {place, 0, before - now};
    // The layer that stands for the others is the block around them.
    if (kind == "skip") return {place + 1, 0, before - now};
    return {now, 0, 0};
}

/// State of the network before the edit behind each state's layer: that of the same layer. A batch norm that only the edit made a layer of
/// its own, or no longer is one, has none.
std::vector<double> statesBefore(const Network& network, const Network& edited, const Patch& patch) {
    const auto parts = weightLayerParts(network.layers);
    std::vector<double> states{0};
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

double rootMeanSquare(const std::vector<double>& values) {
    double sum = 0;
    for (const double x : values) sum += x * x;
    return std::sqrt(sum / std::max<double>(1, static_cast<double>(values.size())));
}

}  // namespace

Edited editedNetwork(const Network& network, const Edit& edit, std::uint64_t seed) {
    const std::size_t place = placeOf(network, edit.layer);
    Edited edited{changed(network, edit, place, seed), {}, {}};
    edited.stateBefore = statesBefore(network, edited.network, patchOf(network, edited.network, edit.kind, place));
    if (edit.kind == "freeze") edited.frozen = frozenLayers(network, edit);
    return edited;
}

std::vector<bool> frozenLayers(const Network& network, const Edit& edit) {
    if (edit.kind != "freeze") return {};
    std::vector<bool> frozen(network.layers.size());
    try {
        frozen[placeOf(network, edit.layer)] = true;
    } catch (const InputError&) {
        return {};
    }
    return frozen;
}

double functionChange(const Network& network, const Network& edited, const Samples& samples, double work) {
    if (isPseudoRandom(network.layers)) return kNone;
    constexpr std::size_t kMost = 32;
    double each = 0;
    for (const Network* n : {&network, &edited})
        for (const WeightLayer& part : weightLayerParts(n->layers)) each += 4 * propagationWork(*part.layer);
    const auto count = std::min({kMost, samples.count(), static_cast<std::size_t>(std::max(1.0, work / std::max(each, 1.0)))});
    std::vector<double> own, apart;
    for (std::size_t s = 0; s < count; ++s) {
        const auto x = samples.at(s), y = forward(network, x).back(), z = forward(edited, x).back();
        for (std::size_t i = 0; i < y.size(); ++i) {
            own.push_back(y[i]);
            apart.push_back(z[i] - y[i]);
        }
    }
    const double size = rootMeanSquare(own);
    return size > 0 ? rootMeanSquare(apart) / size : kNone;
}

void addEditedShape(FilledReport& r, const Edited& edited, double change) {
    const auto parts = weightLayerParts(edited.network.layers);
    const Axis layer = countedAxis("editedLayer", edited.stateBefore.size());
    std::vector<double> units, parameters{kNone};
    for (const Shape& shape : stateShapes(edited.network, parts)) units.push_back(static_cast<double>(shape.units()));
    for (const WeightLayer& part : parts) {
        const auto place = static_cast<std::size_t>(part.layer - edited.network.layers.data());
        parameters.push_back(!edited.frozen.empty() && edited.frozen[place] ? 0 : parametersOf(*part.layer));
    }
    r.add("editedUnits", {layer}, std::move(units));
    r.add("editedParameters", {layer}, std::move(parameters)).mayBeUndefined = true;
    r.add("stateBefore", {layer}, edited.stateBefore).mayBeUndefined = true;
    if (const auto capacity = parameterCapacity(edited.network, edited.frozen)) r.add("editedParameterCapacity", *capacity);
    if (std::isfinite(change)) r.add("functionChange", change);
}

void addEditedCapacity(FilledReport& r, const CapacityLens& before, const CapacityLens& after) {
    const auto& rows = after.descent().capacity;
    const Axis layer = countedAxis("editedLayer", rows.size());
    std::vector<double> totals, holders, all;
    std::size_t width = 0;
    for (const auto& row : rows) {
        totals.push_back(row.empty() ? kNone : std::accumulate(row.begin(), row.end(), 0.0));
        holders.push_back(holdersOf(row));
        width = std::max(width, row.size());
    }
    r.add("editedTotal", {layer}, std::move(totals)).mayBeUndefined = true;
    r.add("editedHolders", {layer}, std::move(holders)).mayBeUndefined = true;
    if (static_cast<double>(width) * static_cast<double>(rows.size()) <= kMostCells) {
        for (const auto& row : rows) appendRow(all, row, width);
        r.add("editedCapacity", {layer, countedAxis("unit", width)}, std::move(all)).mayBeUndefined = true;
    }
    const auto &a = before.descent().capacity.front(), &b = rows.front();
    if (a.size() != b.size() || a.empty()) return;
    double moved = 0;
    for (std::size_t i = 0; i < a.size(); ++i) moved += std::abs(a[i] - b[i]) / 2;
    r.add("moved", moved);
}

void Look::start(const Setup& setup, const Network& network, double trained, double work) {
    setup_ = &setup;
    network_ = network;
    trained_ = trained;
    work_ = work;
    edited_.reset();
    noEdit_.clear();
    change_ = kNone;
    at_ = setup.edit.any() ? kEdit : kCapacity;
    begin();
}

void Look::makeEdit() {
    try {
        edited_ = editedNetwork(network_, setup_->edit, setup_->seed);
    } catch (const InputError& error) {
        noEdit_ = error.what();
    }
}

/// Null: nothing to look at.
Lens* Look::lens(std::size_t part) {
    switch (part) {
        case kCapacity:
            return &capacity_;
        case kEditedCapacity:
            return edited_ ? &editedCapacity_ : nullptr;
        case kRegions:
            return &regions_;
        case kTrajectory:
            return &trajectory_;
        case kSensitivity:
            return &sensitivity_;
        default:
            return nullptr;
    }
}

/// Begins the next lens that there is.
void Look::begin() {
    if (at_ < kCapacity) return;
    while (at_ < kParts && !lens(at_)) ++at_;
    if (at_ == kParts) return;
    const Network& network = at_ == kCapacity ? network_ : at_ == kEditedCapacity ? edited_->network : shown();
    lens(at_)->start(*setup_, network, work_);
}

bool Look::step() {
    if (at_ == kParts) return false;
    bool more = false;
    if (at_ == kEdit) {
        makeEdit();
    } else if (at_ == kChange) {
        if (edited_) change_ = functionChange(network_, edited_->network, setup_->samples, work_ / 4);
    } else {
        try {
            more = lens(at_)->step();
        } catch (const InputError& error) {
            lens(at_)->giveUp(error.what());
        }
    }
    if (!more) {
        ++at_;
        begin();
    }
    return at_ < kParts;
}

double Look::progress() const {
    const double within = at_ == kRegions ? regions_.progress() : 0;
    return (static_cast<double>(at_) + within) / static_cast<double>(kParts);
}

void Look::tell(FilledReport& r, const char* part, const char* step, const Lens& lens) const {
    if (!lens.gaveUp()) lens.addTo(r);
    r.add(step, trained_);
    if (!lens.note().empty()) r.report.notes.push_back({part, lens.note()});
}

void Look::addTo(FilledReport& r) const {
    if (!noEdit_.empty()) r.report.notes.push_back({"edit", noEdit_});
    if (at_ > kChange) addShape(r, shown());
    if (at_ > kChange && edited_) addEditedShape(r, *edited_, change_);
    if (at_ > kCapacity) {
        tell(r, "capacity", "capacityStep", capacity_);
        if (const auto capacity = parameterCapacity(network_)) r.add("parameterCapacity", *capacity);
    }
    if (at_ > kEditedCapacity && edited_ && !capacity_.gaveUp() && !editedCapacity_.gaveUp())
        addEditedCapacity(r, capacity_, editedCapacity_);
    if (at_ > kRegions) tell(r, "regions", "regionsStep", regions_);
    if (at_ > kTrajectory) tell(r, "trajectory", "lengthStep", trajectory_);
    if (at_ > kSensitivity) tell(r, "sensitivity", "sensitivityStep", sensitivity_);
}

}  // namespace kappaflow::lens
