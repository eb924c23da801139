#pragma once
#include <optional>

#include "scenes/one_network/network_lens/model_edit.h"
#include "scenes/one_network/network_lens/model_regions.h"
#include "scenes/one_network/network_lens/model_sensitivity.h"
#include "scenes/one_network/network_lens/model_trajectory.h"

namespace kappaflow::lens {

/// All lenses on one network, one after the other, the reader's edit of it first.
class Look {
public:
    /// Takes a copy of the network. `trained`: its training step.
    void start(const Setup&, const Network&, double trained, double workOfALens);
    /// One step of a lens, or of the edit; false when every lens has finished.
    bool step();
    double progress() const;
    /// What the lenses have found that have finished.
    void addTo(FilledReport&) const;
    /// What the lenses look at: the edited network where all of them do.
    const Network& shown() const { return edited_ && setup_->edit.everywhere ? edited_->network : network_; }

private:
    /// What is done, in this order.
    enum Part : std::size_t { kEdit, kChange, kCapacity, kEditedCapacity, kRegions, kTrajectory, kSensitivity, kParts };
    Lens* lens(std::size_t);
    void makeEdit();
    void begin();
    void tell(FilledReport&, const char* part, const char* step, const Lens&) const;

    const Setup* setup_ = nullptr;
    Network network_;
    std::optional<Edited> edited_;
    std::string noEdit_;
    double trained_ = 0, work_ = 0, change_ = kNone;
    std::size_t at_ = kParts;
    CapacityLens capacity_, editedCapacity_;
    RegionsLens regions_;
    TrajectoryLens trajectory_;
    SensitivityLens sensitivity_;
};

}  // namespace kappaflow::lens
