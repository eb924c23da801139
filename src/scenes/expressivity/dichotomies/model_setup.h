#pragma once
#include <cstdint>
#include <vector>

#include "core/expressivity/growth_theory.h"
#include "core/expressivity/trajectory_sweep.h"
#include "scene/scene.h"

namespace kappaflow::dichotomies {

/// Networks that one line of the chart is the mean of.
struct Curve {
    std::size_t width = 1;
    std::size_t depth = 1;  ///< hidden layers
};

/// A request read once and for all.
struct Setup {
    std::size_t samples = 15;
    bool inputsTurn = false;  ///< in place of a layer's weights
    bool everyLayer = false;  ///< every layer of a network is swept in turn; else the first alone, read after any number of layers
    std::vector<Curve> curves;
    std::size_t shown = 0;  ///< curve whose first draw is drawn in strips
    std::size_t draws = 1;
    Activation activation = Activation::HardTanh;
    double slope = 0, weightVariance = 1, biasVariance = 0;
    std::uint64_t seed = 1;

    GrowthSetting setting(std::size_t width) const { return {activation, slope, static_cast<double>(width), weightVariance, biasVariance}; }
    /// Remaining depths 0 … deepest() - 1.
    std::size_t deepest() const;
    /// Layers that are swept in a network of a curve.
    std::size_t sweptLayers(const Curve& curve) const { return everyLayer ? curve.depth : 1; }
    /// Square of an input of the swept layer, per unit: of the samples, or of deep layers in mean field.
    double inputSquare() const;
};
Setup readSetup(const Values&);

/// Where a sweep of one sample stops: k = 128 goes on to about 20 000 pieces a layer.
inline constexpr SweepLimits kLimits{1e5, 8e6};

Cost costOf(const Request&);
std::string costliestOf(const Request&);

}  // namespace kappaflow::dichotomies
