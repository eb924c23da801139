#include "core/capacity/capacity_network.h"

#include <doctest/doctest.h>

#include <map>

using namespace kappaflow;

TEST_CASE("edges join what was added between the same bins, bin by bin") {
    FlowLayer layer(2, 5);  // bins {0,1} {2,3} {4}
    layer.add(0, 0, 1);
    layer.add(0, 2, 2);
    layer.add(1, 3, 4);
    layer.add(2, 4, 8);
    layer.add(2, 4, 0);
    const auto edges = layer.finish();
    CHECK(edges.from == std::vector<std::uint32_t>{0, 0, 1});
    CHECK(edges.to == std::vector<std::uint32_t>{0, 1, 2});
    CHECK(edges.amount == std::vector<double>{1, 6, 8});
}

TEST_CASE("small networks keep their positions, large ones are binned until the edges fit") {
    const std::vector<FlowGeometry> small(24, {65, 65, 3, 3}), dense(24, {65, 65, 65, 65}), large(400, {2048, 2048, 15, 15 * 64});
    CHECK(flowBinSize(small, 40000) == 1);
    for (const auto& layers : {dense, large}) {
        const int size = flowBinSize(layers, 40000);
        CHECK(size > 1);
        // Counted, not estimated: every output and tap of a ring.
        std::size_t edges = 0;
        const auto& g = layers.front();
        FlowLayer layer(size, g.inWidth);
        for (int x = 0; x < g.outWidth; ++x)
            for (int k = 0; k < static_cast<int>(g.reach); ++k) layer.add(x, (x + k * static_cast<int>(g.span / g.reach)) % g.inWidth, 1);
        edges = layer.finish().from.size() * layers.size();
        CHECK(edges <= 40000);
    }
}

TEST_CASE("when not even one bin a layer fits, that is what there is") {
    CHECK(flowBinSize({{100, 100, 100, 100}, {100, 100, 100, 100}}, 1) == 100);
}
