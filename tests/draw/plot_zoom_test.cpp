#include "draw/plot.h"

#include <doctest/doctest.h>

#include "draw/sheet.h"

using namespace kappaflow;

namespace {

Plot::Zoom zoomBy(const Plot::Zoom& before, Pointer pointer, AxisSpec x = {.lo = 0, .hi = 10}, AxisSpec y = {.lo = 0, .hi = 1}) {
    Sheet s(x, y, before);
    const auto after = s.plot.finish(pointer);
    return after ? *after : before;
}

Pointer over(Vec2 at) {
    Pointer pointer;
    pointer.inside = true;
    pointer.at = at;
    return pointer;
}

}  // namespace

TEST_CASE("the wheel zooms about the pointer, back out to the whole and no further") {
    Sheet s;
    Pointer wheel = over(s.plot.toScreen(2, 0.25));
    CHECK_FALSE(s.plot.finish(wheel).has_value());
    wheel.wheel = 1;
    const Plot::Zoom in = zoomBy({}, wheel);
    REQUIRE(in);
    CHECK((*in)[1] - (*in)[0] == doctest::Approx(8));
    // The point under the pointer stays.
    CHECK((2 - (*in)[0]) / ((*in)[1] - (*in)[0]) == doctest::Approx(0.2));
    wheel.wheel = -1;
    CHECK_FALSE(zoomBy(in, wheel).has_value());
    wheel.wheel = 1000;
    const Plot::Zoom deep = zoomBy({}, wheel);
    REQUIRE(deep);
    CHECK((*deep)[1] - (*deep)[0] == doctest::Approx(10e-4));
    wheel.inside = false;
    CHECK_FALSE(zoomBy({}, wheel).has_value());
}

TEST_CASE("a drag pans within the whole, a double click shows the whole") {
    const Plot::Zoom before{{2, 4, 0.2, 0.4}};
    Sheet s({.lo = 0, .hi = 10}, {.lo = 0, .hi = 1}, before);
    Pointer drag = over(s.plot.inner().centre());
    drag.down = true;
    drag.pressedAt = drag.at;
    drag.moved = {-0.5 * s.plot.inner().width(), 0};
    const Plot::Zoom after = zoomBy(before, drag);
    REQUIRE(after);
    CHECK((*after)[0] == doctest::Approx(3));
    CHECK((*after)[1] == doctest::Approx(5));
    CHECK((*after)[2] == doctest::Approx(0.2));
    drag.moved = {-1e6, 0};
    CHECK((*zoomBy(before, drag))[1] == doctest::Approx(10));
    // Nothing to pan while the whole is in sight, nor when the drag began elsewhere.
    CHECK_FALSE(zoomBy({}, drag).has_value());
    drag.pressedAt = {-1e9, -1e9};
    CHECK(zoomBy(before, drag) == before);
    Pointer twice = over(s.plot.inner().centre());
    twice.doubleClicked = true;
    CHECK_FALSE(zoomBy(before, twice).has_value());
}

TEST_CASE("the frame stands still while the range's digits change") {
    double left = 0;
    for (const double top : {0.031, 0.08, 0.5, 1.0, 7.0, 42.0}) {
        Sheet s({.lo = 0, .hi = 10}, {.label = "capacity", .lo = 0, .hi = top});
        if (left == 0) left = s.plot.inner().lo.x;
        CHECK(s.plot.inner().lo.x == left);
    }
}

TEST_CASE("zoom on log and reversed axes stays in range and keeps the point under the pointer") {
    const AxisSpec x{.lo = 1e-6, .hi = 1, .scale = Scale::Log}, y{.lo = 0, .hi = 1, .reversed = true};
    Sheet s(x, y);
    Pointer wheel = over(s.plot.toScreen(1e-4, 0.2));
    wheel.wheel = 2;
    const Plot::Zoom in = zoomBy({}, wheel, x, y);
    REQUIRE(in);
    Sheet zoomed(x, y, in);
    // The tick labels may take another width: compare places, not pixels.
    const auto place = [](const Sheet& sheet, Vec2 p) {
        return Vec2{(p.x - sheet.plot.inner().lo.x) / sheet.plot.inner().width(),
                    (p.y - sheet.plot.inner().lo.y) / sheet.plot.inner().height()};
    };
    const Vec2 before = place(s, s.plot.toScreen(1e-4, 0.2)), after = place(zoomed, zoomed.plot.toScreen(1e-4, 0.2));
    CHECK(after.x == doctest::Approx(before.x));
    CHECK(after.y == doctest::Approx(before.y));
}
