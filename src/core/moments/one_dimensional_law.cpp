#include "core/moments/one_dimensional_law.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

/// ψ(k/2) and ψ'(k/2) for k = 1 … n by their recursions.
struct HalfGamma {
    std::vector<double> digamma, trigamma;
};
HalfGamma halfGamma(std::size_t n) {
    constexpr double kEuler = std::numbers::egamma, kPi = std::numbers::pi;
    HalfGamma g{std::vector<double>(n + 1), std::vector<double>(n + 1)};
    for (std::size_t k = 1; k <= n; ++k) {
        if (k == 1) g.digamma[k] = -kEuler - 2 * std::numbers::ln2, g.trigamma[k] = kPi * kPi / 2;
        if (k == 2) g.digamma[k] = -kEuler, g.trigamma[k] = kPi * kPi / 6;
        if (k <= 2) continue;
        const double x = static_cast<double>(k - 2) / 2;
        g.digamma[k] = g.digamma[k - 2] + 1 / x;
        g.trigamma[k] = g.trigamma[k - 2] - 1 / (x * x);
    }
    return g;
}

/// Moments of δ = (1/N) Σ q, q = 2g⁺² with E q^p = 1, 6, 60, 840: from the cumulants 1, 5, 44, 558 of q.
void setIncrements(OneDimensionalLaw& law, double N) {
    const double k2 = 5 / N, k3 = 44 / (N * N), k4 = 558 / (N * N * N);
    law.increments[0] = law.increments[1] = 1;
    law.increments[2] = 1 + k2;
    law.increments[3] = 1 + 3 * k2 + k3;
    law.increments[4] = 1 + 6 * k2 + 3 * k2 * k2 + 4 * k3 + k4;
}

}  // namespace

OneDimensionalLaw oneDimensionalLaw(std::size_t width) {
    if (width < 1 || width > 1000) throw InputError("The width of a layer must be between 1 and 1000.");
    const double N = static_cast<double>(width);
    const HalfGamma gamma = halfGamma(width);
    OneDimensionalLaw law;
    law.collapse = std::exp2(-N);
    double probability = law.collapse, total = 0, mean = 0, square = 0;
    for (std::size_t k = 1; k <= width; ++k) {
        probability *= static_cast<double>(width - k + 1) / static_cast<double>(k);
        const double log = gamma.digamma[k] + std::log(4 / N);
        total += probability;
        mean += probability * log;
        square += probability * (gamma.trigamma[k] + log * log);
    }
    law.drift = mean / total;
    law.variance = square / total - law.drift * law.drift;
    setIncrements(law, N);
    return law;
}

double collapseBy(const OneDimensionalLaw& law, double layer) { return -std::expm1(layer * std::log1p(-law.collapse)); }

double preactivationKurtosis(const OneDimensionalLaw& law, double layer) { return 3 * std::pow(law.increments[2], layer - 1); }

double relativeKurtosisError(const OneDimensionalLaw& law, std::size_t width, double layer, double draws) {
    const double N = static_cast<double>(width), below = layer - 1;
    // Var(mean over units of y⁴): E r⁴·(105/N + 9(1 − 1/N)) − (3 E r²)², r the squared norm below over its expectation.
    const double ratio = std::pow(law.increments[4] / (law.increments[2] * law.increments[2]), below);
    return std::sqrt(std::max(0.0, ratio * (105 / N + 9 * (1 - 1 / N)) / 9 - 1) / draws);
}

double preactivationTail(const OneDimensionalLaw& law, double layer, double t) {
    const double below = layer - 1, mean = below * law.drift, deviation = std::sqrt(below * law.variance);
    const auto gaussianTail = [&](double logNorm) { return std::erfc(t / std::sqrt(2.0) * std::exp(-logNorm / 2)); };
    const double alive = 1 - collapseBy(law, below);
    if (deviation == 0) return alive * gaussianTail(mean);
    double sum = 0, weights = 0;
    for (int i = -64; i <= 64; ++i) {
        const double z = i / 8.0, weight = std::exp(-z * z / 2);
        sum += weight * gaussianTail(mean + z * deviation);
        weights += weight;
    }
    return alive * sum / weights;
}

}  // namespace kappaflow
