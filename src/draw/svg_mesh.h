#pragma once
#include "draw/painter.h"
#include "draw/svg_text.h"

namespace kappaflow {

/// Writes cells as paths, one for every colour. A shaded cell has the mean colour of its corners, in steps of 1/32. Of more than
/// `mostBytes` allow (about 36 a cell) the largest are written, on the mean colour of all.
void writeCells(SvgWriter&, std::string_view id, const CellMesh&, std::size_t mostBytes);

/// Writes lines as one path. Of more than `mostBytes` allow (about 20 a line) the longest are written.
void writeSegments(SvgWriter&, std::string_view id, const SegmentMesh&, std::size_t mostBytes);

}  // namespace kappaflow
