#include <doctest/doctest.h>

#include <cmath>

#include "support/networks.h"

using namespace kappaflow;

namespace {

using Numbers = std::vector<double>;

double meanOf(const Numbers& values) {
    double sum = 0;
    for (double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

double meanSquare(const Numbers& values) {
    double sum = 0;
    for (double value : values) sum += value * value;
    return sum / static_cast<double>(values.size());
}

/// Mean 0 and the variance given, within 4 standard deviations of each estimate: σ/√n and σ²√(2/n).
void checkGaussian(const Numbers& values, double variance) {
    const double n = static_cast<double>(values.size());
    CHECK(std::abs(meanOf(values)) < 4 * std::sqrt(variance / n));
    CHECK(std::abs(meanSquare(values) - variance) < 4 * variance * std::sqrt(2 / n));
}

/// A 3×3 convolution of 24 channels in 2 groups, fan-in 12·9 = 108, and a dense layer of fan-in 64·25 = 1600.
Network drawn(const InitialiserSpec& spec, std::uint64_t seed = 11) {
    const Window window{{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, Padding::Zero};
    Layer conv = windowLayer<Conv>({24, 5, 5}, 64, window);
    conv.as<Conv>().groups = 2;
    Network network{{24, 5, 5}, {conv, layerOf<Dense>({64, 5, 5}, {1, 1, 30})}};
    initialise(network, spec, seed);
    return network;
}

/// Largest deviation of the rows (or columns) of a [rows][columns] block from orthogonality with squared norm `scale`.
double deviation(const double* block, std::size_t rows, std::size_t columns, double scale) {
    const bool wide = rows < columns;
    const std::size_t count = wide ? rows : columns, length = wide ? columns : rows;
    double worst = 0;
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = 0; b < count; ++b) {
            double sum = 0;
            for (std::size_t i = 0; i < length; ++i)
                sum += wide ? block[a * columns + i] * block[b * columns + i] : block[i * columns + a] * block[i * columns + b];
            worst = std::max(worst, std::abs(sum - (a == b ? scale : 0)));
        }
    return worst;
}

}  // namespace

TEST_CASE("He, LeCun and Gaussian weights have their variances over the fan-in") {
    for (auto [kind, factor] : {std::pair{Initialiser::He, 2.0}, {Initialiser::LeCun, 1.0}, {Initialiser::Gaussian, 3.5}}) {
        const Network network = drawn({kind, 3.5, 0});
        REQUIRE(network.layers[0].as<Weights>().weights.size() == 64 * 12 * 9);
        checkGaussian(network.layers[0].as<Weights>().weights, factor / 108);
        REQUIRE(network.layers[1].as<Weights>().weights.size() == 1600 * 30);
        checkGaussian(network.layers[1].as<Weights>().weights, factor / 1600);
        CHECK(network.layers[0].as<Weights>().bias.empty());
        CHECK(network.layers[1].as<Weights>().bias.empty());
    }
}

TEST_CASE("drawing a network calls back before each of its layers, and ends when that throws") {
    Network network{{1, 1, 2}, {denseLayer(2, 3), denseLayer(3, 4), denseLayer(4, 5)}};
    int calls = 0;
    initialise(network, {Initialiser::He, 1, 0}, 1, [&] { ++calls; });
    CHECK(calls == 3);
    network.layers[2].as<Weights>().weights.clear();
    const auto stopped = [&] {
        if (++calls == 6) throw InputError("no more");
    };
    CHECK_THROWS_AS(initialise(network, {Initialiser::He, 1, 0}, 1, stopped), InputError);
    CHECK(network.layers[2].as<Weights>().weights.empty());
}

TEST_CASE("biases have the variance asked for, one an output channel or unit, and are independent of the weights' scale") {
    Network network{{1, 1, 2}, {denseLayer(2, 20000)}};
    initialise(network, {Initialiser::Gaussian, 5, 0.09}, 1);
    REQUIRE(network.layers[0].as<Weights>().bias.size() == 20000);
    checkGaussian(network.layers[0].as<Weights>().bias, 0.09);
    CHECK(drawn({Initialiser::He, 1, 1}).layers[0].as<Weights>().bias.size() == 64);
}

TEST_CASE("weights are floats held as doubles, so that a network file can keep them") {
    const Network network = drawn({Initialiser::He, 1, 1});
    for (double weight : network.layers[0].as<Weights>().weights) CHECK_UNARY(static_cast<double>(static_cast<float>(weight)) == weight);
}

TEST_CASE("orthogonal weights are orthogonal to 1e-12: tall, wide, square, by group and by position") {
    const double scale = 1.7;
    for (auto [inputs, outputs] : {std::pair{20, 9}, {9, 20}, {16, 16}, {1, 5}}) {
        Network network{{1, 1, inputs}, {denseLayer(inputs, outputs)}};
        initialise(network, {Initialiser::Orthogonal, scale, 0}, 4);
        CHECK(deviation(network.layers[0].as<Weights>().weights.data(), static_cast<std::size_t>(outputs), static_cast<std::size_t>(inputs),
                        scale) < 1e-12);
    }
    Layer conv = windowLayer<Conv>({4, 1, 6}, 6, window1d(3, 1, 1, 1, 1, Padding::Periodic));
    conv.as<Conv>().groups = 2;
    conv.as<Conv>().shared = false;
    Network network{conv.in, {conv}};
    initialise(network, {Initialiser::Orthogonal, 1, 0}, 5);
    const Numbers& weights = network.layers[0].as<Weights>().weights;
    REQUIRE(weights.size() == 6 * 6 * 2 * 3);
    for (std::size_t block = 0; block < weights.size(); block += 3 * 6) CHECK(deviation(&weights[block], 3, 6, 1) < 1e-12);
    CHECK(std::equal(weights.begin(), weights.begin() + 18, weights.begin() + 18) == false);
}

TEST_CASE("the same seed draws the same network, another seed another one") {
    CHECK(drawn({}, 1).layers[0].as<Weights>().weights == drawn({}, 1).layers[0].as<Weights>().weights);
    CHECK(drawn({}, 1).layers[0].as<Weights>().weights != drawn({}, 2).layers[0].as<Weights>().weights);
}

TEST_CASE("a layer's draw does not depend on the sizes of the others, nor on their biases") {
    Network narrow{{1, 1, 4}, {denseLayer(4, 3), denseLayer(3, 5)}}, wide{{1, 1, 40}, {denseLayer(40, 3), denseLayer(3, 5)}};
    initialise(narrow, {Initialiser::He, 1, 0}, 9);
    initialise(wide, {Initialiser::He, 1, 0.5}, 9);
    CHECK(narrow.layers[1].as<Weights>().weights == wide.layers[1].as<Weights>().weights);
    CHECK(narrow.layers[0].as<Weights>().weights != narrow.layers[1].as<Weights>().weights);
}

TEST_CASE("layers are counted depth first: a block, what is inside it but joins, the next") {
    const Layer residual = residualBlock({1, 1, 3}, {denseLayer(3, 3), denseLayer(3, 3)}, {denseLayer(3, 3)});
    Network network{{1, 1, 3}, {residual, denseLayer(3, 3)}};
    initialise(network, {Initialiser::LeCun, 1, 0}, 6);
    const Numbers* inOrder[] = {nullptr, &network.layers[0].as<Block>().inner[0].as<Weights>().weights,
                                &network.layers[0].as<Block>().inner[1].as<Weights>().weights,
                                &network.layers[0].as<Block>().inner[2].as<Weights>().weights, &network.layers[1].as<Weights>().weights};
    for (std::uint64_t index = 1; index < 5; ++index) {
        Rng rng(6, Purpose::Weights, index);
        for (double weight : *inOrder[index]) CHECK(weight == drawWeight(rng, std::sqrt(1 / 3.0)));
    }
}

TEST_CASE("biases are drawn from a stream of their own") {
    Network network{{1, 1, 3}, {denseLayer(3, 3), denseLayer(3, 4)}};
    initialise(network, {Initialiser::He, 1, 0.25}, 8);
    Rng rng(8, Purpose::Biases, 1);
    for (double bias : network.layers[1].as<Weights>().bias) CHECK(bias == drawWeight(rng, 0.5));
}

TEST_CASE("batch norm starts as the identity up to its epsilon") {
    Network network{{2, 1, 3}, {layerOf<BatchNorm>({2, 1, 3}, {2, 1, 3})}};
    network.layers[0].as<Norm>().epsilon = 0;
    initialise(network, {}, 1);
    const Numbers x = gaussians(6, 1);
    CHECK(forward(network, x).back() == x);
}

TEST_CASE("an architecture that cannot exist is refused before anything is drawn") {
    Network network{{1, 1, 1000000}, {denseLayer(1000000, 1000000)}};
    CHECK_THROWS_AS(initialise(network, {}, 1), InputError);
    CHECK(network.layers[0].as<Weights>().weights.empty());
}
