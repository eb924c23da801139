#pragma once
#include <vector>

#include "core/moments/moment_propagation.h"
#include "scenes/moments/moments/model_draws.h"

namespace kappaflow::moments {

/// Points shown of a layer, at the most.
inline constexpr Size kCloudPoints = 96;

/// The feature vectors of one layer in their principal plane.
struct LayerCloud {
    Vector signal;      ///< [point][2], in units of the spread (root mean square) along its first direction
    Vector noise;       ///< [point][2], of root mean square 1
    double size = 0;    ///< that of the noise in units of the spread, if the input's noise is as large as its signal; NaN beyond a double
    double spread = 0;  ///< over the signal's root mean square
    double share = 0;   ///< of the signal's variance that the plane holds
};
/// `unit`: root mean square of the input's signal over its noise's.
LayerCloud cloudOf(const SignalAndNoise&, const LayerMoments&, double unit);
LayerCloud cloudOf(const SignalAndNoise&, const LayerMoments&, double unit, const std::vector<Size>& shown);
/// What makes the input's noise as large as its signal's spread.
double noiseUnit(const SignalAndNoise& input, const LayerMoments&);

/// Turns and mirrors every cloud in its plane to lie as near as can be to the next layer's (Procrustes), from the last one, which
/// keeps its principal axes: the same feature then lies in the same direction, and points move no farther than they must.
std::vector<LayerCloud> aligned(std::vector<LayerCloud>);

}  // namespace kappaflow::moments
