#include <doctest/doctest.h>

#include <numeric>

#include "support/networks.h"
#include "support/slow_layers.h"

using namespace kappaflow;

namespace {

using Numbers = std::vector<double>;

double dot(const Numbers& a, const Numbers& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

/// d(direction · layer(x)) / dx by central differences.
Numbers differences(const Layer& layer, Numbers x, const Numbers& direction) {
    constexpr double kStep = 1e-5;
    Numbers gradient;
    for (double& value : x) {
        const double middle = value;
        value = middle + kStep;
        const double above = dot(direction, applyLayer(layer, x));
        value = middle - kStep;
        const double below = dot(direction, applyLayer(layer, x));
        value = middle;
        gradient.push_back((above - below) / (2 * kStep));
    }
    return gradient;
}

Network networkOf(std::vector<Layer> layers) {
    const Shape input = layers.front().in;
    return {input, std::move(layers)};
}

Layer conv1d(int width, const Window& window, Numbers kernel) {
    Layer layer = windowLayer<Conv>({1, 1, width}, 1, window);
    layer.as<Weights>().weights = std::move(kernel);
    return layer;
}

}  // namespace

TEST_CASE("every layer kind gives what its definition gives, unit by unit") {
    for (const Layer& layer : layersAndBlocks()) {
        CAPTURE(layer.name);
        REQUIRE_NOTHROW(validate(networkOf({layer})));
        const Numbers x = gaussians(layer.in.units(), 5), fast = applyLayer(layer, x), obvious = slow::outputOf(layer, x);
        REQUIRE(fast.size() == layer.out.units());
        REQUIRE(fast.size() == obvious.size());
        for (std::size_t i = 0; i < fast.size(); ++i) CHECK(fast[i] == doctest::Approx(obvious[i]).epsilon(1e-12).scale(1));
    }
}

TEST_CASE("every layer kind without biases too") {
    for (Layer layer : layersOfEveryKind()) {
        if (!layer.is<Dense, Conv>()) continue;
        layer.as<Weights>().bias.clear();
        const Numbers x = gaussians(layer.in.units(), 6), fast = applyLayer(layer, x), obvious = slow::outputOf(layer, x);
        for (std::size_t i = 0; i < fast.size(); ++i) CHECK(fast[i] == doctest::Approx(obvious[i]).epsilon(1e-12).scale(1));
    }
}

TEST_CASE("every layer's transposed Jacobian is the gradient by central differences") {
    for (const Layer& layer : layersAndBlocks()) {
        CAPTURE(layer.name);
        const Numbers x = gaussians(layer.in.units(), 7), direction = gaussians(layer.out.units(), 8);
        const Numbers exact = applyLayerTransposedJacobian(layer, x, direction), measured = differences(layer, x, direction);
        REQUIRE(exact.size() == layer.in.units());
        for (std::size_t i = 0; i < exact.size(); ++i) CHECK(exact[i] == doctest::Approx(measured[i]).epsilon(1e-8).scale(1));
    }
}

TEST_CASE("linear layers and their transposes agree to rounding: g·(Jv) = (Jᵀg)·v") {
    for (Layer layer : layersOfEveryKind()) {
        if (layer.is<MaxPool, Pointwise, Block, LayerNorm>()) continue;
        CAPTURE(layer.name);
        const Numbers v = gaussians(layer.in.units(), 9), zero(layer.in.units(), 0.0), g = gaussians(layer.out.units(), 10);
        Numbers jv = applyLayer(layer, v);
        const Numbers offset = applyLayer(layer, zero);
        for (std::size_t i = 0; i < jv.size(); ++i) jv[i] -= offset[i];
        CHECK(dot(g, jv) == doctest::Approx(dot(applyLayerTransposedJacobian(layer, v, g), v)).epsilon(1e-12).scale(1));
    }
}

TEST_CASE("tap k of output x reads input x·stride + k·dilation − before, worked out by hand for each padding") {
    const Numbers x{1, 2, 4, 8, 16};
    CHECK(applyLayer(conv1d(5, window1d(3, 1, 1, 1, 1, Padding::Zero), {100, 10, 1}), x) == Numbers{12, 124, 248, 496, 960});
    CHECK(applyLayer(conv1d(5, window1d(3, 1, 1, 1, 1, Padding::Periodic), {100, 10, 1}), x) == Numbers{1612, 124, 248, 496, 961});
    CHECK(applyLayer(conv1d(5, window1d(3, 1, 1, 1, 1, Padding::Reflect), {100, 10, 1}), x) == Numbers{212, 124, 248, 496, 968});
    CHECK(applyLayer(conv1d(5, window1d(2, 2, 2, 0, 1, Padding::Zero), {10, 1}), x) == Numbers{14, 56});
}

TEST_CASE("a zero-padded mean divides by the cells that exist") {
    Layer layer = windowLayer<AveragePool>({1, 1, 3}, 1, window1d(3, 1, 1, 1, 1, Padding::Zero));
    CHECK(applyLayer(layer, {2, 4, 12}) == Numbers{3, 6, 8});
    CHECK(applyLayerTransposedJacobian(layer, {0, 0, 0}, {6, 6, 6}) == Numbers{5, 8, 5});
}

TEST_CASE("the gradient of a maximum goes to the first of equal cells alone") {
    const Layer layer = windowLayer<MaxPool>({1, 2, 2}, 1, {{2, 2}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, Padding::Zero});
    CHECK(applyLayer(layer, {1, 3, 3, 3}) == Numbers{3});
    CHECK(applyLayerTransposedJacobian(layer, {1, 3, 3, 3}, {5}) == Numbers{0, 5, 0, 0});
}

TEST_CASE("forward keeps the input and every layer's output; backward has the gradient at each of them") {
    const Shape hidden{1, 1, 8};
    const Layer residual = residualBlock(hidden, {activationLayer(hidden, Activation::Tanh), denseLayer(8, 8)});
    Network network{{1, 1, 5}, {denseLayer(5, 8), residual, activationLayer(hidden, Activation::Sigmoid), denseLayer(8, 3)}};
    initialise(network, {Initialiser::LeCun, 1, 0.1}, 3);

    const Numbers x = gaussians(5, 1), direction = gaussians(3, 2);
    const auto states = forward(network, x);
    REQUIRE(states.size() == 5);
    CHECK(states[0] == x);
    for (std::size_t l = 0; l < 4; ++l) CHECK(states[l + 1] == applyLayer(network.layers[l], states[l]));

    const auto gradients = backward(network, states, direction);
    REQUIRE(gradients.size() == 5);
    CHECK(gradients.back() == direction);
    for (std::size_t l = 0; l < 4; ++l) {
        const auto above = [&](Numbers state) {
            for (std::size_t k = l; k < 4; ++k) state = applyLayer(network.layers[k], state);
            return dot(direction, state);
        };
        for (std::size_t i = 0; i < states[l].size(); ++i) {
            Numbers up = states[l], down = states[l];
            up[i] += 1e-5, down[i] -= 1e-5;
            CHECK(gradients[l][i] == doctest::Approx((above(up) - above(down)) / 2e-5).epsilon(1e-8).scale(1));
        }
    }
}

TEST_CASE("a network without layers gives its input back") {
    const Network empty{{1, 1, 2}, {}};
    CHECK(forward(empty, {1, 2}) == std::vector<Numbers>{{1, 2}});
    CHECK(backward(empty, {{1, 2}}, {3, 4}) == std::vector<Numbers>{{3, 4}});
}

TEST_CASE("layer norm, worked out by hand: over all units, over channels of each position, over groups") {
    Layer layer = layerNorm({2, 1, 2}, false, true);
    layer.as<Weights>().weights = {1, 2};
    layer.as<Weights>().bias = {0, 10};
    layer.as<Norm>().epsilon = 0;
    // Mean 4, variance 5.
    const double s = std::sqrt(5.0);
    const Numbers whole = applyLayer(layer, {1, 3, 5, 7});
    for (std::size_t i = 0; i < 4; ++i) {
        const Numbers expected{-3 / s, -1 / s, 10 + 2 / s, 10 + 6 / s};
        CHECK(whole[i] == doctest::Approx(expected[i]));
    }
    layer.as<LayerNorm>().eachPosition = true;
    CHECK(applyLayer(layer, {1, 3, 5, 7}) == Numbers{-1, -1, 12, 12});
    layer.as<LayerNorm>().eachPosition = false;
    layer.as<LayerNorm>().groups = 2;
    CHECK(applyLayer(layer, {1, 3, 5, 7}) == Numbers{-1, 1, 8, 12});
    // Nothing to divide by.
    CHECK(applyLayer(layer, {3, 3, 5, 5}) == Numbers{0, 0, 10, 10});
    CHECK(applyLayerTransposedJacobian(layer, {3, 3, 5, 5}, {1, 2, 3, 4}) == Numbers{0, 0, 0, 0});
}

TEST_CASE("layer norm does not see an input's mean and scale, and its gradient points along neither") {
    for (Layer layer : {layerNorm({1, 1, 7}, false, false), layerNorm({3, 2, 2}, true, true), layerNorm({4, 1, 3}, false, true, 2)}) {
        layer = withNumbers(layer, 3);
        layer.as<Norm>().epsilon = 0;
        const Numbers x = gaussians(layer.in.units(), 4), g = gaussians(layer.in.units(), 5);
        Numbers moved = x;
        for (double& value : moved) value = 3 * value + 2;
        const Numbers a = applyLayer(layer, x), b = applyLayer(layer, moved);
        for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-12));
        const Numbers pulled = applyLayerTransposedJacobian(layer, x, g), ones(x.size(), 1);
        CHECK(std::abs(dot(pulled, ones)) < 1e-12);
        CHECK(std::abs(dot(pulled, x)) < 1e-12);
    }
}
