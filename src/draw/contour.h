#pragma once
#include <span>
#include <vector>

#include "core/base/geometry.h"

namespace kappaflow {

/// The smallest region that holds a share of a density on cells: all cells above the level returned. Cells at one level (equal to 1e-9)
/// count half there, and between neighbouring levels the sum runs straight: a flat field has a region too. Values at or below 0 and NaN
/// hold nothing; NaN when nothing holds anything. O(n log n).
double levelHolding(std::span<const double> values, double share);

/// Closed lines around where the field is above `level` (> 0), by marching squares between the cells' centres with nothing beyond the
/// edges: row-major values, `rows` × `cols`. Points are (column, row), cell (r, c) has its centre there and reaches half a unit to every
/// side; lines stay inside the outermost cells. A saddle is joined when the mean of its four corners is above the level. Lines run
/// with the higher ground on their right (y downwards). NaN counts as 0. O(rows · cols).
std::vector<std::vector<Vec2>> contourLoops(std::size_t rows, std::size_t cols, std::span<const double> values, double level);

/// Signed area: positive where the points run clockwise on the screen (y downwards).
double loopArea(std::span<const Vec2> loop);

/// The points' convex hull, clockwise on the screen; at most as many corners as points. O(n log n).
std::vector<Vec2> convexHull(std::vector<Vec2> points);

}  // namespace kappaflow
