#pragma once
#include <vector>

#include "draw/painter.h"

namespace kappaflow {

/// The outline of a ribbon as shaders/ribbon.vert computes it: both edges and the middle line at segments + 1 places.
struct RibbonShape {
    std::vector<Vec2> upper, middle, lower;
};
RibbonShape shapeOf(const Ribbon&, Vec2 axis, int segments);

}  // namespace kappaflow
