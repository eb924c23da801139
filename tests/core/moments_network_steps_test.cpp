// How χ goes on between states that are read differently, and a layer in slices.
#include <doctest/doctest.h>

#include <cmath>

#include "core/moments/network_moments.h"
#include "support/networks.h"

using namespace kappaflow;
using doctest::Approx;

namespace {

NetworkMoments whole(const Network& network, const Batch& signal, const Batch& noise) {
    NetworkMoments run(network, signal, noise);
    while (run.step()) continue;
    return run;
}

Batch randomBatch(std::size_t units, std::size_t samples, std::uint64_t seed) { return {units, samples, gaussians(units * samples, seed)}; }

Network ofLayers(std::vector<Layer> layers) { return {layers.front().in, std::move(layers)}; }

/// (μ₂(noise)/μ₂(signal))^½ of a state whose `cells` positions are points.
double rawChi(const ValuesAndTangents& t, std::size_t cells) {
    const std::size_t features = t.values.rows / cells, S = t.values.columns;
    double signal = 0, noise = 0;
    for (std::size_t c = 0; c < features; ++c) {
        double mean = 0;
        for (std::size_t i = c * cells; i < (c + 1) * cells; ++i)
            for (std::size_t s = 0; s < S; ++s) mean += t.values(i, s) / static_cast<double>(cells * S);
        for (std::size_t i = c * cells; i < (c + 1) * cells; ++i)
            for (std::size_t s = 0; s < S; ++s) signal += std::pow(t.values(i, s) - mean, 2), noise += t.tangents(i, s) * t.tangents(i, s);
    }
    return std::sqrt(noise / signal);
}

}  // namespace

TEST_CASE("network moments: a layer between a grid and a vector raises χ by what it does to its states as vectors, a flattening by 1") {
    // Dense to flat, onto a line of 12 cells and back; biases give positions means of their own.
    Layer conv = withNumbers(windowLayer(LayerKind::Conv, {1, 1, 12}, 3, window1d(3, 1, 1, 1, 1, Padding::Zero)), 3);
    Network network = ofLayers({withNumbers(denseLayer(6, 12), 1), conv, activationLayer({3, 1, 12}, Activation::Relu),
                                layerOf(LayerKind::Flatten, {3, 1, 12}, {1, 1, 36}), withNumbers(denseLayer(36, 4), 2)});
    for (std::size_t i = 0; i < 12; ++i) network.layers[0].bias[i] += 0.5 * static_cast<double>(i);
    const Batch x = randomBatch(6, 7, 1), dx = randomBatch(6, 7, 2);
    const NetworkMoments run = whole(network, x, dx);
    std::vector<ValuesAndTangents> states{{x, dx}};
    for (const Layer& layer : network.layers) states.push_back(withTangents(layer, states.back()));
    const auto increment = [&](std::size_t l, std::size_t cells) { return rawChi(states[l], cells) / rawChi(states[l - 1], cells); };
    CHECK(rawChi(states[1], 1) > 1.2 * rawChi(states[1], 12));
    CHECK(rawChi(states[3], 1) > 1.05 * rawChi(states[3], 12));
    const double expected[] = {increment(1, 1), increment(2, 12), increment(3, 12), 1, increment(5, 1)};
    for (std::size_t l = 1; l <= 5; ++l) {
        CAPTURE(l);
        CHECK(run.states()[l].chi() / run.states()[l - 1].chi() == Approx(expected[l - 1]).epsilon(1e-12));
    }
    CHECK(run.states()[3].points == 84);
    CHECK(run.states()[4].points == 7);
}

TEST_CASE("network moments: slices have the numbers of whole layers to the bit, and more steps") {
    for (const Layer& layer : layersOfEveryKind()) {
        CAPTURE(layer.name);
        const Network network = ofLayers({layer});
        const Batch x = randomBatch(layer.in.units(), 11, 41), dx = randomBatch(layer.in.units(), 11, 42);
        const NetworkMoments expected = whole(network, x, dx);
        NetworkMoments run(network, x, dx);
        int slices = 0;
        while (run.slice(1)) CHECK(run.layersDone() == (++slices == 3 ? 1 : 0));
        CHECK(slices == 3);
        CHECK(run.signal().values == expected.signal().values);
        CHECK(run.noise().values == expected.noise().values);
        CHECK(run.logScale() == expected.logScale());
    }
}
