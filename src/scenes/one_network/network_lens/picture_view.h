#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenes/capacity_flow/picture_flow.h"
#include "scenes/expressivity/picture_mesh.h"
#include "scenes/picture.h"

namespace kappaflow::lens {

enum class Lens { Capacity, Regions, Trajectory, Sensitivity };
inline constexpr Lens kLenses[] = {Lens::Capacity, Lens::Regions, Lens::Trajectory, Lens::Sensitivity};
const char* keyOf(Lens);   ///< as in the param `lens` and in the report's notes
const char* nameOf(Lens);  ///< "Capacity"

/// What the report says, in the shapes that all panels need.
struct View {
    const Report* report = nullptr;
    std::vector<std::size_t> units;  ///< of each state
    std::size_t layers = 0;          ///< L: states 0 … L
    double at = 0;                   ///< state that is marked, between two of them while the timeline moves
    bool training = false;
    /// Place of each state of the network before an edit among those of the edited one, between two where it was taken out; empty: no edit.
    std::vector<double> places;
    bool everywhere = false;  ///< the states are the edited network's

    /// The state marked, or the nearer one of two.
    std::size_t layer() const { return static_cast<std::size_t>(at + 0.5); }
    std::string layerName(std::size_t) const;
    const Array* array(const char* name) const { return report->array(name); }
    double scalar(const char* name) const;  ///< NaN when absent
    /// Where a state of the network before the edit lies among those of the edited one, and the other way round.
    double placeAfter(double stateBefore) const;
    double placeBefore(double editedState) const;
    /// The state before the edit that a shown one stands for; none where it is new.
    std::optional<std::size_t> before(std::size_t state) const;
    std::size_t layersBefore() const { return places.empty() ? layers : places.size() - 1; }
    /// Depth of the regions at a state: how many bending layers lie in it and below, between two of them like the timeline.
    double depthAt(double state) const;
    /// The name of a bending layer, apart from others in the same state: "layer 4, inner" of a residual block, "layer 4, sum" behind it.
    std::string depthName(std::size_t depth) const;
    /// The last bending layer that stands behind a state, counted from 1; 0 when none does.
    std::size_t depthOf(std::size_t state) const;
};
bool readView(const PictureFrame&, View&);

/// What is made of a report once.
struct Cache {
    std::uint64_t version = 0;
    bool filled = false, hasMesh = false;
    region_mesh::Mesh mesh;
    region_mesh::Fills fills;
    std::vector<std::vector<capacity_flow::Edge>> flow;
};
void fillCache(Cache&, const PictureFrame&, const View&);
std::optional<region_mesh::Source> sourceOf(const View&);

/// Where a panel shows states side by side: state 0 at `first`, state L at `last`.
struct LayerScale {
    Rect rect;
    double first, last;
    bool plotted;  ///< a plot, whose own crosshair marks what is under the pointer
};
/// Where a panel shows the curve from A to B: points on the screen with their places on the curve.
struct CurveOnScreen {
    std::vector<Vec2> points;
    std::vector<double> places;
    Rect clip;
};

/// One frame: what is drawn on, what is drawn, and what panels leave behind for what is drawn over all of them.
struct Scene {
    PictureFrame& f;
    const View& view;
    Cache& cache;
    std::vector<LayerScale> scales;
    std::vector<CurveOnScreen> curves;
    std::optional<region_mesh::Stage> stage;
    std::vector<std::string> tip;  ///< beside the pointer

    const Theme& theme() const { return f.theme; }
    Painter& painter() const { return f.painter; }
    const Report& report() const { return f.report; }
    /// The pointer, when it is over a place, holds nothing and presses nothing.
    std::optional<Vec2> over(const Rect&) const;
};

/// Heading of a panel with the step it belongs to; returns what is left for the panel.
Rect drawHeading(Scene&, Lens, Rect, std::initializer_list<std::string> titles);
/// Why a lens shows nothing, or less: in the middle of the rectangle.
void drawReason(Scene&, Lens, Rect, const std::string& otherwise);
/// One quiet line, or two: the note of a lens that shows something. Returns the height it took from the bottom.
double drawRemark(Scene&, Lens, Rect);

/// The state marked in a plot over states, with the knob that moves the mark in all panels.
void drawLayerMark(Scene&, Plot&, const std::string& plot);
/// Asks for another state to be marked.
void moveLayer(PictureFrame&, const View&, double to);
/// The heading stands where a plot would put its title.
inline Rect withoutTitle(Rect rect) { return rect.height() > 130 ? Rect{rect.lo - Vec2{0, 12}, rect.hi} : rect; }
/// Axis over states.
AxisSpec layerAxis(const View&);

void drawStrip(Scene&, Rect);
void drawCapacity(Scene&, Rect);
void drawRegions(Scene&, Rect);
void drawTrajectory(Scene&, Rect);
void drawSensitivity(Scene&, Rect);
/// What the pointer is over, shown in every panel that knows it.
void drawHover(Scene&);

/// What stands in one column: a state of the network, and of the edited one where there is an edit.
struct Column {
    std::vector<double> units, before;  ///< capacity now (after an edit), and before it
    std::size_t rows = 0, columns = 0;  ///< of an image; 0: a list of units
    double x = 0, width = 0;            ///< on the screen
    Rect rect;
    bool dots = false;
    double spacing = 1;
    Vec2 at(std::size_t unit) const {
        return {x, rect.centre().y + spacing * (static_cast<double>(unit) - 0.5 * (static_cast<double>(units.size()) - 1))};
    }
    /// The unit under a height of a list.
    std::size_t unitAt(double y) const {
        const double place = (y - rect.centre().y) / spacing + 0.5 * (static_cast<double>(units.size()) - 1);
        return static_cast<std::size_t>(std::clamp(std::round(place), 0.0, static_cast<double>(units.size()) - 1));
    }
};

struct Flow {
    std::vector<Column> columns;
    bool edited = false;
    Rect rect;
    double largest = 1, decades = capacity_flow::kDecades;
};

/// Numbers of the columns, without places.
Flow readFlow(const View&);
/// One column beside the other in the rectangle, the input at the left.
void placeColumns(Flow&, Rect);

}  // namespace kappaflow::lens
