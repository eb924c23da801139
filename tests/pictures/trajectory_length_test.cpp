// Trajectory length on the screen: the curve between layers, its input under the reader's hand, charts and words that follow the numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

using Values2 = std::vector<std::pair<std::string, Value>>;

Shown shown(Values2 values = {}) {
    Values2 all{{"width", 24.0}, {"layers", 6.0}, {"sweepDraws", 4.0}, {"sweepWidths", std::vector<double>{4, 16}}, {"play", false}};
    all.insert(all.end(), values.begin(), values.end());
    return Shown("trajectory-length", all);
}

/// All points of the curve, from first to last.
std::vector<Vec2> curve(const Shown& s) {
    std::vector<Vec2> points;
    for (const auto* mark : s.recorder.find("image"))
        if (mark->kind == "line" && mark->id == "image")
            points.insert(points.end(), mark->points.begin() + (points.empty() ? 0 : 1), mark->points.end());
    return points;
}

}  // namespace

TEST_CASE("the curve has the report's points, fills its place in layers like these, and glides between layers") {
    Shown s = shown();
    const Size points = s.report.array("place")->values.size();
    std::vector<std::vector<Vec2>> at;
    for (const double layer : {2.0, 2.5, 3.0}) {
        s.state.params.set("at", layer);
        s.draw();
        at.push_back(curve(s));
        REQUIRE(at.back().size() == points);
        Vec2 lo = at.back()[0], hi = lo;
        for (const Vec2 p : at.back()) {
            lo = {std::min(lo.x, p.x), std::min(lo.y, p.y)};
            hi = {std::max(hi.x, p.x), std::max(hi.y, p.y)};
            CHECK(s.area.contains(p));
        }
        if (layer != 2.5) CHECK(std::max(hi.x - lo.x, hi.y - lo.y) > 300);
    }
    for (Size i = 0; i < points; ++i) {
        CHECK(at[1][i].x == doctest::Approx((at[0][i].x + at[2][i].x) / 2));
        CHECK(at[1][i].y == doctest::Approx((at[0][i].y + at[2][i].y) / 2));
    }
}

TEST_CASE("all layers are drawn on one scale, whose bar says a length, and a curve that shrinks is seen to") {
    Shown s = shown({{"weightVariance", 0.5}, {"biasVariance", 0.0}, {"span", 90.0}});
    const auto& image = s.report.array("image")->values;
    const Size row = image.size() / 7;
    std::vector<double> scales;
    for (const Size layer : {Size{0}, Size{3}, Size{6}}) {
        s.state.params.set("at", static_cast<double>(layer));
        s.draw();
        const auto points = curve(s);
        const Vec2 seen = points.back() - points.front();
        const double* first = &image[layer * row];
        scales.push_back(std::hypot(seen.x, seen.y) / std::hypot(first[row - 2] - first[0], first[row - 1] - first[1]));
        const auto bar = s.recorder.find("image/scale");
        REQUIRE_FALSE(bar.empty());
        const double length = bar[0]->points[1].x - bar[0]->points[0].x,
                     said = std::stod(s.recorder.find("image/scale/length").at(0)->text);
        CHECK(length / said == doctest::Approx(scales.back()));
    }
    CHECK(scales[1] == doctest::Approx(scales[0]));
    CHECK(scales[2] == doctest::Approx(scales[0]));
}

TEST_CASE("colour runs along the curve, the same in the input plane") {
    Shown s = shown();
    s.draw();
    const auto lines = s.recorder.find("image");
    REQUIRE(lines.size() > 20);
    CHECK_FALSE(lines.front()->color == lines[lines.size() / 2]->color);
    const auto input = s.recorder.find("input");
    const auto line = std::find_if(input.begin(), input.end(), [](const auto* m) { return m->kind == "line" && m->id == "input"; });
    REQUIRE(line != input.end());
    CHECK(contrast((*line)->color, lines.front()->color) < 1.3);
}

TEST_CASE("the end of an arc turns by pointer, and a whole circle keeps both within reach") {
    Shown s = shown({{"span", 90.0}});
    // The end of a quarter lies straight above the middle; pulled to the left it is half a turn.
    s.draw();
    const Vec2 end = s.handleOf("span").rect.centre(), begin = s.handleOf("start").rect.centre();
    const Vec2 middle{end.x, begin.y};
    Pointer pointer{.at = end, .inside = true, .down = true, .pressed = true};
    s.draw(pointer);
    pointer.pressed = false;
    pointer.at = middle - Vec2{60, 0};
    const auto pulled = s.draw(pointer);
    REQUIRE(changeOf(pulled, "span"));
    CHECK(std::get<double>(changeOf(pulled, "span")->value) == doctest::Approx(180));
    Shown whole = shown();
    whole.draw();
    CHECK(std::abs(whole.handleOf("span").rect.centre().x - whole.handleOf("start").rect.centre().x) > 15);
}

TEST_CASE("corners of a drawn line are dragged in both directions at once") {
    Shown s = shown({{"trajectory", std::string("drawn")}, {"path", std::vector<double>{1, 0, 0, 1, -1, 0}}});
    s.draw();
    const Vec2 from = s.handleOf("a2").rect.centre(), first = s.handleOf("a1").rect.centre();
    Pointer pointer{.at = from, .inside = true, .down = true, .pressed = true};
    s.draw(pointer);
    pointer.pressed = false;
    pointer.at = first;
    const auto both = s.draw(pointer);
    REQUIRE(changeOf(both, "path"));
    const auto path = std::get<std::vector<double>>(changeOf(both, "path")->value);
    CHECK(path[2] == doctest::Approx(1).epsilon(0.02));
    CHECK(std::abs(path[3]) < 0.02);
}

TEST_CASE("a report without its first sample, one layer, and a curve of no length are drawn without harm") {
    Shown s = shown();
    s.report.arrays.clear();
    s.draw();
    CHECK(s.says("The first numbers are on their way."));
    for (const Values2& values : {Values2{{"layers", 1.0}},
                                  {{"width", 1.0}, {"weightVariance", 100.0}, {"layers", 40.0}},
                                  {{"trajectory", std::string("drawn")}, {"path", std::vector<double>{1, 1, 1, 1}}}}) {
        Shown other = shown(values);
        other.state.params.set("at", 1.0);
        other.draw();
        for (const auto& mark : other.recorder.marks)
            for (const Vec2& p : mark.points) CHECK((std::isfinite(p.x) && std::isfinite(p.y)));
    }
}
