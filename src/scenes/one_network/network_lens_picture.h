#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "draw/number_text.h"
#include "scenes/capacity_flow/picture_flow.h"
#include "scenes/expressivity/picture_mesh.h"
#include "scenes/one_network/network_lens.h"
#include "scenes/panels.h"

namespace kappaflow::network_lens {

using Size = std::size_t;

inline constexpr Lens kLenses[] = {Lens::Capacity, Lens::Regions, Lens::Trajectory, Lens::Sensitivity, Lens::Measured};
const char* keyOf(Lens);   ///< as in the param `lens` and in the result's notes
const char* nameOf(Lens);  ///< "Capacity"
const char* keyOf(EditKind);

/// What is made of a result once.
struct Cache {
    bool filled = false, hasMesh = false;
    region_mesh::Mesh mesh;
    region_mesh::Fills fills;
    std::vector<std::vector<capacity_flow::Edge>> flow;
};

/// A panel that shows states side by side: state 0 at `first`, state L at `last`.
struct LayerScale {
    Rect rect;
    double first, last;
    bool plotted;  ///< a plot, whose own crosshair marks what is under the pointer
};
/// A panel that shows the curve from A to B: points on the screen with their places on the curve.
struct CurveOnScreen {
    std::vector<Vec2> points;
    std::vector<double> places;
    Rect clip;
};

/// One frame: the result, and what panels leave behind for the marks that are drawn over all of them.
struct Frame {
    PictureFrame& f;
    const Params &p, &asked;
    const Result& r;
    Cache& cache;
    Size layers = 0;  ///< L: states 0 … L
    double at = 0;    ///< state that is marked, between two of them while the timeline moves
    /// Place of each state of the network before an edit among those of the edited one, between two where it was taken out; empty: no edit.
    std::vector<double> places{};
    bool everywhere = false;  ///< the states are the edited network's

    std::vector<LayerScale> scales{};
    std::vector<CurveOnScreen> curves{};
    std::optional<region_mesh::Stage> stage{};
    std::vector<std::string> tip{};  ///< beside the pointer

    const Theme& theme() const { return f.theme; }
    Painter& painter() const { return f.painter; }
    /// The pointer, when it is over a place, holds nothing and presses nothing.
    std::optional<Vec2> over(const Rect&) const;
    const std::string* note(const char* part) const { return f.report.note(part); }

    /// The state marked, or the nearer one of two.
    Size layer() const { return static_cast<Size>(std::lround(at)); }
    Size units(Size state) const { return static_cast<Size>(r.units[state]); }
    std::string layerName(Size) const;
    /// A state of the network before the edit among those of the edited one, and the other way round.
    double placeAfter(double stateBefore) const;
    double placeBefore(double editedState) const;
    /// The state before the edit that a shown one stands for; none where it is new.
    std::optional<Size> before(Size state) const;
    Size layersBefore() const { return places.empty() ? layers : places.size() - 1; }
    /// Depth of the regions at a state: how many bending layers lie in it and below, between two of them like the timeline.
    double depthAt(double state) const { return indexAlong(r.stateOfDepth, state); }
    /// The name of a bending layer, apart from others in the same state: "layer 4, inner" of a residual block, "layer 4, sum" behind it.
    std::string depthName(Size depth) const;
    /// The last bending layer that stands behind a state, counted from 1; 0 when none does.
    Size depthOf(Size state) const;
    /// Bending layers that were cut.
    Size depths() const { return r.regionsByDepth.empty() ? 0 : r.regionsByDepth.size() - 1; }
    region_mesh::Numbers mesh() const {
        return {r.vertices, r.polygons, r.polygonEnds, r.edges, r.edgeLayer, r.decisionBoundary, r.window, depths()};
    }
};

/// Heading of a panel with the step it belongs to; returns what is left for the panel.
Rect drawHeading(Frame&, Lens, Rect, std::initializer_list<std::string> titles);
/// Why a lens shows nothing, or less: in the middle of the rectangle.
void drawReason(Frame&, Lens, Rect, const std::string& otherwise);
/// One quiet line, or two: the note of a lens that shows something. Returns the height it took from the bottom.
double drawRemark(Frame&, Lens, Rect);

/// The state marked in a plot over states, with the knob that moves the mark in all panels.
void drawLayerMark(Frame&, Plot&, const std::string& plot);
/// Asks for another state to be marked.
void moveLayer(Frame&, double to);
/// The heading stands where a plot would put its title.
inline Rect withoutTitle(Rect rect) { return rect.height() > 130 ? Rect{rect.lo - Vec2{0, 12}, rect.hi} : rect; }
/// Axis over states.
AxisSpec layerAxis(const Frame&);

/// Two plots of a panel side by side, or one above the other where it is upright.
inline Layout pair(Rect rect, std::vector<Layout> plots) {
    return rect.height() > 1.15 * rect.width() ? Layout::rows(std::move(plots)) : Layout::columns(std::move(plots));
}

void drawStrip(Frame&, Rect);
/// Why the network is not trained, in up to three lines; returns their height.
double drawUntrained(Frame&, Vec2 at, double width);
void drawCapacity(Frame&, Rect);
void drawRegions(Frame&, Rect);
void drawTrajectory(Frame&, Rect);
void drawSensitivity(Frame&, Rect);
void drawMeasured(Frame&, Rect);
/// What the pointer is over, shown in every panel that knows it.
void drawHover(Frame&);

}  // namespace kappaflow::network_lens
