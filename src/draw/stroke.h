#pragma once
#include <span>
#include <vector>

#include "draw/painter.h"

namespace kappaflow {

/// A polyline made fit for drawing: cut where a point is not finite, points closer than `nearest` dropped (ends kept), and
/// points within nearest / 2 of the line that is left; corners sharper than a right angle blunted by at most half the width, so that joins
/// neither spike nor thin out.
std::vector<std::vector<Vec2>> drawableParts(std::span<const Vec2> points, bool closed, double width, double nearest);

/// Lengths painted and left out in turn. Dashed: 4 widths on, 2.6 off (at least 6 and 4 pixels). Dotted: one width on, 1.6 off.
struct DashPattern {
    double on = 0, off = 0;
};
DashPattern dashPattern(double width, Dash);

/// The painted stretches of a dashed or dotted line; the pattern runs on along the arc length, corner or not. Patterns that would
/// give more than 20 000 stretches stay solid.
std::vector<std::vector<Vec2>> dashes(std::span<const Vec2> points, double width, Dash);

/// Part of the segment a–b inside the rectangle (Liang–Barsky); false when there is none. Ends are finite.
bool clipSegment(Vec2& a, Vec2& b, const Rect&);

/// A polyline cut to the rectangle, and at points that are not finite: stretches that lie inside.
std::vector<std::vector<Vec2>> clipPolyline(std::span<const Vec2> points, const Rect&);

/// Triangles of a simple polygon by ear clipping, as triples of indices; n - 2 triangles for n corners. O(n^2).
std::vector<int> triangulate(std::span<const Vec2> points);

/// The outline of a ribbon as shaders/ribbon.vert computes it: both edges and the middle line at segments + 1 places.
struct RibbonShape {
    std::vector<Vec2> upper, middle, lower;
};
RibbonShape shapeOf(const Ribbon&, Vec2 axis, int segments);

}  // namespace kappaflow
