// What holds for the picture of every scene, with every preset, at desktop and phone size, on paper and at night. A new scene joins by
// existing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

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

}  // namespace

TEST_CASE("every scene's default picture keeps what pictures promise" * doctest::test_suite("defaults")) {
    for (const auto& scene : testedScenes()) checkPicture(initialState(scene.id), looks().front());
}

TEST_CASE("every picture is finite, within its area, legible, untouched at rest, its handles in range, theory dashed, measurement solid" *
          doctest::test_suite("long")) {
    for (const auto& scene : testedScenes())
        for (const auto& preset : scene.presets) {
            std::vector<std::string> warnings;
            for (const State& state : alongTimeline(apply(initialState(scene.id), Change::preset(preset.name), warnings)))
                for (const Look& look : looks()) checkPicture(state, look);
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
