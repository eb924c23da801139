#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "core/net/network.h"
#include "core/regions/region_estimate.h"
#include "support/networks.h"
#include "support/region_mesh.h"

using namespace kappaflow;

namespace {

Network plane(const std::vector<int>& widths, Activation activation) {
    Network network{{1, 1, 2}, {}};
    Shape shape = network.input;
    for (const int width : widths) {
        network.layers.push_back(layerOf<Dense>(shape, {1, 1, width}));
        shape = {1, 1, width};
        network.layers.push_back(layerOf<Pointwise>(shape, shape));
        network.layers.back().as<Pointwise>().activation = activation;
    }
    network.layers.push_back(layerOf<Dense>(shape, {1, 1, 1}));
    return network;
}

}  // namespace

TEST_CASE("as many regions as lines in general position make are the most of one layer, and a window that holds all crossings has them") {
    Network network = plane({7}, Activation::Relu);
    CHECK(mostRegions(network) == 1 + 7 + 21);
    initialise(network, {Initialiser::Gaussian, 2, 1}, 3);
    CHECK(builtPartition(network, sliceOfInputs(2), rectangle({-1e4, -1e4}, {1e4, 1e4})).mesh().faces() == 29);
    CHECK(mostRegions(plane({7, 3}, Activation::Relu)) == 29 * (1 + 3 + 3));
    CHECK(mostRegions(plane({2}, Activation::HardTanh)) == 1 + 4 + 6);
    CHECK(mostRegions(plane({2}, Activation::Tanh)) == 1e300);
}

TEST_CASE("regions counted along lines are the partition's to within a factor of two") {
    for (const auto& widths : std::vector<std::vector<int>>{{8}, {16, 16}, {32, 32}, {24, 24, 24}})
        for (const double half : {0.5, 2.0})
            for (const std::uint64_t seed : {1u, 2u, 3u}) {
                Network network = plane(widths, Activation::Relu);
                initialise(network, {Initialiser::Gaussian, 2, 1}, seed);
                const Vec2 centre{0.3, -0.2}, corner{half, half};
                const double exact = static_cast<double>(
                    builtPartition(network, sliceOfInputs(2), rectangle(centre - corner, centre + corner)).mesh().faces());
                const double counted = countedRegions(network, sliceOfInputs(2), centre, half);
                CAPTURE(widths.size());
                CAPTURE(half);
                CAPTURE(exact);
                CHECK(counted < 2 * exact + 10);
                CHECK(counted > exact / 2 - 10);
            }
    CHECK(countedRegions(plane({4}, Activation::Tanh), sliceOfInputs(2), {0, 0}, 1) == 1e300);
}

TEST_CASE("lines packed about the middle of a large window are counted") {
    // Nine tents fold x in [0, 1] into 512 strips.
    Network network = plane(std::vector<int>(9, 2), Activation::Relu);
    for (std::size_t l = 0; l < network.layers.size(); ++l) {
        auto* dense = network.layers[l].getIf<Dense>();
        if (!dense) continue;
        const bool last = l + 1 == network.layers.size();
        dense->weights = l == 0 ? std::vector<double>{1, 0, 1, 0} : last ? std::vector<double>{2, -4} : std::vector<double>{2, -4, 2, -4};
        dense->bias = last ? std::vector<double>{0} : std::vector<double>{0, -0.5};
    }
    const double exact = static_cast<double>(builtPartition(network, sliceOfInputs(2), rectangle({-100, -100}, {100, 100})).mesh().faces());
    CHECK(exact >= 512);
    const double counted = countedRegions(network, sliceOfInputs(2), {0, 0}, 100);
    CAPTURE(counted);
    CHECK(counted > exact / 2);
}

TEST_CASE("a network of which even few passes take long is not counted") {
    Network network = plane({2000, 2000}, Activation::Relu);
    initialise(network, {Initialiser::Gaussian, 2, 1}, 1);
    CHECK(!isCountable(network));
    CHECK(countedRegions(network, sliceOfInputs(2), {0, 0}, 1) == 1e300);
    // Next to no multiply-adds, but inputs to be filled.
    Network pooled{{3, 500, 500}, {layerOf<GlobalAveragePool>({3, 500, 500}, {3, 1, 1})}};
    CHECK(!isCountable(pooled));
}
