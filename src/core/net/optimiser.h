#pragma once
#include <cstdint>
#include <span>

namespace kappaflow {

/// Momentum: v ← μ v + g, w ← w − η v, stochastic gradient descent with Polyak's heavy ball; μ = 0 is the plain one.
/// Adam (Kingma and Ba, arXiv 1412.6980): m ← β₁ m + (1−β₁) g, s ← β₂ s + (1−β₂) g², w ← w − η (m/(1−β₁ᵗ)) / (√(s/(1−β₂ᵗ)) + ε).
enum class Optimiser { Momentum, Adam };

struct OptimiserSpec {
    Optimiser kind = Optimiser::Adam;
    double learningRate = 0.01;  ///< η
    double momentum = 0.9;       ///< μ
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
};

/// Throws InputError unless η > 0, 0 <= μ, β₁, β₂ < 1, ε > 0, all finite.
void validate(const OptimiserSpec&);

/// The change of parameters w by gradient g at step t = 1, 2, …; `first` holds v or m, `second` s (unused by Momentum), both zeros
/// before the first step, all as long as w. From + - * / sqrt, element by element: the same bits on every platform.
void updateParameters(const OptimiserSpec&, std::uint64_t t, std::span<double> w, std::span<const double> g, std::span<double> first,
                      std::span<double> second);

}  // namespace kappaflow
