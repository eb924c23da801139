#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "core/moments/moment_net.h"
#include "core/moments/point_values.h"

namespace kappaflow {

// Closed forms and bounds of P3's Theorems 2–4.

/// Theorems 2 and 3: δχ of a vanilla layer, and δ_φχ of a batch-normalised one, lie between 1 and √2.
inline constexpr double kLeastIncrement = 1, kMostIncrement = 1.4142135623730951;
/// δ_φχ for Gaussian pre-activations, and δχ¹ of a wide vanilla net on white data: (1 − 1/π)^{−1/2}.
inline constexpr double kGaussianIncrement = 1.2111738962363168;

/// E_û[λ̄/Σ λ_i û_i²]^{1/2} for û uniform on the unit sphere of R^R, λ the R eigenvalues of the covariance of the signal's receptive fields:
/// δ_BNχ¹ for white noise (App. E.2, Eq. 91). The gaussians behind û give E_û[1/Σ λ_i û_i²] = (R − 2)·∫₀^∞ Π_i (1 + 2λ_i t)^{−1/2} dt,
/// here by the double exponential rule, relative error below 1e-10; closed for R <= 2. Infinite when R > 2 and at most two λ exceed 1e-14
/// of the largest, or R = 2 and one is zero. Throws InputError when a λ is negative beyond rounding or none is positive. Cost: a few
/// hundred times R logarithms.
double firstBatchNormStep(std::span<const double> eigenvalues);
/// The same with r equal eigenvalues and R − r zeros: (r(R − 2)/(R(r − 2)))^{1/2}; infinite for r <= 2 < R, 1 for r = R.
double firstBatchNormStep(std::size_t r, std::size_t R);

/// Eigenvalues, ascending, of the covariance of what a kernel of the net's first layer sees, over samples and positions; R =
/// taps^d·channels of them. Cost: points·R² + 9·R³ operations. Throws InputError beyond 1024 of them.
std::vector<double> receptiveFieldEigenvalues(const MomentNet&, const PointValues&);

/// Theorem 4 from bounds on the increments inside a unit and on the variances of branches: η and τ = η/2 (the exact form of η is ours: our
/// source of the paper lacks it).
struct PowerLawBounds {
    double etaLow = 0, etaHigh = 0;
    double tauLow() const { return etaLow / 2; }
    double tauHigh() const { return etaHigh / 2; }
    /// Eq. 14: (1 + η/(l + 1))^{1/2}.
    double incrementLow(std::size_t l) const;
    double incrementHigh(std::size_t l) const;
};
PowerLawBounds powerLawBounds(double deltaLow, double deltaHigh, std::size_t inner, double mu2Low, double mu2High);

/// τ = ½(⟨δχ^{l,1}⟩^{2H} − 1), the exponent that the paper reads off the increments.
double predictedExponent(double meanIncrement, std::size_t inner);

/// Largest fourth moment of P standardised points: (P² − 3P + 3)/(P − 1), one point against all others. Throws InputError for P < 2.
double kurtosisCeiling(double points);

}  // namespace kappaflow
