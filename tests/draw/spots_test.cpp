#include "draw/spots.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kappaflow;

namespace {

constexpr Color kBlue = hex(0x1d5fbf), kRed = hex(0xc2480a);
constexpr Vec2 kNowhere{-1e6, -1e6};

/// Two curves and an area behind them.
void drawChart(Painter& painter) {
    const Vec2 upper[] = {{0, 10}, {100, 10}}, lower[] = {{0, 90}, {100, 90}};
    painter.polygon("chart/area", std::vector<Vec2>{{0, 0}, {100, 0}, {100, 100}, {0, 100}}, kRed.withAlpha(0.3F));
    painter.line("chart/measured", upper, {kBlue, 2}, false);
    painter.line("chart/measured-exact", lower, {kRed, 2}, false);
    painter.marker("chart/measured/dot", {50, 10}, 3, MarkerShape::Circle, kBlue);
    painter.text("chart/label", {5, 5}, "measured", {.color = kBlue});
}

std::vector<Spot> seen(std::vector<std::string> ids, std::string_view lit, Vec2 pointer, Recorder& recorder) {
    std::vector<Spot> spots;
    for (const std::string& id : ids) spots.push_back({.id = id});
    {
        SpotPainter painter(recorder, spots, lit, pointer);
        drawChart(painter);
    }
    return spots;
}

}  // namespace

TEST_CASE("a spot has the colour of its first mark, of its own name or below it, and none where there is no such mark") {
    Recorder recorder, plain;
    const auto spots = seen({"chart/measured", "chart/area", "chart/meas", "other"}, "", kNowhere, recorder);
    CHECK(spots[0].color == kBlue);
    CHECK(spots[1].color == kRed);  // without its transparency
    CHECK(spots[2].color.a == 0);   // "meas" is no part of a name
    CHECK(spots[3].color.a == 0);
    drawChart(plain);
    CHECK(recorder.marks == plain.marks);  // nothing is lit: the picture is as without spots
}

TEST_CASE("the mark nearest to the pointer is pointed at: a line before the area that it lies on, nothing far away") {
    const std::vector<std::string> ids{"chart/measured", "chart/area"};
    const auto pointed = [&](Vec2 at) {
        Recorder recorder;
        const auto spots = seen(ids, "", at, recorder);
        return std::pair(spots[0].pointed, spots[1].pointed);
    };
    CHECK(pointed({30, 13}) == std::pair(true, false));
    CHECK(pointed({30, 50}) == std::pair(false, true));
    CHECK(pointed({30, 90}) == std::pair(false, true));  // measured-exact is no spot
    CHECK(pointed({300, 50}) == std::pair(false, false));
}

TEST_CASE("what is lit is drawn larger, and nothing else changes") {
    Recorder lit, plain;
    seen({"chart/measured", "chart/area"}, "chart/measured", kNowhere, lit);
    drawChart(plain);
    CHECK(lit.find("chart/area").size() == plain.find("chart/area").size());
    CHECK(lit.find("chart/measured-exact").size() == 1);
    CHECK(lit.find("chart/measured/dot").size() == 2);  // with a halo
    std::size_t larger = 0;
    for (const DrawnMark& mark : lit.marks)
        if (std::find(plain.marks.begin(), plain.marks.end(), mark) == plain.marks.end()) {
            CHECK(mark.id.starts_with("chart/measured"));
            ++larger;
        }
    CHECK(larger == 4);  // the line and its halo, the dot and its halo
}
