/// What pictures of activation regions share: a partition of a square window, its colours, and what it looks like after so many layers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenes/picture.h"

namespace kappaflow::region_mesh {

/// A partition's numbers as results have them: vertices [vertex][xy], polygons [corner], polygonEnds [region], edges [edge][end],
/// edgeLayer [edge], decisions [segment][x0, y0, x1, y1], window [low, high][xy].
struct Numbers {
    const std::vector<double>&vertices, &polygons, &polygonEnds, &edges, &edgeLayer, &decisions, &window;
    std::size_t layers;

    Vec2 centre() const { return {(window[0] + window[2]) / 2, (window[1] + window[3]) / 2}; }
    double half() const { return (window[2] - window[0]) / 2; }
};
/// The partition ready to be drawn, in coordinates in which the report's window is −1 … 1.
struct Mesh {
    std::vector<Vec2> points;
    std::vector<std::uint32_t> corners, ends;  ///< of the regions
    std::vector<std::vector<Vec2>> edges;      ///< [layer], pairs of ends; layer 0: the border
    std::vector<Vec2> decisions;
};
Mesh meshOf(const Numbers&);
/// Whether a region holds a point of the mesh's coordinates.
bool holds(const Mesh&, std::size_t region, Vec2);
/// Number of the region that holds a point of the mesh's coordinates.
std::optional<std::size_t> regionAt(const Mesh&, Vec2);

/// The colour of the lines that a layer draws.
Color layerColor(const Theme&, std::size_t layer);
/// Blue below 0 and orange above, the paler the nearer to 0; `most`: the largest size.
Color outputColor(const Theme&, double value, double most);
/// The colour of a cell that nothing has cut.
Color plainColor(const Theme&);
/// Soft fill of every region after so many layers, from the numbers of its patterns [depth][region]: it keeps to the colour of the cell it
/// was cut from, the less the later it was cut.
std::vector<Color> patternColors(const std::vector<double>& pattern, std::size_t regions, std::size_t layer, bool dark);

/// Fills between two moments of the timeline: those of either are made once, as long as `mode` and theme stay.
class Fills {
public:
    template <class ColorsAt>
    const std::vector<Color>& at(const Between& depth, const std::string& mode, bool dark, ColorsAt&& colorsAt) {
        const auto& below = of(depth.below, mode, dark, colorsAt);
        return depth.fraction == 0 ? below : mixed(below, of(depth.above, mode, dark, colorsAt), depth.fraction);
    }

private:
    struct Fill {
        std::string mode;
        std::size_t moment = 0;
        bool dark = false;
        std::vector<Color> colors;
    };
    template <class ColorsAt>
    const std::vector<Color>& of(std::size_t moment, const std::string& mode, bool dark, ColorsAt&& colorsAt) {
        // Two neighbouring moments are asked for in turn: each has a place of its own.
        Fill& fill = fills_[moment % 2];
        if (fill.colors.empty() || fill.mode != mode || fill.moment != moment || fill.dark != dark)
            fill = {mode, moment, dark, colorsAt(moment)};
        return fill.colors;
    }
    const std::vector<Color>& mixed(const std::vector<Color>& below, const std::vector<Color>& above, double fraction);
    Fill fills_[2];
    std::vector<Color> mixed_;
};

/// Slow at either end.
inline double eased(double t) { return t * t * (3 - 2 * t); }

/// Where and how deep the partition is seen. Marks are "regions/…".
struct Seen {
    const Mesh& mesh;
    PlanePlace place;
    double depth;  ///< layers that have cut, between two of them while the next is folded in
    std::uint64_t version;
    const std::vector<Vec2>* coming = nullptr;  ///< lines of that layer as far as they are drawn, pairs of ends; null: it grows
};
void drawFills(PictureFrame&, const Seen&, const std::vector<Color>&);
/// The lines of every layer; those of the one that comes in as far as they are drawn, or growing from the middles of their pieces.
void drawEdges(PictureFrame&, const Seen&, const std::vector<double>& regionsByDepth);
/// From 0 to 1 in the last quarter of the last layer's time: the output comes after all lines.
double decided(const Seen&);
void drawDecision(PictureFrame&, const Seen&);
/// A wash over all final regions that lie in the same region of `layer` as the given one.
void drawMarked(PictureFrame&, const Seen&, const std::vector<double>& pattern, std::size_t layer, std::size_t region);

/// The square on the screen and the window of the plane it shows, as the state has it (params `centre` and `half`): a report's mesh may
/// still be of another one.
struct Stage {
    Rect square;
    Vec2 centre;
    double half = 1;
    Vec2 toScreen(Vec2 plane) const {
        const double scale = square.width() / (2 * half);
        return square.centre() + Vec2{(plane.x - centre.x) * scale, (centre.y - plane.y) * scale};
    }
    Vec2 toPlane(Vec2 screen) const {
        const double scale = 2 * half / square.width();
        return centre + Vec2{(screen.x - square.centre().x) * scale, (square.centre().y - screen.y) * scale};
    }
    /// A point of the plane after the pointer has moved by so much on the screen.
    Vec2 dragged(Vec2 plane, Vec2 moved) const { return toPlane(toScreen(plane) + moved); }
    /// Where a window with this centre and half side, whose mesh's coordinates are −1 … 1, comes to lie.
    PlanePlace placeOf(Vec2 otherCentre, double otherHalf) const;
    /// Six digits of the window's own size: a link need not carry more.
    double rounded(double value) const;
};
Stage stageOf(const PictureFrame&, Rect square);

/// The pointer: where no handle is dragging moves the window and a double click puts it back; the wheel and two fingers zoom about it.
void moveFreely(PictureFrame&, const Stage&);
/// For keyboard and touch: a knob in the corner that zooms, and handles that move the window.
void offerWindow(PictureFrame&, const Stage&);

/// Colour of a class, far from the others. Where regions are filled by the output, positive values are orange: so is the class that they
/// speak for, the second of two, the first of more. Without a class (below 0): grey.
Color classColor(const Theme&, double c, bool two);
/// Data points [sample][xy] with their classes; no more than some thousands are drawn.
void drawSamples(PictureFrame&, const Stage&, const std::vector<double>& points, const std::vector<double>& classes);

/// Round coordinates along the left and the lower side, where they are clear of the corners and of each other, and the frame.
void drawFrame(PictureFrame&, const Stage&);

}  // namespace kappaflow::region_mesh
