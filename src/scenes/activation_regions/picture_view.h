#pragma once
#include <optional>
#include <string>
#include <vector>

#include "scenes/picture_support.h"

namespace kappaflow::regions {

/// The square on the screen and the window of the plane it shows, as the state has it: the report's mesh may still be of another one.
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
};

/// The report's arrays; null where there is none.
struct View {
    const Array *vertices, *polygons, *polygonEnds, *edges, *edgeLayer, *edgeUnit, *area, *firstCut, *pattern, *regionsByDepth,
        *edgesByDepth, *verticesByDepth, *typical, *bound, *window;
    const Array *states, *output, *vertexOutput, *gradient, *decision, *path, *breaks, *widths, *weights, *weightLayer, *weightTo,
        *weightFrom, *units;
    double depth = 0;        ///< layers shown, between two of them while the next is folded in
    std::size_t layers = 0;  ///< that the report has
    bool certain = true;     ///< the partition's check holds

    Vec2 reportCentre() const { return {(window->values[0] + window->values[2]) / 2, (window->values[1] + window->values[3]) / 2}; }
    double reportHalf() const { return (window->values[2] - window->values[0]) / 2; }
    std::size_t unitsOf(std::size_t layer) const { return static_cast<std::size_t>(units->values[layer] - units->values[layer - 1]); }
    /// Of the numbers that a layer's states are packed into.
    double baseOf(std::size_t layer) const { return unitsOf(layer) <= 26 ? 4 : 2; }
    std::size_t regions() const { return area->values.size(); }
    /// The layer that words and numbers speak of.
    std::size_t layer() const { return static_cast<std::size_t>(depth + 0.5); }
    bool whole() const { return depth > static_cast<double>(layers) - 0.01; }
};
bool readView(const PictureFrame&, View&);

/// What is made of a report once.
struct MeshCache {
    std::uint64_t version = 0;
    bool filled = false;
    std::vector<Vec2> points;                  ///< the report's window is −1 … 1
    std::vector<std::uint32_t> corners, ends;  ///< of the regions
    std::vector<std::vector<Vec2>> edges;      ///< [layer], pairs of ends; layer 0: the border
    std::vector<Vec2> decisions;
    /// Colours of regions (of points, where shaded) at a whole number of layers.
    struct Fill {
        std::string mode;
        std::size_t layer = 0;
        bool dark = false;
        std::vector<Color> colors;
    };
    Fill fills[2];
    std::vector<Color> mixed;
};
void fillCache(MeshCache&, const PictureFrame&, const View&);

bool isShaded(const PictureFrame&, const View&);
/// Colours at the depth shown; they stay in the cache.
const std::vector<Color>& fillColors(MeshCache&, const PictureFrame&, const View&);
Color layerColor(const Theme&, std::size_t layer);

/// Number of the region under a point of the plane.
std::optional<std::size_t> regionAt(const MeshCache&, const View&, Vec2 plane);
/// What is known of a region, line by line.
std::vector<std::string> factsOf(const View&, std::size_t region);
/// State of a unit in a region; −1 when it is not known.
int stateOf(const View&, std::size_t layer, std::size_t unit, std::size_t region);

Stage stageOf(const PictureFrame&, Rect square);
/// The partition; the region under the pointer, or the pinned one, when there is one.
std::optional<std::size_t> drawWindow(PictureFrame&, const View&, MeshCache&, const Stage&);
/// True when a click was meant for the trajectory.
bool drawPath(PictureFrame&, const View&, const Stage&);
void drawCounts(PictureFrame&, const View&, Rect);
void drawGrowth(PictureFrame&, const View&, Rect);
/// One line of counts where there is no room for more.
void drawCountLine(PictureFrame&, const View&, Rect);
void drawNetwork(PictureFrame&, const View&, Rect, std::optional<std::size_t> region);
void drawPlane(PictureFrame&, Rect);
bool hasPlane(const PictureFrame&);
bool hasNetwork(const View&);

/// Layer and unit of the network that are chosen, clamped to what there is: layer from 1.
struct Chosen {
    std::size_t layer = 1, unit = 0;
};
Chosen chosenOf(const PictureFrame&, const View&);

}  // namespace kappaflow::regions
