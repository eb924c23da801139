#pragma once
#include "draw/plot.h"

namespace kappaflow {

/// The axis with a range that can be drawn: finite, in order, of some extent (at least 1e-12 of its numbers), positive on log axes.
AxisSpec usableAxis(AxisSpec);
/// Place of a value along the axis, 0 at its beginning and 1 at its end; NaN for what has no place (values <= 0 on log axes).
/// The axis is usable.
double axisPlace(const AxisSpec&, double value);
/// The inverse.
double axisValue(const AxisSpec&, double place);

}  // namespace kappaflow
