#include "draw/handles.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace kappaflow;

namespace {

constexpr double kNowhere = -1e9;

/// A level track with one knob, drawn as a picture would draw it, and a hand on the pointer.
struct Bench {
    Handles handles;
    double value = 50;
    Pointer pointer;
    Handles::Grip grip;

    Handle knob() const { return {"knob", "the knob", "", value, 0, 100, 1, {{value - 6, 94}, {value + 6, 106}}}; }
    void frame() {
        handles.beginFrame(pointer);
        grip = handles.offer(knob(), [](Vec2 p) { return p.x; });
        if (grip.moved) value = grip.value;
        handles.endFrame();
        pointer.pressed = pointer.released = false;
    }
    void moveTo(Vec2 at, bool inside = true) {
        pointer.at = at, pointer.inside = inside;
        frame();
    }
    void press() {
        pointer.pressed = pointer.down = true;
        frame();
    }
    void release() {
        pointer.released = true, pointer.down = false;
        frame();
    }
};

}  // namespace

TEST_CASE("a knob is hovered, held, dragged and let go") {
    Bench b;
    b.moveTo({10, 10});
    CHECK_FALSE(b.grip.hovered);
    b.moveTo({52, 100});
    CHECK(b.grip.hovered);
    b.press();
    CHECK(b.grip.held);
    CHECK(b.grip.focused);
    b.moveTo({72, 100});
    CHECK(b.value == 70);
    b.release();
    CHECK(b.value == 70);
    b.moveTo({10, 100});
    CHECK_FALSE(b.grip.held);
    CHECK(b.value == 70);
}

TEST_CASE("a click on a knob beside its middle moves nothing") {
    Bench b;
    b.moveTo({55, 103});
    b.press();
    b.release();
    CHECK(b.value == 50);
}

TEST_CASE("a drag goes on outside the picture and ends with a release there") {
    Bench b;
    b.moveTo({50, 100});
    b.press();
    b.moveTo({4000, -300}, false);
    CHECK(b.value == 100);
    CHECK(b.grip.held);
    b.release();
    b.moveTo({50, 100});
    CHECK_FALSE(b.grip.held);
}

TEST_CASE("a pointer that vanishes after a touch leaves the value where the finger was") {
    Bench b;
    b.pointer.touch = true;
    b.moveTo({50, 100});
    b.press();
    b.moveTo({60, 100});
    CHECK(b.value == 60);
    b.pointer.at = {kNowhere, kNowhere};
    b.release();
    CHECK(b.value == 60);
}

TEST_CASE("press and release between two frames still count") {
    Bench b;
    b.value = 50;
    b.handles.beginFrame({});
    b.handles.endFrame();
    b.pointer.at = {90, 100}, b.pointer.inside = true;
    // A track as wide as the range jumps to the pointer.
    b.pointer.pressed = b.pointer.released = true;
    b.handles.beginFrame(b.pointer);
    const auto grip = b.handles.offer({"track", "", "", 50, 0, 100, 1, {{0, 90}, {100, 110}}}, [](Vec2 p) { return p.x; });
    CHECK(grip.moved);
    CHECK(grip.value == 90);
}

TEST_CASE("a small handle answers in 24 pixels, to a finger within 12 of its edge") {
    Bench b;
    for (const Vec2 corner : {Vec2{-12, -12}, {12, -12}, {-12, 12}, {12, 12}}) {
        b.moveTo(Vec2{50, 100} + corner);
        CHECK(b.grip.hovered);
        CHECK(b.handles.hits(Vec2{50, 100} + corner, 0));
    }
    b.moveTo({50 + 6 + 10, 100});
    CHECK_FALSE(b.grip.hovered);
    b.pointer.touch = true;
    b.frame();
    CHECK(b.grip.hovered);
    CHECK(b.handles.hits({50 + 6 + 10, 100}, 12));
    CHECK_FALSE(b.handles.hits({50 + 6 + 10, 100}, 5));
}

TEST_CASE("of two handles within reach the nearer one is taken") {
    Handles handles;
    Pointer pointer;
    pointer.touch = pointer.inside = true;
    pointer.at = {109, 100};
    const Handle left{"left", "", "", 0, 0, 1, 0.1, {{90, 95}, {100, 105}}}, right{"right", "", "", 0, 0, 1, 0.1, {{112, 95}, {122, 105}}};
    const auto still = [](Vec2) { return 0.0; };
    for (int frame = 0; frame < 2; ++frame) {
        handles.beginFrame(pointer);
        const auto first = handles.offer(left, still), second = handles.offer(right, still);
        if (frame == 0) continue;
        CHECK_FALSE(first.hovered);
        CHECK(second.hovered);
    }
}

TEST_CASE("keyboard and mirror move a handle within its range and on its steps") {
    Bench b;
    b.frame();
    CHECK_FALSE(b.handles.nudge(1));
    b.handles.focus("knob");
    b.frame();
    CHECK(b.grip.focused);
    CHECK(b.handles.nudge(1));
    CHECK(b.handles.nudge(1));
    b.frame();
    CHECK(b.value == 52);
    b.handles.moveTo("knob", 77.3);
    b.frame();
    CHECK(b.value == 77);
    b.handles.moveTo("knob", 1e9);
    b.frame();
    CHECK(b.value == 100);
    b.handles.nudge(5);
    b.frame();
    CHECK(b.value == 100);
    b.handles.moveTo("knob", NAN);
    b.frame();
    CHECK_FALSE(b.grip.moved);
}

TEST_CASE("a drag may stop between the steps where the handle lets it, the keyboard may not; without a place's value only it moves one") {
    Handles handles;
    Handle handle{"knob", "", "", 50, 0, 100, 10, {{44, 94}, {56, 106}}, true};
    const auto dragged = [&](const std::function<double(Vec2)>& valueAt) {
        Pointer pointer{.at = {50, 100}, .inside = true};
        handles.beginFrame({});
        handles.offer(handle, valueAt);
        handles.beginFrame(pointer);
        handles.offer(handle, valueAt);
        pointer.pressed = pointer.down = true;
        handles.beginFrame(pointer);
        handles.offer(handle, valueAt);
        pointer.pressed = false, pointer.at.x = 63;
        handles.beginFrame(pointer);
        return handles.offer(handle, valueAt);
    };
    CHECK(dragged([](Vec2 p) { return p.x; }).value == 63);
    CHECK_FALSE(dragged({}).moved);
    handles.nudge(1);
    handles.beginFrame({});
    CHECK(handles.offer(handle).value == 60);
}

TEST_CASE("a switch is moved by a tap, once, and by the keyboard") {
    Handles handles;
    const auto offer = [&](const Pointer& pointer) {
        handles.beginFrame(pointer);
        return handles.toggle("switch", "", "", true, {{0, 0}, {20, 20}});
    };
    Pointer pointer{.at = {3, 3}, .inside = true};
    CHECK_FALSE(offer(pointer).moved);
    pointer.pressed = pointer.down = true;
    CHECK(offer(pointer).moved);
    CHECK(offer(pointer).value == 0);
    pointer.pressed = false, pointer.at = {15, 15};
    CHECK_FALSE(offer(pointer).moved);
    handles.moveTo("switch", 0);
    CHECK(offer({}).moved);
}

TEST_CASE("a move for a handle that is not there is forgotten") {
    Bench b;
    b.handles.moveTo("knob", 20);
    b.handles.beginFrame({});
    b.handles.endFrame();
    b.frame();
    CHECK(b.value == 50);
}

TEST_CASE("the wheel is a picture's where its last complete frame zooms by it") {
    Handles handles;
    const Rect square{{10, 10}, {50, 50}};
    handles.beginFrame({});
    handles.takeWheel(square);
    CHECK_FALSE(handles.takesWheelAt({20, 20}));
    handles.endFrame();
    CHECK(handles.takesWheelAt({20, 20}));
    CHECK_FALSE(handles.takesWheelAt({60, 20}));
    handles.beginFrame({});
    handles.endFrame();
    CHECK_FALSE(handles.takesWheelAt({20, 20}));
}

TEST_CASE("marks that are no handle see the pointer only while no handle wants it") {
    Bench b;
    b.moveTo({10, 10});
    CHECK(b.handles.freePointer().inside);
    b.moveTo({50, 100});
    CHECK_FALSE(b.handles.freePointer().inside);
    b.press();
    b.moveTo({10, 10});
    CHECK_FALSE(b.handles.freePointer().inside);
    CHECK_FALSE(b.handles.freePointer().down);
}

TEST_CASE("a stroke begun beside all handles goes on over them") {
    Bench b;
    b.moveTo({10, 10});
    b.press();
    b.moveTo({50, 100});
    CHECK_FALSE(b.grip.hovered);
    CHECK(b.handles.freePointer().down);
    CHECK(b.handles.freePointer().moved == Vec2{40, 90});
    CHECK(b.handles.freePointer().pressedAt == Vec2{10, 10});
    b.release();
    b.frame();
    CHECK(b.grip.hovered);
}

TEST_CASE("what was shown is the last complete frame") {
    Bench b;
    CHECK(b.handles.shown().empty());
    b.frame();
    REQUIRE(b.handles.shown().size() == 1);
    CHECK(b.handles.shown()[0].value == 50);
    b.handles.beginFrame({});
    CHECK(b.handles.shown().size() == 1);
    b.handles.endFrame();
    CHECK(b.handles.shown().empty());
}

TEST_CASE("a handle that is no longer offered is no longer held") {
    Bench b;
    b.moveTo({50, 100});
    b.press();
    CHECK(b.handles.holding());
    b.handles.beginFrame(b.pointer);
    b.handles.endFrame();
    b.frame();
    CHECK_FALSE(b.grip.held);
}

TEST_CASE("what is let go stays out of the drag, and nobody hears of the pointer, until the button is up") {
    Bench b;
    b.moveTo({50, 100});
    b.press();
    CHECK(b.grip.held);
    b.handles.letGo();
    b.moveTo({80, 100});
    CHECK_FALSE(b.grip.held);
    CHECK(b.value == 50);
    CHECK_FALSE(b.handles.freePointer().inside);
    b.release();
    CHECK_FALSE(b.handles.freePointer().released);
    b.moveTo({20, 20});
    CHECK(b.handles.freePointer().inside);
    b.moveTo({50, 100});
    b.press();
    CHECK(b.grip.held);
}

TEST_CASE("a pointer lost without a release lets go") {
    Bench b;
    b.moveTo({50, 100});
    b.press();
    b.pointer.down = false;
    b.frame();
    CHECK_FALSE(b.grip.held);
}

TEST_CASE("nothing under a panel is hovered") {
    Bench b;
    b.pointer.touch = true;
    b.moveTo({50, 100}, false);
    b.press();
    CHECK_FALSE(b.grip.held);
}
