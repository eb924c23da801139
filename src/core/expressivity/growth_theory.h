#pragma once
#include <cstddef>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// Width k, weights N(0, σ_w²/k), biases N(0, σ_b²).
struct GrowthSetting {
    Activation activation = Activation::HardTanh;
    double slope = 0.01;  ///< of the leaky ReLU
    double width = 100, weightVariance = 4, biasVariance = 0;
};

/// Theorem 1 of arXiv 1606.05336 for hard-tanh: B = σ_w/(σ_w² + σ_b²)^¼ · √k/√(√(σ_w² + σ_b²) + k), the base of a lower bound that holds
/// up to a constant in each layer: B itself lies above what is measured. Without bias it is √(σ_w k/(σ_w + k)).
double theoremOneBase(const GrowthSetting&);
/// The same theorem's line for ReLU as printed at ICML 2017: σ_w √k/√(k + 1), again up to a constant in each layer.
double theoremOneBaseRelu(const GrowthSetting&);
/// O(σ_w^d): no activation with |φ'| <= 1 lets the mean length grow faster.
double growthUpperBound(const GrowthSetting&);

/// E φ(√q g)² and E φ'(√q g)² for g ~ N(0, 1): closed forms with erf for piecewise-linear activations, the trapezoidal rule for the
/// others (1e-12: they are analytic in a strip). Throws InputError for pseudo-random.
struct GaussianMoments {
    double square = 0, slopeSquare = 0;
};
GaussianMoments gaussianMoments(Activation, double slope, double q);

/// Mean field (k → ∞): the variance q of the pre-activations, and χ = σ_w² E φ'(√q g)²; lengths grow by √χ.
struct MeanField {
    double q = 0, chi = 0;
};
/// The stable solution of q = σ_w² E φ(√q g)² + σ_b², to 1e-12; 0 where all signals die out, infinite where they grow without bound (ReLU
/// and its like with too much weight). Where q is infinite or 0, χ is the limit. Positively homogeneous activations whose variance is kept
/// as it is (He's σ_w² = 2 for ReLU, no bias) keep any q: `kept` is returned.
MeanField meanFieldFixedPoint(const GrowthSetting&, double kept = 1);
/// q and χ of layers 1 … n from the input's mean square entry: q_1 = σ_w²·inputSquare + σ_b².
std::vector<MeanField> meanFieldByLayer(const GrowthSetting&, double inputSquare, std::size_t layers);

/// E l_(d+1)/E l_d exactly for layers from k to k units, at every depth and any bias variance:
/// ReLU g = σ_w/√k · Σ_N C(k, N) 2^−k √2 Γ((N + 1)/2)/Γ(N/2) → σ_w/√2, |h| g = σ_w √(2/k) Γ((k + 1)/2)/Γ(k/2) → σ_w.
/// Cost: k operations.
double reluGrowth(double width, double weightVariance);
double absGrowth(double width, double weightVariance);

/// Transitions of a unit for each unit of length in long curves of wide nets, σ_w/(π √(k q)).
double transitionsPerLength(const GrowthSetting&, double q);

}  // namespace kappaflow
