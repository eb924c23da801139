// Echoes of hidden units and their sum, their two knobs, and the wiring.
#include <doctest/doctest.h>

#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;
using Size = std::size_t;

TEST_CASE("recurrent: an echo a unit, a straight line as steep as its recurrent weight, and their sum") {
    Shown shown("recurrent", {{"length", 16.0}});
    shown.draw();
    const auto echoes = shown.recorder.find("echo/unit");
    REQUIRE(echoes.size() == 2);
    CHECK(shown.recorder.find("wiring/unit").size() == 2);
    const Array &in = *shown.report.array("inWeights"), &rec = *shown.report.array("recWeights"), &out = *shown.report.array("outWeights");
    const Size frame = 1;
    REQUIRE(rec.axes[0].values[frame] == 2);
    const auto sum = shown.recorder.find("echo/measured");
    REQUIRE(sum.size() == 1);
    // Heights are logarithms: two of the sum's give the scale.
    const auto& a = shown.report.array("coefficients")->values;
    const double scale = (sum[0]->points[1].y - sum[0]->points[0].y) / std::log(a[1] / a[0]);
    for (Size j = 0; j < 2; ++j) {
        const auto& points = echoes[j]->points;
        CHECK(points[1].y - points[0].y == doctest::Approx(scale * std::log(rec.row(frame)[j])).epsilon(1e-6));
        CHECK(points[2].y - points[1].y == doctest::Approx(points[1].y - points[0].y).epsilon(1e-6));
        const double gain = std::abs(in.row(frame)[j] * out.row(frame)[j]);
        CHECK(points[0].y - sum[0]->points[0].y == doctest::Approx(scale * std::log(gain / a[0])).epsilon(1e-6));
    }
}

TEST_CASE("recurrent: between two numbers of units the new one appears, and the others glide") {
    Shown shown("recurrent", {{"length", 16.0}});
    const auto echoesAt = [&](double at) {
        shown.state.params.set("at", at);
        shown.draw();
        return shown.recorder.find("echo/unit");
    };
    CHECK(echoesAt(1).size() == 1);
    const auto half = echoesAt(1.5);
    REQUIRE(half.size() == 2);
    CHECK(half[1]->color.a == doctest::Approx(0.5));
    const double middle = half[0]->points[0].y;
    const double one = echoesAt(1)[0]->points[0].y, two = echoesAt(2)[0]->points[0].y;
    CHECK(middle == doctest::Approx(0.5 * (one + two)).epsilon(1e-6));
}

TEST_CASE("recurrent: the input's knob follows the pointer") {
    Shown shown("recurrent", {{"length", 16.0}});
    shown.draw();
    const Vec2 from = shown.handleOf("input 1").rect.centre();
    const auto changes = shown.afterDrag(from, from - Vec2{0, 10});
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "pullIn");
    CHECK(std::get<std::vector<double>>(changes[0].value).at(1) > 1);
}

TEST_CASE("recurrent: echoes and capacities stand on one axis of lags") {
    Shown shown("recurrent", {{"length", 16.0}});
    for (const double width : {1000.0, 390.0}) {
        CAPTURE(width);
        shown.area = {{0, 0}, {width, 620}};
        shown.compact = width < 500;
        shown.draw();
        const auto echo = shown.recorder.find("echo/axis-x"), capacity = shown.recorder.find("lags/axis-x");
        REQUIRE(echo.size() == 1);
        REQUIRE(capacity.size() == 1);
        for (const Size end : {0, 1}) CHECK(echo[0]->points[end].x == capacity[0]->points[end].x);
    }
}

TEST_CASE("recurrent: the echo whose knob is pointed at stands out, in the wiring too") {
    Shown shown("recurrent", {{"length", 16.0}});
    shown.draw();
    CHECK(shown.recorder.find("echo/held").empty());
    Pointer pointer;
    pointer.inside = true, pointer.at = shown.handleOf("memory 0").rect.centre();
    shown.draw(pointer);
    shown.draw(pointer);
    REQUIRE(shown.recorder.find("echo/held").size() == 1);
    CHECK(shown.recorder.find("echo/held")[0]->color == shown.recorder.find("echo/unit")[0]->color);
    const auto loops = shown.recorder.find("wiring/loop");
    CHECK(loops[0]->numbers[0] > loops[1]->numbers[0]);
}
