#include <doctest/doctest.h>

#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

Vec2 markerAt(const Shown& shown, const std::string& id) {
    const auto marks = shown.recorder.find(id);
    REQUIRE(marks.size() == 1);
    return marks[0]->points[0];
}

/// The knob of a param dragged by so many pixels, the changes applied frame by frame.
void drag(Shown& shown, const std::string& knob, Vec2 by) {
    shown.draw();
    shown.draw();
    const Vec2 from = markerAt(shown, "knob/" + knob);
    std::vector<std::string> warnings;
    shown.draw(pointerAt(from, true, true));
    for (int step = 1; step <= 4; ++step)
        for (const auto& change : shown.draw(pointerAt(from + by * (step / 4.0), true, false)))
            shown.state = apply(shown.state, change, warnings);
    CHECK(warnings.empty());
    shown.draw(pointerAt(from + by, true, false));
}

}  // namespace

TEST_CASE("subspace: moving the model starts the descent anew from there") {
    Shown shown("subspace", {{"at", 5.0}});
    const auto changes = shown.afterMove("w", 0.5);
    REQUIRE(changeOf(changes, "w"));
    CHECK(std::get<double>(changeOf(changes, "w")->value) == 0.5);
    REQUIRE(changeOf(changes, "at"));
    CHECK(std::get<double>(changeOf(changes, "at")->value) == 0);
    REQUIRE(changeOf(changes, "play"));
    CHECK_FALSE(std::get<bool>(changeOf(changes, "play")->value));
}

TEST_CASE("subspace: the keyboard reaches every knob, in the plane and in space") {
    for (const auto& [dimension, keys] :
         {std::pair<std::string, std::vector<std::string>>{"2", {"angle", "target1", "target2", "bend", "correlation", "apart"}},
          {"3", {"angle", "height", "target1", "target2", "target3", "bend", "apart", "orbit", "tilt"}}}) {
        Shown shown("subspace", {{"dimension", dimension}});
        for (const auto& key : keys) {
            CAPTURE(key);
            const Param& param = *findDeclaration("subspace")->param(key);
            const double value = param.min + 0.6 * (param.max - param.min);
            const auto changes = shown.afterMove(key, value);
            REQUIRE(changes.size() == 1);
            CHECK(changes[0].key == key);
            // The keyboard goes by steps of 5 degrees.
            CHECK(std::abs(std::get<double>(changes[0].value) - value) <= (param.max > 20 ? 2.5 : 0.03));
        }
    }
}

TEST_CASE("subspace: a dragged knob stays under the pointer") {
    for (const std::string dimension : {"2", "3"})
        for (const std::string knob : {"target1", "angle", "w"}) {
            CAPTURE(dimension);
            CAPTURE(knob);
            Shown shown("subspace", {{"dimension", dimension}, {"w", 0.2}});
            shown.area = {{0, 0}, {1000, 700}};
            shown.draw();
            const Vec2 from = markerAt(shown, "knob/" + knob);
            const Vec2 by = knob == "w" ? Vec2{25, 0} : knob == "angle" ? Vec2{-5, -14} : Vec2{18, -14};
            drag(shown, knob, by);
            const Vec2 gap = markerAt(shown, "knob/" + knob) - (from + by);
            // The manifold goes anywhere (its coordinates are rounded), the model along its curve, the arrow round its circle.
            const double away = std::hypot(gap.x, gap.y), before = std::hypot(by.x, by.y);
            CHECK(away < (knob == "target1" ? 2 : 0.75 * before));
        }
}

TEST_CASE("subspace: a pointer that presses a knob without moving changes nothing") {
    Shown shown("subspace", {{"at", 7.3}});
    shown.draw();
    shown.draw();
    const Vec2 at = markerAt(shown, "knob/w");
    CHECK(shown.draw(pointerAt(at, true, true)).empty());
    CHECK(shown.draw(pointerAt(at, true, false)).empty());
}

TEST_CASE("subspace: the residual is drawn until the error lies in the complement") {
    Shown moving("subspace", {{"at", 2.0}}), rest("subspace", {{"at", 12.0}});
    moving.draw();
    rest.draw();
    CHECK(moving.recorder.find("space/residual").size() >= 1);
    CHECK(rest.recorder.find("space/residual").empty());
    CHECK(moving.says("the constraint sees"));
    CHECK(rest.says("At rest"));
    CHECK(rest.says("Eq 7"));
}

TEST_CASE("subspace: the ledger says where Property 5 fails and where it holds") {
    Shown direct("subspace", {{"at", 12.0}, {"target1", 0.0}, {"target2", -1.2}, {"angle", 0.0}});
    Shown orthogonal("subspace", {{"at", 12.0}, {"apart", 90.0}});
    direct.area = orthogonal.area = {{0, 0}, {1100, 700}};
    direct.draw();
    orthogonal.draw();
    CHECK(direct.says("1.00 + 0.50 ≠ 1.00"));
    CHECK(direct.says("*δ* = 45°"));
    CHECK(orthogonal.says("𝒦_{1} ⊥ 𝒦_{2}"));
    CHECK_FALSE(orthogonal.says("≠"));
}
