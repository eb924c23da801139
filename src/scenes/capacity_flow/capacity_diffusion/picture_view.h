#pragma once
#include <string>
#include <vector>

#include "draw/camera.h"
#include "scenes/capacity_flow/capacity_diffusion/picture_grid.h"
#include "scenes/capacity_flow/picture_flow.h"
#include "scenes/picture.h"

namespace kappaflow::diffusion {

using capacity_flow::Edge;

/// What the report says, in the shapes the picture needs.
struct View {
    const Array* capacity = nullptr;
    const Array* gaussian = nullptr;  ///< theory, null where none applies
    const Array* gradient = nullptr;
    const Array* variance = nullptr;
    const Array* total = nullptr;
    const Array* centres = nullptr;  ///< ensembles: [network, layer] offset from the start; null for one network
    const Array* wander = nullptr;   ///< and their standard deviation over networks, [layer]
    const Array* within = nullptr;   ///< and the width of one network about its own centre, [layer]
    const Array* unattributed = nullptr;
    std::size_t layers = 0;           ///< L: rows 0 … L
    std::vector<std::size_t> widths;  ///< units of each layer
    double at = 0;                    ///< where the timeline stands, a layer
    bool evenWidths = true;
    bool ordered = true;         ///< positions mean something (ring, line)
    double largestCapacity = 1;  ///< over all layers, for the colour scale

    std::size_t widest() const;
};
View readView(const PictureFrame&);

/// edges[l]: what flows from layer l+1 to layer l.
std::vector<std::vector<Edge>> flowOf(const Report&, std::size_t layers);

/// Screen places of the network panel: columns follow the profile's axis below it, rows the layers, the output on top.
struct Grid {
    Rect rows;           ///< from the output layer's line to the input layer's line
    double left, right;  ///< of position 0's left edge and the last position's right edge, where all layers are equally wide
    std::size_t layers;
    double y(double layer) const {
        return rows.hi.y - (rows.hi.y - rows.lo.y) * layer / static_cast<double>(std::max<std::size_t>(layers, 1));
    }
    double x(double position, std::size_t width) const { return left + (right - left) * (position + 0.5) / static_cast<double>(width); }
    double cell(std::size_t width) const { return (right - left) / static_cast<double>(width); }
    double rowHeight() const { return (rows.hi.y - rows.lo.y) / static_cast<double>(std::max<std::size_t>(layers, 1)); }
};

/// Ensembles: the way of every network's centre, and the band in which two thirds of them wander.
void drawCentres(PictureFrame&, const View&, const Grid&);
/// Ensembles: width of the average, of one network about its own centre, and of the wandering of centres, against depth.
void drawWidths(PictureFrame&, const View&, Rect);
void drawNetwork(PictureFrame&, const View&, const Grid&, Rect panel, const std::vector<std::vector<Edge>>&);
/// The strip above the output layer: where the capacity starts; dragged, clicked or painted.
void drawStart(PictureFrame&, const View&, const Grid&, Rect strip);

/// Where the layers stand: level planes one above the other, the input at the bottom, in proportion to their sizes; the largest one is 2
/// wide. Row 0 lies at the back, columns run to the right.
class StackSpace {
public:
    StackSpace(const PictureFrame&, const GridReport&, Rect room);

    const OrbitCamera& camera() const { return camera_; }
    double height(double layer) const;
    /// Of a place on a layer of so many rows and columns, in cells (cell (r, c) has its middle at whole numbers).
    Vec3 place(std::size_t rows, std::size_t cols, Vec2 colRow, double height) const;
    ProjectedPoint seen(std::size_t rows, std::size_t cols, Vec2 colRow, double height) const {
        return camera_.project(place(rows, cols, colRow, height));
    }
    PlaneCorners corners(std::size_t rows, std::size_t cols, double height) const;
    /// The cell under a place on the screen, as (column, row); outside the plane too.
    std::optional<Vec2> cellUnder(Vec2 screen, std::size_t rows, std::size_t cols, double height) const;

    /// A vertical line at the stack's left end as it is seen, at a layer: beside it stand the layers' names. Falls with the layer.
    Vec2 leftOf(double layer) const;
    /// The layer beside a place on the screen: leftOf's inverse.
    double layerBeside(Vec2 screen) const;

private:
    Vec2 half(std::size_t rows, std::size_t cols) const;
    OrbitCamera camera_;
    Vec2 most_;  ///< half extents of the largest plane
    double unit_ = 1, halfHeight_ = 1, layers_ = 1;
};

/// The picture of a diffusion over layers with rows and columns: the stack of layers, the current one from above, a section through all
/// of them, and the widths along both axes.
class GridPicture {
public:
    /// False, and nothing drawn, when the report is not of this kind.
    bool draw(PictureFrame&);

private:
    GridReport report_;
};

/// One plane of the stack as it is drawn: a whole layer, or the one that moves with the timeline.
struct Sheet {
    double layer;
    const GridLayer* field;
    double reached;  ///< 0 … 1: how far the flow from the top has filled it
    bool current;
};

/// The stack in one frame.
struct StackFrame {
    GridFrame& g;
    const StackSpace& space;
    const Section& section;
    std::vector<Sheet> sheets;  ///< from the input up
    Rect panel, room;           ///< of everything, and of the planes
    const Sheet& current() const;
    double height(const Sheet& sheet) const { return space.height(sheet.layer); }
    Vec2 seen(const Sheet& sheet, Vec2 colRow) const { return space.seen(sheet.field->rows, sheet.field->cols, colRow, height(sheet)).at; }
    std::vector<Vec2> seen(const Sheet&, const std::vector<Vec2>& loop) const;
};

/// The label of a layer's number, "7".
std::string layerNumber(double layer);

void drawSheets(StackFrame&);
void drawStackNames(StackFrame&);
void drawStackTooltip(StackFrame&);

/// Everything that can be pulled about: the layer shown, the unit where the capacity starts, the section, the camera. Drawn where they
/// are held.
void offerLayer(StackFrame&);
void offerStart(StackFrame&);
void offerSection(StackFrame&);
void offerCamera(StackFrame&);

}  // namespace kappaflow::diffusion
