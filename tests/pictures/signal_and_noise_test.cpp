// Handles of the map of signal and noise, what its marks stand for, and that its panels fit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;

TEST_CASE("signal-and-noise: the deep net has no gain") {
    Shown shown("signal-and-noise",
                {{"net", std::string("batch-norm")}, {"activation", std::string("relu")}, {"layers", 6.0}, {"width", 16.0}});
    shown.draw();
    shown.handles.endFrame();
    for (const Handle& handle : shown.handles.shown()) CHECK(handle.id.rfind("gain", 0) != 0);
}

TEST_CASE("signal-and-noise: a knob that is grabbed and let go changes nothing, and pulled it follows the pointer") {
    Shown shown("signal-and-noise", {});
    shown.draw();
    shown.handles.endFrame();
    for (const Handle& handle : std::vector<Handle>(shown.handles.shown())) {
        if (handle.rect.height() > 40) continue;
        Shown fresh("signal-and-noise", {});
        CAPTURE(handle.id);
        const Vec2 at = handle.rect.centre();
        fresh.draw({.at = at, .inside = true});
        CHECK(fresh.draw({.at = at, .inside = true, .down = true, .pressed = true}).empty());
        const auto changes = fresh.draw({.at = at + Vec2{12, 0}, .inside = true, .down = true});
        REQUIRE_MESSAGE(changes.size() == 1, handle.id);
        const double value = std::get<double>(changes[0].value);
        CHECK(std::abs(value - handle.value) > 1e-3);
        CHECK(value > handle.value);
    }
}

TEST_CASE("signal-and-noise: a larger gain looks steeper, by the axes of links that say nothing else") {
    const auto slope = [](double gain) {
        Shown shown("signal-and-noise", {{"gain", gain}, {"noise", 0.01}});
        shown.draw();
        const auto& points = shown.recorder.find("map/curve").at(0)->points;
        double steepest = 0;
        for (std::size_t i = 1; i < points.size(); ++i)
            steepest = std::max(steepest, (points[i - 1].y - points[i].y) / (points[i].x - points[i - 1].x));
        return steepest;
    };
    CHECK(slope(2) == doctest::Approx(slope(0.7) * 2 / 0.7).epsilon(0.02));
}

TEST_CASE("signal-and-noise: the strip that comes out spans the image of the strip that goes in") {
    Shown shown("signal-and-noise", {{"net", std::string("linear")}, {"gain", 1.0}, {"noise", 0.3}, {"probe", 0.5}});
    shown.draw();
    const auto out = shown.recorder.find("map/noise-out"), edges = shown.recorder.find("map/first-order");
    REQUIRE(out.size() == 1);
    REQUIRE(edges.size() == 2);
    std::vector<double> heights{edges[0]->points[0].y, edges[1]->points[0].y};
    std::sort(heights.begin(), heights.end());
    CHECK(out[0]->points[0].y == doctest::Approx(heights[0]));
    CHECK(out[0]->points[1].y == doctest::Approx(heights[1]));
}

TEST_CASE("signal-and-noise: a layer without χ says so in the title and the readings, and prints no dash for it") {
    Shown shown("signal-and-noise",
                {{"net", std::string("batch-norm")}, {"activation", std::string("relu")}, {"layers", 20.0}, {"width", 1.0}});
    shown.draw();
    CHECK(shown.says("layer 20: steeper than the step shows"));
    CHECK(shown.says("no *χ*: steeper than the step shows"));
    CHECK_FALSE(shown.says("*χ* = –"));
    checkLabels(shown);
}
