#include <algorithm>
#include <numeric>

#include "support/picture_checks.h"

using namespace kappaflow;

TEST_CASE("deep limit: the chain's way begins at the start and ends with the profile below it, in colours that stay") {
    std::vector<double> colours;
    for (const double at : {20.0, 40.0, 640.0}) {
        Shown shown("deep-limit", {{"at", at}});
        CAPTURE(at);
        shown.draw();
        const auto ways = shown.recorder.find("way/chain");
        REQUIRE(ways.size() == 1);
        const auto& way = ways[0]->numbers;  // rows, columns, ends of the colours, cells
        const auto rows = static_cast<std::size_t>(way[0]), columns = static_cast<std::size_t>(way[1]);
        REQUIRE(way.size() == 4 + rows * columns);
        const std::vector<double> first(way.begin() + 4, way.begin() + 4 + static_cast<std::ptrdiff_t>(columns)),
            last(way.end() - static_cast<std::ptrdiff_t>(columns), way.end());
        CHECK(std::accumulate(last.begin(), last.end(), 0.0) == doctest::Approx(1).epsilon(1e-3));
        const auto& chain = *shown.report.array("chain");
        const std::size_t depth = at == 20 ? 0 : at == 40 ? 1 : 5;
        // Of many layers the last row is the mean of a few.
        CHECK(*std::max_element(last.begin(), last.end()) ==
              doctest::Approx(*std::max_element(chain.row(depth), chain.row(depth + 1))).epsilon(at < 100 ? 1e-9 : 0.01));
        if (at < 100) CHECK(*std::max_element(first.begin(), first.end()) == 1);
        colours.insert(colours.end(), {way[2], way[3]});
    }
    CHECK(std::equal(colours.begin() + 2, colours.end(), colours.begin()));
}
