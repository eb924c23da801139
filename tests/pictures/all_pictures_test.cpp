// What holds for the picture of every scene, with every preset, at desktop and phone size, on paper and at night. A new scene joins by
// existing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "scenes/picture.h"
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

struct Drawn {
    Recorder recorder;
    Report report;
    std::vector<Change> changes;
};

// The report of a state. It depends on what is computed alone, not on the view: it is computed once for all the times a preset is drawn.
const Report& reportOf(const State& state) {
    static std::map<std::string, Report> known;
    State computed = state;
    for (const auto& param : findDeclaration(state.scene)->params)
        if (param.affects == Affects::View) computed.params.set(param.key, param.standard);
    const auto [place, isNew] = known.try_emplace(formatLink(computed));
    if (isNew) {
        Request request;
        request.scene = computed.scene;
        request.params = computed.params;
        place->second = runRequest(request);
    }
    return place->second;
}

// A picture of a state as the app draws it, with the pointer away.
void draw(Drawn& drawn, const State& state, Rect area, bool compact, const Theme& theme, Handles& handles, Pointer pointer = {}) {
    drawn.report = reportOf(state);
    handles.beginFrame(pointer);
    PictureFrame frame{.painter = drawn.recorder,
                       .theme = theme,
                       .handles = handles,
                       .report = drawn.report,
                       .reportVersion = 1,
                       .state = state,
                       .area = area,
                       .compact = compact};
    makePicture(state.scene)->draw(frame);
    drawn.changes = frame.changes;
}

State withPreset(const Declaration& declaration, const Preset& preset, double at) {
    std::vector<std::string> warnings;
    State state = apply(initialState(declaration.id), Change::preset(preset.name), warnings);
    if (!declaration.timeline.param.empty()) state.params.set(declaration.timeline.param, at);
    return state;
}

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

template <class Check>
void forEveryPicture(Check&& check) {
    for (const auto& declaration : declarations())
        for (const auto& preset : declaration.presets)
            for (const auto& look : looks())
                for (double at : {0.0, 3.4, 1e9}) {
                    CAPTURE(declaration.id);
                    CAPTURE(preset.name);
                    CAPTURE(look.area.width());
                    CAPTURE(at);
                    Drawn drawn;
                    Handles handles;
                    draw(drawn, withPreset(declaration, preset, at), look.area, look.compact, look.theme, handles);
                    check(drawn, look, handles);
                }
}

}  // namespace

TEST_CASE("every picture draws something with finite coordinates" * doctest::test_suite("long")) {
    forEveryPicture([](Drawn& drawn, const Look&, Handles&) {
        CHECK(drawn.recorder.marks.size() > 20);
        for (const auto& mark : drawn.recorder.marks)
            for (const Vec2& p : mark.points) {
                CAPTURE(mark.id);
                CHECK(std::isfinite(p.x));
                CHECK(std::isfinite(p.y));
            }
    });
}

TEST_CASE("text in a picture stays inside it and is never below 12 pixels") {
    forEveryPicture([](Drawn& drawn, const Look& look, Handles&) {
        for (const auto& mark : drawn.recorder.marks) {
            if (mark.kind != "text") continue;
            CAPTURE(mark.id);
            CAPTURE(mark.text);
            const Rect box = boxOf(drawn.recorder, mark);
            CHECK(box.lo.x >= look.area.lo.x - 1);
            CHECK(box.lo.y >= look.area.lo.y - 1);
            CHECK(box.hi.x <= look.area.hi.x + 1);
            CHECK(box.hi.y <= look.area.hi.y + 1);
            REQUIRE_FALSE(mark.numbers.empty());
            CHECK(mark.numbers[0] >= 12);
        }
    });
}

TEST_CASE("a picture that nobody touches asks for no change") {
    forEveryPicture([](Drawn& drawn, const Look&, Handles&) { CHECK(drawn.changes.empty()); });
}

TEST_CASE("every handle has a label, a value inside its range, and a place inside the picture") {
    forEveryPicture([](Drawn&, const Look& look, Handles& handles) {
        handles.beginFrame({});
        for (const auto& handle : handles.shown()) {
            CAPTURE(handle.id);
            CHECK_FALSE(handle.label.empty());
            CHECK_FALSE(handle.valueText.empty());
            CHECK(handle.value >= handle.min);
            CHECK(handle.value <= handle.max);
            CHECK(handle.rect.hi.x > look.area.lo.x);
            CHECK(handle.rect.lo.x < look.area.hi.x);
        }
    });
}

TEST_CASE("a picture of an empty report says so instead of failing") {
    for (const auto& declaration : declarations()) {
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

TEST_CASE("theory is dashed and measurement is solid wherever both are drawn") {
    forEveryPicture([](Drawn& drawn, const Look&, Handles&) {
        for (const auto& mark : drawn.recorder.marks) {
            if (mark.kind != "line") continue;
            CAPTURE(mark.id);
            if (mark.id.find("theory") != std::string::npos) CHECK(mark.dash == Dash::Dashed);
            if (mark.id.find("measured") != std::string::npos || mark.id.find("capacity") != std::string::npos)
                CHECK(mark.dash == Dash::Solid);
        }
    });
}
