#include "core/moments/expected_noise.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/networks.h"

using namespace kappaflow;
using doctest::Approx;

namespace {

constexpr double kPlenty = 1e12;

Batch randomBatch(std::size_t units, std::size_t samples, std::uint64_t seed) { return {units, samples, gaussians(units * samples, seed)}; }

Network ofLayers(std::vector<Layer> layers) { return {layers.front().in, std::move(layers)}; }

ExpectedNoise whole(const Network& network, const Batch& x, double operations = kPlenty, std::uint64_t seed = 1) {
    ExpectedNoise run(network, x, seed, operations);
    double before = 0;
    while (run.step()) {
        CHECK(run.progress() >= before);
        before = run.progress();
    }
    return run;
}

/// Mean squares of one column of every Jacobian after the other.
std::vector<double> byColumns(const Network& network, const Batch& x) {
    std::vector<double> squares(network.layers.size() + 1);
    for (std::size_t i = 0; i < x.rows; ++i) {
        ValuesAndTangents t{x, Batch(x.rows, x.columns)};
        for (std::size_t s = 0; s < x.columns; ++s) t.tangents(i, s) = 1;
        for (std::size_t l = 0; l < squares.size(); ++l) {
            if (l > 0) t = withTangents(network.layers[l - 1], t);
            for (const double dx : t.tangents.values) squares[l] += dx * dx / static_cast<double>(t.tangents.values.size());
        }
    }
    return squares;
}

Network denseNet(const std::vector<int>& widths, Activation activation, std::uint64_t seed) {
    std::vector<Layer> layers;
    for (std::size_t l = 1; l < widths.size(); ++l) {
        layers.push_back(withNumbers(denseLayer(static_cast<std::size_t>(widths[l - 1]), static_cast<std::size_t>(widths[l])), seed + l));
        if (l + 1 < widths.size()) layers.push_back(activationLayer(layers.back().out, activation));
    }
    return ofLayers(std::move(layers));
}

/// Convolution, pooling, batch norm and a dense end: a Jacobian in common for the first two layers.
Network convNet() {
    std::vector<Layer> layers{withNumbers(windowLayer<Conv>({1, 1, 16}, 3, window1d(3, 1, 1, 1, 1, Padding::Zero)), 4),
                              withNumbers(layerOf<BatchNorm>({3, 1, 16}, {3, 1, 16}), 8),
                              activationLayer({3, 1, 16}, Activation::Relu),
                              windowLayer<MaxPool>({3, 1, 16}, 3, window1d(2, 2, 1, 0, 0, Padding::Zero)),
                              windowLayer<AveragePool>({3, 1, 8}, 3, window1d(2, 2, 1, 0, 0, Padding::Zero)),
                              layerOf<Flatten>({3, 1, 4}, {1, 1, 12}),
                              withNumbers(denseLayer(12, 5), 3)};
    return ofLayers(std::move(layers));
}

void checkExact(const Network& network, const Batch& x) {
    const ExpectedNoise run = whole(network, x);
    CHECK(run.draws() == 0);
    const auto expected = byColumns(network, x), found = run.logMeanSquare();
    REQUIRE(found.size() == expected.size());
    for (std::size_t l = 0; l < found.size(); ++l) {
        CAPTURE(l);
        CHECK(std::exp(found[l]) == Approx(expected[l]).epsilon(1e-12));
        CHECK(run.relativeError()[l] == 0);
    }
}

}  // namespace

TEST_CASE("expected noise: it is the squared norm of every sample's Jacobian, column by column, for any layer and network") {
    for (const Layer& layer : layersAndBlocks()) {
        CAPTURE(layer.name);
        checkExact(ofLayers({layer}), randomBatch(layer.in.units(), 5, 7));
    }
    checkExact(denseNet({2, 16, 16, 2}, Activation::Relu, 1), randomBatch(2, 40, 3));
    checkExact(denseNet({7, 5, 9, 3}, Activation::Tanh, 2), randomBatch(7, 11, 4));
    checkExact(denseNet({3, 4, 2}, Activation::Identity, 5), randomBatch(3, 4, 5));
    checkExact(convNet(), randomBatch(16, 9, 6));
    // Many inputs into few units: the columns are merged behind the first layer.
    checkExact(denseNet({120, 6, 6, 2}, Activation::Relu, 8), randomBatch(120, 30, 9));
}

TEST_CASE("expected noise: the mean over drawn noises comes to it, and where time is short its error holds") {
    const Network network = denseNet({10, 24, 24, 3}, Activation::Relu, 21);
    const Batch x = randomBatch(10, 64, 22);
    const double exact = std::exp(whole(network, x).logMeanSquare().back());
    int beyond = 0;
    double mean = 0;
    constexpr int kDraws = 200;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
        const ExpectedNoise drawn = whole(network, x, 0, seed);
        CHECK(drawn.draws() == 1);
        const double found = std::exp(drawn.logMeanSquare().back()), error = found * drawn.relativeError().back();
        CHECK(error > 0);
        beyond += std::abs(found - exact) > 3 * error;
        mean += found / kDraws;
    }
    // A mean of 200·64 draws, each with a spread of the order of itself: five standard errors.
    CHECK(mean == Approx(exact).epsilon(5.0 * 1.5 / std::sqrt(64.0 * kDraws)));
    CHECK(beyond <= 4);
    const ExpectedNoise more = whole(network, x, 8e4);
    CHECK(more.draws() > 1);
    CHECK(more.draws() < 10);
    CHECK(more.relativeError().back() < whole(network, x, 0).relativeError().back());
}

TEST_CASE("expected noise: layers that shrink it beyond a double keep its logarithm, dead ones say that nothing arrives") {
    std::vector<Layer> layers;
    for (int l = 0; l < 400; ++l) {
        Layer dense = denseLayer(2, 2);
        dense.as<Weights>().weights = {0, -0.01, 0.01, 0};
        layers.push_back(dense);
        if (l % 50 == 49) layers.push_back(activationLayer({1, 1, 2}, Activation::LeakyRelu));
    }
    for (Layer& layer : layers)
        if (auto* f = layer.getIf<Pointwise>()) f->slope = 1;
    const auto logs = whole(ofLayers(layers), randomBatch(2, 6, 1)).logMeanSquare();
    CHECK(logs.back() == Approx(400 * 2 * std::log(0.01)).epsilon(1e-12));
    Layer off = denseLayer(3, 4);
    off.as<Weights>().weights.assign(12, 1e-3), off.as<Weights>().bias.assign(4, -50.0);
    const auto dead = whole(ofLayers({off, activationLayer({1, 1, 4}, Activation::Relu)}), randomBatch(3, 5, 2));
    CHECK(std::isinf(dead.logMeanSquare().back()));
    CHECK(dead.relativeError().back() == 0);
}

TEST_CASE("expected noise: the estimate bounds operations and bytes, and grows with neither beyond what it is given") {
    for (const double operations : {1e6, 1e8, 1e10}) {
        const Network network = denseNet({784, 300, 300, 10}, Activation::Relu, 1);
        const Cost cost = costOfExpectedNoise(network, 128, operations);
        // One draw a sample is the least there is.
        CHECK(cost.operations <= std::max(operations, 2 * 0.33 * 128 * 329000.0));
        CHECK(cost.bytes < 5e7);
    }
}
