#include "draw/plot.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "draw/sheet.h"
#include "support/text_boxes.h"

using namespace kappaflow;

namespace {

const double kNan = std::nan("");

std::vector<double> countTo(int n) {
    std::vector<double> x;
    for (int i = 0; i < n; ++i) x.push_back(i);
    return x;
}

/// Without the leading: letters fill the middle of their line.
Rect lettersOf(const DrawnMark& mark) {
    Recorder ruler;
    const Rect box = boxOf(ruler, mark);
    const double lead = 0.1 * mark.numbers[0] + 0.01;
    return mark.numbers[3] != 0 ? box.inset(0.01, lead, 0.01, lead) : box.inset(lead, 0.01, lead, 0.01);
}

void checkTexts(const Recorder& recorder, Rect outer) {
    std::vector<const DrawnMark*> texts;
    for (const DrawnMark& mark : recorder.marks)
        if (mark.kind == "text") texts.push_back(&mark);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const Rect box = lettersOf(*texts[i]);
        CAPTURE(texts[i]->id);
        CAPTURE(texts[i]->text);
        CHECK(box.lo.x >= outer.lo.x - 0.5);
        CHECK(box.hi.x <= outer.hi.x + 0.5);
        CHECK(box.lo.y >= outer.lo.y - 8);  // half a tick label may stand out of a plot without a title row
        CHECK(box.hi.y <= outer.hi.y + 0.5);
        for (std::size_t j = 0; j < i; ++j) {
            CAPTURE(texts[j]->id);
            CAPTURE(texts[j]->text);
            CHECK_FALSE(overlap(box, lettersOf(*texts[j])));
        }
    }
}

}  // namespace

TEST_CASE("data and screen undo each other, y upwards") {
    Sheet s;
    const Vec2 p = s.plot.toScreen(2.5, 0.75);
    CHECK(s.plot.toData(p).x == doctest::Approx(2.5));
    CHECK(s.plot.toData(p).y == doctest::Approx(0.75));
    CHECK(s.plot.toScreen(0, 1).y < s.plot.toScreen(0, 0).y);
    CHECK(s.plot.toScreen(0, 0).x == doctest::Approx(s.plot.inner().lo.x));
}

TEST_CASE("NaN and nonpositive values on log axes break a line") {
    const double x[] = {0, 1, 2, 3, 4, 5}, y[] = {0.1, 0.2, kNan, 0.3, 0.4, 0.5}, z[] = {0.1, 0, 0.2, 0.3, -1, 0.5};
    Sheet linear;
    linear.plot.line("l", x, y, {});
    CHECK(linear.count("l") == 2);
    Sheet log({.lo = 0, .hi = 10}, {.lo = 0.01, .hi = 1, .scale = Scale::Log});
    log.plot.line("l", x, z, {});
    REQUIRE(log.count("l") == 1);
    CHECK(log.recorder.find("l")[0]->points.size() == 2);
}

TEST_CASE("lines are cut exactly at the frame, however far they go") {
    const double x[] = {-1e12, 5, 1e12}, y[] = {-1e12, 0.5, 1e12};
    Sheet s;
    s.plot.line("l", x, y, {});
    for (const DrawnMark* mark : s.recorder.find("l"))
        for (const Vec2 p : mark->points) {
            CHECK(p.x >= s.plot.inner().lo.x - 1e-6);
            CHECK(p.x <= s.plot.inner().hi.x + 1e-6);
            CHECK(p.y >= s.plot.inner().lo.y - 1e-6);
            CHECK(p.y <= s.plot.inner().hi.y + 1e-6);
        }
    CHECK(s.count("l") == 1);
}

TEST_CASE("bands break at NaN, areas stand on zero, bars reach from zero to their value") {
    Sheet s({.lo = 0, .hi = 5}, {.lo = -1, .hi = 1});
    const double x[] = {0, 1, 2, 3, 4, 5}, low[] = {0, 0, kNan, 0, 0, 0}, high[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    s.plot.band("band", x, low, high, {});
    CHECK(s.count("band") == 2);
    s.plot.area("area", x, high, {});
    REQUIRE(s.count("area") == 1);
    const auto& area = *s.recorder.find("area")[0];
    CHECK(area.points.back().y == doctest::Approx(s.plot.toScreen(0, 0).y));
    const double bx[] = {2, 3}, by[] = {-0.5, kNan};
    s.plot.bars("bars", bx, by, 0.8, {});
    REQUIRE(s.count("bars") == 1);
    const auto& bar = *s.recorder.find("bars")[0];
    CHECK(bar.points[0].y == doctest::Approx(s.plot.toScreen(0, 0).y));
    CHECK(bar.points[1].y == doctest::Approx(s.plot.toScreen(0, -0.5).y));
    CHECK(bar.points[1].x - bar.points[0].x == doctest::Approx(0.8 * s.plot.inner().width() / 5));
}

TEST_CASE("a heat map shows row 0 at ys[0], whichever way the axis runs, and only what is in sight") {
    const std::vector<double> values{1, 2, 3, 4, 5, 6};  // ys[0]: 1 2 3
    const auto xs = countTo(3), ys = countTo(2);
    const AxisSpec x{.lo = -0.5, .hi = 2.5};
    AxisSpec y{.lo = -0.5, .hi = 1.5};
    const Field2D field{2, 3, values, 0, 6};
    const auto cells = [](const DrawnMark& mark) { return std::vector<double>(mark.numbers.begin() + 4, mark.numbers.end()); };
    Sheet up(x, y);
    up.plot.heat("h", xs, ys, field);
    CHECK(cells(*up.recorder.find("h")[0]) == std::vector<double>{4, 5, 6, 1, 2, 3});
    CHECK(up.recorder.find("h")[0]->points[0].x == doctest::Approx(up.plot.inner().lo.x));
    CHECK(up.recorder.find("h")[0]->points[1].y == doctest::Approx(up.plot.inner().hi.y));
    y.reversed = true;
    Sheet down(x, y);
    down.plot.heat("h", xs, ys, field);
    CHECK(cells(*down.recorder.find("h")[0]) == values);
    Sheet close(x, y, Plot::Zoom{{1.6, 2.4, -0.4, 0.4}});
    close.plot.heat("h", xs, ys, field);
    CHECK(cells(*close.recorder.find("h")[0]) == std::vector<double>{3});
    Sheet wrong(x, y);
    wrong.plot.heat("h", xs, ys, {2, 2, values, 0, 6});
    CHECK(wrong.count("h") == 0);
}

TEST_CASE("no text overlaps another or leaves the plot, wide or narrow, short or long labels") {
    const auto x = countTo(50);
    for (const double width : {240.0, 300.0, 420.0, 900.0})
        for (const double height : {90.0, 130.0, 240.0, 500.0})
            for (const double size : {1.0, 123456.0, 3e-9}) {
                CAPTURE(width);
                CAPTURE(height);
                CAPTURE(size);
                const Rect outer{{0, 0}, {width, height}};
                for (const Scale scale : {Scale::Linear, Scale::Log}) {
                    Sheet s(
                        {.label = "layers crossed, a name that is far too long for a narrow plot *L* − *l*",
                         .lo = 1,
                         .hi = 49,
                         .scale = scale},
                        {.label = "spread *σ* of everything that flows back (positions)", .lo = 0.001 * size, .hi = size, .scale = scale},
                        {}, outer);
                    for (int k = 1; k < 4; ++k) {
                        std::vector<double> y;
                        for (const double v : x) y.push_back(size * std::pow(v / 49, k));
                        s.plot.line("l", x, y, {{}, Dash::Solid, 2, "series number " + std::to_string(k)});
                    }
                    s.plot.vertical("v", 20, {{}, Dash::Solid, 1, "now"});
                    s.plot.finish({}, "a title that is longer than a plot for a phone is wide, and then some more of it");
                    checkTexts(s.recorder, outer);
                }
            }
}

TEST_CASE("the name of an upright line stands on the side where no curve runs") {
    Sheet s({.label = "x", .lo = 0, .hi = 10}, {.label = "y", .lo = 0, .hi = 1});
    const double x[] = {5, 5.5, 10}, y[] = {0, 1, 1};
    s.plot.line("l", x, y, {});
    s.plot.vertical("v", 5, {{}, Dash::Solid, 1, "half"});
    s.plot.finish({});
    for (const DrawnMark* mark : s.recorder.find("v"))
        if (mark->kind == "text") CHECK(lettersOf(*mark).hi.x < s.plot.toScreen(5, 0).x);
}

TEST_CASE("plots without any room and with wild data neither fail nor draw what is not finite") {
    const double infinite = std::numeric_limits<double>::infinity();
    const double x[] = {0, 1, infinite, kNan, 4}, y[] = {-infinite, 1e308, 3, 4, kNan};
    for (const Rect outer : {Rect{{0, 0}, {0, 0}}, Rect{{0, 0}, {5, 300}}, Rect{{0, 0}, {300, 8}}, kOuter})
        for (const AxisSpec& axis : {AxisSpec{"x", kNan, kNan}, AxisSpec{"x", 3, 3}, AxisSpec{"x", -1, 0, Scale::Log}}) {
            Sheet s(axis, axis, {}, outer);
            s.plot.line("l", x, y, {{}, Dash::Dashed, 2, "l"});
            s.plot.band("b", x, y, x, {});
            s.plot.area("a", x, y, {});
            s.plot.bars("r", x, y, 1, {});
            s.plot.markers("m", x, y, {{}, Dash::Solid, 2, "m"});
            s.plot.vertical("v", kNan, {{}, Dash::Solid, 1, "v"});
            s.plot.horizontal("h", infinite, {});
            Pointer pointer;
            pointer.inside = true;
            pointer.at = s.plot.inner().centre();
            s.plot.finish(pointer, "title");
            for (const DrawnMark& mark : s.recorder.marks)
                for (const Vec2 p : mark.points) {
                    CAPTURE(mark.id);
                    CHECK(std::isfinite(p.x));
                    CHECK(std::isfinite(p.y));
                }
        }
}

TEST_CASE("the crosshair reads every labelled series at the nearest sample") {
    Sheet s({.label = "*t*", .lo = 0, .hi = 10}, {.lo = 0, .hi = 1});
    const double x[] = {0, 5, 10}, y[] = {0, 0.5, 1}, x2[] = {0, 10}, y2[] = {1, 0.5};
    s.plot.line("a", x, y, {{}, Dash::Solid, 2, "first"});
    s.plot.line("b", x2, y2, {{}, Dash::Solid, 2, "second"});
    s.plot.line("c", x, y, {});
    Pointer pointer;
    pointer.inside = true;
    pointer.at = s.plot.toScreen(5.4, 0.2);
    s.plot.finish(pointer);
    std::vector<std::string> rows;
    for (const DrawnMark* mark : s.recorder.find("p/readout/value")) rows.push_back(mark->text);
    CHECK(rows == std::vector<std::string>{"*t*:  5", "first:  0.5", "second:  0.75"});
    Sheet idle;
    idle.plot.line("a", x, y, {{}, Dash::Solid, 2, "first"});
    idle.plot.finish({});
    CHECK(idle.count("p/readout") == 0);
}

TEST_CASE("a heat map's crosshair reads the cell under the pointer") {
    const std::vector<double> values{1, 2, 3, 4, 5, 6};
    Sheet s({.label = "i", .lo = -0.5, .hi = 2.5}, {.label = "j", .lo = -0.5, .hi = 1.5});
    s.plot.heat("h", countTo(3), countTo(2), {2, 3, values, 0, 6});
    Pointer pointer;
    pointer.inside = true;
    pointer.at = s.plot.toScreen(2.2, 0.9);
    s.plot.finish(pointer);
    const auto rows = s.recorder.find("p/readout/value");
    REQUIRE(rows.size() == 3);
    CHECK(rows[2]->text == "value:  6");
}

TEST_CASE("a colour bar has ticks inside its rectangle and its label beside or above it") {
    for (const double width : {30.0, 54.0, 80.0}) {
        Recorder recorder;
        const Rect rect{{100, 50}, {100 + width, 250}};
        colorBar(recorder, Theme::night(), "bar", rect, ColorMap::Capacity,
                 {.label = "capacity *κ*", .lo = 1e-5, .hi = 1, .scale = Scale::Log});
        const auto field = recorder.find("bar");
        REQUIRE_FALSE(field.empty());
        CHECK(field[0]->numbers[4] > field[0]->numbers.back());  // the largest on top
        for (const DrawnMark* mark : recorder.find("bar/tick-label")) CHECK(lettersOf(*mark).hi.x <= rect.hi.x + 0.5);
        CHECK(recorder.find("bar/name").size() == 1);
    }
}
