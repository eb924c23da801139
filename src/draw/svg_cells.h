#pragma once
#include "draw/painter.h"
#include "draw/svg_png.h"
#include "draw/svg_text.h"

namespace kappaflow {

/// A field's cells as colours: index 0 is what is not drawn, the others are `levels` (2 … 255) even steps of its colour map, from the
/// low end to the high one; with fadesOut each with its alpha. The field may be shown with fewer rows and columns than it has, some
/// of its cells being skipped; its values are as many as its rows and columns say.
PaletteImage paletteImage(const Field2D&, bool dark, std::size_t rows, std::size_t cols, int levels);

/// The same field with fewer cells, each the mean of those it stands for that are a number; NaN where none is. `values` holds them.
Field2D averaged(const Field2D&, std::size_t rows, std::size_t cols, std::vector<double>& values);

/// Neighbours of one colour in a row.
struct CellRun {
    std::size_t row, begin, end;
    std::uint8_t color;
};
std::vector<CellRun> runsOf(const PaletteImage&);

/// Writes a field as rectangles, one for every run, gathered by colour; with more than 1200 runs as an image of its cells. At most
/// `mostCells` cells are kept (at least one); returns how many they were.
std::size_t writeField(SvgWriter&, std::string_view id, const Rect& dest, const Field2D&, bool dark, std::size_t mostCells);

/// Writes a field in perspective as polygons, one for every run: SVG's images know no perspective. Over `mostRuns` runs the colours are
/// taken in coarser steps (64, 32, 16), then cells are averaged; returns how many they were. About 30 bytes a run.
std::size_t writePlane(SvgWriter&, std::string_view id, const PlaneCorners&, const Field2D&, double opacity, bool dark,
                       std::size_t mostRuns);

}  // namespace kappaflow
