#include <doctest/doctest.h>

#include "core/capacity/measured_capacity.h"
#include "support/matrices.h"
#include "support/networks.h"
#include "support/slow_paths.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

TEST_CASE("the pairs' sums are the sums over all paths, one by one: blocks that concatenate, gate, overlap and attend, layer norms") {
    std::vector<Network> networks;
    for (const Layer& block : blocksOfEveryJoin()) {
        networks.push_back({block.in, {block}});
        if (block.name == "overlapping") networks.back().layers[0].as<Block>().inner.back().as<Sum>().scales = {1, 0};
    }
    // A layer of gates above, so that B comes to a block with a number for every unit, and gates that are shut.
    Layer twice = blocksOfEveryJoin()[4];
    REQUIRE(twice.name == "squeeze and excite");
    const int times = static_cast<int>(twice.as<Block>().inner.size()) - 1;
    const int second = addInner(twice, activationLayer(twice.in, Activation::HardSigmoid), {-1});
    addInner(twice, layerOf<Product>(twice.in, twice.in), {second, times, second});
    networks.push_back({twice.in, {twice, activationLayer(twice.in, Activation::Relu)}});
    for (Layer norm : {layerNorm({2, 1, 3}, true, true), layerNorm({1, 1, 6}, false, false), layerNorm({4, 1, 2}, false, true, 2)}) {
        const int units = static_cast<int>(norm.in.units());
        networks.push_back({norm.in,
                            {withNumbers(norm, 23), activationLayer(norm.in, Activation::Relu), layerOf<Flatten>(norm.in, {1, 1, units}),
                             withNumbers(denseLayer(units, 3), 24)}});
    }
    for (Size n = 0; n < networks.size(); ++n) {
        const Network& network = networks[n];
        INFO("network " << n << " " << network.layers[0].name);
        validate(network);
        const Matrix samples = gaussianMatrix(network.input.units(), 16, 250 + n);
        const Matrix directions = orthonormalised(gaussianMatrix(network.output().units(), 1, 260 + n));
        for (const bool diagonal : {true, false}) {
            const PathStart start{network.layers.size(), directions};
            const Vector fast =
                measureCapacity(GatedPaths(network, samples), start, {.states = {0}, .diagonal = diagonal}).profiles[0].capacity;
            CHECK(total(fast) == doctest::Approx(1).epsilon(1e-9));
            CHECK(largestDifference(fast, slow::measuredCapacity(network, slow::columnsOf(samples), 0, directions, diagonal)) < 1e-9);
        }
    }
}
