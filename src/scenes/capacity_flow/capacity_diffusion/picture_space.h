#pragma once
#include "draw/camera.h"
#include "scenes/capacity_flow/capacity_diffusion/picture_grid.h"

namespace kappaflow::diffusion {

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

}  // namespace kappaflow::diffusion
