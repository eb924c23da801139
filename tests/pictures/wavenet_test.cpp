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

const Handle& handleOf(Shown& picture, const std::string& id) {
    picture.handles.beginFrame({});
    const auto& all = picture.handles.shown();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Handle& h) { return h.id == id; });
    REQUIRE(found != all.end());
    return *found;
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

TEST_CASE("wavenet's picture: lag, repeats and block are handles, with the keyboard as with the pointer") {
    Shown picture = shown();
    auto changes = picture.afterMove("lag", 7);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "lag");
    CHECK(std::get<double>(changes[0].value) == 7);
    changes = picture.afterMove("repeats", 2);
    REQUIRE(changes.size() == 2);
    CHECK(changes[0].key == "play");
    CHECK(std::get<double>(changes[1].value) == 2);
    changes = picture.afterMove("block", 6);
    REQUIRE(changes.size() == 1);
    CHECK(std::get<std::vector<double>>(changes[0].value) == std::vector<double>{1, 2, 4, 8, 16, 32});
}

TEST_CASE("wavenet's picture: the lag's line is dragged to the lag under the pointer") {
    Shown picture = shown();
    picture.draw();
    const Rect line = handleOf(picture, "lag").rect;
    Pointer pointer;
    pointer.at = line.centre();
    pointer.inside = pointer.down = pointer.pressed = true;
    picture.draw(pointer);
    pointer.pressed = false;
    pointer.at.x += 100;
    const auto changes = picture.draw(pointer);
    REQUIRE(changes.size() == 1);
    // The newest inputs are at the right.
    CHECK(std::get<double>(changes[0].value) < 26);
}

TEST_CASE("wavenet's picture: words follow the numbers") {
    Shown picture = shown();
    picture.state.params.set("at", 1.0);
    picture.draw();
    CHECK(picture.says("One block"));
    picture.state.params.set("at", 3.0);
    picture.draw();
    CHECK(picture.says("tiled 44, repeated 36"));
    CHECK(picture.says("88 weights"));
}

TEST_CASE("wavenet's picture: no words lie over others, whatever is drawn" * doctest::test_suite("long")) {
    for (const Settings& settings : {Settings{},
                                     {{"arrangement", std::string("tiled")}},
                                     {{"arrangement", std::string("repeated")}, {"lag", 45.0}},
                                     {{"block", std::vector<double>{1}}, {"lag", 0.0}},
                                     {{"block", std::vector<double>{1, 2, 4, 8, 16}}, {"channels", 3.0}}}) {
        Shown picture = shown(settings);
        for (const double at : {1.0, 2.3, 3.0}) {
            picture.state.params.set("at", at);
            checkLabels(picture);
        }
    }
}
