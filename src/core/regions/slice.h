#pragma once
#include <cstddef>
#include <vector>

#include "core/base/geometry.h"

namespace kappaflow {

/// A plane in input space: x = origin + s·u + t·v. Its own coordinates (s, t) are those of windows, vertices and regions; u and v need
/// be neither orthogonal nor of length 1.
struct Slice {
    std::vector<double> origin, u, v;

    std::vector<double> at(Vec2 p) const;
    friend bool operator==(const Slice&, const Slice&) = default;
};

/// Through the origin along two inputs: (s, t) are their values. Throws InputError unless first != second, both < inputs.
Slice sliceOfInputs(std::size_t inputs, std::size_t first = 0, std::size_t second = 1);
/// Through three points: a at (0, 0), b at (1, 0), c at (0, 1). Throws what `validate` throws, as when the points lie on one line.
Slice sliceThrough(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c);
/// The same plane with its origin in the middle of the three, u and v orthogonal, u along b − a, both as long as twice the distance to the
/// farthest: all three lie within half a unit of (0, 0), at their own distances. Throws as sliceThrough.
Slice sliceAround(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c);
/// Coordinates of the foot of a point's perpendicular on the plane. Expects orthogonal directions.
Vec2 footOn(const Slice&, const std::vector<double>& point);
/// The slice about its own point `pivot` with u swung out of the plane by `angle` towards `direction`: u cos angle + n |u| sin angle,
/// n the unit vector of direction's part orthogonal to the plane; v stays. The slice itself when that part vanishes.
Slice turned(const Slice&, Vec2 pivot, const std::vector<double>& direction, double angle);
/// u and v as an orthonormal pair that spans the same plane, u's direction kept.
Slice orthonormal(const Slice&);

/// Throws InputError: wrong number of entries, NaN or infinity, a direction of length 0, parallel directions (sine of the angle <= 1e-9).
void validate(const Slice&, std::size_t inputs);

/// A convex window, corners in either order.
using Polygon = std::vector<Vec2>;
Polygon rectangle(Vec2 lo, Vec2 hi);
/// The same counterclockwise, without corners that repeat or lie on the line of their neighbours. Throws InputError: fewer than three
/// corners left, NaN or infinity, area 0 (below 1e-12 of the square of its extent), not convex.
Polygon checkedWindow(const Polygon&);
double area(const Polygon&);

}  // namespace kappaflow
