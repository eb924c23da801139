#pragma once
#include <cstdint>
#include <string_view>

#include "core/moments/moment_net.h"
#include "core/moments/point_values.h"

namespace kappaflow {

/// Inputs of P3's networks made here (specs 7.2):
///   White     iid N(0, 1), as many channels as the network takes, no stem
///   Contrast  white × exp(g/2), one g ~ N(0, 1) a sample: spread norms
///   LowRank   gaussian with singular values ∝ 1/k
///   Images    smooth random colour fields of 3 channels, standardised per channel, then a stem: one LeCun convolution 3 → width, stride 2,
///             which the noise goes through as well (dense: the image is one long vector)
enum class MomentData { White, Contrast, LowRank, Images };
std::string_view momentDataKey(MomentData);      ///< "gaussian", "spread", "low-rank", "images"
MomentData momentDataFromKey(std::string_view);  ///< throws InputError

/// The input of layer 1 of draw `draw`: fresh samples, noise N(0, 1) and stem each draw.
SignalAndNoise drawMomentInput(const MomentNet&, MomentData, std::size_t samples, std::uint64_t seed, std::uint64_t draw);

/// Images that a reader dropped, values as in the file; `extent` pixels a side.
struct ImageSet {
    std::size_t count = 0, extent = 0, channels = 0;
    std::vector<unsigned char> pixels;  ///< [image][y][x][channel]
};
/// `samples` of them without replacement (all different draws of one seed), standardised per channel, noised, through the stem.
SignalAndNoise drawMomentInput(const MomentNet&, const ImageSet&, std::size_t samples, std::uint64_t seed, std::uint64_t draw);

}  // namespace kappaflow
