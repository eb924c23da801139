#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/moments/layer_moments.h"
#include "core/moments/moment_net.h"
#include "scene/typed_model.h"
#include "scenes/moments/moments.h"
#include "scenes/moments/random_nets_model.h"

namespace kappaflow::moments {

using Size = std::size_t;
using Vector = std::vector<double>;

/// The layers of one draw as curves, NaN where nothing is defined.
struct DrawCurves {
    std::array<Vector, kQuantities> curves;                               ///< [quantity][layer]
    Vector chiTheory, deltaChiTheory, batchNormTheory, activationTheory;  ///< what Theorems 2–4 say of the layers drawn
    Vector logChi, logVarianceRatio;
    Size layers() const { return logChi.size(); }  ///< reached, the input's included
};
DrawCurves curvesOf(const std::vector<LayerMoments>&, MomentKind);

/// `layers` are counted without the input.
Means meansOf(const std::vector<DrawCurves>&, Size layers);

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
LayerCloud cloudOf(PrincipalCloud, const SignalAndNoise&, const LayerMoments&, double unit);
double noiseUnit(const SignalAndNoise& input, const LayerMoments&);
/// Turns and mirrors every cloud in its plane to lie as near as can be to the next layer's (Procrustes), from the last one, which
/// keeps its principal axes: the same feature then lies in the same direction, and points move no farther than they must.
std::vector<LayerCloud> aligned(std::vector<LayerCloud>);

/// The deepest layer that half of the draws reach.
Size lastReached(const Vector& alive);
/// `meanField` as meanFieldChi gives it, or empty.
Fits fitsOf(const std::vector<DrawCurves>&, const MomentNet&, Size last, const Vector& meanField = {});
/// First layer of the late fits.
inline Size lateForRate(Size last) { return last / 2; }
inline Size lateForExponent(Size last) { return last / 5 > 1 ? last / 5 : 1; }

/// Whether χ is known in infinitely wide layers: a tanh ResNet without batch norm or biases, on white Gaussian inputs.
bool stretches(const random_nets::NetSetup&);
/// It, at layers 0 … L (P3 App. F.4.1): q ← q + q_H and noise p ← p·(1 + Π_h w E φ'²(√q_{h−1} g)), χ² = p/q, with q_0 = q,
/// q_h = w E φ²(√q_{h−1} g), w = 2·weightScale². q grows as l, so that E φ'² falls as l^{−1/2} and log χ grows as √l.
/// Cost: below 5000 values of φ a linear layer.
Vector meanFieldChi(const MomentNet&);

/// C l^τ beside a mean curve, as far as it is defined; NaN at layer 0.
Vector lawBeside(const Vector& chi, double tau);

/// The kind asked for, and the others where all are compared.
std::vector<random_nets::NetSetup> netsOf(const Params&, const random_nets::NetSetup& asked);
/// Draws of random networks, and of data and noise through the network given.
Result runDrawn(const Opened<Params>&, Progress&);
Result runGiven(const Opened<Params>&, Progress&);

std::string summary(const Params&, const Result&);

}  // namespace kappaflow::moments
