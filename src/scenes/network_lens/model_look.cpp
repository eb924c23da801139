#include "scenes/network_lens/model_look.h"

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
    if (setup.edit.any()) try {
            edited_ = editedNetwork(network_, setup.edit, setup.seed);
            change_ = functionChange(network_, edited_->network, setup.samples, work / 4);
        } catch (const InputError& error) {
            noEdit_ = error.what();
        }
    at_ = 0;
    begin();
}

/// Null: nothing to look at.
Lens* Look::lens(std::size_t i) const {
    auto* self = const_cast<Look*>(this);
    Lens* all[kLenses] = {&self->capacity_, &self->editedCapacity_, &self->regions_, &self->trajectory_, &self->sensitivity_};
    return i == 1 && !edited_ ? nullptr : all[i];
}

void Look::begin() {
    while (at_ < kLenses && !lens(at_)) ++at_;
    if (at_ == kLenses) return;
    const Network& network = at_ == 0 ? network_ : at_ == 1 ? edited_->network : shown();
    lens(at_)->start(*setup_, network, work_);
}

bool Look::step() {
    if (at_ == kLenses) return false;
    bool more = false;
    try {
        more = lens(at_)->step();
    } catch (const InputError& error) {
        lens(at_)->giveUp(error.what());
    }
    if (!more) {
        ++at_;
        begin();
    }
    return at_ < kLenses;
}

double Look::progress() const {
    const double within = at_ == 2 ? regions_.progress() : 0;
    return (static_cast<double>(at_) + (at_ == kLenses ? 0 : within)) / static_cast<double>(kLenses);
}

void Look::tell(FilledReport& r, const char* part, const char* step, const Lens& lens) const {
    if (!lens.gaveUp()) lens.addTo(r);
    r.add(step, trained_);
    if (!lens.note().empty()) r.report.notes.push_back({part, lens.note()});
}

void Look::addTo(FilledReport& r) const {
    if (!noEdit_.empty()) r.report.notes.push_back({"edit", noEdit_});
    if (at_ > 0) {
        tell(r, "capacity", "capacityStep", capacity_);
        if (const auto capacity = parameterCapacity(network_)) r.add("parameterCapacity", *capacity);
    }
    if (at_ > 1 && edited_ && !capacity_.gaveUp() && !editedCapacity_.gaveUp()) addEdit(r, *edited_, capacity_, editedCapacity_, change_);
    if (at_ > 2) tell(r, "regions", "regionsStep", regions_);
    if (at_ > 3) tell(r, "trajectory", "lengthStep", trajectory_);
    if (at_ > 4) tell(r, "sensitivity", "sensitivityStep", sensitivity_);
}

}  // namespace kappaflow::lens
