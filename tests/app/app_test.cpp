#include "app/app.h"

#include <doctest/doctest.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "app/describe.h"
#include "app/screen.h"
#include "bench_runner.h"
#include "jobs/export.h"
#include "support/complete_set.h"

using namespace kappaflow;

namespace {

std::vector<DrawnMark> drawn(App& app) {
    Recorder recorder;
    app.drawPicture(recorder, {{0, 0}, {800, 600}});
    return recorder.marks;
}

}  // namespace

TEST_CASE("when nothing moves no frame is wanted and none is drawn; an input is worth three, a new size some") {
    Workbench bench;
    bench.pause();
    CHECK(bench.settle() == -1);
    const auto frames = bench.app.counters().frames;
    for (int i = 0; i < 50; ++i) CHECK(bench.frame() == -1);
    CHECK(bench.app.counters().frames == frames);
    CHECK_FALSE(bench.app.needsFrame());
    bench.app.wake();
    for (int i = 0; i < 10; ++i) bench.frame();
    CHECK(bench.app.counters().frames == frames + 3);
    bench.size.pixelRatio = 2;
    bench.frame();
    CHECK(bench.app.counters().frames > frames + 3);
}

TEST_CASE("where a bundle's drawing code comes later, nothing is drawn before and everything after") {
    Workbench bench;
    bool there = false;
    bench.app.setPicturesReady([&](const std::string& bundle) { return there || bundle == "flow"; });
    bench.pause();
    bench.settle();
    CHECK_FALSE(drawn(bench.app).empty());
    bench.app.session().change(Change::scene("shattering"));
    bench.settle();
    REQUIRE(bench.app.session().report());
    CHECK(drawn(bench.app).empty());
    CHECK(figureSvg(bench.app, {}).empty());
    there = true;
    bench.app.wake();
    bench.settle();
    CHECK_FALSE(drawn(bench.app).empty());
    CHECK_FALSE(figureSvg(bench.app, {}).empty());
}

TEST_CASE("whatever the picture takes for drawing, the whole report has every number, also after another scene was looked at") {
    Workbench bench;
    bench.pause();
    const auto numbers = [&](const Report* report) {
        REQUIRE(report);
        std::size_t sum = 0;
        for (const Array& array : report->arrays) sum += array.values.size();
        return sum;
    };
    const std::string scene = bench.session().state().scene;
    const std::size_t all = numbers(bench.app.wholeReport());
    const auto marks = drawn(bench.app);
    CHECK(numbers(bench.session().report()) < all);  // held once: by the picture
    CHECK(numbers(bench.app.wholeReport()) == all);
    CHECK(drawn(bench.app) == marks);
    CHECK(exportReport(*bench.app.wholeReport(), "json").size() > 2 * all);
    // Away and back before the other scene has its first result.
    bench.session().change(Change::scene("shattering"));
    bench.frame();
    bench.session().change(Change::scene(scene));
    bench.frame();
    CHECK(numbers(bench.app.wholeReport()) == all);
    // A saved network may come without numbers: those on screen stay.
    bench.settle();
    const std::size_t shown = numbers(bench.app.wholeReport());
    bench.session().askForNetworkFile();
    bench.app.forgetNumbers();
    bench.settle();
    CHECK(bench.session().hasNetworkFile());
    CHECK(numbers(bench.app.wholeReport()) == shown);
    bench.set("layers", 20.0);
    bench.settle();
    bench.app.forgetNumbers();
    CHECK(drawn(bench.app).size() < marks.size());  // a sentence, until the next result
    bench.set("layers", 21.0);
    bench.settle();
    CHECK(numbers(bench.app.wholeReport()) > 0);
}

TEST_CASE("a figure offers no controls and no examples, a lesson its main ones, and a page may take panels away") {
    Workbench bench;
    bench.pause();
    const auto offered = [&](UiMode ui, std::set<std::string, std::less<>> hide = {}, std::set<std::string, std::less<>> lock = {}) {
        Options options;
        options.ui = ui;
        options.hide = std::move(hide);
        options.lock = std::move(lock);
        bench.app.setOptions(options);
        bench.settle();
        std::set<std::string> keys;
        for (const auto& control : controlsOf(bench.app))
            if (control.offered) keys.insert(control.param->key);
        return keys;
    };
    const auto full = offered(UiMode::Full), lesson = offered(UiMode::Lesson);
    CHECK(full.size() > lesson.size());
    CHECK(std::includes(full.begin(), full.end(), lesson.begin(), lesson.end()));
    CHECK(lesson.contains("layers"));
    CHECK(examplesOf(bench.app).size() == bench.session().scene().presets.size());
    CHECK(bench.app.layout().timeline.height() > 0);
    CHECK_FALSE(bench.app.handles().shown().empty());

    CHECK(offered(UiMode::Figure).empty());
    CHECK(examplesOf(bench.app).empty());
    CHECK_FALSE(bench.app.handles().shown().empty());

    const auto less = offered(UiMode::Full, {"examples", "timeline", "handles"}, {"layers"});
    CHECK(less.size() == full.size() - 1);
    CHECK_FALSE(less.contains("layers"));
    CHECK(examplesOf(bench.app).empty());
    CHECK(bench.app.layout().timeline.height() == 0);
    CHECK(bench.app.handles().shown().empty());
}

TEST_CASE("the timeline plays by itself from its beginning, a sleep between two frames is no motion, and a preset starts it anew") {
    Workbench bench;
    bench.settle();
    REQUIRE(bench.app.hasTimeline());
    CHECK(bench.app.playing());
    const double early = bench.app.at();
    CHECK(early > 20);  // from the output down
    for (int i = 0; i < 200; ++i) CHECK(bench.frame() == 0);
    const double later = bench.app.at();
    CHECK(later < early - 1);
    bench.frame(600);
    CHECK(later - bench.app.at() < 1);
    bench.session().change(Change::preset("Ring 129, 48 layers"));
    bench.settle();
    CHECK(bench.app.at() > 40);
}

TEST_CASE("a scene plays once; what is changed then is shown at its end, and the button plays it again") {
    Workbench bench;
    bench.app.openLink("v=1&scene=trajectory-length&width=20&sweepDraws=0");
    bench.settle();
    const std::string link = bench.app.link();
    const auto end = [&] { return bench.app.playhead().track().steps.back(); };
    for (int i = 0; i < 3000 && bench.app.playing(); ++i) bench.frame();
    CHECK_FALSE(bench.app.playing());
    CHECK(bench.app.at() == end());
    CHECK(bench.app.link() == link);
    const double before = end();
    bench.set("layers", before + 3);
    bench.settle();
    REQUIRE(end() != before);
    CHECK(bench.app.at() == end());
    CHECK_FALSE(bench.app.playing());
    bench.app.togglePlay();
    bench.frame();
    CHECK(bench.app.playing());
    CHECK(bench.app.at() < 1);
}

TEST_CASE("where motion is not wanted nothing starts by itself, and playing is still to be had") {
    Workbench bench;
    Options options;
    options.reducedMotion = true;
    bench.app.setOptions(options);
    bench.settle();
    CHECK_FALSE(bench.app.playing());
    const double at = bench.app.at();
    for (int i = 0; i < 30; ++i) bench.frame();
    CHECK(bench.app.at() == at);
    CHECK(bench.frame() == -1);
    bench.app.play(true);
    for (int i = 0; i < 130; ++i) bench.frame();
    CHECK(bench.app.playing());
    CHECK(bench.app.at() != at);
}

TEST_CASE("stepping and scrubbing stop the playing and reach their place") {
    Workbench bench;
    bench.settle();
    bench.app.scrub(10.5);
    bench.frame();
    CHECK_FALSE(bench.app.playing());
    CHECK(bench.app.at() == 10.5);
    bench.app.step(1);
    for (int i = 0; i < 60; ++i) bench.frame();
    CHECK(bench.app.at() == doctest::Approx(10));
    bench.app.step(-1);
    for (int i = 0; i < 60; ++i) bench.frame();
    CHECK(bench.app.at() == doctest::Approx(11));
    CHECK(bench.frame() == -1);
}

TEST_CASE("speed scales how fast playing goes, by its own control and keys' steps, and is kept within bounds") {
    const auto advanced = [](double speed) {
        Workbench bench;
        bench.app.setSpeed(speed);
        bench.settle();
        const double from = bench.app.playhead().timeOf(bench.app.at());
        for (int i = 0; i < 30; ++i) bench.frame();
        return bench.app.playhead().timeOf(bench.app.at()) - from;
    };
    const double usual = advanced(1), slow = advanced(0.25), fast = advanced(4);
    CHECK(slow < 0.5 * usual);
    CHECK(fast > 2 * usual);
    Workbench bench;
    for (const auto [given, kept] : {std::pair{3.0, 3.0}, {100.0, 10.0}, {-1.0, 0.1}, {std::nan(""), 1.0}}) {
        bench.app.setSpeed(given);
        CHECK(bench.app.speed() == kept);
    }
    bench.app.setSpeed(3);
    const auto version = bench.app.version();
    bench.app.changeSpeed(1);
    CHECK(bench.app.speed() == 4);
    bench.app.changeSpeed(1);
    CHECK(bench.app.speed() == 4);
    for (int i = 0; i < 9; ++i) bench.app.changeSpeed(-1);
    CHECK(bench.app.speed() == 0.25);
    bench.frame();
    CHECK(bench.app.version() > version);
}

TEST_CASE("a lesson's first view has at most seven controls in every scene") {
    Workbench bench;
    Options options;
    options.ui = UiMode::Lesson;
    bench.app.setOptions(options);
    for (const Declaration& scene : declarations()) {
        bench.app.openLink("v=1&scene=" + scene.id);
        std::size_t offered = 0;
        std::string keys;
        for (const auto& control : controlsOf(bench.app))
            if (control.offered) ++offered, keys += " " + std::string(control.param->key);
        CHECK_MESSAGE(offered <= 7, scene.id << ":" << keys);
    }
}

TEST_CASE("a running timeline leaves the link alone, a stopped one is in it, and such a link is taken at its word") {
    Workbench bench;
    bench.settle();
    const std::string link = bench.app.link();
    for (int i = 0; i < 40; ++i) bench.frame();
    CHECK(bench.app.link() == link);
    bench.app.scrub(7.5);
    CHECK(bench.app.link().find("at=7.5") != std::string::npos);
    bench.app.openLink("v=1&scene=capacity-diffusion&play=false&at=9.25");
    bench.settle();
    CHECK(bench.app.at() == 9.25);
}

TEST_CASE("while playing, mirrors hear of every step, not of every frame") {
    Workbench bench;
    bench.settle();
    const auto before = bench.app.version();
    const double from = bench.app.at();
    for (int i = 0; i < 120; ++i) bench.frame();
    const double steps = from - bench.app.at();
    REQUIRE(steps > 3);
    CHECK(bench.app.version() - before <= steps + 1);
    CHECK(bench.app.version() - before >= steps - 1);
}

TEST_CASE("an answer that takes its time is announced once, without drawing on and on") {
    Workbench bench;
    bench.pause();
    bench.set("layers", 30.0);
    for (int i = 0; i < 4; ++i) bench.frame();
    CHECK_FALSE(bench.app.lagging());
    bench.frame(0.3);
    CHECK(bench.app.lagging());
    bench.frame();
    const auto frames = bench.app.counters().frames;
    for (int i = 0; i < 20; ++i) CHECK(bench.frame() > 0);
    CHECK(bench.app.counters().frames == frames);
    bench.settle();
    CHECK_FALSE(bench.app.lagging());
}

TEST_CASE("all panels of every scene draw, in every mode, theme and size, and with everything open" * doctest::test_suite("defaults")) {
    // All 30 looks in an order that changes mode, theme and size at once. Scenes take one each in turn, in the complete set all.
    // What computes long is kept short there: it is tested with the scenes.
    const std::map<std::string, const char*> shorter{{"training-tradeoff", "&steps=100"},    {"remaining-depth", "&epochs=2"},
                                                     {"trajectory-length", "&sweepDraws=2"}, {"moments", "&draws=2"},
                                                     {"moment-diffusion", "&draws=100"},     {"sensitivity-theorems", "&draws=4"}};
    constexpr UiMode kModes[] = {UiMode::Full, UiMode::Lesson, UiMode::Figure};
    constexpr std::pair<double, double> kSizes[] = {{360, 640}, {390, 844}, {768, 1024}, {1280, 800}, {201, 150}};
    constexpr std::size_t kLooks = 30;
    std::size_t look = 0;
    for (const auto& scene : declarations()) {
        Workbench bench;
        bench.app.setNotesSource([](std::string_view) { return readNotes("# Words\n\nSome of *them*.\n\n- one\n"); });
        const auto found = shorter.find(scene.id);
        bench.app.openLink("v=1&scene=" + scene.id + (found == shorter.end() || completeSet() ? "" : found->second));
        for (std::size_t end = look + (completeSet() ? kLooks : 1); look < end; ++look) {
            const auto& [width, height] = kSizes[look % 5];
            const bool dark = look % 2 == 1;
            CAPTURE(scene.id);
            CAPTURE(look % kLooks);
            bench.size.width = width;
            bench.size.height = height;
            Options options;
            options.ui = kModes[look % 3];
            options.dark = dark;
            options.native = true;
            bench.app.setOptions(options);
            bench.app.folds() = {dark, true, dark, true};
            bench.session().say("A sentence that is shown.");
            bench.settle();
            const auto* data = ImGui::GetDrawData();
            REQUIRE(data);
            CHECK(data->TotalVtxCount > 100);
        }
    }
}

TEST_CASE("hidden params have no control and are said to have none") {
    Workbench bench;
    Options options;
    options.hide = {"kernel", "seed"};
    bench.app.setOptions(options);
    const auto controls = controlsOf(bench.app);
    const auto visible = [&](std::string_view key) {
        for (const auto& control : controls)
            if (control.param->key == key) return control.visible;
        FAIL("no such param");
        return false;
    };
    CHECK_FALSE(visible("kernel"));
    CHECK_FALSE(visible("seed"));
    CHECK_FALSE(visible("at"));
    CHECK_FALSE(visible("epsilon"));  // plain layers have none
    CHECK(visible("layers"));
    bench.settle();
    const auto all = bench.app.screen().interactiveCount();
    bench.app.setOptions({});
    bench.settle();
    CHECK(bench.app.screen().interactiveCount() > all);
}

TEST_CASE("a handle moves without any pointer, with and without a screen") {
    for (const bool screen : {true, false}) {
        Workbench bench;
        if (!screen) bench.app.screen().useHeadless(false);
        bench.pause();
        const auto handles = bench.app.handles().shown();
        REQUIRE_FALSE(handles.empty());
        const auto wide = std::find_if(handles.begin(), handles.end(), [](const Handle& h) { return h.max - h.min >= 4 * h.step; });
        REQUIRE(wide != handles.end());
        const double place = std::round((wide->value - wide->min) / wide->step);
        const double to = wide->min + (place >= 2 ? place - 2 : place + 2) * wide->step;
        const State before = bench.session().state();
        const auto version = bench.app.version();
        bench.app.moveHandle(wide->id, to);
        bench.settle();
        CHECK_FALSE(bench.session().state() == before);
        CHECK(bench.app.version() > version);
        for (const auto& handle : bench.app.handles().shown())
            if (handle.id == wide->id) CHECK(handle.value == doctest::Approx(to));
    }
}
