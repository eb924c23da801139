#pragma once
#include "draw/painter.h"

struct ImDrawList;

namespace kappaflow {

/// Fields without GL: one shape for every run of equal colour in a row. Rows and columns finer than a pixel are skipped over.
void addField(ImDrawList&, const Rect& dest, const Field2D&, bool dark);
void addPlane(ImDrawList&, const PlaneCorners&, const Field2D&, double opacity, bool dark);

}  // namespace kappaflow
