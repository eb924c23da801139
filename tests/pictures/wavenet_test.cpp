#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

using Settings = std::vector<std::pair<std::string, Value>>;

Shown shown(Settings settings = {}) {
    settings.emplace_back("steps", 20.0);
    return {"wavenet", settings};
}

/// Ends of the segments with this id.
Size segments(const Shown& picture, const char* id) {
    Size count = 0;
    for (const auto* mark : picture.recorder.find(id)) count += mark->points.size() / 2;
    return count;
}

}  // namespace

TEST_CASE("wavenet's picture: both trees have two edges below every node") {
    Shown picture = shown({{"block", std::vector<double>{1, 2}}, {"repeats", 2.0}});
    picture.draw();
    // Tiled 1 2 1 2 from the input up: nodes a level from the output down 1, 2, 4, 6; repeated 1 1 2 2: 1, 2, 3, 6.
    CHECK(segments(picture, "tree/edges") == 2 * (1 + 2 + 4 + 6) + 2 * (1 + 2 + 3 + 6));
}

TEST_CASE("wavenet's picture: lit are the edges of the paths to the chosen lag, and no others") {
    Shown picture = shown({{"block", std::vector<double>{1, 2}}, {"repeats", 2.0}, {"lag", 0.0}});
    picture.draw();
    CHECK(segments(picture, "tree/lit") == 2 * 4);
    CHECK(picture.says("lag 0: 1 path"));
    picture.state.params.set("lag", 6.0);
    picture.draw();
    CHECK(segments(picture, "tree/lit") == 2 * 4);
    picture.state.params.set("lag", 1.0);
    picture.draw();
    CHECK(segments(picture, "tree/lit") > 2 * 4);
    CHECK(picture.says("lag 1: 2 paths"));
}

TEST_CASE("wavenet's picture: curves are the capacities where the timeline rests, and between them in between") {
    Shown picture = shown();
    const auto heights = [&](double at) {
        picture.state.params.set("at", at);
        picture.draw();
        std::vector<double> ys;
        for (const Vec2 p : picture.recorder.find("curves/capacity").at(0)->points) ys.push_back(p.y);
        return ys;
    };
    const auto two = heights(2), three = heights(3), middle = heights(2.5);
    CHECK(two.size() == 31);
    CHECK(three.size() == 46);
    // Reversed axis or not, the newest 31 lags are common to both.
    const auto& grown = *picture.report.array("grown");
    const double scale = (three[0] - three[45]) / (grown.row(0)[2 * 46] - grown.row(0)[2 * 46 + 45]);
    for (Size lag = 0; lag < 31; ++lag) {
        CHECK(std::abs(middle[lag] - 0.5 * (two[lag] + three[lag])) < 1e-6);
        CHECK(three[0] - three[lag] == doctest::Approx(scale * (grown.row(0)[2 * 46] - grown.row(0)[2 * 46 + lag])).epsilon(1e-5));
    }
}

TEST_CASE("wavenet's picture: the layers of a repeat come one by one, and the curve reaches as far as they do") {
    Shown picture = shown({{"block", std::vector<double>{1, 2}}, {"repeats", 2.0}, {"lag", 3.0}});
    const auto drawn = [&](double at) {
        picture.state.params.set("at", at);
        picture.draw();
        return std::pair(segments(picture, "tree/edges"), picture.recorder.find("curves/capacity").at(0)->points.size());
    };
    CHECK(drawn(1) == std::pair(Size{2 * 2 * (1 + 2)}, Size{4}));
    // What the first dilation takes has slid half-way: every input twice.
    CHECK(drawn(1.25) == std::pair(Size{2 * 2 * (1 + 2 + 4)}, Size{4}));
    CHECK(drawn(1.5).second == 5);
    CHECK(drawn(1.75).second == 6);
    CHECK(drawn(2) == std::pair(Size{2 * (1 + 2 + 4 + 6) + 2 * (1 + 2 + 3 + 6)}, Size{7}));
    // Paths along the layers that are there stay lit.
    for (const double at : {1.0, 1.25, 1.5, 1.75, 2.0}) {
        drawn(at);
        CHECK(segments(picture, "tree/lit") > 0);
    }
}
