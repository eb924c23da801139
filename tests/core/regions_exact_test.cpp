#include <doctest/doctest.h>

#include "support/exact_partition.h"
#include "support/networks.h"
#include "support/region_mesh.h"

using namespace kappaflow;

namespace {

/// Dense layers with numbers that are integers over 8: -span/8 … span/8 in steps of `step`/8.
Network dyadicNetwork(const std::vector<int>& widths, Activation activation, int span, int step, std::uint64_t seed) {
    Rng rng(seed, Purpose::Weights);
    const auto number = [&] { return (static_cast<double>(rng.below(static_cast<std::uint64_t>(2 * span / step + 1))) * step - span) / 8; };
    Network network;
    network.input = {1, 1, 2};
    int inputs = 2;
    for (int width : widths) {
        Layer dense = denseLayer(inputs, width);
        for (int i = 0; i < inputs * width; ++i) dense.as<Weights>().weights.push_back(number());
        for (int i = 0; i < width; ++i) dense.as<Weights>().bias.push_back(number());
        network.layers.push_back(dense);
        network.layers.push_back(activationLayer({1, 1, width}, activation, 0.5));
        inputs = width;
    }
    return network;
}

/// Unit `to` of a layer becomes `factor` times unit `from`.
void copyUnit(Layer& dense, std::size_t from, std::size_t to, double factor) {
    const std::size_t inputs = dense.in.units();
    for (std::size_t i = 0; i < inputs; ++i)
        dense.as<Weights>().weights[to * inputs + i] = factor * dense.as<Weights>().weights[from * inputs + i];
    dense.as<Weights>().bias[to] = factor * dense.as<Weights>().bias[from];
}

const std::vector<Polygon>& windows() {
    static const std::vector<Polygon> all{
        rectangle({-1, -1}, {1, 1}), {{-2, -1}, {1, -2}, {2, 1}, {0, 2}, {-2, 1}}, {{-1, -1}, {2, 0}, {0, 2}}};
    return all;
}

void compare(const Network& network, const Polygon& window) {
    const ExactPartition exact(network, window);
    const Partition partition = builtPartition(network, sliceOfInputs(2), window);
    REQUIRE(partition.mesh().depths.size() == exact.counts.size() + 1);
    for (std::size_t d = 0; d < exact.counts.size(); ++d) {
        CAPTURE(d);
        CHECK(partition.mesh().depths[d + 1].faces == exact.counts[d].faces);
        CHECK(partition.mesh().depths[d + 1].edges == exact.counts[d].edges);
        CHECK(partition.mesh().depths[d + 1].vertices == exact.counts[d].vertices);
    }
    CHECK(partition.certificate().holds());
}

}  // namespace

TEST_CASE("random small networks are cut as in exact integers, however degenerate") {
    const Activation activations[] = {Activation::Relu, Activation::LeakyRelu, Activation::Abs, Activation::HardTanh};
    // Numbers -1, 0, 1 and halves: lines that coincide, meet in one point, run through corners and along the border, and units that
    // are dead everywhere are the rule; eighths: rather the exception.
    const int grids[][2] = {{8, 8}, {16, 8}, {8, 4}, {12, 2}, {12, 1}};
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        const auto& grid = grids[seed % 5];
        const std::vector<int> widths = seed % 3 == 0   ? std::vector<int>{6}
                                        : seed % 3 == 1 ? std::vector<int>{5, 4}
                                                        : std::vector<int>{4, 3, 3};
        compare(dyadicNetwork(widths, activations[seed / 5 % 4], grid[0], grid[1], seed), windows()[seed % windows().size()]);
    }
}

TEST_CASE("units duplicated, negated and scaled in any layer draw no edge of their own") {
    const double factors[] = {1, -1, 2, -0.5, 3, -7};
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        Network network = dyadicNetwork({5, 5}, Activation::Relu, 12, 2, 1000 + seed);
        for (std::size_t layer : {0, 2}) {
            Layer& dense = network.layers[layer];
            for (double& weight : dense.as<Weights>().weights) weight = std::floor(weight * 4) / 4;
            for (double& bias : dense.as<Weights>().bias) bias = std::floor(bias * 4) / 4;
            copyUnit(dense, 0, 3, factors[seed % 6]);
            copyUnit(dense, 1, 4, factors[seed / 6 % 6]);
        }
        compare(network, windows()[seed % windows().size()]);
    }
}

TEST_CASE("units whose multiples are not exact in float64 draw no edge of their own") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        Network once;
        once.input = {1, 1, 2};
        once.layers = {denseLayer(2, 12), activationLayer({1, 1, 12}, Activation::Relu)};
        initialise(once, {Initialiser::Gaussian, 2, 0.01}, seed);
        Network twice = once;
        twice.layers = {denseLayer(2, 24), activationLayer({1, 1, 24}, Activation::Relu)};
        Rng rng(seed, Purpose::Data);
        Layer& dense = twice.layers[0];
        dense.as<Weights>().weights = once.layers[0].as<Weights>().weights;
        dense.as<Weights>().bias = once.layers[0].as<Weights>().bias;
        dense.as<Weights>().weights.resize(48);
        dense.as<Weights>().bias.resize(24);
        for (std::size_t u = 0; u < 12; ++u) copyUnit(dense, u, 12 + u, rng.gaussian());
        const Partition a = builtPartition(once, sliceOfInputs(2), windows()[0]), b = builtPartition(twice, sliceOfInputs(2), windows()[0]);
        CHECK(a.mesh().depths == b.mesh().depths);
        CHECK(b.certificate().holds());
    }
}

TEST_CASE("one layer of lines makes one region, one more for each line and one for each of their crossings within the window") {
    for (std::uint64_t seed = 1; seed < 4; ++seed)
        for (const int lines : {3, 64, 65, 200}) {
            CAPTURE(lines);
            Network network;
            network.input = {1, 1, 2};
            network.layers = {denseLayer(2, lines), activationLayer({1, 1, lines}, Activation::Relu), denseLayer(lines, 1)};
            initialise(network, {Initialiser::He, 2, 0.09}, seed);
            const Layer& dense = network.layers[0];
            std::size_t regions = 1;
            const auto number = [&](int line, std::size_t k) {
                const auto l = static_cast<std::size_t>(line);
                return static_cast<long double>(k < 2 ? dense.as<Weights>().weights[2 * l + k] : dense.as<Weights>().bias[l]);
            };
            for (int i = 0; i < lines; ++i) {
                const long double a = number(i, 0), b = number(i, 1), c = number(i, 2);
                regions += std::abs(c) < std::abs(a) + std::abs(b);
                for (int j = 0; j < i; ++j) {
                    const long double p = number(j, 0), q = number(j, 1), r = number(j, 2), det = a * q - b * p;
                    regions += std::abs((b * r - c * q) / det) < 1 && std::abs((c * p - a * r) / det) < 1;
                }
            }
            const Partition partition = builtPartition(network, sliceOfInputs(2), windows()[0]);
            CHECK(partition.mesh().faces() == regions);
            CHECK(partition.certificate().holds());
        }
}
