#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenes/expressivity/activation_regions.h"
#include "scenes/expressivity/picture_mesh.h"
#include "scenes/panels.h"

namespace kappaflow::activation_regions {

using Size = std::size_t;
using Seen = Sight<Params, Result>;

/// How the lines of a layer are drawn: by some pens at once, each along the whole line of one unit after the other, at steady speed.
struct Courses {
    struct Piece {
        std::uint32_t edge;
        bool turned;                ///< drawn from its second end
        double begin = 0, end = 0;  ///< shares of the pen's way
    };
    std::vector<std::vector<std::vector<Piece>>> pens;  ///< [layer][pen]
    std::vector<double> stands;                         ///< [edge]: the share of its layer's way after which it is whole
    std::vector<std::array<int, 2>> sides;              ///< [edge]: regions on either side; −1: none
};
/// O(E log E) for E edges.
Courses coursesOf(const Result&, const region_mesh::Mesh&);
/// A layer's lines after a share of their way: pairs of ends, and where the pens are, with the units whose lines they draw.
struct DrawnLines {
    std::vector<Vec2> ends, tips;
    std::vector<Size> units;
};
DrawnLines linesAt(const Result&, const region_mesh::Mesh&, const Courses&, Size layer, double share);
/// The cells that stand then: for each region the first one of its cell. A cell has parted once a line has passed through the whole of it.
/// At share 1 they are the cells of `layer`, below 0 those of the layer before.
std::vector<Size> cellsAt(const Result&, const Courses&, Size layer, double share);

/// The regions in which the output changes its sign, each cut in two where it is 0, with the means of the output.
struct Halves {
    std::vector<Vec2> points;
    std::vector<std::uint32_t> corners, ends, regions;  ///< regions [half]: the one it is a part of
    std::vector<double> means;                          ///< [half]
};
Halves halvesOf(const Result&, const region_mesh::Mesh&);

/// Layer (from 1) and unit of the network that are chosen, clamped to what there is.
struct Chosen {
    Size layer = 1, unit = 0;
    friend bool operator==(const Chosen&, const Chosen&) = default;
};

/// What is made of a report once, and what one panel leaves for another.
struct MeshCache {
    static constexpr bool kBetweenReports = true;
    std::uint64_t version = 0;  ///< of the report that its meshes and colours are made of
    region_mesh::Mesh mesh;
    std::optional<Courses> courses;
    std::optional<Halves> halves;
    region_mesh::Fills fills;
    std::vector<std::vector<Color>> sheetColors;  ///< [layer][region], of the sheets
    std::string sheetLook;                        ///< what these are of
    std::optional<Size> region;                   ///< pinned or under the pointer, of this frame
    std::vector<Size> drawing;                    ///< units whose lines are being drawn, of the layer that comes in
    std::optional<Chosen> under;                  ///< the unit under the pointer, of the frame before
    std::optional<Chosen> near;                   ///< the unit whose line is under the pointer
    std::vector<std::string> facts;               ///< for the tooltip, which is drawn last
    double open = -1, seconds = 0;                ///< how far the sheets are unfolded, 0 … 1, and since when; −1: not drawn yet
    /// What a reader holds of a unit's line, as long as it is held: the handle, what a turn goes about, and the inputs that it changes.
    struct Grab {
        std::string id{};
        Chosen unit{};
        Vec2 pivot{};
        std::vector<Size> inputs{};
    } grab;
};

inline Size layersOf(const Seen& s) { return s.result.depths.size() - 1; }
/// Layers that have cut, between two of them while the next is folded in.
inline double depthShown(const Seen& s) { return std::clamp(s.params.depth, 0.0, static_cast<double>(layersOf(s))); }
/// The layer that words and numbers speak of: the last one whose lines all stand.
inline Size layerShown(const Seen& s) { return static_cast<Size>(depthShown(s) + 0.01); }
inline bool isWhole(const Seen& s) { return depthShown(s) > static_cast<double>(layersOf(s)) - 0.01; }
/// The partition's check holds.
inline bool isCertain(const Seen& s) { return s.result.certificate == 1; }
inline bool isNarrow(const Seen& s) { return s.f.compact || s.f.area.width() < 600; }
inline bool hasNetwork(const Seen& s) { return !s.result.widths.empty() && !s.result.weights.empty(); }
inline bool hasPlane(const Seen& s) { return s.params.plane == PlaneBy::Turned && (!s.params.network.empty() || s.params.inputs > 2); }
inline bool hasTraining(const Seen& s) { return !s.result.loss.empty(); }

Chosen chosenOf(const Seen&);
void chooseUnit(const Seen&, Chosen);
/// Where there is no diagram beside the window nobody could tell what it is, unless a reader has chosen it.
inline bool showsChoice(const Seen& s) { return !isNarrow(s) || s.params.below || s.params.chosen != Params{}.chosen; }
/// "unit 3 of layer 2", "output 0"
std::string nameOf(const Seen&, Chosen);
/// Both ends of an edge, in the plane.
std::array<Vec2, 2> endsOf(const Result&, Size edge);
/// The weights as the reader has them, with changes that the report may not have yet. [weight]
std::vector<double> weightsNow(const Seen&);
/// One weight set by hand; from −1: the bias.
struct WeightEdit {
    Size layer, to;
    int from;
    double value;
};
/// Puts them into the list of changed weights, rounded to so many places for each unit.
void setWeights(const Seen&, const std::vector<WeightEdit>&, double perUnit);
/// Lets the pointer drag a line of the window, and turn that of the chosen unit. Only networks that are drawn here, whose bends are known.
void dragLines(const Seen&, const region_mesh::Stage&, MeshCache&);
/// State of a unit in a region; −1 when it is not known.
int stateOf(const Seen&, Size layer, Size unit, Size region);

/// What the regions are filled by, where the report has it.
Fill fillOf(const Seen&);
inline Vec2 windowCentre(const Seen& s) {
    return {(s.result.window[0] + s.result.window[2]) / 2, (s.result.window[1] + s.result.window[3]) / 2};
}
inline double windowHalf(const Seen& s) { return (s.result.window[2] - s.result.window[0]) / 2; }
const Courses& coursesOf(const Seen&, MeshCache&);
using ColorsOf = std::function<std::vector<Color>(Size layer)>;
/// The partition after each layer as a sheet; the region that is marked, pinned or under the pointer. O(layers · corners) a frame.
std::optional<Size> drawSheets(const Seen&, const region_mesh::Stage&, Rect panel, MeshCache&, double open, const ColorsOf&);
/// The pointer turns the sheets, and their knob in the corner does.
void turnSheets(const Seen&, Rect panel);
void drawCounts(const Seen&, Rect);
/// One line of counts where there is no room for more.
void drawCountLine(const Seen&, Rect);
void drawGrowth(const Seen&, Rect);
void drawNetwork(const Seen&, Rect, MeshCache&);
void drawPlane(const Seen&, Rect);
/// The trajectory with its knobs; true when a click was meant for it.
bool drawPath(const Seen&, const region_mesh::Stage&);

}  // namespace kappaflow::activation_regions
