#include "core/moments/fresh_theorems.h"

#include <cmath>

#include "core/base/rng.h"
#include "core/moments/moment_convolution.h"
#include "core/moments/moment_fits.h"
#include "core/moments/moment_propagation.h"
#include "core/moments/pointwise_layers.h"

namespace kappaflow {
namespace {

/// Another seed, whose streams are independent of those of `seed` itself.
std::uint64_t freshSeed(std::uint64_t seed) {
    std::uint64_t state = seed ^ 0x6672657368776569;
    return splitmix64(state);
}

/// ν_{1,c}(t⁺)·ν_{1,c}(t⁻) of (t_c − centre_c)·factor_c, added to `splits`.
void addSplits(const PointValues& tensor, const ChannelMoments* standardise, double epsilon, std::vector<double>& splits) {
    const std::size_t N = tensor.channels(), P = tensor.points();
    std::vector<double> positive(N), negative(N);
    for (std::size_t p = 0; p < P; ++p)
        for (std::size_t c = 0; c < N; ++c) {
            const double value = tensor.values(p, c) - (standardise ? standardise->mean[c] : 0);
            (value > 0 ? positive : negative)[c] += std::abs(value);
        }
    for (std::size_t c = 0; c < N; ++c) {
        const double square = standardise ? standardise->variance[c] + epsilon : 1;
        splits.push_back(positive[c] * negative[c] / (static_cast<double>(P) * static_cast<double>(P)) / square);
    }
}

/// From a quantity's value and the influence of each sample on its logarithm.
FreshValue fromInfluence(double value, const std::vector<double>& influence) {
    return std::isfinite(value) ? FreshValue{value, value * errorOfMean(influence)} : FreshValue{};
}

/// Fresh channels of one feedforward layer: splits of Theorems 2 and 3, and what batch norm leaves of the noise.
struct FreshChannels {
    std::vector<double> splits, noise;
};

FreshTheorems vanilla(const std::vector<double>& splits, double scaledVariance) {
    FreshTheorems fresh;
    const double left = 1 - meanOf(splits) / scaledVariance;
    std::vector<double> influence;
    for (const double split : splits) influence.push_back(split / scaledVariance / left / 2);
    fresh.increment = fromInfluence(1 / std::sqrt(left), influence);
    return fresh;
}

FreshTheorems batchNorm(const FreshChannels& channels, double noiseToSignal, bool relu) {
    FreshTheorems fresh;
    const double noise = meanOf(channels.noise), left = 1 - 2 * meanOf(channels.splits);
    std::vector<double> ofNoise, ofSplit, ofBoth;
    for (std::size_t i = 0; i < channels.noise.size(); ++i) {
        ofNoise.push_back(channels.noise[i] / noise / 2);
        ofSplit.push_back(channels.splits[i] / left);
        ofBoth.push_back(ofNoise.back() + ofSplit.back());
    }
    fresh.batchNorm = fromInfluence(std::sqrt(noise / noiseToSignal), ofNoise);
    if (!relu) return fresh;
    fresh.activation = fromInfluence(1 / std::sqrt(left), ofSplit);
    fresh.increment = fromInfluence(fresh.batchNorm.value * fresh.activation.value, ofBoth);
    return fresh;
}

FreshTheorems feedforward(const MomentNet& net, const SignalAndNoise& before, std::size_t layer, std::size_t draws, std::uint64_t seed,
                          std::uint64_t firstDraw) {
    const bool relu = net.activation == Activation::Relu;
    if (!relu && !net.normalised()) return {};
    FreshChannels channels;
    for (std::size_t i = 0; i < draws; ++i) {
        const SignalAndNoise y = convolved(drawMomentWeights(net, layer - 1, seed, firstDraw + i), net.boundary, before);
        if (!net.normalised()) {
            addSplits(y.signal, nullptr, 0, channels.splits);
            continue;
        }
        const ChannelMoments m = channelMoments(y.signal);
        addSplits(y.signal, &m, net.epsilon, channels.splits);
        const std::vector<double> squares = channelSquares(y.noise);
        for (std::size_t c = 0; c < squares.size(); ++c) channels.noise.push_back(squares[c] / m.variance[c]);
    }
    const double variance = channelMoments(before.signal).mu2;
    if (!net.normalised()) return vanilla(channels.splits, net.weightScale * net.weightScale * variance);
    return batchNorm(channels, meanSquare(before.noise) / variance, relu);
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

}  // namespace kappaflow
