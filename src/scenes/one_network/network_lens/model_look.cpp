#include "scenes/one_network/network_lens/model_look.h"

#include "core/base/errors.h"
#include "core/capacity/parameter_capacity.h"

namespace kappaflow::lens {

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
