#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "draw/color.h"
#include "draw/handles.h"
#include "draw/painter.h"
#include "draw/plot.h"
#include "scene/state.h"

namespace kappaflow {

/// The axes of plots as they were drawn, by the plots' ids: x and y.
struct AxisMemory {
    bool held = false;  ///< the reader holds a handle
    std::map<std::string, std::array<AxisSpec, 2>> axes{};
};

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
    unsigned panels = ~0u;        ///< ranks of the panels that are shown, as bits
    AxisMemory* axes = nullptr;   ///< of the frames before; none: every plot is as wide as what it shows
};

/// A scene's drawing half: report → marks. Keeps nothing between frames but caches keyed on the report.
class Picture {
public:
    virtual ~Picture() = default;
    /// Copies the report's numbers where it has not taken them.
    virtual void draw(PictureFrame&) = 0;
    /// Takes the arrays out of the report that is drawn next, so that they are held once, and gives them back for others to read. Does
    /// nothing a second time.
    virtual void take(Report&, std::uint64_t) {}
    virtual void giveBack(Report&, std::uint64_t) {}
    /// Frees what it has of the report, until it draws again; what it remembers between reports stays. What it has taken is lost.
    virtual void free() {}
};

struct PictureEntry {
    std::string_view scene;
    std::unique_ptr<Picture> (*make)();
};
std::unique_ptr<Picture> makePicture(std::string_view scene);

/// Index of an axis, between two of its values: below <= at <= above, at = below + fraction.
struct Between {
    std::size_t below = 0, above = 0;
    double fraction = 0;
};
Between between(double at, std::size_t last);

/// Row of an array at a fractional index of its first axis: the two neighbouring rows mixed; NaN where either is.
std::vector<double> rowAt(const Array&, double index);
double largest(const std::vector<double>&, double atLeast);
/// Index along rising or falling values, between them as well; their ends outside.
double indexAlong(const std::vector<double>& values, double value);

/// A plot with the reader's zoom. Its axes stay as they are while a handle is held, so that what is dragged is seen to grow or shrink.
Plot plotIn(PictureFrame&, const std::string& id, Rect, AxisSpec x, AxisSpec y);
/// The plot's end: its axes, and the reader's new zoom as a change.
void finishPlot(PictureFrame&, Plot&, const std::string& id, std::string_view title);

/// A box with a short text beside the pointer, kept inside `area`.
void tooltip(PictureFrame&, Vec2 at, const std::vector<std::string>& lines);

/// Ink of capacity where it stands alone, without a ramp.
Color capacityColor(const Theme&);

/// The square around a knob that can be touched.
Rect knobRect(Vec2 at);
/// The knob of a handle; a kept figure has none.
void drawKnob(PictureFrame&, std::string_view id, Vec2 at, const Handles::Grip&, MarkerShape = MarkerShape::Circle);

/// Draws one sentence in the middle of the area: a report without what the picture needs.
void emptyPicture(PictureFrame&, std::string_view sentence);

}  // namespace kappaflow
