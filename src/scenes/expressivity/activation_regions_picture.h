#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
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
    region_mesh::Mesh mesh;
    std::optional<Courses> courses;
    std::optional<Halves> halves;
    region_mesh::Fills fills;
    bool filled = false;
    std::optional<Size> region;      ///< pinned or under the pointer, of this frame
    std::vector<Size> drawing;       ///< units whose lines are being drawn, of the layer that comes in
    std::optional<Chosen> under;     ///< the unit under the pointer, of the frame before
    std::vector<std::string> facts;  ///< for the tooltip, which is drawn last
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
/// State of a unit in a region; −1 when it is not known.
int stateOf(const Seen&, Size layer, Size unit, Size region);

/// What the regions are filled by, where the report has it.
Fill fillOf(const Seen&);
void drawCounts(const Seen&, Rect);
/// One line of counts where there is no room for more.
void drawCountLine(const Seen&, Rect);
void drawGrowth(const Seen&, Rect);
void drawNetwork(const Seen&, Rect, MeshCache&);
void drawPlane(const Seen&, Rect);
/// The trajectory with its knobs; true when a click was meant for it.
bool drawPath(const Seen&, const region_mesh::Stage&);

}  // namespace kappaflow::activation_regions
