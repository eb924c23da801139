#pragma once
#include <optional>
#include <string>
#include <vector>

#include "scenes/expressivity/picture_mesh.h"
#include "scenes/picture.h"

namespace kappaflow::regions {

using region_mesh::Stage;
using region_mesh::stageOf;

/// The report's arrays; null where there is none.
struct View {
    const Array *vertices, *polygons, *polygonEnds, *edges, *edgeLayer, *edgeUnit, *area, *firstCut, *pattern, *regionsByDepth,
        *edgesByDepth, *verticesByDepth, *typical, *bound, *window;
    const Array *states, *output, *vertexOutput, *gradient, *decision, *path, *breaks, *widths, *weights, *weightLayer, *weightTo,
        *weightFrom, *units;
    double depth = 0;        ///< layers shown, between two of them while the next is folded in
    std::size_t layers = 0;  ///< that the report has
    bool certain = true;     ///< the partition's check holds

    region_mesh::Source source() const {
        return {vertices, polygons, polygonEnds, edges, edgeLayer, pattern, regionsByDepth, window, decision};
    }
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
    region_mesh::Mesh mesh;
    region_mesh::Fills fills;
};
void fillCache(MeshCache&, const PictureFrame&, const View&);

bool isShaded(const PictureFrame&, const View&);
/// Colours at the depth shown; they stay in the cache.
const std::vector<Color>& fillColors(MeshCache&, const PictureFrame&, const View&);
using region_mesh::layerColor;

/// Number of the region under a point of the plane.
std::optional<std::size_t> regionAt(const MeshCache&, const View&, Vec2 plane);
/// What is known of a region, line by line.
std::vector<std::string> factsOf(const View&, std::size_t region);
/// State of a unit in a region; −1 when it is not known.
int stateOf(const View&, std::size_t layer, std::size_t unit, std::size_t region);

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
