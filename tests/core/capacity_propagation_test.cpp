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
    return windowLayer(LayerKind::Conv, in, channels, {{3, 3}, {stride, stride}, {1, 1}, {1, 1}, {1, 1}, Padding::Zero});
}

Layer residual(std::vector<Layer> branch, std::vector<Layer> skip) {
    const Shape in = branch.front().in;
    return withNumbers(residualBlock(in, std::move(branch), std::move(skip), 1, 0.7), 5);
}

// Residual blocks of convolutions as networks for images have them.
std::vector<Layer> blocks() {
    const Shape in{2, 6, 5}, half{3, 3, 3};
    const Layer first = convolution(in, 3, 2), second = convolution(half, 3),
                projection = windowLayer(LayerKind::Conv, in, 3, {{1, 1}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, Padding::Zero});
    const Layer norm = layerOf(LayerKind::BatchNorm, half, half), relu = activationLayer(half, Activation::Relu);
    const Layer keep = convolution(in, 2);
    const Layer inner = residual({keep, activationLayer(in, Activation::Relu), keep}, {});
    return {
        residual({keep}, {}),
        residual({first, norm, relu, second, norm}, {projection, norm}),
        residual({first, relu, norm}, {projection}),  // the norm stands past an activation: a layer of its own
        residual({inner, keep}, {}),
        residual({keep, inner}, {}),
        residual({first, relu, second, windowLayer(LayerKind::MaxPool, half, 3, {{1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, Padding::Zero})},
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
    std::fill(block.inner[0].weights.begin(), block.inner[0].weights.begin() + 18, 0.0);
    const auto top = above(block);
    double lost = 0, lostByMatrix = 0;
    propagate(block, top, lost);
    propagate(capacityLayer(block), top, lostByMatrix);
    CHECK(lost > 0);
    CHECK(lost == doctest::Approx(lostByMatrix).epsilon(1e-12));
}

TEST_CASE("the work of a step is the number of connections it looks at") {
    CHECK(propagationWork(denseLayer(7, 5)) == 35);
    CHECK(propagationWork(convolution({2, 6, 5}, 3, 2)) == 3 * 3 * 3 * 2 * 9);
    const auto block = residual({convolution({2, 4, 4}, 2)}, {});
    CHECK(propagationWork(block) == 2 * (16 * 2 * 2 * 9) + 64);
}
