#pragma once
#include <span>

#include "draw/fonts.h"
#include "draw/markup.h"
#include "draw/painter.h"

struct ImDrawList;

namespace kappaflow {

/// What ImDrawList cannot do by itself; ImGuiPainter is made of these. `fringe`: width of the soft edge, one device pixel.
unsigned packed(Color);
/// Area between two lines whose points lie opposite each other along `across` (unit vector), with soft edges.
void addStrip(ImDrawList&, std::span<const Vec2> first, std::span<const Vec2> second, Vec2 across, Color, double fringe);
/// Any simple polygon, with soft edges; convex ones cost O(n).
void addPolygon(ImDrawList&, std::span<const Vec2> points, Color, double fringe);
void addStroke(ImDrawList&, std::span<const Vec2> points, const Stroke&, bool closed, double fringe);
/// Lays `layout` out along the reading direction from `origin` (the baseline's start, on a device pixel).
void addText(ImDrawList&, const FontSet&, const TextLayout&, bool bold, Vec2 origin, bool upright, Color, double pixelRatio);
/// Width of plain text.
double textWidth(const FontSet&, std::string_view utf8, double size, bool italic, bool bold);
/// The same as a function; the fonts must outlive it and be baked.
MeasureText textMeasure(const FontSet&);

std::vector<Vec2> roundedRect(const Rect&, double rounding);
std::vector<Vec2> markerOutline(Vec2 at, double radius, MarkerShape, double pixelRatio);

}  // namespace kappaflow
