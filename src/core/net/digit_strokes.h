#pragma once
#include <vector>

#include "core/base/geometry.h"

namespace kappaflow {

/// A line of the pen through its points, smooth but where a point stands twice: a corner. x to the right, y down, the digit fills the
/// unit square's height.
using Stroke = std::vector<Vec2>;
/// One way to write a digit.
using DigitStrokes = std::vector<Stroke>;

/// The ways to write digit 0 … 9.
std::vector<DigitStrokes> waysToWrite(int digit);

/// The smooth curve through a stroke's points as a polyline: Catmull–Rom splines, closed ones where the first point is also the last,
/// `pieces` straight pieces between two points.
std::vector<Vec2> smoothLine(const Stroke&, int pieces);

}  // namespace kappaflow
