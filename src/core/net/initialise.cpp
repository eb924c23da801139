#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/rng.h"
#include "core/linalg/matrix.h"
#include "core/net/network.h"

namespace kappaflow {
namespace {

std::size_t fanIn(const Layer& layer) {
    const auto* conv = layer.getIf<Conv>();
    if (!conv) return layer.in.units();
    return static_cast<std::size_t>(layer.in.channels / conv->groups) * conv->window.size[0] * conv->window.size[1];
}

/// Rows of one matrix that an orthogonal draw makes: the outputs that share their inputs.
std::size_t rowsOfBlock(const Layer& layer) {
    const auto* conv = layer.getIf<Conv>();
    return conv ? static_cast<std::size_t>(layer.out.channels / conv->groups) : layer.out.units();
}

double weightVariance(const InitialiserSpec& spec, double k) {
    switch (spec.kind) {
        case Initialiser::He:
            return 2 / k;
        case Initialiser::LeCun:
            return 1 / k;
        case Initialiser::Gaussian:
            return spec.weightVariance / k;
        case Initialiser::Orthogonal:
            return 1;
    }
    return 1;
}

/// Replaces each [rows][columns] block of gaussians by a Haar matrix: orthonormal rows when it is wide, columns when it is tall.
void orthogonalise(std::vector<double>& weights, std::size_t rows, std::size_t columns, double scale) {
    const bool wide = rows < columns;
    const std::size_t block = rows * columns, tall = wide ? columns : rows, narrow = wide ? rows : columns;
    for (std::size_t at = 0; at < weights.size(); at += block) {
        // The gaussians are exchangeable: a wide block may read them as the transpose already.
        const std::vector<double> q = orthonormalColumns(std::span(weights).subspan(at, block), tall, narrow);
        for (std::size_t i = 0; i < tall; ++i)
            for (std::size_t j = 0; j < narrow; ++j) weights[at + (wide ? j * columns + i : i * columns + j)] = scale * q[i * narrow + j];
    }
}

void drawLinear(Layer& layer, const InitialiserSpec& spec, std::uint64_t seed, std::uint64_t index) {
    const std::size_t k = fanIn(layer);
    auto& own = layer.as<Weights>();
    Rng weights(seed, Purpose::Weights, index);
    own.weights.resize(static_cast<std::size_t>(weightCount(layer)));
    const double scale = std::sqrt(weightVariance(spec, static_cast<double>(k)));
    for (double& weight : own.weights) weight = drawWeight(weights, scale);
    if (spec.kind == Initialiser::Orthogonal) orthogonalise(own.weights, rowsOfBlock(layer), k, std::sqrt(spec.weightVariance));

    own.bias.clear();
    if (spec.biasVariance == 0) return;
    Rng biases(seed, Purpose::Biases, index);
    own.bias.resize(layer.is<Dense>() ? layer.out.units() : static_cast<std::size_t>(layer.out.channels));
    for (double& bias : own.bias) bias = drawWeight(biases, std::sqrt(spec.biasVariance));
}

/// Of a layer norm: no scale and no shift.
void becomeIdentity(Layer& layer) {
    const auto count = static_cast<std::size_t>(weightCount(layer));
    auto& norm = layer.as<Norm>();
    norm.weights.assign(count, 1.0);
    norm.bias.assign(count, 0.0);
    if (auto* batchNorm = layer.getIf<BatchNorm>()) {
        batchNorm->mean.assign(count, 0.0);
        batchNorm->variance.assign(count, 1.0);
    }
}
}  // namespace

void initialise(Network& network, const InitialiserSpec& spec, std::uint64_t seed, const std::function<void()>& tick) {
    validate(network);
    std::uint64_t index = 0;
    eachLayer(network.layers, [&](Layer& layer) {
        if (layer.is<Join, Route, Softmax>()) return;
        const std::uint64_t own = index++;
        if (hasTrainableWeights(layer)) tick(), drawLinear(layer, spec, seed, own);
        if (layer.is<Norm>()) becomeIdentity(layer);
    });
}

}  // namespace kappaflow
