#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/moments/layer_moments.h"
#include "core/moments/moment_net.h"

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

/// An expectation over weights, estimated.
struct FreshValue {
    double value = kUndefined, standardError = kUndefined;
};

/// What Theorems 2–4 say of a layer's increment before its weights are known: E_{c,θ} over weights that were drawn for this alone, on the
/// input that the layer really has.
struct FreshTheorems {
    FreshValue increment;  ///< δχ^l: Theorem 2, Theorem 3's product, (*) with the branch's variances expected over fresh branches
    FreshValue batchNorm, activation;  ///< Theorem 3's terms (batch norm, feedforward; the second for the ReLU)
    std::size_t draws = 0;             ///< of a layer's or unit's weights
};

/// `before` is the state that layer (or residual unit) `layer` = 1 … takes; fresh weights are numbers firstDraw … firstDraw + draws − 1 of
/// a seed made from `seed`, independent of the network's own. Channels of one feedforward layer are independent given its input, so that
/// each counts as a sample; of a resnet each draw counts as one, and a standard error needs two. Undefined where the theorems need a ReLU
/// and there is none, where a fresh unit leaves the range of numbers or its batch norm has nothing to divide by, and where no branch lets
/// anything through. Throws InputError when a size does not fit. Cost: `draws` times a layer's or unit's.
FreshTheorems freshTheorems(const MomentNet&, const SignalAndNoise& before, std::size_t layer, std::size_t draws, std::uint64_t seed,
                            std::uint64_t firstDraw = 0);

/// What a layer's ReLUs read, and how far every unit is from always on or always off: its share of what Theorems 2 and 3 average, so that
/// their increment of a ReLU layer is (1 − mean)^{−1/2}. All shares are 2·ν_{1,c}(u⁺)·ν_{1,c}(u⁻)/variance. Vanilla: u = y, variance
/// 2·w²·μ₂(x^{l−1}), w the weight scale; batch-normalised: u = z, variance 1; of a resnet's unit, that of its inner layer 1, which reads
/// `before` itself. 0 for a unit that never switches, 1/π for gaussian pre-activations with mean 0, at most 1/2 in the mean. Cost: a
/// layer's.
struct UnitSwitching {
    std::vector<double> shares;  ///< [unit]
    Matrix preactivations;       ///< u, [point][unit]
    double variance = 1;
};
UnitSwitching unitSwitching(const MomentNet&, const SignalAndNoise& before, const MomentWeights& ofLayer);

/// Theorem 2's increment with its expectation over all weights done exactly: E_θ[ν_{1,c}(y⁺)ν_{1,c}(y⁻)] is the mean over pairs of samples
/// of (2/N)·‖x_m‖‖x_n‖·(sin θ_mn − θ_mn cos θ_mn)/2π. Dense vanilla ReLU layers without biases; the weights' scale cancels. Throws
/// InputError for a signal without variance. Cost: samples²·channels.
bool hasExactIncrement(const MomentNet&);
double exactIncrement(const PointValues& before);

// Expectations over a pair (u, v) of standard normal numbers with correlation cos θ: what a random unit makes of two inputs with the
// angle θ between them. The cosine is clamped to [−1, 1].

/// P(u > 0, v > 0) = (π − θ)/2π.
double bothPositive(double cosine);
/// E[u⁺² v⁺²] = (3 sin θ cos θ + (π − θ)(1 + 2 cos² θ))/2π (arc-cosine kernel of degree 2; Cho and Saul 2009): 3/2 at θ = 0, 0 at π.
double rectifiedSquares(double cosine);
/// E[u⁺ v⁻] = (sin θ − θ cos θ)/2π: 0 at θ = 0, 1/2 at π.
double oppositeParts(double cosine);

}  // namespace kappaflow
