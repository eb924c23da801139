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
        Layer layer = layerOf(net.dimensions == 0 ? LayerKind::Dense : LayerKind::Conv, shapeOf(drawn.in), shapeOf(drawn.out));
        layer.window = {{tall, taps}, {1, 1}, {1, 1}, {(tall - 1) / 2, around}, {(tall - 1) / 2, around}, net.boundary};
        if (net.dimensions == 0) layer.window = {};
        layer.weights.resize(drawn.values.size());
        const std::size_t cells = drawn.values.size() / (drawn.in * drawn.out);
        for (std::size_t cell = 0; cell < cells; ++cell)
            for (std::size_t i = 0; i < drawn.in; ++i)
                for (std::size_t o = 0; o < drawn.out; ++o)
                    layer.weights[(o * drawn.in + i) * cells + cell] = drawn.values[(cell * drawn.in + i) * drawn.out + o];
        layer.bias = drawn.bias;
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
    for (const Layer& layer : layersOfEveryKind()) {
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

TEST_CASE("network moments: tangents are the transpose of what the backward pass pulls") {
    for (const Layer& layer : layersOfEveryKind()) {
        CAPTURE(layer.name);
        const Batch x = randomBatch(layer.in.units(), 1, 31), dx = randomBatch(layer.in.units(), 1, 32);
        const Batch g = randomBatch(layer.out.units(), 1, 33);
        const Batch dy = withTangents(layer, {x, dx}).tangents;
        const std::vector<double> pulled = applyLayerTransposedJacobian(layer, x.values, g.values);
        double up = 0, down = 0;
        for (std::size_t i = 0; i < dy.values.size(); ++i) up += g.values[i] * dy.values[i];
        for (std::size_t i = 0; i < pulled.size(); ++i) down += pulled[i] * dx.values[i];
        CHECK(up == Approx(down).epsilon(1e-11));
    }
}

TEST_CASE("network moments: batch norm, activations of every kind and flattening leave χ what the definition says") {
    Network network;
    network.input = {3, 1, 5};
    network.layers.push_back(withNumbers(layerOf(LayerKind::BatchNorm, network.input, network.input), 3));
    for (const Activation a : {Activation::LeakyRelu, Activation::Abs, Activation::Sigmoid, Activation::HardTanh, Activation::Identity})
        network.layers.push_back(activationLayer(network.input, a));
    network.layers.push_back(layerOf(LayerKind::Flatten, network.input, {1, 1, 15}));
    network.layers.push_back(withNumbers(denseLayer(15, 4), 5));
    const Batch x = randomBatch(15, 9, 1), dx = randomBatch(15, 9, 2);
    const NetworkMoments run = whole(network, x, dx);
    REQUIRE(run.states().size() == 9);
    ValuesAndTangents t{x, dx};
    double chi0 = 0;
    for (std::size_t l = 0; l <= 8; ++l) {
        CAPTURE(l);
        if (l > 0) t = withTangents(network.layers[l - 1], t);
        // No convolution reads or makes any of these states: one point a sample.
        double signal = 0, noise = 0;
        for (std::size_t i = 0; i < t.values.rows; ++i) {
            double mean = 0;
            for (std::size_t s = 0; s < 9; ++s) mean += t.values(i, s) / 9;
            for (std::size_t s = 0; s < 9; ++s) signal += std::pow(t.values(i, s) - mean, 2), noise += t.tangents(i, s) * t.tangents(i, s);
        }
        if (l == 0) chi0 = std::sqrt(noise / signal);
        CHECK(run.states()[l].points == 9);
        CHECK(run.states()[l].features == t.values.rows);
        CHECK(run.states()[l].chi() == Approx(std::sqrt(noise / signal) / chi0).epsilon(1e-12));
        CHECK(run.states()[l].afterActivation == (l >= 2 && l <= 6));
    }
}

TEST_CASE("network moments: positions are points beside convolutions and pools, samples beside dense layers") {
    Network network;
    network.input = {1, 1, 8};
    network.layers.push_back(withNumbers(windowLayer(LayerKind::Conv, {1, 1, 8}, 2, window1d(3, 1, 1, 1, 1, Padding::Zero)), 1));
    network.layers.push_back(activationLayer({2, 1, 8}, Activation::Relu));
    network.layers.push_back(windowLayer(LayerKind::MaxPool, {2, 1, 8}, 2, window1d(2, 2, 1, 0, 0, Padding::Zero)));
    network.layers.push_back(layerOf(LayerKind::Flatten, {2, 1, 4}, {1, 1, 8}));
    network.layers.push_back(withNumbers(denseLayer(8, 3), 2));
    const NetworkMoments run = whole(network, randomBatch(8, 5, 1), randomBatch(8, 5, 2));
    const std::size_t points[] = {40, 40, 40, 20, 5, 5}, features[] = {1, 2, 2, 2, 8, 3};
    for (std::size_t l = 0; l < 6; ++l) {
        CHECK(run.states()[l].points == points[l]);
        CHECK(run.states()[l].features == features[l]);
    }
}

TEST_CASE("network moments: hundreds of layers that shrink the noise beyond a double keep its logarithm") {
    std::vector<Layer> layers;
    for (int l = 0; l < 400; ++l) {
        Layer dense = denseLayer(2, 2);
        dense.weights = {0, -0.1, 0.1, 0}, dense.bias = {1, 1};
        if (l % 2 == 1) dense.weights = {0, -10, 10, 0};
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
    off.weights.assign(12, 1e-3), off.bias.assign(4, -50.0);
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
    steep.weights = {1e9, 0, 0, 0, 1e9, 0, 0, 0, 1e9};
    const NetworkMoments flat = whole(ofLayers({steep, activationLayer({1, 1, 3}, Activation::HardTanh)}), x, dx);
    CHECK(flat.states()[2].undefined.find("flat") != std::string::npos);
    CHECK(std::isnan(flat.states()[2].chi()));
    CHECK(std::isfinite(flat.states()[2].logNu2));

    std::vector<Layer> huge(5, steep);
    for (Layer& layer : huge)
        for (double& w : layer.weights) w *= 1e40;
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
    one.weights = {2};
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
    undrawn.layers[0].weights.clear();
    wrong.layers[0].weights.pop_back();
    CHECK(refused(network, constant, dx).find("zero variance") != std::string::npos);
    CHECK(refused(network, Batch(3, 6), dx).find("zero variance") == std::string::npos);
    CHECK(refused(network, randomBatch(3, 1, 1), randomBatch(3, 1, 2)).find("zero variance") != std::string::npos);
    for (const std::string& sentence :
         {refused(network, broken, dx), refused(network, x, broken), refused(network, Batch(3, 6), dx), refused(network, x, Batch(3, 6)),
          refused(network, randomBatch(4, 6, 1), dx), refused(network, x, randomBatch(3, 5, 1)), refused(network, Batch(3, 0), Batch(3, 0)),
          refused(undrawn, x, dx), refused(wrong, x, dx)})
        CHECK_MESSAGE(isOneSentence(sentence), sentence);
}

TEST_CASE("network moments: the noise of a sample hangs on seed, draw and sample alone") {
    const Batch few = drawInputNoise(4, 3, 9, 2), many = drawInputNoise(4, 8, 9, 2);
    for (std::size_t s = 0; s < 3; ++s) CHECK(columnOf(few, s) == columnOf(many, s));
    CHECK(few.values != drawInputNoise(4, 3, 9, 1).values);
    MomentNet net;
    net.inputs = net.width = 4;
    CHECK(batchOf(drawMomentInput(net, MomentData::White, 3, 9, 2).noise).values == few.values);
}

TEST_CASE("network moments: cost grows with what is done") {
    const Network small = ofLayers({denseLayer(10, 10)}), large = ofLayers({denseLayer(100, 100)});
    CHECK(costOfNetworkMoments(large, 64).operations > 4 * costOfNetworkMoments(small, 64).operations);
    CHECK(costOfNetworkMoments(large, 640).bytes > 5 * costOfNetworkMoments(large, 64).bytes);
    CHECK(costOfNetworkMoments(large, 64, false).operations < costOfNetworkMoments(large, 64).operations);
}
