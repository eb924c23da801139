#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "draw/handles.h"
#include "draw/painter.h"
#include "draw/plot.h"
#include "draw/theme.h"
#include "scene/state.h"

namespace kappaflow {

/// Everything a picture may look at in one frame, and where its wishes go.
struct PictureFrame {
    Painter& painter;
    const Theme& theme;
    Handles& handles;
    const Report& report;         ///< the newest result; may lag behind `state` by one job
    std::uint64_t reportVersion;  ///< changes with the report: the key of a picture's caches
    const State& state;
    Rect area;
    double seconds = 0;           ///< since the scene was opened, for flow
    bool compact = false;         ///< narrow screen: fewer panels, one below the other
    bool still = false;           ///< reduced motion: nothing flows by itself
    std::vector<Change> changes;  ///< what the reader did; applied after the frame
    bool animating = false;       ///< set when another frame is wanted without input
    bool kept = false;            ///< drawn to be kept as a figure: nobody can touch it, so it invites nobody to
};

/// A scene's drawing half: report → marks. Keeps nothing between frames but caches keyed on the report.
class Picture {
public:
    virtual ~Picture() = default;
    virtual void draw(PictureFrame&) = 0;
};

struct PictureEntry {
    std::string_view scene;
    std::unique_ptr<Picture> (*make)();
};
std::unique_ptr<Picture> makePicture(std::string_view scene);

}  // namespace kappaflow
