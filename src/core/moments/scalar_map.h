#pragma once
#include <functional>
#include <vector>

#include "core/moments/scalar_mixture.h"
#include "core/net/network.h"

namespace kappaflow {

/// What a scalar map Φ does to the mixture, to first order in the noise (P3 Eqs 3–4, Props 5–6).
struct ScalarSensitivity {
    double mean = 0, variance = 0;  ///< of Φ(x)
    double slopeSquare = 0;         ///< E Φ′(x)²: variance of the noise behind it, for noise of variance 1 before it
    double rescaling = 0;           ///< (Var Φ / Var x)^{1/2}: slope of the constant rescaling Ψ of equal output variance
    /// (E Φ′²)^{1/2} / rescaling. Infinite for a constant Φ with slopes, 1 for a straight line; 0/0 counts as 1.
    double chi() const;
};

/// One layer y = φ(gain·x), by quadrature. Relative error below 1e-10 for gain·spread <= 10.
ScalarSensitivity layerSensitivity(const ScalarMixture&, Activation, double gain);

/// Φ at the points of a grid, with its derivative there.
struct ScalarCurve {
    std::vector<double> y, slope;
};
/// Cost: two activations a point.
ScalarCurve layerCurve(const ScalarGrid&, Activation, double gain);
/// By the grid's weights, from the derivatives.
ScalarSensitivity curveSensitivity(const ScalarMixture&, const ScalarGrid&, const ScalarCurve&);
/// χ from the curve alone: rms slope of its chords between neighbouring points, over the slope of Ψ. Differs from curveSensitivity's by
/// the second order of the step.
double chiOfChords(const ScalarMixture&, const ScalarGrid&, const std::vector<double>& y);
/// Whether the grid's step shows the curve: derivatives and chords tell the same χ within the factor kShownFactor. A curve that jumps
/// between two points has chords there and no slope: its derivatives say nothing of its χ.
inline constexpr double kShownFactor = 1.3;
bool stepShows(double chiOfSlopes, double chiOfChords);

/// The curve between its points: straight; beyond the ends its last chord goes on.
double valueAt(const ScalarGrid&, const std::vector<double>& y, double x);

/// E_ε[(Φ(x + σε) − Φ(x))²]^{1/2} over ε ~ N(0, 1) at every x: the noise as it really comes out. 81 nodes over ±5; straight lines come
/// out exactly. Cost: 81 values of Φ a point.
std::vector<double> pushedNoise(const std::vector<double>& x, const std::function<double(double)>& phi, double sigma);

/// Density of Φ(x) in `bins` even bins over all it reaches from ±4.5 spreads about the centres: every step of the grid carries its exact
/// probability to the bins that its chord covers. Where Φ is flat a bin holds a whole atom.
struct OutputDensity {
    std::vector<double> at, density;  ///< middles of the bins; mean density there
    double width = 1;                 ///< of a bin; the densities times this sum to 1
    double flat = 0;                  ///< probability of the steps where Φ stays as it is
};
/// Cost: the bins that the chords cover.
OutputDensity outputDensity(const ScalarMixture&, const ScalarGrid&, const std::vector<double>& y, std::size_t bins);

}  // namespace kappaflow
