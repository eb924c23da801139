#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

Shown shownWith(std::vector<std::pair<std::string, Value>> more) {
    more.emplace_back("draws", 6.0);
    more.emplace_back("channels", 2.0);
    return Shown("errors-vs-capacity", more);
}

/// Places of all marks of an id.
std::vector<Vec2> placesOf(Shown& shown, const std::string& id) {
    shown.draw();
    std::vector<Vec2> points;
    for (const auto* mark : shown.recorder.find(id))
        if (mark->id == id) points.insert(points.end(), mark->points.begin(), mark->points.end());
    REQUIRE(!points.empty());
    return points;
}

}  // namespace

TEST_CASE("errors vs capacity: discs are the means of the draws counted, and glide from one to the next") {
    Shown two = shownWith({{"at", 2.0}}), between = shownWith({{"at", 2.5}}), three = shownWith({{"at", 3.0}});
    const auto a = placesOf(two, "scatter/mean"), b = placesOf(between, "scatter/mean"), c = placesOf(three, "scatter/mean");
    REQUIRE(a.size() == 64);
    double moved = 0;
    for (std::size_t i = 0; i < 64; ++i) {
        CHECK(b[i].y <= std::max(a[i].y, c[i].y) + 0.01);
        CHECK(b[i].y >= std::min(a[i].y, c[i].y) - 0.01);
        moved = std::max(moved, std::abs(a[i].y - c[i].y));
    }
    CHECK(moved > 1);
    CHECK(two.says("2 random targets"));
    CHECK(three.says("3 random targets"));
}

TEST_CASE("errors vs capacity: dots of draws stay while others arrive, Eq 6 is dashed, and the scale stays") {
    Shown few = shownWith({{"at", 1.0}}), all = shownWith({});
    const auto first = placesOf(few, "scatter/draws"), last = placesOf(all, "scatter/draws");
    CHECK(last.size() > 4 * first.size());
    for (std::size_t i = 0; i < first.size(); ++i) CHECK(first[i] == last[i]);
    for (const auto* mark : all.recorder.find("scatter/theory"))
        if (mark->kind == "line") CHECK(mark->dash == Dash::Dashed);
    for (const char* axis : {"scatter/tick-label-x", "scatter/tick-label-y"}) {
        const auto fewTicks = few.recorder.find(axis), allTicks = all.recorder.find(axis);
        REQUIRE(fewTicks.size() == allTicks.size());
        for (std::size_t i = 0; i < fewTicks.size(); ++i) CHECK(fewTicks[i]->text == allTicks[i]->text);
    }
}

TEST_CASE("errors vs capacity: the pointer over a disc shows its direction, a press picks it, and the keyboard takes the next") {
    Shown shown = shownWith({{"direction", 20.0}});
    const Vec2 disc = placesOf(shown, "scatter/mean")[63];
    CHECK(shown.says("eigenvector 20: "));
    Pointer over;
    over.at = disc, over.inside = true;
    CHECK(shown.draw(over).empty());
    CHECK(shown.says("eigenvector 64: "));
    const auto picked = shown.afterDrag(disc, disc);
    REQUIRE(picked.size() == 1);
    CHECK(picked[0].key == "direction");
    CHECK(std::get<double>(picked[0].value) == 64);
    Shown next = shownWith({{"direction", 20.0}});
    CHECK(std::get<double>(next.afterMove("direction", 21)[0].value) == 21);
}

TEST_CASE("errors vs capacity: in the plane errors lie where the draws' are, and grow from the middle as they arrive") {
    Shown shown = shownWith({{"direction", 64.0}, {"at", 3.0}});
    const auto errors = placesOf(shown, "plane/error");
    REQUIRE(errors.size() == 3);
    const Array& x = *shown.report.array("errorInBasis");
    const double apart = (errors[1].y - errors[0].y) / (x.row(0)[63] - x.row(1)[63]);
    CHECK(errors[2].y - errors[0].y == doctest::Approx(apart * (x.row(0)[63] - x.row(2)[63])));
    CHECK(errors[2].x - errors[0].x == doctest::Approx(apart * (x.row(2)[0] - x.row(0)[0])));
    CHECK(apart > 0);
    for (const auto* mark : shown.recorder.find("plane/bound")) CHECK(mark->dash == Dash::Dotted);
}

TEST_CASE("errors vs capacity: along lags the plane is that of two inputs, whose errors are those of the report") {
    Shown shown = shownWith({{"along", std::string("lags")}, {"direction", 5.0}});
    const auto errors = placesOf(shown, "plane/error"), middle = placesOf(shown, "plane/axis");
    CHECK(shown.says("lag 4: *κ* = 0."));
    CHECK(shown.says("lag 5"));
    CHECK(shown.recorder.find("vector/").empty());
    const Array& squares = *shown.report.array("errorByDraw");
    const auto from = [&](std::size_t draw) { return errors[draw] - Vec2{middle[2].x, middle[0].y}; };
    const double scale = std::abs(from(0).y) / std::sqrt(squares.row(0)[4]);
    for (std::size_t draw = 0; draw < errors.size(); ++draw) {
        CHECK(std::abs(from(draw).y) == doctest::Approx(scale * std::sqrt(squares.row(draw)[4])));
        CHECK(std::abs(from(draw).x) == doctest::Approx(scale * std::sqrt(squares.row(draw)[5])));
    }
    // Neighbouring inputs vary together: the ellipse leans to the right.
    const auto rim = placesOf(shown, "plane/inputs");
    const auto top = std::min_element(rim.begin(), rim.end(), [](Vec2 a, Vec2 b) { return a.y < b.y; });
    CHECK(top->x > middle[2].x + 10);
}

TEST_CASE("errors vs capacity: where no capacity is missing all discs stand at 0, and the axes at numbers that can be read") {
    Shown full("errors-vs-capacity", {{"channels", 4.0}, {"layers", 3.0}, {"draws", 2.0}});
    const auto discs = placesOf(full, "scatter/mean");
    for (const Vec2 disc : discs) CHECK(disc == discs.front());
    CHECK(full.says("0.1"));
    CHECK(full.says("*κ* = 1.00"));
}
