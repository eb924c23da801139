#include "core/expressivity/random_trajectory.h"

#include <cmath>

#include "core/base/rng.h"

namespace kappaflow {
namespace {

/// Streams of one draw: more layers than any network has.
constexpr std::uint64_t kDrawStride = 1 << 20;

void fill(std::vector<double>& numbers, Rng rng, double variance) {
    const double scale = std::sqrt(variance);
    for (double& number : numbers) number = drawWeight(rng, scale);
}

}  // namespace

std::vector<CurveLayer> randomLayers(const GrowthSetting& s, std::size_t layers, std::uint64_t seed, std::uint64_t draw) {
    if (!(s.width >= 1) || !(s.weightVariance >= 0) || !(s.biasVariance >= 0) || !std::isfinite(s.weightVariance + s.biasVariance))
        throw InputError("A random network needs a width of at least 1 and variances that are finite and not negative.");
    const auto units = static_cast<std::size_t>(s.width);
    std::vector<double> weights(units * units), bias(s.biasVariance > 0 ? units : 0);
    std::vector<CurveLayer> drawn;
    for (std::size_t l = 0; l < layers; ++l) {
        // `initialise` counts activations as layers too.
        const std::uint64_t index = draw * kDrawStride + 2 * l;
        fill(weights, Rng(seed, Purpose::Weights, index), s.weightVariance / s.width);
        fill(bias, Rng(seed, Purpose::Biases, index), s.biasVariance);
        drawn.push_back(curveLayer(weights, bias, units, s.activation, s.slope));
    }
    return drawn;
}

Network randomNetwork(const GrowthSetting& s, std::size_t layers, std::uint64_t seed, bool lastActivation) {
    Network network;
    const Shape shape{1, 1, static_cast<int>(s.width)};
    network.input = shape;
    for (std::size_t l = 0; l < layers; ++l) {
        Layer dense, bend;
        bend.kind = LayerKind::Activation;
        bend.activation = s.activation;
        bend.slope = s.slope;
        dense.in = dense.out = bend.in = bend.out = shape;
        network.layers.push_back(dense);
        if (lastActivation || l + 1 < layers) network.layers.push_back(bend);
    }
    initialise(network, {Initialiser::Gaussian, s.weightVariance, s.biasVariance}, seed);
    return network;
}

RandomEnds randomEnds(std::size_t units, std::uint64_t seed, std::uint64_t draw) {
    RandomEnds ends{std::vector<double>(units), std::vector<double>(units)};
    Rng rng(seed, Purpose::Inputs, draw);
    for (double& x : ends.x0) x = drawWeight(rng, 1);
    for (double& x : ends.x1) x = drawWeight(rng, 1);
    return ends;
}

}  // namespace kappaflow
