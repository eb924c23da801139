#pragma once
#include "draw/painter.h"

struct ImDrawList;

namespace kappaflow {

/// Meshes as plain shapes, where there is no GL to keep them: made anew every frame, about 1 ms for 10 000 cells and their edges natively.
/// Cells have hard edges: soft ones of neighbours would overlap into seams.
void addCells(ImDrawList&, const CellMesh&);
/// `pixel`: a device pixel, the width of the soft edge.
void addSegments(ImDrawList&, const SegmentMesh&, double pixel);

}  // namespace kappaflow
