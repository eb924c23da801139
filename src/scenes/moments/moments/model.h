#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/moments/layer_moments.h"
#include "core/moments/moment_propagation.h"
#include "core/moments/network_moments.h"
#include "scenes/moments/model_nets.h"
#include "scenes/moments/moments/declaration.h"
#include "scenes/stepwise.h"

namespace kappaflow::moments {

using Size = std::size_t;
using Vector = std::vector<double>;

double valueOf(Curve, const LayerMoments&, MomentKind);

/// The layers of one draw as curves: [curve][layer], then [theory][layer]; NaN where nothing is defined.
struct DrawCurves {
    std::vector<Vector> curves, theory;
    Vector logChi, logVarianceRatio;
    Size layers() const { return logChi.size(); }  ///< reached, the input's included
};
DrawCurves curvesOf(const std::vector<LayerMoments>&, MomentKind);

/// Means over draws with their standard errors and 16–84 % bands, layer by layer.
struct Banded {
    Vector mean, low, high, error;
};

/// What many draws of one kind of network have in common. `layers` are counted without the input.
struct DrawStatistics {
    std::vector<Banded> curves;  ///< [curve]; over the draws that reach a layer
    std::vector<Vector> theory;  ///< [theory]
    Vector chiMedian, alive;
};
DrawStatistics statisticsOf(const std::vector<DrawCurves>&, Size layers);

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

/// A mean over draws with its standard error.
struct Estimate {
    double value = 0, error = 0, draws = 0;
};

/// What all draws of one network say as numbers; empty where there are too few layers or draws for it.
struct Fits {
    std::optional<Estimate> rate, rateLate;          ///< slope of log χ over l, l >= 1 and l >= L/2
    std::optional<Estimate> exponent, exponentLate;  ///< slope of log χ over log l, l >= 1 and l >= L/5
    std::optional<Estimate> predicted;               ///< ½(⟨δχ^{l,1}⟩^{2H} − 1)
    std::optional<int> pathology;                    ///< index of kPathologies
    Size last = 0;                                   ///< layer that most draws reach
};
/// The deepest layer that half of the draws reach.
Size lastReached(const DrawStatistics&);
Fits fitsOf(const std::vector<DrawCurves>&, const DrawStatistics&, const MomentNet&);

/// First layer of the late fits.
inline Size lateForRate(Size layers) { return layers / 2; }
inline Size lateForExponent(Size layers) { return layers / 5 > 1 ? layers / 5 : 1; }

/// C l^τ beside a mean curve, as far as it is defined; NaN at layer 0.
Vector lawBeside(const Vector& chi, double tau);

/// One kind of network and what is known of its draws.
struct NetResult {
    MomentKind kind = MomentKind::Vanilla;
    DrawStatistics statistics;
    Fits fits;
    std::vector<LayerCloud> clouds;  ///< aligned; of the first draw, as far as it came
    Size draws = 0;                  ///< whole ones
    Size collapsed = 0;              ///< of these, that ended before the last layer
    std::string collapse;            ///< why the first of these did
};

/// What is known so far; nets[0] is the one asked for.
struct Progress {
    std::vector<NetResult> nets;
    double plateau = 0;  ///< of the inputs drawn; 0 where there is none
    bool finished = false;
    Vector kinds;       ///< of a given network, index of kLayerKinds layer by layer from 1 on; empty: networks are drawn
    double points = 0;  ///< of its input

    bool given() const { return !kinds.empty(); }
};

Report makeReport(const random_nets::NetSetup&, const Progress&);
std::string summaryOf(const Progress&);

/// Whether a reader's network takes the place of drawn ones.
bool isGiven(const Values&);

Cost costOfGiven(const Request&);
/// The param to lower when that is too much.
std::string costliestOfGiven(const Request&);

/// Draws of data and noise through one given network.
std::unique_ptr<Computation> startGiven(const Request&);

}  // namespace kappaflow::moments
