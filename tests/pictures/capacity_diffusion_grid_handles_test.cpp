// Everything that can be pulled about in the picture of a diffusion in two dimensions.
#include <doctest/doctest.h>

#include <algorithm>

#include "draw/contour.h"
#include "grid_scene.h"

using namespace kappaflow;

TEST_CASE("a click on a handle moves nothing; pulling it moves what it stands for") {
    GridScene scene;
    for (const char* id : {"layer", "top", "section", "orbit"}) {
        CAPTURE(id);
        const Vec2 at = scene.handle(id).rect.centre() + Vec2{3, 2};
        CHECK(scene.afterDrag(at, at).empty());
        scene.draw();  // let go
    }
    scene.set("at", 5.0);
    const Vec2 tag = scene.handle("layer").rect.centre();
    const double higher = wanted<double>(scene.afterDrag(tag, tag + Vec2{0, -40}), "at");
    CHECK(higher > 5.5);
    CHECK(higher < 12);
}

TEST_CASE("the start is pulled over the top plane, to the cell under the pointer") {
    GridScene scene;
    const Vec2 at = scene.handle("top").rect.centre();
    scene.set("topIndex", 7.0 * 21 + 4);
    const Vec2 place = scene.handle("top").rect.centre();
    scene.set("topIndex", -1.0);
    CHECK(wanted<double>(scene.afterDrag(at, place), "topIndex") == 7 * 21 + 4);
}

TEST_CASE("dragging beside the handles turns the stack, half a turn right is half a turn left") {
    GridScene scene;
    const Vec2 empty{300, 560};
    auto changes = scene.afterDrag(empty, empty + Vec2{-50, 10});
    CHECK(wanted<double>(changes, "orbit") == doctest::Approx(-15));
    CHECK(wanted<double>(changes, "tilt") == doctest::Approx(29));
    scene.draw();
    scene.set("orbit", 175.0);
    CHECK(wanted<double>(scene.afterDrag(empty, empty + Vec2{-50, 0}), "orbit") == doctest::Approx(-165));
    scene.draw();
    // A finger there is scrolling the page.
    CHECK(scene.afterDrag(empty, empty + Vec2{-50, 10}, true).empty());
    scene.draw();
    const Vec2 axes = scene.handle("orbit").rect.centre();
    CHECK(wanted<double>(scene.afterDrag(axes, axes + Vec2{25, 0}, true), "orbit") == doctest::Approx(165));
}

TEST_CASE("the wheel zooms the stack where the page leaves it to the picture, a double click puts the camera back") {
    GridScene scene;
    Pointer p;
    p.at = {300, 560}, p.inside = true, p.wheel = 1;
    CHECK(wanted<double>(scene.draw(p), "zoom") == doctest::Approx(1.2));
    p.wheel = 0;
    CHECK(scene.draw(p).empty());
    scene.set("orbit", 99.0);
    scene.set("zoom", 3.0);
    scene.draw();
    p.down = p.pressed = p.doubleClicked = true;
    const auto changes = scene.draw(p);
    CHECK(wanted<double>(changes, "zoom") == 1);
    CHECK(wanted<double>(changes, "orbit") == std::get<double>(initialState("capacity-diffusion").params.at("orbit")));
}

TEST_CASE("the pointer reads layer, place and capacity off the plane it points at") {
    GridScene scene;
    scene.draw();
    const auto contour = scene.recorder.find("stack/contour/measured")[0]->points;  // of the input, in front of nothing but itself
    Pointer p;
    p.inside = true;
    p.at = *std::max_element(contour.begin(), contour.end(), [](Vec2 a, Vec2 b) { return a.y < b.y; });
    scene.draw(p);
    const auto lines = scene.recorder.find("tooltip");
    REQUIRE(lines.size() == 4);
    CHECK(lines[2]->text.rfind("layer ", 0) == 0);
    CHECK(lines[3]->text.find("*κ* = ") == 0);
    CHECK(scene.recorder.find("stack/hover").size() == 1);
    p.at = {3, 300};
    scene.draw(p);
    CHECK(scene.recorder.find("tooltip").empty());
}
