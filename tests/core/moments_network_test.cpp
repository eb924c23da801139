#include <doctest/doctest.h>

#include <cmath>

#include "core/moments/moment_data.h"
#include "core/moments/moment_propagation.h"
#include "core/moments/network_moments.h"
#include "support/networks.h"
#include "support/sentence.h"

using namespace kappaflow;
using doctest::Approx;

namespace {

/// A drawn vanilla net as a network of convolutions (dense: dense layers) and activations.
Network asNetwork(const MomentNet& net, std::uint64_t seed) {
    const int extent = static_cast<int>(net.extent), high = net.dimensions == 2 ? extent : 1;
    const int taps = static_cast<int>(net.taps), around = (taps - 1) / 2, tall = net.dimensions == 2 ? taps : 1;
    const auto shapeOf = [&](std::size_t channels) {
        return net.dimensions == 0 ? Shape{1, 1, static_cast<int>(channels)} : Shape{static_cast<int>(channels), high, extent};
    };
    Network network{shapeOf(net.inputs), {}};
    for (std::size_t l = 0; l < net.layers; ++l) {
        const MomentWeights drawn = drawMomentWeights(net, l, seed, 0);
        const Window window{{tall, taps}, {1, 1}, {1, 1}, {(tall - 1) / 2, around}, {(tall - 1) / 2, around}, net.boundary};
        Layer layer{shapeOf(drawn.in), shapeOf(drawn.out), net.dimensions == 0 ? Layer::Operation(Dense{}) : Conv{{}, window}};
        layer.as<Weights>().weights.resize(drawn.values.size());
        const std::size_t cells = drawn.values.size() / (drawn.in * drawn.out);
        for (std::size_t cell = 0; cell < cells; ++cell)
            for (std::size_t i = 0; i < drawn.in; ++i)
                for (std::size_t o = 0; o < drawn.out; ++o)
                    layer.as<Weights>().weights[(o * drawn.in + i) * cells + cell] = drawn.values[(cell * drawn.in + i) * drawn.out + o];
        layer.as<Weights>().bias = drawn.bias;
        network.layers.push_back(layer);
        network.layers.push_back(activationLayer(layer.out, net.activation));
    }
    return network;
}

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

std::vector<double> columnOf(const Batch& batch, std::size_t s) {
    std::vector<double> column(batch.rows);
    for (std::size_t i = 0; i < batch.rows; ++i) column[i] = batch(i, s);
    return column;
}

}  // namespace

TEST_CASE("network moments: drawn vanilla nets given as networks have the same moments as the nets themselves") {
    for (const int dimensions : {0, 1, 2})
        for (const Padding boundary : {Padding::Periodic, Padding::Reflect, Padding::Zero})
            for (const Activation activation : {Activation::Relu, Activation::Tanh}) {
                CAPTURE(dimensions);
                CAPTURE(static_cast<int>(boundary));
                MomentNet net;
                net.dimensions = dimensions, net.boundary = boundary, net.activation = activation;
                net.extent = dimensions == 0 ? 1 : dimensions == 1 ? 7 : 4, net.taps = dimensions == 0 ? 1 : dimensions == 1 ? 5 : 3;
                net.inputs = 5, net.width = 8, net.layers = 6, net.biasVariance = 0.1;
                const SignalAndNoise input = drawMomentInput(net, MomentData::White, 6, 3, 0);
                MomentPropagation expected(net, input, [&](std::size_t l) { return drawMomentWeights(net, l, 4, 0); });
                while (expected.advance()) continue;
                const Network network = asNetwork(net, 4);
                const NetworkMoments run = whole(network, batchOf(input.signal), batchOf(input.noise));
                REQUIRE(expected.layers().size() == 7);
                REQUIRE(run.states().size() == 13);
                for (std::size_t l = 0; l <= 6; ++l) {
                    CAPTURE(l);
                    const LayerMoments& layer = expected.layers()[l];
                    const StateMoments& state = run.states()[2 * l];
                    CHECK(state.undefined.empty());
                    CHECK(state.points == 6 * net.positions());
                    CHECK(state.afterActivation == (l > 0));
                    CHECK(state.chi() == Approx(layer.chi()).epsilon(1e-12));
                    CHECK(std::abs(state.logNu2 - layer.logNu2) < 1e-12);
                    CHECK(std::abs(state.logMu2Noise - layer.logMu2Noise) < 1e-12);
                    CHECK(state.varianceRatio == Approx(layer.varianceRatio()).epsilon(1e-12));
                    CHECK(state.rankSignal == Approx(layer.rankSignal).epsilon(1e-11));
                    CHECK(state.rankNoise == Approx(layer.rankNoise).epsilon(1e-11));
                    if (l > 0) CHECK(state.coactivation == layer.coactivation);
                }
            }
}

TEST_CASE("network moments: every kind of layer has the values of the plain forward pass and the tangents of finite differences") {
    for (const Layer& layer : layersAndBlocks()) {
        CAPTURE(layer.name);
        const Batch x = randomBatch(layer.in.units(), 3, 21), dx = randomBatch(layer.in.units(), 3, 22);
        const ValuesAndTangents out = withTangents(layer, {x, dx});
        const double h = 1e-6;
        for (std::size_t s = 0; s < 3; ++s) {
            std::vector<double> up = columnOf(x, s), down = up;
            for (std::size_t i = 0; i < up.size(); ++i) up[i] += h * dx(i, s), down[i] -= h * dx(i, s);
            const std::vector<double> y = applyLayer(layer, columnOf(x, s)), above = applyLayer(layer, up), below = applyLayer(layer, down);
            REQUIRE(out.values.rows == y.size());
            for (std::size_t i = 0; i < y.size(); ++i) {
                CHECK(out.values(i, s) == Approx(y[i]).epsilon(1e-12));
                CHECK(std::abs(out.tangents(i, s) - (above[i] - below[i]) / (2 * h)) < 1e-7);
            }
        }
    }
}

TEST_CASE("network moments: hundreds of layers that shrink the noise beyond a double keep its logarithm") {
    std::vector<Layer> layers;
    for (int l = 0; l < 400; ++l) {
        Layer dense = denseLayer(2, 2);
        dense.as<Weights>().weights = {0, -0.1, 0.1, 0}, dense.as<Weights>().bias = {1, 1};
        if (l % 2 == 1) dense.as<Weights>().weights = {0, -10, 10, 0};
        layers.push_back(dense);
    }
    const NetworkMoments run = whole(ofLayers(layers), randomBatch(2, 6, 1), randomBatch(2, 6, 2));
    CHECK(run.states()[400].chi() == Approx(1).epsilon(1e-9));
    for (std::size_t l = 0; l <= 400; ++l)
        CHECK(std::abs(run.states()[l].logMu2Noise - run.states()[0].logMu2Noise - (l % 2 == 1 ? 2 * std::log(0.1) : 0)) < 1e-9);
}

TEST_CASE("network moments: dead, constant, flat and overflowing states have no χ and say why") {
    const Batch x = randomBatch(3, 6, 1), dx = randomBatch(3, 6, 2);
    Layer off = denseLayer(3, 4);
    off.as<Weights>().weights.assign(12, 1e-3), off.as<Weights>().bias.assign(4, -50.0);
    Layer next = withNumbers(denseLayer(4, 2), 7);
    const NetworkMoments dead = whole(ofLayers({off, activationLayer({1, 1, 4}, Activation::Relu), next}), x, dx);
    CHECK(dead.states()[1].undefined.empty());
    CHECK(dead.states()[2].undefined == "Every unit of layer 2 is 0 for every sample.");
    CHECK(std::isnan(dead.states()[2].chi()));
    CHECK(std::isnan(dead.states()[2].logNu2));
    CHECK(dead.states()[2].coactivation == 1);
    CHECK(dead.states()[3].undefined.find("zero variance") != std::string::npos);
    CHECK(dead.states()[3].varianceRatio == 0);
    CHECK(std::isnan(dead.states()[3].rankSignal));

    Layer steep = denseLayer(3, 3);
    steep.as<Weights>().weights = {1e9, 0, 0, 0, 1e9, 0, 0, 0, 1e9};
    const NetworkMoments flat = whole(ofLayers({steep, activationLayer({1, 1, 3}, Activation::HardTanh)}), x, dx);
    CHECK(flat.states()[2].undefined.find("flat") != std::string::npos);
    CHECK(std::isnan(flat.states()[2].chi()));
    CHECK(std::isfinite(flat.states()[2].logNu2));

    std::vector<Layer> huge(5, steep);
    for (Layer& layer : huge)
        for (double& w : layer.as<Weights>().weights) w *= 1e40;
    const NetworkMoments left = whole(ofLayers(huge), x, dx);
    REQUIRE(left.states().size() == 6);
    CHECK(left.states()[1].undefined.empty());
    for (std::size_t l = 2; l <= 5; ++l)
        CHECK(left.states()[l].undefined == "The signal or the noise of layer 2 leaves the range of numbers.");
    for (const NetworkMoments* run : {&dead, &flat, &left})
        for (const StateMoments& state : run->states()) {
            CHECK(std::isnan(state.chi()) == !state.undefined.empty());
            if (!state.undefined.empty()) CHECK(isOneSentence(state.undefined));
        }
}

TEST_CASE("network moments: width 1 lives, and what cannot be propagated is refused in a sentence") {
    Layer one = denseLayer(1, 1);
    one.as<Weights>().weights = {2};
    const NetworkMoments run = whole(ofLayers({one, activationLayer({1, 1, 1}, Activation::Relu)}), {1, 2, {1, 2}}, {1, 2, {1, -1}});
    CHECK(run.states()[2].chi() == Approx(1).epsilon(1e-14));
    CHECK(run.states()[2].rankSignal == Approx(1).epsilon(1e-14));

    const Network network = ofLayers({withNumbers(denseLayer(3, 2), 1)});
    const Batch x = randomBatch(3, 6, 1), dx = randomBatch(3, 6, 2);
    const auto refused = [&](const Network& n, const Batch& signal, const Batch& noise) {
        return refusal([&] { NetworkMoments(n, signal, noise); });
    };
    CHECK(refused(network, x, dx).empty());
    Batch broken = x, constant = x;
    broken.values[4] = std::nan("");
    for (std::size_t i = 0; i < 18; ++i) constant.values[i] = 0.1 * static_cast<double>(i / 6);
    Network undrawn = network, wrong = network;
    undrawn.layers[0].as<Weights>().weights.clear();
    wrong.layers[0].as<Weights>().weights.pop_back();
    CHECK(refused(network, constant, dx).find("zero variance") != std::string::npos);
    CHECK(refused(network, Batch(3, 6), dx).find("zero variance") == std::string::npos);
    CHECK(refused(network, randomBatch(3, 1, 1), randomBatch(3, 1, 2)).find("zero variance") != std::string::npos);
    for (const std::string& sentence :
         {refused(network, broken, dx), refused(network, x, broken), refused(network, Batch(3, 6), dx), refused(network, x, Batch(3, 6)),
          refused(network, randomBatch(4, 6, 1), dx), refused(network, x, randomBatch(3, 5, 1)), refused(network, Batch(3, 0), Batch(3, 0)),
          refused(undrawn, x, dx), refused(wrong, x, dx)})
        CHECK_MESSAGE(isOneSentence(sentence), sentence);
}

TEST_CASE("network moments: a layer between a grid and a vector raises χ by what it does to its states as vectors, a flattening by 1") {
    // Dense to flat, onto a line of 12 cells and back; biases give positions means of their own.
    Layer conv = withNumbers(windowLayer<Conv>({1, 1, 12}, 3, window1d(3, 1, 1, 1, 1, Padding::Zero)), 3);
    Network network = ofLayers({withNumbers(denseLayer(6, 12), 1), conv, activationLayer({3, 1, 12}, Activation::Relu),
                                layerOf<Flatten>({3, 1, 12}, {1, 1, 36}), withNumbers(denseLayer(36, 4), 2)});
    for (std::size_t i = 0; i < 12; ++i) network.layers[0].as<Weights>().bias[i] += 0.5 * static_cast<double>(i);
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

TEST_CASE("network moments: a layer that takes long goes sample by sample, to the same bits, and ticks") {
    const Network network = ofLayers({withNumbers(denseLayer(512, 512), 1)});
    const Batch x = randomBatch(512, 150, 2), dx = randomBatch(512, 150, 3);
    const ValuesAndTangents expected = withTangents(network.layers[0], {x, dx});
    NetworkMoments run(network, x, dx, false);
    int ticks = 0;
    CHECK(run.step([&] { ++ticks; }));
    CHECK(ticks == 3);
    CHECK(run.signal().values == expected.values.values);
    CHECK_FALSE(run.step());
}
