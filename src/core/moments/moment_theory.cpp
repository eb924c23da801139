#include "core/moments/moment_theory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "core/linalg/decompositions.h"
#include "core/linalg/ordered_product.h"
#include "core/moments/moment_convolution.h"

namespace kappaflow {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostEigenvalues = 1024;

/// ∫₀^∞ Π (1 + 2λ_i t)^{−1/2} dt with t = e^{(π/2) sinh u}: the trapezoidal rule in u then gains digits at twice the rate of its nodes.
double sphereIntegral(std::span<const double> scaled) {
    constexpr double kStep = 1.0 / 32, kEnd = 5;
    double sum = 0;
    for (int i = -static_cast<int>(kEnd / kStep); i <= static_cast<int>(kEnd / kStep); ++i) {
        const double u = i * kStep, logT = std::numbers::pi / 2 * std::sinh(u);
        double logProduct = 0;
        for (const double eigenvalue : scaled)
            if (eigenvalue > 0) {
                const double logTerm = std::log(2 * eigenvalue) + logT;
                logProduct -= (logTerm > 40 ? logTerm : std::log1p(std::exp(logTerm))) / 2;
            }
        sum += std::exp(logT + logProduct) * std::numbers::pi / 2 * std::cosh(u);
    }
    return sum * kStep;
}

}  // namespace

double firstBatchNormStep(std::span<const double> eigenvalues) {
    const double R = static_cast<double>(eigenvalues.size());
    double largest = 0, sum = 0;
    for (const double value : eigenvalues) largest = std::max(largest, value);
    if (!(largest > 0) || !std::isfinite(largest)) throw InputError("A first step needs a covariance with a positive eigenvalue.");
    std::vector<double> kept;
    for (const double value : eigenvalues) {
        if (!(value >= -1e-10 * largest)) throw InputError("A covariance has no negative eigenvalues.");
        if (value > 1e-14 * largest) kept.push_back(value), sum += value;
    }
    if (kept.size() == eigenvalues.size() && R == 1) return 1;
    if (R <= 2) return kept.size() < 2 ? kInfinite : std::sqrt(sum / 2 / std::sqrt(kept[0] * kept[1]));
    if (kept.size() <= 2) return kInfinite;
    for (double& value : kept) value *= R / sum;  // mean 1 over all R
    return std::sqrt((R - 2) * sphereIntegral(kept));
}

double firstBatchNormStep(std::size_t r, std::size_t R) {
    if (r == 0 || r > R) throw InputError("Of R eigenvalues 1 … R are not zero.");
    if (r == R) return 1;
    const double some = static_cast<double>(r), all = static_cast<double>(R);
    return r <= 2 ? kInfinite : std::sqrt(some * (all - 2) / (all * (some - 2)));
}

std::vector<double> receptiveFieldEigenvalues(const MomentNet& net, const PointValues& signal) {
    double size = static_cast<double>(signal.channels());
    for (int d = 0; d < net.dimensions; ++d) size *= static_cast<double>(net.taps);
    if (size > static_cast<double>(kMostEigenvalues))
        throw InputError("Receptive fields of more than " + std::to_string(kMostEigenvalues) + " numbers have too large a covariance.");
    // A kernel that copies every number of its receptive field into a channel of its own.
    const auto R = static_cast<std::size_t>(size);
    MomentWeights copy{net.taps, signal.channels(), R, 1, identityMatrix(R).values, {}};
    Matrix fields = convolved(copy, net.boundary, {signal, signal, 0}).signal.values;
    const double P = static_cast<double>(fields.rows);
    for (std::size_t i = 0; i < R; ++i) {
        double mean = 0;
        for (std::size_t p = 0; p < fields.rows; ++p) mean += fields(p, i);
        mean /= P;
        for (std::size_t p = 0; p < fields.rows; ++p) fields(p, i) -= mean;
    }
    Matrix covariance(R, R);
    orderedProduct(MatrixView(fields).transposed(), fields, covariance.values.data());
    for (double& entry : covariance.values) entry /= P;
    return symmetricEigen(covariance).values;
}

double PowerLawBounds::incrementLow(std::size_t l) const { return std::sqrt(std::max(0.0, 1 + etaLow / static_cast<double>(l + 1))); }
double PowerLawBounds::incrementHigh(std::size_t l) const { return std::sqrt(std::max(0.0, 1 + etaHigh / static_cast<double>(l + 1))); }

PowerLawBounds powerLawBounds(double deltaLow, double deltaHigh, std::size_t inner, double mu2Low, double mu2High) {
    const bool ordered = 0 < mu2Low && mu2Low <= mu2High && 0 <= deltaLow && deltaLow <= deltaHigh && std::isfinite(deltaHigh + mu2High);
    if (!ordered) throw InputError("Bounds of Theorem 4 must be finite, positive and in order.");
    const double power = 2 * static_cast<double>(inner), low = std::pow(deltaLow, power) - 1, high = std::pow(deltaHigh, power) - 1;
    // Of a shrinking branch the largest share counts for the lower bound, and the least for the upper one.
    const double least = mu2Low / mu2High, most = mu2High / mu2Low;
    return {low * (low > 0 ? least : most), high * (high > 0 ? most : least)};
}

double predictedExponent(double meanIncrement, std::size_t inner) {
    return (std::pow(meanIncrement, 2 * static_cast<double>(inner)) - 1) / 2;
}

double kurtosisCeiling(double points) {
    if (!(points >= 2)) throw InputError("At least two points have a variance.");
    return (points * points - 3 * points + 3) / (points - 1);
}

}  // namespace kappaflow
