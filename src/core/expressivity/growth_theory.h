#pragma once
#include <span>
#include <vector>

#include "core/expressivity/curve_pieces.h"
#include "core/net/network.h"

namespace kappaflow {

/// Width k, weights N(0, σ_w²/k), biases N(0, σ_b²).
struct GrowthSetting {
    double width = 100, weightVariance = 4, biasVariance = 0;
};

/// Theorem 1 of arXiv 1606.05336, hard-tanh: B = σ_w/(σ_w² + σ_b²)^¼ · √k/√(√(σ_w² + σ_b²) + k), the base of the lower bound Bⁿ·l₀ up to a
/// constant in each layer (B itself lies above what is measured). Without bias √(σ_w k/(σ_w + k)).
double theoremOneBase(const GrowthSetting&);
/// ICML version, ReLU: σ_w √k/√(k + 1), up to a constant in each layer.
double theoremOneBaseRelu(const GrowthSetting&);
/// O(σ_w^d): no activation with |φ'| <= 1 grows faster on average (σ_w by Jensen).
double growthUpperBound(const GrowthSetting&);

/// E[φ(√q g)²] and E[φ'(√q g)²] for g ~ N(0, 1): closed forms for the piecewise-linear activations (erf), 64-point Gauss–Hermite style
/// quadrature for tanh and sigmoid.
struct GaussianMoments {
    double square, slopeSquare;
};
GaussianMoments gaussianMoments(Activation, double slope, double q);

/// Mean field (k → ∞): variance of the pre-activations q = σ_w² E[φ(√q g)²] + σ_b², χ = σ_w² E[φ'(√q g)²], growth √χ a layer.
struct MeanField {
    double q = 0, chi = 0;
    bool fixedPoint = true;  ///< false: q grows or falls for ever (ReLU away from σ_w² = 2); then q is +∞ or 0, and χ its limit
};
/// The largest stable fixed point, by iteration from above with Newton steps; errors of 1e-12.
MeanField meanFieldFixedPoint(Activation, double slope, double weightVariance, double biasVariance);
/// q_1 … q_n and χ_1 … χ_n from the squared length per unit of the input, q_1 = σ_w²·inputSquare + σ_b².
std::vector<MeanField> meanFieldByLayer(Activation, double slope, double weightVariance, double biasVariance, double inputSquare,
                                        std::size_t layers);

/// ReLU: E l_(d+1)/E l_d exactly, at every depth and bias variance, for layers from k to k units:
/// g = σ_w/√k · Σ_N C(k,N) 2^−k √2 Γ((N+1)/2)/Γ(N/2), tends to σ_w/√2.
double reluGrowth(double width, double weightVariance);
/// |h|: g = σ_w √(2/k) Γ((k+1)/2)/Γ(k/2), tends to σ_w.
double absGrowth(double width, double weightVariance);

/// Crofton: a random Gaussian unit h = w·z + b with w ~ N(0, σ_w²/k), b ~ N(0, σ_b²) changes sign along z(t) on average as often as the
/// angular length of (σ_w z/√k, σ_b), over π. This is that angular length, in radians; parts at the origin (all of it zero) count nothing.
/// k = units of the curve. Exact pieces: 20-point Gauss panels, halved where the curve passes near the origin; about 1e-9 relative.
double angularLength(const CurvePieces&, double weightVariance, double biasVariance);
/// The same for a threshold τ of the unit in place of 0: mean number of crossings of h = τ is not an angle; see meanCrossings.
/// Mean number of crossings of τ by Kac–Rice for one Gaussian unit: ∫ E[|h'| | h = τ] p(h = τ) dt.
double meanCrossings(const CurvePieces&, double weightVariance, double biasVariance, double threshold);
/// Transitions per unit length of a unit, s_w/(π √(k q*)), for long curves in wide nets (spec 4).
double transitionsPerLength(const GrowthSetting&, double q);

}  // namespace kappaflow
