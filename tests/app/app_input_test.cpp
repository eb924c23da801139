// The app under pointer, wheel and keys, through ImGui's own input.
#include <doctest/doctest.h>
#include <imgui.h>

#include <algorithm>
#include <random>

#include "app/app.h"
#include "bench_runner.h"

using namespace kappaflow;

TEST_CASE("arrows move the focused handle, and the timeline when none is") {
    Workbench bench;
    bench.pause();
    bench.app.scrub(12);
    bench.settle();
    ImGuiIO& io = bench.app.screen().io();
    const auto press = [&](ImGuiKey key) {
        io.AddKeyEvent(key, true);
        bench.app.wake();
        bench.frame();
        io.AddKeyEvent(key, false);
        bench.app.wake();
        for (int i = 0; i < 60; ++i) bench.frame();
    };
    press(ImGuiKey_RightArrow);
    CHECK(bench.app.at() == doctest::Approx(11));
    REQUIRE_FALSE(bench.app.handles().shown().empty());
    const Handle handle = bench.app.handles().shown().front();
    bench.app.focusHandle(handle.id);
    press(ImGuiKey_RightArrow);
    const auto& now = bench.app.handles().shown();
    const auto same = std::find_if(now.begin(), now.end(), [&](const Handle& h) { return h.id == handle.id; });
    REQUIRE(same != now.end());
    CHECK(same->value != handle.value);
}

TEST_CASE("keys: play, undo, diagnostics, scenes") {
    Workbench bench;
    bench.pause();
    ImGuiIO& io = bench.app.screen().io();
    const auto press = [&](ImGuiKey key, bool command = false) {
        io.AddKeyEvent(ImGuiMod_Ctrl, command);
        io.AddKeyEvent(key, true);
        for (int i = 0; i < 3; ++i) bench.app.wake(), bench.frame();
        io.AddKeyEvent(key, false);
        io.AddKeyEvent(ImGuiMod_Ctrl, false);
        for (int i = 0; i < 3; ++i) bench.app.wake(), bench.frame();
    };
    press(ImGuiKey_Space);
    CHECK(bench.app.playing());
    press(ImGuiKey_Space);
    CHECK_FALSE(bench.app.playing());
    bench.set("layers", 31.0);
    press(ImGuiKey_Z, true);
    CHECK(bench.session().state().params.number("layers") == 24);
    press(ImGuiKey_Y, true);
    CHECK(bench.session().state().params.number("layers") == 31);
    press(ImGuiKey_M);
    CHECK(bench.app.folds().diagnostics);
    const std::string scene = bench.session().scene().id;
    press(ImGuiKey_RightBracket);
    CHECK(bench.session().scene().id != scene);
    press(ImGuiKey_LeftBracket);
    CHECK(bench.session().scene().id == scene);
}

TEST_CASE("Escape stops what is being computed, and so does the button that comes after a second") {
    Workbench bench;
    bench.pause();
    ImGuiIO& io = bench.app.screen().io();
    const auto frames = [&](int count) {
        for (int i = 0; i < count; ++i) bench.app.wake(), bench.frame();
    };
    bench.set("layers", 31.0);
    frames(20);
    REQUIRE(bench.app.lagging());
    io.AddKeyEvent(ImGuiKey_Escape, true);
    frames(3);
    io.AddKeyEvent(ImGuiKey_Escape, false);
    frames(3);
    CHECK_FALSE(bench.session().busy());
    CHECK(bench.runner->cancelled == 1);

    const auto pressCorner = [&] {
        const Rect picture = bench.app.layout().picture;
        io.AddMousePosEvent(static_cast<float>(picture.hi.x - 18), static_cast<float>(picture.lo.y + 18));
        frames(2);
        io.AddMouseButtonEvent(0, true);
        frames(3);
        io.AddMouseButtonEvent(0, false);
        frames(3);
    };
    bench.set("layers", 32.0);
    frames(20);
    pressCorner();
    CHECK(bench.session().busy());
    frames(60);
    pressCorner();
    CHECK_FALSE(bench.session().busy());
    CHECK(bench.runner->cancelled == 2);
}

TEST_CASE("Escape while a dropped file is tried leads back to the scene before, whose picture is drawn") {
    Workbench bench;
    bench.app.openLink("v=1&scene=recurrent");
    bench.pause();
    bench.session().attach("rubbish.npz", {1, 2, 3, 4});
    for (int i = 0; i < 20; ++i) bench.app.wake(), bench.frame();
    REQUIRE(bench.session().state().scene == "capacity-diffusion");
    REQUIRE(bench.app.lagging());
    bench.app.screen().io().AddKeyEvent(ImGuiKey_Escape, true);
    bench.app.wake();
    bench.frame();
    CHECK(bench.session().state().scene == "recurrent");
    CHECK(bench.app.drewLastFrame());
}

TEST_CASE("nothing plays while a handle of the picture or a slider is held") {
    Workbench bench;
    bench.settle();
    ImGuiIO& io = bench.app.screen().io();
    const auto& handles = bench.app.handles().shown();
    const auto start = std::find_if(handles.begin(), handles.end(), [](const Handle& handle) { return handle.id == "top"; });
    REQUIRE(start != handles.end());
    const Vec2 slider{bench.app.layout().params.centre().x, bench.app.layout().params.lo.y + 120};
    for (const Vec2 place : {start->rect.centre(), slider}) {
        io.AddMousePosEvent(static_cast<float>(place.x), static_cast<float>(place.y));
        bench.frame();
        io.AddMouseButtonEvent(0, true);
        for (int i = 0; i < 3; ++i) bench.frame();
        const double held = bench.app.at();
        for (int i = 0; i < 30; ++i) bench.frame();
        CHECK(bench.app.at() == held);
        REQUIRE(bench.app.playing());
        io.AddMouseButtonEvent(0, false);
        bench.settle();
        for (int i = 0; i < 30; ++i) bench.frame();
        CHECK(bench.app.at() != held);
    }
}

TEST_CASE("many inputs between two frames are all answered without another input") {
    Workbench bench;
    bench.pause();
    ImGuiIO& io = bench.app.screen().io();
    for (int i = 0; i < 9; ++i) {
        io.AddKeyEvent(ImGuiKey_Space, true);
        io.AddKeyEvent(ImGuiKey_Space, false);
    }
    bench.app.wake();
    for (int i = 0; i < 60; ++i) bench.frame();
    CHECK(bench.app.playing());  // an odd number of presses
}

TEST_CASE("a pointer at rest brings the tooltip, and then nothing more is drawn") {
    Workbench bench;
    bench.pause();
    const auto vertices = [] { return ImGui::GetDrawData()->TotalVtxCount; };
    const int before = vertices();
    const Rect toolbar = bench.app.layout().toolbar;
    bench.app.screen().io().AddMousePosEvent(static_cast<float>(toolbar.lo.x + 24), static_cast<float>(toolbar.centre().y));
    bench.app.wake();
    double next = 0, waited = 0;
    for (int i = 0; i < 40; ++i) {
        next = bench.frame(std::max(next, 0.001));
        waited += next > 0 ? next : 0;
    }
    CHECK(next == -1);
    CHECK(waited > 0.2);
    CHECK(vertices() > before + 40);
}

TEST_CASE("what was pressed shows no tooltip over its neighbours until the pointer has left it") {
    Workbench bench;
    bench.pause();
    ImGuiIO& io = bench.app.screen().io();
    const Rect timeline = bench.app.layout().timeline;
    const auto linger = [&](Vec2 at) {
        io.AddMousePosEvent(static_cast<float>(at.x), static_cast<float>(at.y));
        bench.app.wake();
        for (int i = 0; i < 40; ++i) bench.frame(0.03);
        return ImGui::GetDrawData()->TotalVtxCount;
    };
    const Vec2 next{timeline.lo.x + 74, timeline.centre().y}, nowhere{bench.app.layout().picture.lo + Vec2{2, 2}};
    const int quiet = linger(nowhere);
    CHECK(linger(next) > quiet + 40);
    io.AddMouseButtonEvent(0, true);
    bench.frame();
    io.AddMouseButtonEvent(0, false);
    bench.settle();
    bench.pause();
    const int pressed = linger(next), left = linger(nowhere);
    CHECK(pressed < left + 40);
    CHECK(linger(next) > left + 40);
}

TEST_CASE("a touch that begins on a control or handle is ours, elsewhere it is the page's") {
    Workbench bench;
    bench.pause();
    const Layout& layout = bench.app.layout();
    const Screen& screen = bench.app.screen();
    CHECK(screen.interactiveAt({layout.timeline.lo.x + 74, layout.timeline.centre().y}));
    CHECK_FALSE(screen.interactiveAt(layout.picture.centre()));
    CHECK_FALSE(screen.scrollableAt(layout.params.centre()));
    REQUIRE_FALSE(bench.app.handles().shown().empty());
    for (const auto& handle : bench.app.handles().shown()) CHECK(bench.app.handles().hits(handle.rect.centre(), 0));
}

TEST_CASE("a panel longer than its place takes the wheel") {
    Workbench bench;
    bench.size.width = 390;
    bench.size.height = 844;
    bench.pause();
    CHECK(bench.app.screen().scrollableAt(bench.app.layout().params.centre()));
    CHECK_FALSE(bench.app.screen().scrollableAt(bench.app.layout().picture.centre()));
}

TEST_CASE("dragging along the timeline moves it with the pointer, and one step back is where it stood") {
    Workbench bench;
    bench.pause();
    const Rect bar = bench.app.layout().timeline;
    const double before = bench.app.at();
    ImGuiIO& io = bench.app.screen().io();
    const auto frames = [&] {
        bench.app.wake();
        for (int i = 0; i < 4; ++i) bench.frame();
    };
    const auto y = static_cast<float>(bar.centre().y);
    io.AddMousePosEvent(static_cast<float>(bar.lo.x + 300), y);
    frames();
    io.AddMouseButtonEvent(0, true);
    frames();
    const double first = bench.app.at();
    io.AddMousePosEvent(static_cast<float>(bar.lo.x + 500), y);
    frames();
    const double second = bench.app.at();
    io.AddMouseButtonEvent(0, false);
    frames();
    CHECK(first > second + 2);  // to the right is later: nearer to the input
    CHECK(bench.app.at() == second);
    CHECK(bench.frame() == -1);
    REQUIRE(bench.session().canUndo());
    bench.app.undo();
    CHECK(bench.app.at() == before);
    CHECK_FALSE(bench.session().canUndo());
    bench.app.redo();
    CHECK(bench.app.at() == second);
}

TEST_CASE("playing leaves no step to undo; undo of a param leaves the timeline where it is, undo of its move brings it back") {
    Workbench bench;
    bench.settle();
    for (int i = 0; i < 200; ++i) bench.frame();
    CHECK_FALSE(bench.session().canUndo());
    bench.pause();
    bench.now += 2;
    bench.app.scrub(9);
    bench.now += 2;
    bench.set("kernel", std::string("random"));
    bench.settle();
    bench.now += 2;
    bench.app.step(1);
    for (int i = 0; i < 3; ++i) bench.frame();  // on its way
    bench.app.undo();
    bench.settle();
    CHECK(bench.app.at() == 9);
    bench.app.play(true);
    for (int i = 0; i < 60; ++i) bench.frame();
    const double played = bench.app.at();
    CHECK(played != 9);
    bench.app.undo();
    CHECK(bench.session().state().params.is("kernel", "uniform"));
    CHECK(bench.app.at() == doctest::Approx(played));
}

TEST_CASE("fifty random edits, undone one by one, lead back to the start, and redone to the end") {
    for (const std::uint32_t seed : {1u, 2u}) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const auto upTo = [&](std::uint32_t most) { return random() % (most + 1); };
        Workbench bench;
        bench.pause();
        const State start = bench.session().state();
        int moves = 0;
        for (int edit = 0; edit < 50; ++edit) {
            bench.now += 2;
            const auto& presets = bench.session().scene().presets;
            switch (upTo(5)) {
                case 0:
                    bench.session().change(Change::scene(upTo(1) ? "capacity-diffusion" : "deep-limit"));
                    break;
                case 1:
                    bench.session().change(Change::preset(presets[upTo(1)].name));
                    break;
                case 2:
                    bench.app.step(upTo(1) ? 1 : -1);
                    break;
                case 3:
                    bench.set("layers", 4.0 + upTo(20));
                    break;
                default:
                    bench.app.scrub(upTo(30) / 2.0);
                    ++moves;
            }
            bench.settle();
            bench.app.play(false);
        }
        REQUIRE(moves > 5);
        const State end = bench.session().state();
        int steps = 0;
        for (; bench.session().canUndo() && steps < 100; ++steps) bench.app.undo();
        CHECK(steps >= 25);
        CHECK(formatLink(bench.session().state()) == formatLink(start));
        CHECK(bench.session().state() == start);
        while (bench.session().canRedo()) bench.app.redo();
        CHECK(formatLink(bench.session().state()) == formatLink(end));
    }
}

TEST_CASE("on a page the wheel alone does not zoom the picture, with the zoom key it does; in a window it always does") {
    for (const bool native : {false, true})
        for (const bool zoomKey : {false, true}) {
            Workbench bench;
            Options options;
            options.native = native;
            bench.app.setOptions(options);
            bench.pause();
            // Over the plot at the bottom of the picture's left half.
            const Rect picture = bench.app.layout().picture;
            const Vec2 at{picture.lo.x + 250, picture.hi.y - 80};
            ImGuiIO& io = bench.app.screen().io();
            io.AddMousePosEvent(static_cast<float>(at.x), static_cast<float>(at.y));
            bench.app.wake();
            bench.frame();
            if (zoomKey)
                bench.app.screen().pinch(at, 1.2);
            else
                io.AddMouseWheelEvent(0, 1);
            bench.app.wake();
            bench.settle();
            CAPTURE(native);
            CAPTURE(zoomKey);
            CHECK(bench.session().state().zooms.empty() == (!native && !zoomKey));
        }
}
