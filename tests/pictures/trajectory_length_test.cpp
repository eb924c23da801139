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

const Handle* handle(const Shown& s, const std::string& id) {
    for (const Handle& h : s.handles.shown())
        if (h.id == id) return &h;
    return nullptr;
}

const Change* changeOf(const std::vector<Change>& changes, const std::string& key) {
    for (const Change& c : changes)
        if (c.key == key) return &c;
    return nullptr;
}

}  // namespace

TEST_CASE("the curve has the report's points, fills its place in every layer, and glides between layers") {
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

TEST_CASE("theory is dashed, bounds are dotted, measurement is solid") {
    Shown s = shown();
    s.draw();
    for (const char* chart : {"length", "by-width", "by-variance"}) {
        const std::string id = chart;
        CAPTURE(id);
        for (const auto* mark : s.recorder.find(id + "/measured"))
            if (mark->kind == "line") CHECK(mark->dash == Dash::Solid);
        for (const auto* mark : s.recorder.find(id + "/mean-field"))
            if (mark->kind == "line") CHECK(mark->dash == Dash::Dashed);
        for (const char* bound : {"/upper", "/theorem"}) {
            // σ_w lies above a chart's range where growth is slow.
            if (id == "length" || bound[1] == 't') REQUIRE_FALSE(s.recorder.find(id + bound).empty());
            for (const auto* mark : s.recorder.find(id + bound))
                if (mark->kind == "line") CHECK(mark->dash == Dash::Dotted);
        }
    }
    Shown relu = shown({{"activation", std::string("relu")}});
    relu.draw();
    CHECK_FALSE(relu.recorder.find("length/exact").empty());
    CHECK(relu.says("He's"));
}

TEST_CASE("the headline names the layer, its length and its pieces") {
    Shown s = shown();
    s.state.params.set("at", 4.0);
    s.draw();
    CHECK(s.says("Layer 4: "));
    CHECK(s.says("linear pieces"));
    s.state.params.set("at", 0.0);
    s.draw();
    CHECK(s.says("Input: 1 times"));
}

TEST_CASE("the ends of an arc turn by keyboard and by pointer, and a whole circle keeps both within reach") {
    Shown s = shown({{"span", 90.0}});
    const auto turned = s.afterMove("span", 200);
    REQUIRE(changeOf(turned, "span"));
    CHECK(std::get<double>(changeOf(turned, "span")->value) == 200);
    const auto started = s.afterMove("start", 45);
    REQUIRE(changeOf(started, "start"));
    CHECK(std::get<double>(changeOf(started, "start")->value) == 45);
    // The end of a quarter lies straight above the middle; pulled to the left it is half a turn.
    s.draw();
    s.draw();
    const Vec2 end = handle(s, "span")->rect.centre(), begin = handle(s, "start")->rect.centre();
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
    whole.draw();
    CHECK(std::abs(handle(whole, "span")->rect.centre().x - handle(whole, "start")->rect.centre().x) > 15);
}

TEST_CASE("corners of a drawn line are dragged in both directions at once, or one by one from the keyboard") {
    Shown s = shown({{"trajectory", std::string("drawn")}, {"path", std::vector<double>{1, 0, 0, 1, -1, 0}}});
    const auto right = s.afterMove("a2", 0.5);
    REQUIRE(changeOf(right, "path"));
    CHECK(std::get<std::vector<double>>(changeOf(right, "path")->value) == std::vector<double>{1, 0, 0.5, 1, -1, 0});
    const auto up = s.afterMove("b2", 0.25);
    REQUIRE(changeOf(up, "path"));
    CHECK(std::get<std::vector<double>>(changeOf(up, "path")->value) == std::vector<double>{1, 0, 0, 0.25, -1, 0});
    s.draw();
    s.draw();
    const Vec2 from = handle(s, "a2")->rect.centre(), first = handle(s, "a1")->rect.centre();
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

TEST_CASE("corners of a drawn line come and go by double clicks and from the keyboard") {
    Shown s = shown({{"trajectory", std::string("drawn")}, {"path", std::vector<double>{1, 0, 0, 1, -1, 0}}});
    const auto pathOf = [&](const std::vector<Change>& changes) {
        REQUIRE(changeOf(changes, "path"));
        return std::get<std::vector<double>>(changeOf(changes, "path")->value);
    };
    CHECK(pathOf(s.afterMove("pathCorners", 4)) == std::vector<double>{1, 0, 0.5, 0.5, 0, 1, -1, 0});
    CHECK(pathOf(s.afterMove("pathCorners", 2)) == std::vector<double>{1, 0, 0, 1});
    s.draw();
    s.draw();
    const Vec2 first = handle(s, "a1")->rect.centre(), second = handle(s, "a2")->rect.centre();
    Pointer press{.at = (first + second) * 0.5, .inside = true, .down = true, .pressed = true, .doubleClicked = true};
    CHECK(pathOf(s.draw(press)) == std::vector<double>{1, 0, 0.5, 0.5, 0, 1, -1, 0});
    s.draw();
    press.at = second;
    CHECK(pathOf(s.draw(press)) == std::vector<double>{1, 0, -1, 0});
    s.state.params.set("path", std::vector<double>{1, 0, -1, 0});
    press.pressed = press.doubleClicked = false;
    CHECK(s.draw(press).empty());
}

TEST_CASE("σ_w², the width and the layer are dragged on the charts") {
    Shown s = shown();
    const auto variance = s.afterMove("weightVariance", 9);
    REQUIRE(changeOf(variance, "weightVariance"));
    CHECK(std::get<double>(changeOf(variance, "weightVariance")->value) == 9);
    const auto width = s.afterMove("width", 30);
    REQUIRE(changeOf(width, "width"));
    CHECK(std::get<double>(changeOf(width, "width")->value) == 30);
    const auto layer = s.afterMove("layer", 3);
    REQUIRE(changeOf(layer, "at"));
    CHECK(std::get<double>(changeOf(layer, "at")->value) == 3);
    CHECK_FALSE(std::get<bool>(changeOf(layer, "play")->value));
}

TEST_CASE("labels stay off each other and inside, whatever the trajectory and the activation") {
    for (const Values2& values : {Values2{},
                                  {{"activation", std::string("relu")}, {"weightVariance", 2.0}},
                                  {{"activation", std::string("tanh")}},
                                  {{"trajectory", std::string("drawn")}},
                                  {{"trajectory", std::string("line")}, {"sweepDraws", 0.0}},
                                  {{"weightVariance", 100.0}, {"at", 3.5}}}) {
        Shown s = shown(values);
        checkLabels(s);
    }
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

TEST_CASE("a trained network's chart has its measurement and no theory, and says why") {
    Shown s("trajectory-length", {{"network", std::string("shapes-classifier")}, {"play", false}});
    s.draw();
    for (const char* id : {"length/upper", "length/theorem", "length/mean-field", "length/exact", "by-width", "by-variance"}) {
        CAPTURE(id);
        CHECK(s.recorder.find(id).empty());
    }
    CHECK_FALSE(s.recorder.find("length/measured").empty());
    bool said = false;
    for (const auto& mark : s.recorder.marks) said = said || mark.text.find("the weights are not random") != std::string::npos;
    CHECK(said);
}
