#include "core/expressivity/growth_theory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/net/linear_pieces.h"

namespace kappaflow {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }
/// x·density(x), 0 at infinity.
double tilted(double x) { return std::isinf(x) ? 0 : x * density(x); }
double below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// ∫ over (lo, hi) of 1, g and g² against the normal density.
struct Slab {
    double mass, first, second;
    Slab(double lo, double hi) {
        mass = lo > 0 ? below(-lo) - below(-hi) : below(hi) - below(lo);
        first = density(lo) - density(hi);
        second = mass + tilted(lo) - tilted(hi);
    }
};

GaussianMoments piecewiseMoments(const LinearPieces& phi, double q) {
    const double root = std::sqrt(std::max(q, 1e-200));
    GaussianMoments moments;
    double lo = -kInfinity;
    for (std::size_t s = 0; s < phi.slopes.size(); ++s) {
        const double hi = s < phi.thresholds.size() ? phi.thresholds[s] / root : kInfinity;
        const Slab slab(lo, hi);
        const double slope = phi.slopes[s], offset = phi.offsets[s];
        moments.square += slope * slope * q * slab.second + 2 * slope * offset * root * slab.first + offset * offset * slab.mass;
        moments.slopeSquare += slope * slope * slab.mass;
        lo = hi;
    }
    return moments;
}

GaussianMoments smoothMoments(Activation activation, double slope, double q) {
    // The nearest poles lie π/(2√q) from the real axis; a step of a sixteenth of that leaves e^(−2π·16).
    const double root = std::sqrt(q), step = std::max(std::min(0.25, std::numbers::pi / (32 * std::max(root, 1e-9))), 0.004);
    GaussianMoments moments;
    const int points = static_cast<int>(9 / step);
    for (int i = -points; i <= points; ++i) {
        const double g = i * step, weight = step * density(g), value = activate(activation, root * g, slope),
                     rise = activationDerivative(activation, root * g, slope);
        moments.square += weight * value * value;
        moments.slopeSquare += weight * rise * rise;
    }
    return moments;
}

bool isHomogeneous(Activation activation) {
    return activation == Activation::Identity || activation == Activation::Relu || activation == Activation::LeakyRelu ||
           activation == Activation::Abs;
}

MeanField homogeneousFixedPoint(const GrowthSetting& s, double kept) {
    const double chi = s.weightVariance * gaussianMoments(s.activation, s.slope, 1).slopeSquare;
    if (std::abs(chi - 1) < 1e-12) return {s.biasVariance > 0 ? kInfinity : kept, chi};
    return {chi < 1 ? s.biasVariance / (1 - chi) : s.biasVariance == 0 && chi == 0 ? 0 : kInfinity, chi};
}

}  // namespace

double theoremOneBase(const GrowthSetting& s) {
    const double total = std::sqrt(s.weightVariance + s.biasVariance);
    return total > 0 ? std::sqrt(s.weightVariance / total) * std::sqrt(s.width / (total + s.width)) : 0;
}

double theoremOneBaseRelu(const GrowthSetting& s) { return std::sqrt(s.weightVariance * s.width / (s.width + 1)); }

double growthUpperBound(const GrowthSetting& s) { return std::sqrt(s.weightVariance); }

GaussianMoments gaussianMoments(Activation activation, double slope, double q) {
    if (activation == Activation::PseudoRandom)
        throw InputError("The pseudo-random activation has no derivative to take the mean square of.");
    return isPiecewiseLinear(activation) ? piecewiseMoments(piecewiseLinear(activation, slope), q) : smoothMoments(activation, slope, q);
}

MeanField meanFieldFixedPoint(const GrowthSetting& s, double kept) {
    if (isHomogeneous(s.activation)) return homogeneousFixedPoint(s, kept);
    const auto at = [&](double q) { return gaussianMoments(s.activation, s.slope, q); };
    const auto next = [&](double q) { return s.weightVariance * at(q).square + s.biasVariance; };
    // next(q)/q falls for the bounded activations here: one crossing of 1 at the most, found by bisection of log q.
    double high = s.weightVariance * 36 + s.biasVariance, low = 1e-30;
    if (!(high > 0) || next(low) <= low * (1 + 1e-12)) return {0, s.weightVariance * at(0).slopeSquare};
    for (int i = 0; i < 200 && high > low * (1 + 1e-14); ++i) {
        const double middle = std::sqrt(low) * std::sqrt(high);
        (next(middle) > middle ? low : high) = middle;
    }
    return {high, s.weightVariance * at(high).slopeSquare};
}

std::vector<MeanField> meanFieldByLayer(const GrowthSetting& s, double inputSquare, std::size_t layers) {
    std::vector<MeanField> fields;
    double square = inputSquare;
    for (std::size_t l = 0; l < layers; ++l) {
        const double q = s.weightVariance * square + s.biasVariance;
        const GaussianMoments moments = gaussianMoments(s.activation, s.slope, q);
        fields.push_back({q, s.weightVariance * moments.slopeSquare});
        square = moments.square;
    }
    return fields;
}

double reluGrowth(double width, double weightVariance) {
    // Mean norms c_N of N gaussians by c_N c_(N+1) = N; binomial weights outwards from the middle, where none underflows.
    const auto k = static_cast<std::size_t>(width);
    std::vector<double> norm(k + 1), weight(k + 1);
    if (k >= 1) norm[1] = std::sqrt(2 / std::numbers::pi);
    for (std::size_t n = 1; n < k; ++n) norm[n + 1] = static_cast<double>(n) / norm[n];
    const std::size_t middle = k / 2;
    weight[middle] = 1;
    for (std::size_t n = middle; n < k; ++n) weight[n + 1] = weight[n] * static_cast<double>(k - n) / static_cast<double>(n + 1);
    for (std::size_t n = middle; n > 0; --n) weight[n - 1] = weight[n] * static_cast<double>(n) / static_cast<double>(k - n + 1);
    double sum = 0, total = 0;
    for (std::size_t n = 0; n <= k; ++n) {
        sum += weight[n] * norm[n];
        total += weight[n];
    }
    return std::sqrt(weightVariance / width) * sum / total;
}

double absGrowth(double width, double weightVariance) {
    double norm = std::sqrt(2 / std::numbers::pi);
    for (double n = 1; n < width; ++n) norm = n / norm;
    return std::sqrt(weightVariance / width) * norm;
}

double transitionsPerLength(const GrowthSetting& s, double q) { return std::sqrt(s.weightVariance / (s.width * q)) / std::numbers::pi; }

}  // namespace kappaflow
