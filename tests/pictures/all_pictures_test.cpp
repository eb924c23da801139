// What holds for the picture of every scene, with every preset, at desktop and phone size, on paper and at night. A new scene joins by
// existing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "jobs/codec.h"
#include "scene/report.h"
#include "scenes/picture.h"
#include "support/picture_checks.h"
#include "support/tested_scenes.h"

using namespace kappaflow;

namespace {

const Rect kDesktop{{210, 60}, {1010, 640}}, kPhone{{0, 0}, {390, 430}}, kNarrow{{0, 0}, {360, 330}}, kFigure{{0, 0}, {720, 300}};

struct Look {
    Rect area;
    bool compact;
    const Theme& theme;
};
std::vector<Look> looks() {
    return {{kDesktop, false, Theme::light()},
            {kDesktop, false, Theme::night()},
            {kPhone, true, Theme::light()},
            {kNarrow, true, Theme::night()},
            {kFigure, true, Theme::light()}};
}

void checkText(Recorder& recorder, const DrawnMark& mark, const Rect& area) {
    CAPTURE(mark.text);
    const Rect box = boxOf(recorder, mark);
    const bool inside = box.lo.x >= area.lo.x - 1 && box.lo.y >= area.lo.y - 1 && box.hi.x <= area.hi.x + 1 && box.hi.y <= area.hi.y + 1;
    CHECK_MESSAGE(inside, "the text leaves the picture");
    REQUIRE_FALSE(mark.numbers.empty());
    CHECK(mark.numbers[0] >= 12);
}

void checkDash(const DrawnMark& mark) {
    const auto holds = [&](const char* word) { return mark.id.find(word) != std::string::npos; };
    if (holds("theory")) CHECK(mark.dash == Dash::Dashed);
    if (holds("measured") || holds("capacity")) CHECK(mark.dash == Dash::Solid);
}

void checkHandle(const Handle& handle, const Rect& area) {
    CAPTURE(handle.id);
    CHECK_FALSE(handle.label.empty());
    CHECK_FALSE(handle.valueText.empty());
    CHECK(handle.value >= handle.min);
    CHECK(handle.value <= handle.max);
    CHECK(handle.rect.hi.x > area.lo.x);
    CHECK(handle.rect.lo.x < area.hi.x);
}

/// A picture of a state as the app draws it, with the pointer away, and all that is promised of it.
void checkPicture(const State& state, const Look& look) {
    CAPTURE(formatLink(state));
    CAPTURE(look.area.width());
    Recorder recorder;
    Handles handles;
    handles.beginFrame({});
    PictureFrame frame{.painter = recorder,
                       .theme = look.theme,
                       .handles = handles,
                       .report = reportOf(state),
                       .reportVersion = 1,
                       .state = state,
                       .area = look.area,
                       .compact = look.compact};
    makePicture(state.scene)->draw(frame);
    CHECK_MESSAGE(frame.changes.empty(), "a picture that nobody touches asks for a change");
    CHECK(recorder.marks.size() > 20);
    for (const auto& mark : recorder.marks) {
        CAPTURE(mark.id);
        const auto finite = [](const Vec2& p) { return std::isfinite(p.x) && std::isfinite(p.y); };
        CHECK(std::all_of(mark.points.begin(), mark.points.end(), finite));
        if (mark.kind == "text") checkText(recorder, mark, look.area);
        if (mark.kind == "line") checkDash(mark);
    }
    handles.beginFrame({});
    for (const auto& handle : handles.shown()) checkHandle(handle, look.area);
}

/// The state at its beginning, on the way and at its end, where it has a timeline.
std::vector<State> alongTimeline(State state) {
    const std::string_view at = findDeclaration(state.scene)->timeline.param;
    if (at.empty()) return {state};
    std::vector<State> states;
    for (const double place : {0.0, 3.4, 1e9}) {
        state.params.set(at, place);
        states.push_back(state);
    }
    return states;
}

/// The picture with everything drawn, its pointer away.
std::vector<DrawnMark> marksOf(const State& state) {
    Shown shown(state.scene, {});
    shown.state = state;
    shown.report = reportOf(state);
    shown.area = kDesktop;
    shown.draw();
    return shown.recorder.marks;
}

bool startsWithAny(const std::string& id, std::initializer_list<const char*> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(), [&](const char* beginning) { return id.rfind(beginning, 0) == 0; });
}

/// "profile/tick-label-y 0.02 at 47, 511.5", and the bars that say how large what has no axes is. Not those of capacity diffusion whose
/// axis is a layer's own width.
std::vector<std::string> tickLabels(const State& state) {
    std::vector<std::string> labels;
    for (const auto& mark : marksOf(state)) {
        if (mark.kind == "line" && mark.id == "image/scale")
            for (const Vec2& end : mark.points) labels.push_back(mark.id + " " + inWords(end.x, 4) + ", " + inWords(end.y, 4));
        if (mark.kind == "text" && mark.id.find("/tick-label") != std::string::npos &&
            (state.scene != "capacity-diffusion" || !startsWithAny(mark.id, {"profile/tick-label-x", "shares/tick-label", "plane/"})))
            labels.push_back(mark.id + " " + mark.text + " at " + inWords(mark.points[0].x, 4) + ", " + inWords(mark.points[0].y, 4));
    }
    return labels;
}

/// Texts with a number; not those that say where the timeline itself stands: lower-layers' scale, told in its own finer steps, and
/// dichotomies counted up to an angle.
std::set<std::string> texts(const State& state) {
    std::set<std::string> all;
    for (const auto& mark : marksOf(state))
        if (mark.kind == "text" && mark.text.find_first_of("0123456789") != std::string::npos &&
            !startsWithAny(mark.id, {"network/scale/", "output/title", "running/value"}))
            all.insert(mark.id + ": " + mark.text);
    return all;
}

/// Values of the timeline's axis.
std::vector<double> stepsOf(const State& state) {
    const auto& timeline = findDeclaration(state.scene)->timeline;
    for (const auto& array : reportOf(state).arrays)
        for (const auto& axis : array.axes)
            if (axis.name == timeline.axis) return axis.values;
    return {};
}

}  // namespace

TEST_CASE("every picture is finite, within its area, legible, untouched at rest, its handles in range, theory dashed, measurement solid" *
          doctest::test_suite("long")) {
    for (const auto& scene : testedScenes())
        for (const auto& preset : scene.presets) {
            std::vector<std::string> warnings;
            for (const State& state : alongTimeline(apply(initialState(scene.id), Change::preset(preset.name), warnings)))
                for (const Look& look : looks()) checkPicture(state, look);
        }
}

TEST_CASE("axes stand still while the timeline moves" * doctest::test_suite("long")) {
    for (const auto& scene : testedScenes())
        for (const auto& preset : scene.presets) {
            std::vector<std::string> warnings;
            std::vector<std::string> seen;
            for (const State& state : alongTimeline(apply(initialState(scene.id), Change::preset(preset.name), warnings))) {
                const std::string link = formatLink(state);
                CAPTURE(link);
                const auto axes = tickLabels(state);
                if (seen.empty()) seen = axes;
                CHECK(axes == seen);
            }
        }
}

TEST_CASE("between two steps of the timeline every number that is written belongs to one of them" * doctest::test_suite("long")) {
    for (const auto& scene : testedScenes()) {
        if (scene.timeline.param.empty()) continue;
        for (const auto& preset : scene.presets) {
            std::vector<std::string> warnings;
            State state = apply(initialState(scene.id), Change::preset(preset.name), warnings);
            const auto steps = stepsOf(state);
            if (steps.size() < 2) continue;
            for (const std::size_t k : {std::size_t{0}, (steps.size() - 1) / 2, steps.size() - 2}) {
                state.params.set(scene.timeline.param, steps[k]);
                auto known = texts(state);
                state.params.set(scene.timeline.param, steps[k + 1]);
                known.merge(texts(state));
                state.params.set(scene.timeline.param, steps[k] + 0.3 * (steps[k + 1] - steps[k]));
                const std::string link = formatLink(state);
                CAPTURE(link);
                for (const std::string& text : texts(state)) CHECK_MESSAGE(known.count(text), text);
            }
        }
    }
}

TEST_CASE("a picture whose copy of the report was freed draws the same again") {
    for (const auto& scene : testedScenes()) {
        CAPTURE(scene.id);
        Shown shown(scene.id, {});
        shown.draw();
        shown.draw();
        const auto before = shown.recorder.marks;
        shown.picture->free();
        shown.draw();
        CHECK(shown.recorder.marks == before);
    }
}

TEST_CASE("a picture that takes the report's arrays draws the same as with copies, and gives all back") {
    for (const auto& scene : testedScenes()) {
        CAPTURE(scene.id);
        Shown copying(scene.id, {}), taking(scene.id, {});
        copying.draw();
        const auto whole = encodeReport(taking.report);
        for (int time = 0; time < 2; ++time) {  // the second time with what it remembers of the first
            taking.picture->take(taking.report, taking.reportVersion);
            taking.picture->take(taking.report, taking.reportVersion);
            CHECK(encodeReport(taking.report).size() < whole.size());
            taking.draw();
            CHECK(taking.recorder.marks == copying.recorder.marks);
            taking.picture->giveBack(taking.report, taking.reportVersion);
            taking.picture->giveBack(taking.report, taking.reportVersion);
            CHECK(encodeReport(taking.report) == whole);
            copying.draw();
        }
    }
}

TEST_CASE("a picture of an empty report says so instead of failing") {
    for (const auto& declaration : testedScenes()) {
        Recorder recorder;
        Handles handles;
        handles.beginFrame({});
        const Report nothing;
        const State state = initialState(declaration.id);
        PictureFrame frame{.painter = recorder,
                           .theme = Theme::light(),
                           .handles = handles,
                           .report = nothing,
                           .reportVersion = 0,
                           .state = state,
                           .area = kDesktop};
        makePicture(declaration.id)->draw(frame);
        REQUIRE(recorder.marks.size() == 1);
        CHECK_FALSE(recorder.marks[0].text.empty());
    }
}
