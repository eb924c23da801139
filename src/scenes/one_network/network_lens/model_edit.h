#pragma once
#include <vector>

#include "scenes/one_network/network_lens/model_capacity.h"

namespace kappaflow::lens {

/// A network as the reader would change it.
struct Edited {
    Network network;
    std::vector<double> stateBefore;  ///< [state of the edited network] the state of the one before that it stands for, NaN for a new one
    std::vector<bool> frozen;         ///< [layer of the network]; empty: none
};

/// Throws InputError in one sentence when the network allows no such edit. The number of a layer counts what the states lie between.
Edited editedNetwork(const Network&, const Edit&, std::uint64_t seed);
/// Marks of frozen layers for the training of the network itself: empty unless the edit freezes a layer that is there.
std::vector<bool> frozenLayers(const Network&, const Edit&);

/// Rms difference of both networks' outputs over the first samples, in units of the outputs' own rms; NaN where they are all zero,
/// and behind pseudo-random signs, which rounding alone flips.
double functionChange(const Network&, const Network& edited, const Samples&, double work);

/// The edited network's states, and how far its outputs moved.
void addEditedShape(FilledReport&, const Edited&, double change);
/// What the capacity lens says of the edited network beside the one before.
void addEditedCapacity(FilledReport&, const CapacityLens& before, const CapacityLens& after);

}  // namespace kappaflow::lens
