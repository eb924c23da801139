#pragma once
#include <cstddef>

namespace kappaflow {

/// The exact law of one layer of a He-initialised ReLU network without biases at a single input, or at inputs on one half-line:
/// ‖x^l‖² = ‖x^{l−1}‖²·(2/N)·Σ_c g_c⁺², N independent gaussians g. The terms of the sum that are not zero are k ~ Binomial(N, 1/2), so
/// the sum is χ²_k. To first order in 1/N the logarithm has mean −5/2N and variance 5/N (P3 Theorem 1).
struct OneDimensionalLaw {
    double drift = 0;      ///< E log(‖x^l‖²/‖x^{l−1}‖²) given k ≥ 1
    double variance = 0;   ///< of that logarithm
    double collapse = 0;   ///< P(k = 0) = 2^{−N}: the layer is zero
    double increments[5];  ///< E(‖x^l‖²/‖x^{l−1}‖²)^p, p = 0 … 4, collapse counted: 1, 1, 1 + 5/N, …
};
/// Throws InputError unless 1 <= width <= 1000. Cost: width steps.
OneDimensionalLaw oneDimensionalLaw(std::size_t width);

/// 1 − (1 − 2^{−N})^l: a given input is zero by layer l; all inputs together at the most as often (Theorem 1's events).
double collapseBy(const OneDimensionalLaw&, double layer);

/// Kurtosis over weights of a pre-activation of layer l >= 1 at a fixed input: 3·(1 + 5/N)^{l−1} (P3 Section 8).
double preactivationKurtosis(const OneDimensionalLaw&, double layer);
/// Standard error, as a share of the kurtosis, of its estimate from all units of a layer over so many networks: E y⁸ decides, which grows
/// faster with depth than the kurtosis squared, so that it is known from fewer and fewer layers.
double relativeKurtosisError(const OneDimensionalLaw&, std::size_t width, double layer, double draws);

/// P(|y| > t) of that pre-activation in units of its standard deviation, the log-norm below it taken as normal with its exact mean and
/// variance. Relative error below 1e-6 by the rule. Cost: 129 values of erfc.
double preactivationTail(const OneDimensionalLaw&, double layer, double t);

}  // namespace kappaflow
