#include "draw/stroke.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace kappaflow;

TEST_CASE("a ribbon leaves and arrives along the axis, as wide there as its flow") {
    const Ribbon ribbon{{10, 0}, {60, 100}, 8, 4, {}, -1};
    const RibbonShape shape = shapeOf(ribbon, {0, 1}, 64);
    CHECK(std::abs(shape.lower.front().x - shape.upper.front().x) == doctest::Approx(8));
    CHECK(std::abs(shape.lower.back().x - shape.upper.back().x) == doctest::Approx(4));
    CHECK(shape.middle.front() == ribbon.from);
    CHECK(shape.middle.back() == ribbon.to);
    CHECK(shape.middle[1].x - 10 == doctest::Approx(0).scale(1).epsilon(0.05));
}

TEST_CASE("a ribbon keeps its width across the curve where it slopes, and never folds") {
    const Ribbon ribbon{{0, 0}, {80, 100}, 10, 10, {}, -1};
    const RibbonShape shape = shapeOf(ribbon, {0, 1}, 200);
    for (std::size_t i = 1; i + 1 < shape.middle.size(); ++i) {
        const Vec2 slope = shape.middle[i + 1] - shape.middle[i - 1], across = shape.upper[i] - shape.lower[i];
        const double thickness = std::abs(slope.x * across.y - slope.y * across.x) / std::hypot(slope.x, slope.y);
        CHECK(thickness == doctest::Approx(10).epsilon(0.01));
        CHECK(shape.upper[i].y > shape.upper[i - 1].y);
    }
}

TEST_CASE("what leaves side by side arrives side by side: stacked ribbons touch and do not overlap at their ends") {
    const Ribbon first{{10, 0}, {30, 50}, 6, 6, {}, -1}, second{{18, 0}, {90, 50}, 10, 10, {}, -1};
    const RibbonShape a = shapeOf(first, {0, 1}, 8), b = shapeOf(second, {0, 1}, 8);
    const double endOfFirst = std::max(a.upper[0].x, a.lower[0].x), startOfSecond = std::min(b.upper[0].x, b.lower[0].x);
    CHECK(endOfFirst == doctest::Approx(startOfSecond));
}

TEST_CASE("a ribbon across its axis stays finite") {
    const RibbonShape shape = shapeOf({{0, 0}, {50, 0}, 5, 5, {}, -1}, {0, 1}, 16);
    for (const Vec2 p : shape.upper) CHECK(std::isfinite(p.x + p.y));
    const RibbonShape nothing = shapeOf({{1, 1}, {1, 1}, 5, 5, {}, -1}, {0, 1}, 16);
    for (const Vec2 p : nothing.lower) CHECK(std::isfinite(p.x + p.y));
}
