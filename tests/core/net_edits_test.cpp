#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/net/edits.h"
#include "support/networks.h"
#include "support/same_network.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

Network plainChain(Activation activation = Activation::Relu) {
    Network network{{1, 1, 3}, {}};
    int at = 3;
    for (const int width : {5, 5, 4}) {
        network.layers.push_back(withNumbers(denseLayer(at, width), 10 * network.layers.size() + 1));
        network.layers.push_back(activationLayer({1, 1, width}, activation));
        at = width;
    }
    network.layers.push_back(withNumbers(denseLayer(at, 2), 99));
    return network;
}

/// Two convolutions on a 2 × 6 × 5 grid, the first of stride 2, flattened into a dense layer.
Network gridChain() {
    Network network{{2, 6, 5}, {}};
    const Window halving{{3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, Padding::Zero},
        keeping{{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, Padding::Zero};
    network.layers.push_back(withNumbers(windowLayer<Conv>(network.input, 3, halving), 1));
    network.layers.push_back(withNumbers(layerOf<BatchNorm>(network.layers[0].out, network.layers[0].out), 5));
    network.layers.push_back(activationLayer(network.layers[0].out, Activation::Relu));
    network.layers.push_back(withNumbers(windowLayer<Conv>(network.layers[0].out, 3, keeping), 2));
    network.layers.push_back(activationLayer(network.layers[3].out, Activation::Abs));
    const Shape grid = network.layers[3].out, flat{1, 1, static_cast<int>(grid.units())};
    network.layers.push_back(layerOf<Flatten>(grid, flat));
    network.layers.push_back(withNumbers(denseLayer(flat.width, 2), 3));
    return network;
}

/// A signal of 10 values through convolutions of one channel, whose shape is that of a vector.
Network signalChain() {
    Network network{{1, 1, 10}, {}};
    const Window ring = window1d(3, 1, 1, 1, 1, Padding::Periodic);
    for (std::uint64_t l = 0; l < 3; ++l) {
        network.layers.push_back(withNumbers(windowLayer<Conv>(network.input, 1, ring), 10 * l + 1));
        network.layers.push_back(activationLayer(network.input, Activation::Relu));
    }
    network.layers.push_back(withNumbers(layerOf<BatchNorm>(network.input, network.input), 5));
    network.layers.push_back(withNumbers(denseLayer(10, 2), 99));
    return network;
}

/// Largest difference of two networks' outputs over a few inputs, and of the second's from zero.
double apart(const Network& a, const Network& b) {
    double most = 0;
    for (std::uint64_t s = 0; s < 20; ++s) {
        const auto x = gaussians(a.input.units(), 1000 + s);
        const auto y = forward(a, x).back(), z = forward(b, x).back();
        REQUIRE(y.size() == z.size());
        for (std::size_t i = 0; i < y.size(); ++i) most = std::max(most, std::abs(y[i] - z[i]));
    }
    return most;
}

}  // namespace

TEST_CASE("an inserted identity layer keeps the function where bending twice is bending once, and else changes it") {
    for (const Activation activation : {Activation::Relu, Activation::Abs, Activation::HardTanh, Activation::Relu6, Activation::Identity})
        for (const std::size_t layer : {0, 2, 4, 6}) {
            const Network network = plainChain(activation), edited = withLayerInserted(network, layer, 0, 7);
            CHECK(apart(network, edited) == 0);
            CHECK(edited.layers.size() == network.layers.size() + (layer == 6 ? 1 : 2));
        }
    CHECK(apart(plainChain(Activation::Tanh), withLayerInserted(plainChain(Activation::Tanh), 2, 0, 7)) > 0.01);
    CHECK(apart(gridChain(), withLayerInserted(gridChain(), 3, 0, 7)) == 0);
    CHECK(withLayerInserted(gridChain(), 3, 0, 7).layers[5].is<Conv>());
}

TEST_CASE("an inserted layer goes evenly from the identity to fresh He weights, the same ones for a seed") {
    const Network network = plainChain();
    const auto weights = [&](double fresh, std::uint64_t seed) {
        return withLayerInserted(network, 2, fresh, seed).layers[4].as<Weights>().weights;
    };
    const auto none = weights(0, 1), half = weights(0.5, 1), all = weights(1, 1);
    double squares = 0;
    for (std::size_t w = 0; w < all.size(); ++w) {
        CHECK(half[w] == doctest::Approx((none[w] + all[w]) / 2).epsilon(1e-15));
        squares += all[w] * all[w];
    }
    CHECK(squares / 25 == doctest::Approx(2.0 / 5).epsilon(0.6));
    CHECK(all == weights(1, 1));
    CHECK(all != weights(1, 2));
}

TEST_CASE("a removed dense layer is the network without its bend; inserting and removing gives the network back") {
    for (const std::size_t layer : {0, 2, 4}) {
        const Network network = plainChain(Activation::Tanh);
        Network straight = network;
        straight.layers[layer + 1].as<Pointwise>().activation = Activation::Identity;
        const Network edited = withLayerRemoved(network, layer);
        CHECK(edited.layers.size() == network.layers.size() - 2);
        CHECK(apart(straight, edited) < 1e-12);
        CHECK(apart(network, edited) > 0.01);
    }
    const Network network = plainChain(), twice = withLayerInserted(network, 2, 0, 1);
    CHECK(differingLayer(withLayerRemoved(twice, 4).layers, network.layers, "") == "");
}

TEST_CASE("a convolution that keeps its shape is taken out with its activation; one that does not stays, with a sentence") {
    const Network edited = withLayerRemoved(gridChain(), 3);
    CHECK(edited.layers.size() == gridChain().layers.size() - 2);
    CHECK(isOneSentence(refusal([] { withLayerRemoved(gridChain(), 0); })));
}

TEST_CASE("a wider layer keeps every old weight in its place and reads the new units besides") {
    const Network network = plainChain(), edited = withLayerWidened(network, 2, 3, 1);
    CHECK(edited.layers[2].out.units() == 8);
    for (std::size_t w = 0; w < network.layers[2].as<Weights>().weights.size(); ++w)
        CHECK(edited.layers[2].as<Weights>().weights[w] == network.layers[2].as<Weights>().weights[w]);
    for (std::size_t row = 0; row < 4; ++row)
        for (std::size_t i = 0; i < 5; ++i)
            CHECK(edited.layers[4].as<Weights>().weights[8 * row + i] == network.layers[4].as<Weights>().weights[5 * row + i]);
    CHECK(differingLayer(withLayerWidened(network, 2, 0, 1).layers, network.layers, "") == "");
    // With the weights of the new units at zero the function is the old one.
    Network silent = edited;
    for (std::size_t row = 0; row < 4; ++row)
        for (std::size_t i = 5; i < 8; ++i) silent.layers[4].as<Weights>().weights[8 * row + i] = 0;
    CHECK(apart(network, silent) < 1e-13);
}

TEST_CASE("a wider convolution keeps batch norm, flatten and the layers behind in step") {
    for (const std::size_t layer : {std::size_t{0}, std::size_t{3}}) {
        const Network network = gridChain();
        Network edited = withLayerWidened(network, layer, 2, 1);
        CHECK(edited.layers[layer].out.channels == 5);
        const std::size_t reader = layer == 0 ? 3 : 6, row = layer == 0 ? 5 * 9 : edited.layers[6].in.units(),
                          old = layer == 0 ? 3 * 9 : network.layers[6].in.units();
        auto& weights = edited.layers[reader].as<Weights>().weights;
        for (std::size_t w = 0; w < weights.size(); ++w)
            if (w % row >= old) weights[w] = 0;
        CHECK(apart(network, edited) < 1e-12);
    }
}

TEST_CASE("a convolution of one channel stays one: it is inserted behind, widened by channels and skipped by a convolution") {
    const Network network = signalChain();
    const Network longer = withLayerInserted(network, 2, 0, 7);
    CHECK(longer.layers[4].is<Conv>());
    CHECK(longer.layers[4].as<Weights>().weights.size() == 3);
    CHECK(apart(network, longer) == 0);
    // Behind the last convolution there is a batch norm of one scale, and a dense layer that reads 10 units a channel.
    for (const std::size_t layer : {std::size_t{2}, std::size_t{4}}) {
        Network wide = withLayerWidened(network, layer, 2, 1);
        CHECK(wide.layers[layer].out == Shape{3, 1, 10});
        const std::size_t reader = layer == 2 ? 4 : 7, row = layer == 2 ? 3 * 3 : 30, old = row / 3;
        for (std::size_t w = 0; w < wide.layers[reader].as<Weights>().weights.size(); ++w)
            if (w % row >= old) wide.layers[reader].as<Weights>().weights[w] = 0;
        CHECK(apart(network, wide) < 1e-12);
    }
    Network channels = withLayerWidened(network, 0, 2, 1);
    const Layer around = withSkipAdded(channels, 2, 1, 1).layers[2];
    REQUIRE(around.is<Block>());
    REQUIRE(around.as<Block>().inner.back().reads[0] >= 0);
    const Layer& projection = around.as<Block>().inner[static_cast<std::size_t>(around.as<Block>().inner.back().reads[0])];
    CHECK(projection.is<Conv>());
    CHECK(projection.as<Weights>().weights.size() == 3);
}

TEST_CASE("what stands behind a flattening grows by all the positions of a new channel") {
    Network network = gridChain();
    const Shape flat = network.layers[5].out;
    Layer norm = layerOf<BatchNorm>(flat, flat);
    norm.as<Norm>().shared = false;
    network.layers.insert(network.layers.begin() + 6, {withNumbers(norm, 21), activationLayer(flat, Activation::Tanh)});
    Network wide = withLayerWidened(network, 3, 2, 1);
    auto& reader = wide.layers[8];
    const std::size_t row = reader.in.units(), old = flat.units();
    CHECK(row == old / 3 * 5);
    for (std::size_t w = 0; w < reader.as<Weights>().weights.size(); ++w)
        if (w % row >= old) reader.as<Weights>().weights[w] = 0;
    CHECK(apart(network, wide) < 1e-12);
}

TEST_CASE("a batch norm behind a flattening is not lost when the dense layer in front is removed") {
    Network network{{1, 1, 5}, {}};
    const Shape five{1, 1, 5};
    network.layers = {withNumbers(denseLayer(5, 5), 1), layerOf<Flatten>(five, five), layerOf<BatchNorm>(five, five),
                      withNumbers(denseLayer(5, 2), 2)};
    network.layers[2].as<BatchNorm>().shared = false;
    network.layers[2] = withNumbers(network.layers[2], 3);
    const Network edited = withLayerRemoved(network, 0);
    REQUIRE(edited.layers.size() == 3);
    CHECK(edited.layers[1].is<BatchNorm>());
    // Of another width it cannot be taken out, and the norm forbids multiplying.
    network.layers[0] = withNumbers(denseLayer(4, 5), 1);
    network.input = {1, 1, 4};
    CHECK(isOneSentence(refusal([&] { withLayerRemoved(network, 0); })));
}

TEST_CASE("two layers whose product has no room are refused before it is made") {
    // 4·10⁸ weights, 3.2 GB, from 4·10⁴.
    const Network narrow{{1, 1, 20000}, {withNumbers(denseLayer(20000, 1), 1), withNumbers(denseLayer(1, 20000), 2)}};
    CHECK(refusal([&] { withLayerRemoved(narrow, 0); }).find("room") != std::string::npos);
}

TEST_CASE("rescaling goes through a ReLU network: the outputs of the last layer take the factor") {
    const Network network = plainChain();
    CHECK(apart(network, withLayerRescaled(network, 2, 1)) == 0);
    const Network twice = withLayerRescaled(withLayerRescaled(network, 2, 4), 2, 0.25);
    CHECK(differingLayer(twice.layers, network.layers, "") == "");
    const Network last = withLayerRescaled(network, 6, 3);
    const auto x = gaussians(3, 1);
    CHECK(forward(last, x).back()[0] == doctest::Approx(3 * forward(network, x).back()[0]).epsilon(1e-14));
}

TEST_CASE("a skip adds its scale times what came in; at scale 0 nothing changes") {
    for (const std::size_t layer : {0, 2, 4, 6}) {
        const Network network = plainChain();
        CHECK(apart(network, withSkipAdded(network, layer, 0, 1)) == 0);
        const Network edited = withSkipAdded(network, layer, 0.5, 1);
        REQUIRE(edited.layers[layer].is<Block>());
        CHECK((edited.layers[layer].as<Block>().inner.back().reads[0] == -1) == (layer == 2));
        CHECK(apart(network, edited) > 0.01);
    }
    const Network network = plainChain(), edited = withSkipAdded(network, 2, 0.5, 1);
    const auto x = gaussians(3, 1), in = forward(network, x)[2], out = forward(network, x)[4], sum = forward(edited, x)[3];
    for (std::size_t i = 0; i < sum.size(); ++i) CHECK(sum[i] == doctest::Approx(0.5 * in[i] + out[i]).epsilon(1e-15));
    CHECK(withSkipAdded(gridChain(), 3, 1, 1).layers[3].as<Block>().inner.back().reads[0] == -1);
    CHECK(isOneSentence(refusal([] { withSkipAdded(gridChain(), 0, 1, 1); })));
}

TEST_CASE("edits that make no network are refused in a sentence") {
    const Network network = plainChain();
    const double none = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    for (const auto& sentence :
         {refusal([&] { withLayerInserted(network, 1, 0, 1); }), refusal([&] { withLayerInserted(network, 70, 0, 1); }),
          refusal([&] { withLayerInserted(network, 0, 1.5, 1); }), refusal([&] { withLayerInserted(network, 0, none, 1); }),
          refusal([&] { withLayerRemoved(network, 6); }), refusal([&] { withLayerRemoved(network, 3); }),
          refusal([&] { withLayerWidened(network, 6, 1, 1); }), refusal([&] { withLayerWidened(network, 0, std::size_t{1} << 30, 1); }),
          refusal([&] { withLayerRescaled(network, 0, infinite); }), refusal([&] { withSkipAdded(network, 0, -1, 1); }),
          refusal([&] { withSkipAdded(network, 0, none, 1); })})
        CHECK_MESSAGE(isOneSentence(sentence), sentence);
}

TEST_CASE("a layer norm behind a layer goes with it, and grows with it") {
    Network network = plainChain();
    network.layers.insert(network.layers.begin() + 1, withNumbers(layerNorm({1, 1, 5}, false, false), 4));
    const Network wide = withLayerWidened(network, 0, 2, 3);
    CHECK(wide.layers[1].as<Weights>().weights.size() == 7);
    CHECK(wide.layers[1].as<Weights>().weights[6] == 1);
    CHECK(wide.layers[1].as<Weights>().bias[6] == 0);
    CHECK(difference(withLayerWidened(network, 0, 0, 3), network) == "");
    const Network block = withSkipAdded(network, 0, 0, 3);
    REQUIRE(block.layers.front().is<Block>());
    CHECK(block.layers.front().as<Block>().inner.size() == 3 + 2);  // the branch, a projection, the sum
    CHECK(forward(block, {1, 2, 3}).back() == forward(network, {1, 2, 3}).back());
    // It stands between the matrices, so that they cannot be multiplied.
    network.layers.insert(network.layers.begin() + 4, withNumbers(layerNorm({1, 1, 5}, false, false), 6));
    CHECK(withLayerRemoved(network, 3).layers.size() == network.layers.size() - 3);
}
