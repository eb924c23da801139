#pragma once
#include <cstdint>

#include "core/moments/moment_data.h"
#include "core/moments/network_moments.h"

namespace kappaflow {

/// Signal and noise that a given network takes, both [input unit][sample].
struct NetworkInput {
    Batch signal, noise;
};

/// Points of the data of P3's networks in the shape of a given network's input, without a stem; a grid's positions are drawn as those of a
/// convolutional net, with its channels. Images need a square grid, a line, or so many units as a square image has, of one colour or
/// three; they are standardised per channel. Noise: drawInputNoise. Sample s hangs on seed, draw and s alone, but for the standardisation.
/// Throws InputError when the input has another shape, or for what drawMomentInput refuses.
NetworkInput drawNetworkInput(const Network&, MomentData, std::size_t samples, std::uint64_t seed, std::uint64_t draw);
/// A reader's images, brought to the input's side; their colours are averaged for one channel, one colour is repeated for three.
NetworkInput drawNetworkInput(const Network&, const ImageSet&, std::size_t samples, std::uint64_t seed, std::uint64_t draw);

}  // namespace kappaflow
