#include "core/moments/moment_theory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "core/linalg/matrix.h"
#include "core/moments/moment_fits.h"
#include "core/moments/moment_net.h"
#include "core/moments/moment_propagation.h"

namespace kappaflow {
namespace {

constexpr double kPi = std::numbers::pi;

struct Angle {
    double theta, cosine, sine;
};
Angle angleOf(double cosine) {
    const double c = std::clamp(cosine, -1.0, 1.0);
    return {std::acos(c), c, std::sqrt((1 - c) * (1 + c))};
}

}  // namespace

double bothPositive(double cosine) { return (kPi - angleOf(cosine).theta) / (2 * kPi); }

double rectifiedSquares(double cosine) {
    const Angle a = angleOf(cosine);
    return (3 * a.sine * a.cosine + (kPi - a.theta) * (1 + 2 * a.cosine * a.cosine)) / (2 * kPi);
}

double oppositeParts(double cosine) {
    const Angle a = angleOf(cosine);
    // The difference of two nearly equal numbers where θ is small: θ³/3 is the first term that stays.
    if (a.theta < 1e-2) return a.theta * a.theta * a.theta * (1 - a.theta * a.theta / 10) / (6 * kPi);
    return (a.sine - a.theta * a.cosine) / (2 * kPi);
}

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

namespace {

/// Another seed, whose streams are independent of those of `seed` itself.
std::uint64_t freshSeed(std::uint64_t seed) {
    std::uint64_t state = seed ^ 0x6672657368776569;
    return splitmix64(state);
}

/// ν_{1,c}(t⁺)·ν_{1,c}(t⁻) of t = y − centre, of every channel.
std::vector<double> splits(const PointValues& y, const std::vector<double>& centres) {
    const std::size_t N = y.channels(), P = y.points();
    std::vector<double> positive(N), negative(N);
    for (std::size_t p = 0; p < P; ++p)
        for (std::size_t c = 0; c < N; ++c) {
            const double value = y.values(p, c) - centres[c];
            (value > 0 ? positive : negative)[c] += std::abs(value);
        }
    for (std::size_t c = 0; c < N; ++c) positive[c] *= negative[c] / (static_cast<double>(P) * static_cast<double>(P));
    return positive;
}

/// What Theorem 2 averages over the channels of y: their splits over the variance in front of the weights, these brought back to He's.
std::vector<double> vanillaSwitching(const MomentNet& net, const PointValues& y, double varianceBefore) {
    std::vector<double> shares = splits(y, std::vector<double>(y.channels()));
    for (double& share : shares) share /= net.weightScale * net.weightScale * varianceBefore;
    return shares;
}

/// What Theorem 3's activation term averages: twice the splits of batch-normalised pre-activations.
std::vector<double> normalisedSwitching(const PointValues& y, const ChannelMoments& moments, double epsilon) {
    std::vector<double> shares = splits(y, moments.mean);
    for (std::size_t c = 0; c < shares.size(); ++c) shares[c] *= 2 / (moments.variance[c] + epsilon);
    return shares;
}

/// (1 − mean)^{−1/2} of the shares, and the influence of each of them on its logarithm.
double switchingIncrement(const std::vector<double>& shares, std::vector<double>& influence) {
    const double left = 1 - meanOf(shares);
    for (const double share : shares) influence.push_back(share / left / 2);
    return 1 / std::sqrt(left);
}

/// From a quantity's value and the influence of each sample on its logarithm.
FreshValue fromInfluence(double value, const std::vector<double>& influence) {
    return std::isfinite(value) ? FreshValue{value, value * errorOfMean(influence)} : FreshValue{};
}

FreshTheorems feedforward(const MomentNet& net, const SignalAndNoise& before, std::size_t layer, std::size_t draws, std::uint64_t seed,
                          std::uint64_t firstDraw) {
    const bool relu = net.activation == Activation::Relu;
    if (!relu && !net.normalised()) return {};
    const double variance = channelMoments(before.signal).mu2;
    std::vector<double> shares, noise;  // of all channels of all draws
    const auto append = [](std::vector<double>& all, const std::vector<double>& more) { all.insert(all.end(), more.begin(), more.end()); };
    for (std::size_t i = 0; i < draws; ++i) {
        const SignalAndNoise y = convolved(drawMomentWeights(net, layer - 1, seed, firstDraw + i), net.boundary, before);
        if (!net.normalised()) {
            append(shares, vanillaSwitching(net, y.signal, variance));
            continue;
        }
        const ChannelMoments m = channelMoments(y.signal);
        append(shares, normalisedSwitching(y.signal, m, net.epsilon));
        append(noise, normalisedNoise(y.noise, m));
    }
    FreshTheorems fresh;
    std::vector<double> influence;
    const double switching = switchingIncrement(shares, influence);
    if (!net.normalised()) {
        fresh.increment = fromInfluence(switching, influence);
        return fresh;
    }
    const double mean = meanOf(noise);
    std::vector<double> ofNoise;
    for (const double share : noise) ofNoise.push_back(share / mean / 2);
    fresh.batchNorm = fromInfluence(std::sqrt(mean / (meanSquare(before.noise) / variance)), ofNoise);
    if (!relu) return fresh;
    fresh.activation = fromInfluence(switching, influence);
    for (std::size_t i = 0; i < noise.size(); ++i) influence[i] += ofNoise[i];
    fresh.increment = fromInfluence(fresh.batchNorm.value * fresh.activation.value, influence);
    return fresh;
}

FreshTheorems residual(const MomentNet& net, const SignalAndNoise& before, std::size_t layer, std::size_t draws, std::uint64_t seed,
                       std::uint64_t firstDraw) {
    MomentNet unit = net;
    unit.layers = 1;
    std::vector<double> signal, noise;  // variances of branches over the skip's
    for (std::size_t i = 0; i < draws; ++i) {
        const auto weights = [&](std::size_t h) { return drawMomentWeights(net, (layer - 1) * net.inner + h, seed, firstDraw + i); };
        MomentPropagation run(unit, before, weights, {false, false});
        while (run.advance()) continue;
        // Without a skip the unit may end the net, its branch off, constant or flat: its variances count all the same.
        if (!run.collapsed().empty() && net.skipScale != 0) return {};
        signal.push_back(run.branchGrowth().signal), noise.push_back(run.branchGrowth().noise);
        if (!std::isfinite(signal.back()) || !std::isfinite(noise.back())) return {};
    }
    const double s2 = net.skipScale * net.skipScale, A = s2 + meanOf(noise), B = s2 + meanOf(signal);
    if (A == 0 || B == 0) return {};
    std::vector<double> influence;
    for (std::size_t i = 0; i < draws; ++i) influence.push_back((noise[i] / A - signal[i] / B) / 2);
    FreshTheorems fresh;
    fresh.increment = fromInfluence(std::sqrt(A / B), influence);
    return fresh;
}

}  // namespace

FreshTheorems freshTheorems(const MomentNet& net, const SignalAndNoise& before, std::size_t layer, std::size_t draws, std::uint64_t seed,
                            std::uint64_t firstDraw) {
    validate(net);
    if (layer < 1 || layer > net.layers || draws < 1) throw InputError("Fresh weights need a layer of the net and at least one draw.");
    FreshTheorems fresh = (net.residual() ? residual : feedforward)(net, before, layer, draws, freshSeed(seed), firstDraw);
    fresh.draws = draws;
    return fresh;
}

UnitSwitching unitSwitching(const MomentNet& net, const SignalAndNoise& before, const MomentWeights& weights) {
    const double variance = channelMoments(before.signal).mu2;
    if (net.kind == MomentKind::ResnetPlain) {
        // Its first activation reads y^{l−1} itself, whose variance is what the splits are shares of, each unit's twice.
        std::vector<double> shares = splits(before.signal, std::vector<double>(before.signal.channels()));
        for (double& share : shares) share *= 2 / variance;
        return {std::move(shares), before.signal.values, variance};
    }
    PointValues y = net.residual() ? before.signal : convolved(weights, net.boundary, before).signal;
    if (!net.normalised()) {
        std::vector<double> shares = vanillaSwitching(net, y, variance);
        return {std::move(shares), std::move(y.values), 2 * net.weightScale * net.weightScale * variance};
    }
    const ChannelMoments moments = channelMoments(y);
    std::vector<double> shares = normalisedSwitching(y, moments, net.epsilon);
    for (std::size_t c = 0; c < shares.size(); ++c) {
        const bool constant = std::isnan(shares[c]);  // without ε
        if (constant) shares[c] = 0;
        const double deviation = constant ? 1 : std::sqrt(moments.variance[c] + net.epsilon);
        for (std::size_t p = 0; p < y.points(); ++p) y.values(p, c) = (y.values(p, c) - moments.mean[c]) / deviation;
    }
    return {std::move(shares), std::move(y.values), 1};
}

bool hasExactIncrement(const MomentNet& net) {
    return net.kind == MomentKind::Vanilla && net.dimensions == 0 && net.activation == Activation::Relu && net.biasVariance == 0;
}

double exactIncrement(const PointValues& before) {
    const Matrix& x = before.values;
    const double variance = channelMoments(before).mu2, M = static_cast<double>(x.rows);
    if (!(variance > 0)) throw InputError("A signal without variance has no increment of its sensitivity.");
    Matrix gram(x.rows, x.rows);
    orderedProduct(x, MatrixView(x).transposed(), gram.values.data());
    double sum = 0;
    for (std::size_t m = 0; m < x.rows; ++m)
        for (std::size_t n = 0; n < m; ++n) {
            const double norms = std::sqrt(gram(m, m)) * std::sqrt(gram(n, n));
            if (norms > 0) sum += 2 * norms * oppositeParts(gram(m, n) / norms);
        }
    const double expectation = 2 / static_cast<double>(x.columns) * sum / (M * M);
    return 1 / std::sqrt(1 - expectation / variance);
}

}  // namespace kappaflow
