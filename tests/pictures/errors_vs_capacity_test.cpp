#include <doctest/doctest.h>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

Shown shownWith(std::vector<std::pair<std::string, Value>> more) {
    more.emplace_back("draws", 6.0);
    more.emplace_back("channels", 2.0);
    return Shown("errors-vs-capacity", more);
}

std::vector<Vec2> lineOf(Shown& shown, const std::string& id) {
    shown.draw();
    std::vector<Vec2> points;
    for (const auto* mark : shown.recorder.find(id))
        if (mark->kind == "line" && mark->id == id) points.insert(points.end(), mark->points.begin(), mark->points.end());
    REQUIRE(!points.empty());
    return points;
}

}  // namespace

TEST_CASE("errors vs capacity: the means are those of the draws counted, and glide from one to the next") {
    Shown two = shownWith({{"at", 2.0}}), between = shownWith({{"at", 2.5}}), three = shownWith({{"at", 3.0}});
    const auto a = lineOf(two, "components/error"), b = lineOf(between, "components/error"), c = lineOf(three, "components/error");
    REQUIRE(a.size() == c.size());
    double moved = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        CHECK(b[i].y <= std::max(a[i].y, c[i].y) + 0.01);
        CHECK(b[i].y >= std::min(a[i].y, c[i].y) - 0.01);
        moved = std::max(moved, std::abs(a[i].y - c[i].y));
    }
    CHECK(moved > 1);
    CHECK(two.says("2 random targets"));
    CHECK(three.says("3 random targets"));
}

TEST_CASE("errors vs capacity: the bound is dotted, the error solid, and the scale stays while draws are counted") {
    Shown few = shownWith({{"at", 1.0}}), all = shownWith({});
    lineOf(few, "components/error");
    lineOf(all, "components/error");
    for (const auto* mark : all.recorder.find("components/bound"))
        if (mark->kind == "line") CHECK(mark->dash == Dash::Dotted);
    const auto fewTicks = few.recorder.find("components/axis-y"), allTicks = all.recorder.find("components/axis-y");
    REQUIRE(fewTicks.size() == allTicks.size());
    for (std::size_t i = 0; i < fewTicks.size(); ++i) CHECK(fewTicks[i]->text == allTicks[i]->text);
}
