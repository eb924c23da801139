#include "scenes/capacity_flow/capacity_diffusion/picture_space.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kappaflow::diffusion {
namespace {

constexpr double kDistance = 14;   // of the camera: some perspective, no distortion
constexpr double kUsualTilt = 25;  // the stack is as high as fills the room at this one, and keeps its height when it is tilted
constexpr double kLongestRow = 1, kShortestRow = 0.3, kThinnestRow = 0.03;  // half extents of rows of units

}  // namespace

StackSpace::StackSpace(const PictureFrame& f, const GridReport& grid, Rect room) {
    layers_ = static_cast<double>(std::max<std::size_t>(grid.layers(), 1));
    unit_ = 1 / static_cast<double>(std::max({grid.mostRows(), grid.mostCols(), std::size_t{1}}));
    most_ = {static_cast<double>(grid.mostCols()) * unit_, static_cast<double>(grid.mostRows()) * unit_};
    const double radius = std::hypot(most_.x, most_.y), sine = std::sin(kUsualTilt * std::numbers::pi / 180);
    const double wish = radius * (room.height() / std::max(room.width(), 1.0) - sine) / std::sqrt(1 - sine * sine);
    halfHeight_ = std::clamp(wish, 0.55, 3.2);
    camera_.azimuth = f.state.params.number("orbit");
    camera_.elevation = f.state.params.number("tilt");
    camera_.distance = kDistance;
    fitCylinder(camera_, radius, halfHeight_, room);
    const double zoom = f.state.params.number("zoom");
    camera_.centre = room.centre() + (camera_.centre - room.centre()) * zoom;
    camera_.scale *= zoom;
}

double StackSpace::height(double layer) const { return halfHeight_ * (2 * layer / layers_ - 1); }

Vec2 StackSpace::half(std::size_t rows, std::size_t cols) const {
    const Vec2 cells{static_cast<double>(cols) * unit_, static_cast<double>(rows) * unit_};
    if (rows > 1) return cells;
    return {std::clamp(cells.x, kShortestRow, kLongestRow), std::max(cells.y, kThinnestRow)};
}

Vec3 StackSpace::place(std::size_t rows, std::size_t cols, Vec2 colRow, double height) const {
    const Vec2 size = half(rows, cols);
    return {size.x * (2 * (colRow.x + 0.5) / static_cast<double>(cols) - 1),
            size.y * (1 - 2 * (colRow.y + 0.5) / static_cast<double>(rows)), height};
}

PlaneCorners StackSpace::corners(std::size_t rows, std::size_t cols, double height) const {
    const double right = static_cast<double>(cols) - 0.5, front = static_cast<double>(rows) - 0.5;
    return {seen(rows, cols, {-0.5, -0.5}, height), seen(rows, cols, {right, -0.5}, height), seen(rows, cols, {right, front}, height),
            seen(rows, cols, {-0.5, front}, height)};
}

std::optional<Vec2> StackSpace::cellUnder(Vec2 screen, std::size_t rows, std::size_t cols, double height) const {
    const auto point = camera_.onLevel(screen, height);
    if (!point) return std::nullopt;
    const Vec2 size = half(rows, cols);
    return Vec2{(point->x / size.x + 1) / 2 * static_cast<double>(cols) - 0.5,
                (1 - point->y / size.y) / 2 * static_cast<double>(rows) - 0.5};
}

Vec2 StackSpace::leftOf(double layer) const {
    // The corner of the largest plane that is seen farthest to the left.
    Vec2 best;
    double farthest = -1e9;
    for (const double sx : {-1.0, 1.0})
        for (const double sy : {-1.0, 1.0}) {
            const double out = -dot(camera_.right(), {sx * most_.x, sy * most_.y, 0});
            if (out > farthest) farthest = out, best = camera_.project({sx * most_.x, sy * most_.y, height(layer)}).at;
        }
    return best;
}

double StackSpace::layerBeside(Vec2 screen) const {
    double low = 0, high = layers_;
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (low + high);
        (leftOf(middle).y > screen.y ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

}  // namespace kappaflow::diffusion
