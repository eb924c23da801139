#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scenes/picture.h"
#include "support/report_cache.h"
#include "support/text_boxes.h"

namespace kappaflow {

/// Values of params by their keys.
using Named = std::vector<std::pair<std::string, Value>>;

/// A scene's picture of its own report, or of one made by hand, drawn again and again by the same Picture.
struct Shown {
    State state;
    Report report;
    std::uint64_t reportVersion = 1;
    Recorder recorder;
    Handles handles;
    std::unique_ptr<Picture> picture;
    Rect area{{0, 0}, {1000, 620}};
    bool compact = false;

    Shown(const std::string& scene, const Named& values) : state(initialState(scene)) {
        std::vector<std::string> warnings;
        for (const auto& [key, value] : values) state = apply(state, Change::param(key, value), warnings);
        REQUIRE(warnings.empty());
        report = reportOf(state);
        picture = makePicture(scene);
    }
    explicit Shown(Report made) : state(initialState(made.scene)), report(std::move(made)), picture(makePicture(state.scene)) {}
    void show(Report next) { report = std::move(next), ++reportVersion; }
    void set(const std::string& key, Value value) {
        std::vector<std::string> warnings;
        state = apply(state, Change::param(key, std::move(value)), warnings);
        REQUIRE(warnings.empty());
    }
    PictureFrame frame(const Pointer& pointer) {
        handles.beginFrame(pointer);
        return {.painter = recorder,
                .theme = Theme::light(),
                .handles = handles,
                .report = report,
                .reportVersion = reportVersion,
                .state = state,
                .area = area,
                .compact = compact};
    }
    std::vector<Change> draw(const Pointer& pointer = {}) {
        recorder.marks.clear();
        PictureFrame f = frame(pointer);
        picture->draw(f);
        return f.changes;
    }
    /// What the picture asks for after a handle is moved by the keyboard or its HTML element.
    std::vector<Change> afterMove(const std::string& handle, double value) {
        draw();
        handles.moveTo(handle, value);
        return draw();
    }
    /// What it asks for after the pointer went down at `from` and moved to `to`.
    std::vector<Change> afterDrag(Vec2 from, Vec2 to, bool touch = false) {
        draw();
        Pointer p;
        p.at = from, p.inside = p.down = p.pressed = true, p.touch = touch;
        draw(p);
        p.pressed = false, p.at = to;
        return draw(p);
    }
    /// As the frame drawn last offered it.
    Handle handleOf(const std::string& id) {
        handles.endFrame();
        const auto& all = handles.shown();
        const auto found = std::find_if(all.begin(), all.end(), [&](const Handle& h) { return h.id == id; });
        REQUIRE_MESSAGE(found != all.end(), id);
        return *found;
    }
    /// The marks of this name, without those below it.
    std::vector<const DrawnMark*> marks(const std::string& id) const {
        auto exact = recorder.find(id);
        std::erase_if(exact, [&](const DrawnMark* mark) { return mark->id != id; });
        return exact;
    }
    bool says(const std::string& text) const {
        for (const auto& mark : recorder.marks)
            if (mark.kind == "text" && mark.text.find(text) != std::string::npos) return true;
        return false;
    }
};

inline Pointer pointerAt(Vec2 at, bool down = false, bool pressed = false) {
    return {.at = at, .inside = true, .down = down, .pressed = pressed};
}

inline const Change* changeOf(const std::vector<Change>& changes, const std::string& key) {
    const auto found = std::find_if(changes.begin(), changes.end(), [&](const Change& c) { return c.key == key; });
    return found == changes.end() ? nullptr : &*found;
}

/// What a param is asked to become.
template <class T>
T wanted(const std::vector<Change>& changes, const std::string& key) {
    const Change* change = changeOf(changes, key);
    REQUIRE_MESSAGE(change, key);
    return std::get<T>(change->value);
}

/// Texts lie inside the picture and off each other on a desktop, a phone, and in small and wide figures.
inline void checkLabels(Shown& shown) {
    struct Size {
        double width, height;
        bool compact;
    };
    for (const Size& size :
         {Size{810, 560, false}, {1280, 800, false}, {390, 430, true}, {360, 330, true}, {720, 300, true}, {300, 220, true}}) {
        CAPTURE(size.width);
        shown.area = {{0, 0}, {size.width, size.height}};
        shown.compact = size.compact;
        shown.draw();
        std::vector<std::pair<Rect, std::string>> boxes;
        for (const auto& mark : shown.recorder.marks) {
            if (mark.kind != "text" || mark.text.empty()) continue;
            // Descenders and ascenders may touch: only what a reader would take for a collision counts.
            const Rect whole = boxOf(shown.recorder, mark), box = whole.inset(1, 2.5, 1, 2.5);
            CAPTURE(mark.id);
            CAPTURE(mark.text);
            CHECK(whole.lo.x >= -1);
            CHECK(whole.lo.y >= -1);
            CHECK(whole.hi.x <= size.width + 1);
            CHECK(whole.hi.y <= size.height + 1);
            for (const auto& placed : boxes) {
                CAPTURE(placed.second);
                CHECK_FALSE(overlap(box, placed.first));
            }
            boxes.emplace_back(box, mark.id + ": " + mark.text);
        }
    }
}

}  // namespace kappaflow
