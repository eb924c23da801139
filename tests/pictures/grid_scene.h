#pragma once
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "grid_report.h"
#include "scenes/picture.h"

namespace kappaflow {

/// The stack of planes of a report made by hand, drawn, pulled and pointed at.
struct GridScene {
    Report report = handMade({});
    State state = initialState("capacity-diffusion");
    Rect area{{0, 0}, {820, 600}};
    bool compact = false;
    const Theme* theme = &Theme::light();
    Handles handles;
    Recorder recorder;

    void set(const std::string& key, Value value) {
        std::vector<std::string> warnings;
        state = apply(state, Change::param(key, std::move(value)), warnings);
        REQUIRE(warnings.empty());
    }
    std::vector<Change> draw(const Pointer& pointer = {}) {
        recorder.marks.clear();
        handles.beginFrame(pointer);
        PictureFrame frame{.painter = recorder,
                           .theme = *theme,
                           .handles = handles,
                           .report = report,
                           .reportVersion = 1,
                           .state = state,
                           .area = area,
                           .compact = compact};
        makePicture(state.scene)->draw(frame);
        return frame.changes;
    }
    /// The handle as it was offered in the last frame drawn.
    Handle handle(const std::string& id) {
        draw();
        handles.endFrame();
        for (const Handle& handle : handles.shown())
            if (handle.id == id) return handle;
        FAIL("no handle " << id);
        return {};
    }
    /// What is asked for when a handle is moved from outside: by the keyboard or its HTML element.
    std::vector<Change> afterMove(const std::string& id, double value) {
        draw();
        handles.moveTo(id, value);
        return draw();
    }
    /// What is asked for in the frame after the pointer went down at `from` and moved to `to`.
    std::vector<Change> afterDrag(Vec2 from, Vec2 to, bool touch = false) {
        draw();
        Pointer p;
        p.at = from, p.inside = p.down = p.pressed = true, p.touch = touch;
        draw(p);
        p.pressed = false, p.at = to;
        return draw(p);
    }
};

}  // namespace kappaflow
