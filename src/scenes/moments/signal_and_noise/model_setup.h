#pragma once
#include "core/moments/scalar_map.h"
#include "scene/scene.h"

namespace kappaflow::signal_and_noise {

/// Points behind every mean, and every how many of them are drawn.
inline constexpr std::size_t kPoints = 4801, kStride = 6, kDrawn = (kPoints - 1) / kStride + 1;
inline constexpr std::size_t kBins = 280;

/// What a request asks.
struct Setup {
    ScalarMixture mixture;
    bool deep = false;
    Activation phi = Activation::Tanh;  ///< Identity for the linear layer
    double gain = 1, noise = 0.1;
    std::size_t layers = 1, width = 1;
    std::uint64_t seed = 0;

    /// Wide enough for the noise, and for the picture.
    ScalarGrid grid() const;
};
Setup readSetup(const Values&);

Cost costOf(const Request&);
std::string costliestOf(const Request&);

}  // namespace kappaflow::signal_and_noise
