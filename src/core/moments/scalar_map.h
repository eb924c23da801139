#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// The scalar input of P3 Fig 1: `share`·N(−separation/2, spread²) + (1 − share)·N(separation/2, spread²).
struct ScalarMixture {
    double separation = 2, spread = 0.2, share = 0.5;

    double mean() const;
    double variance() const;
    double density(double x) const;
    /// Probability of [a, b].
    double mass(double a, double b) const;
};
/// Throws InputError unless separation >= 0, spread > 0 and 0 <= share <= 1, all finite.
void validate(const ScalarMixture&);

/// Even steps over all of the mixture that counts, symmetric about 0: a stratified sample of it whose points weigh what the density says.
/// The trapezoidal rule on a step of at most a quarter of the spread integrates what is smooth to rounding.
struct ScalarGrid {
    std::vector<double> x, weight;  ///< weights sum to 1; the same bits on every platform
    double step() const { return x[1] - x[0]; }
    std::size_t size() const { return x.size(); }
};
/// From −r to r with r = separation/2 + 5·spread + margin; `points` odd, at least 3.
ScalarGrid scalarGrid(const ScalarMixture&, double margin, std::size_t points);

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

/// Curves of a batch-normalised feedforward net of one input and one output (P3 Fig 1c, Eqs 9–11): hidden layers x = φ(BN(ω x)) of `width`
/// units, weights N(0, 2/in), and after every one of them the network that ends there with a linear, batch-normalised unit. The statistics
/// of batch norm are those of the grid's points with the grid's weights, ε = 1e-3, and constants for the derivative. [0] is the identity,
/// [1] linear, [layers] the last; a curve's sign, which χ does not see, is the one that goes with the curve before. Weights of layer l hang
/// on seed and l alone. `look` is called every 10 ms or so with the curves so far and the share of the work done. Throws InputError on a
/// zero size. Cost: 2·points·width² multiply-adds a hidden layer after the first.
using LookAtCurves = std::function<void(const std::vector<ScalarCurve>&, double done)>;
std::vector<ScalarCurve> batchNormCurves(const ScalarGrid&, Activation, std::size_t width, std::size_t layers, std::uint64_t seed,
                                         const LookAtCurves& look = {});

}  // namespace kappaflow
