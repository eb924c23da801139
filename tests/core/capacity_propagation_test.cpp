#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "core/capacity/capacity_network.h"
#include "support/networks.h"

using namespace kappaflow;

namespace {

std::vector<double> above(const Layer& layer) {
    auto values = gaussians(layer.out.units(), 77);
    for (double& v : values) v *= v;
    return values;
}

Layer convolution(Shape in, int channels, int stride = 1) {
    return windowLayer<Conv>(in, channels, {{3, 3}, {stride, stride}, {1, 1}, {1, 1}, {1, 1}, Padding::Zero});
}

Layer residual(std::vector<Layer> branch, std::vector<Layer> skip) {
    const Shape in = branch.front().in;
    return withNumbers(residualBlock(in, std::move(branch), std::move(skip), 1, 0.7), 5);
}

// Residual blocks of convolutions as networks for images have them.
std::vector<Layer> blocks() {
    const Shape in{2, 6, 5}, half{3, 3, 3};
    const Layer first = convolution(in, 3, 2), second = convolution(half, 3),
                projection = windowLayer<Conv>(in, 3, {{1, 1}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, Padding::Zero});
    const Layer norm = layerOf<BatchNorm>(half, half), relu = activationLayer(half, Activation::Relu);
    const Layer keep = convolution(in, 2);
    const Layer inner = residual({keep, activationLayer(in, Activation::Relu), keep}, {});
    return {residual({keep}, {}),
            residual({first, norm, relu, second, norm}, {projection, norm}),
            residual({first, relu, norm}, {projection}),  // the norm stands past an activation: a layer of its own
            residual({inner, keep}, {}),
            residual({keep, inner}, {}),
            residual({first, relu, second, windowLayer<MaxPool>(half, 3, {{1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, Padding::Zero})},
                     {projection})};
}

}  // namespace

TEST_CASE("a layer column by column moves capacity as its whole matrix does, whatever its kind") {
    auto layers = layersOfEveryKind();
    for (auto& block : blocks()) layers.push_back(std::move(block));
    for (const auto& layer : layers) {
        CAPTURE(layer.name);
        const auto top = above(layer);
        double lost = 0, lostByMatrix = 0;
        const auto below = propagate(layer, top, lost), byMatrix = propagate(capacityLayer(layer), top, lostByMatrix);
        REQUIRE(below.size() == byMatrix.size());
        for (std::size_t i = 0; i < below.size(); ++i) CHECK(below[i] == doctest::Approx(byMatrix[i]).epsilon(1e-12));
        CHECK(lost == doctest::Approx(lostByMatrix).epsilon(1e-12));
        CHECK(std::accumulate(below.begin(), below.end(), lost) == doctest::Approx(std::accumulate(top.begin(), top.end(), 0.0)));
    }
}

TEST_CASE("what a dead channel inside a residual block swallows is unattributed either way") {
    const Shape in{2, 4, 4};
    auto block = residual({convolution(in, 2), activationLayer(in, Activation::Relu), convolution(in, 2)}, {});
    std::fill(block.as<Block>().inner[0].as<Weights>().weights.begin(), block.as<Block>().inner[0].as<Weights>().weights.begin() + 18, 0.0);
    const auto top = above(block);
    double lost = 0, lostByMatrix = 0;
    propagate(block, top, lost);
    propagate(capacityLayer(block), top, lostByMatrix);
    CHECK(lost > 0);
    CHECK(lost == doctest::Approx(lostByMatrix).epsilon(1e-12));
}

TEST_CASE("the work of a step is the number of connections it looks at") {
    CHECK(connectionsOf(denseLayer(7, 5)) == 35);
    CHECK(connectionsOf(convolution({2, 6, 5}, 3, 2)) == 3 * 3 * 3 * 2 * 9);
    const auto block = residual({convolution({2, 4, 4}, 2)}, {});
    CHECK(connectionsOf(block) == 2 * (16 * 2 * 2 * 9) + 128);
}

TEST_CASE("a convolution moves capacity as its columns do, whatever its window, its groups and the zeros among its inputs") {
    Rng rng(31, Purpose::Weights);
    const auto upTo = [&](int most) { return 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(most))); };
    for (int round = 0; round < 400; ++round) {
        CAPTURE(round);
        const int groups = upTo(3);
        const Shape in{groups * upTo(3), 3 + upTo(5), 3 + upTo(5)};
        Window window{{upTo(3), upTo(3)}, {upTo(3), upTo(3)}, {upTo(2), upTo(2)}, {}, {}, Padding::Zero};
        window.padding = round % 3 == 0 ? Padding::Zero : round % 3 == 1 ? Padding::Periodic : Padding::Reflect;
        for (std::size_t axis : {0, 1})
            for (auto* cells : {&window.before, &window.after}) (*cells)[axis] = static_cast<int>(rng.below(3));
        Layer layer = windowLayer<Conv>(in, groups * upTo(3), window);
        layer.as<Conv>().groups = groups;
        layer.as<Conv>().shared = round % 5 != 0;
        layer = withNumbers(layer, static_cast<std::uint64_t>(round));
        if (round % 4 == 0)
            std::fill_n(layer.as<Weights>().weights.begin(),
                        layer.as<Weights>().weights.size() / static_cast<std::size_t>(layer.out.channels), 0.0);
        if (round % 7 == 0)  // an edge whose squares are too small for a double
            for (std::size_t w = 0; w < layer.as<Weights>().weights.size(); w += 3) layer.as<Weights>().weights[w] *= 1e-170;
        ZeroUnits zeros;
        if (round % 2)
            for (std::size_t i = 0; i < in.units(); ++i) zeros.push_back(rng.below(3) == 0);
        const auto top = above(layer);
        double lost = 0, lostByMatrix = 0;
        const auto below = propagate(layer, top, lost, zeros), byMatrix = propagate(capacityLayer(layer, zeros), top, lostByMatrix);
        for (std::size_t i = 0; i < below.size(); ++i) CHECK(below[i] == doctest::Approx(byMatrix[i]).epsilon(1e-12));
        CHECK(lost == doctest::Approx(lostByMatrix).epsilon(1e-12));
        auto norms = columnNorms(layer, zeros);
        visitColumns(
            layer, [&](std::size_t unit, auto, double norm) { CHECK(norms[unit] == doctest::Approx(norm).epsilon(1e-12)); }, zeros);
    }
}

TEST_CASE("columns that nobody wants are passed over") {
    for (const auto& layer : layersOfEveryKind()) {
        if (layer.is<Block>()) continue;
        CAPTURE(layer.name);
        const std::vector<std::size_t> wanted{0, layer.out.units() / 2, layer.out.units() - 1};
        const CapacityLayer all = capacityLayer(layer);
        std::vector<std::size_t> seen;
        visitColumns(
            layer,
            [&](std::size_t unit, std::span<const CapacityLayer::Entry> column, double) {
                if (seen.empty() || seen.back() != unit) seen.push_back(unit);
                REQUIRE(column.size() == all.start[unit + 1] - all.start[unit]);
                for (std::size_t e = 0; e < column.size(); ++e) CHECK(column[e].share == all.entries[all.start[unit] + e].share);
            },
            {}, &wanted);
        CHECK(std::includes(wanted.begin(), wanted.end(), seen.begin(), seen.end()));
        CHECK(seen.back() == layer.out.units() - 1);
    }
}
