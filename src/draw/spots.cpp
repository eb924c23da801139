#include "draw/spots.h"

#include <algorithm>
#include <cmath>

namespace kappaflow {
namespace {

constexpr double kReach = 10, kInside = 6, kFar = 1e9;  // pixels; what lies inside an area is less near than what lies on a line
constexpr double kOfMap = 0.75;                         // a field has the colour at this place of its map

Color solid(Color color) { return color.withAlpha(1); }

bool covers(std::span<const Vec2> outline, Vec2 at) {
    bool inside = false;
    for (std::size_t i = 0, before = outline.size() - 1; i < outline.size(); before = i++) {
        const Vec2 a = outline[before], b = outline[i];
        if ((a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) * (b.x - a.x) / (b.y - a.y)) inside = !inside;
    }
    return inside;
}

}  // namespace

SpotPainter::SpotPainter(Painter& inner, std::vector<Spot>& spots, std::string_view lit, Vec2 pointer)
    : inner_(inner), spots_(spots), lit_(lit), pointer_(pointer), least_(kReach) {
    for (Spot& spot : spots_) spot.color.a = 0, spot.pointed = false;
}

SpotPainter::~SpotPainter() {
    if (nearest_) nearest_->pointed = true;
}

bool SpotPainter::met(std::string_view id, Color color, double away) {
    for (Spot& spot : spots_) {
        if (!id.starts_with(spot.id) || (id.size() > spot.id.size() && id[spot.id.size()] != '/')) continue;
        if (spot.color.a == 0 && color.a > 0.15F) spot.color = solid(color);
        if (away < least_) least_ = away, nearest_ = &spot;
        return spot.id == lit_;
    }
    return false;
}

double SpotPainter::awayFrom(std::span<const Vec2> line, bool closed) const {
    double least = kFar;
    for (std::size_t i = closed ? 0 : 1; i < line.size(); ++i) {
        const Vec2 a = line[i ? i - 1 : line.size() - 1], along = line[i] - a, to = pointer_ - a;
        const double square = dot(along, along);
        least = std::min(least, length(to - along * (square > 0 ? std::clamp(dot(along, to) / square, 0.0, 1.0) : 0)));
    }
    return least;
}

void SpotPainter::line(std::string_view id, std::span<const Vec2> points, const Stroke& stroke, bool closed) {
    Stroke wider = stroke;
    if (met(id, stroke.color, awayFrom(points, closed))) {
        inner_.line(id, points, {stroke.color.withAlpha(0.25F * stroke.color.a), stroke.width + 8}, closed);
        wider.width += 1.5;
    }
    inner_.line(id, points, wider, closed);
}

void SpotPainter::strip(std::string_view id, std::span<const Vec2> upper, std::span<const Vec2> lower, Color fill) {
    const bool lit = met(id, fill, std::min(awayFrom(upper, false), awayFrom(lower, false)));
    inner_.strip(id, upper, lower, fill);
    if (!lit) return;
    for (const auto edge : {upper, lower}) inner_.line(id, edge, {solid(fill), 2}, false);
}

/// An area, after it has been drawn.
void SpotPainter::outline(std::string_view id, std::span<const Vec2> corners, Color color) {
    if (met(id, color, covers(corners, pointer_) ? kInside : kFar)) inner_.line(id, corners, {solid(color), 2.5}, true);
}

void SpotPainter::outline(std::string_view id, Rect rect, Color color) {
    const Vec2 corners[] = {rect.lo, {rect.hi.x, rect.lo.y}, rect.hi, {rect.lo.x, rect.hi.y}};
    outline(id, corners, color);
}

void SpotPainter::polygon(std::string_view id, std::span<const Vec2> points, Color fill) {
    inner_.polygon(id, points, fill);
    outline(id, points, fill);
}

void SpotPainter::rect(std::string_view id, Rect rect, Color fill, double rounding) {
    inner_.rect(id, rect, fill, rounding);
    outline(id, rect, fill);
}

void SpotPainter::frame(std::string_view id, Rect rect, const Stroke& stroke, double rounding) {
    inner_.frame(id, rect, stroke, rounding);
    outline(id, rect, stroke.color);
}

void SpotPainter::field(std::string_view id, Rect dest, const Field2D& field) {
    inner_.field(id, dest, field);
    outline(id, dest, sample(field.map, kOfMap, false));
}

void SpotPainter::plane(std::string_view id, const PlaneCorners& corners, const Field2D& field, double opacity) {
    const Vec2 outer[] = {corners[0].at, corners[1].at, corners[2].at, corners[3].at};
    inner_.plane(id, corners, field, opacity);
    outline(id, outer, sample(field.map, kOfMap, false));
}

void SpotPainter::marker(std::string_view id, Vec2 at, double radius, MarkerShape shape, Color fill, std::optional<Stroke> rim) {
    const Color color = fill.a > 0 || !rim ? fill : rim->color;
    const bool lit = met(id, color, length(at - pointer_) - radius);
    if (lit) inner_.marker(id, at, radius + 6, shape, color.withAlpha(0.25F), {});
    inner_.marker(id, at, lit ? radius * 1.3 : radius, shape, fill, rim);
}

void SpotPainter::text(std::string_view id, Vec2 at, std::string_view utf8, const TextStyle& style) {
    met(id, style.color, kFar);
    inner_.text(id, at, utf8, style);
}

void SpotPainter::ribbons(std::string_view id, std::span<const Ribbon> ribbons, Vec2 axis) {
    bool lit = false;
    for (const Ribbon& ribbon : ribbons) {
        const Vec2 ends[] = {ribbon.from, ribbon.to};
        lit = met(id, ribbon.color, std::max(0.0, awayFrom(ends, false) - 0.5 * std::max(ribbon.widthFrom, ribbon.widthTo)));
    }
    inner_.ribbons(id, ribbons, axis);
    if (lit) inner_.ribbons(id, ribbons, axis);  // see-through ones become stronger
}

void SpotPainter::points(std::string_view id, std::span<const PointMark> points) {
    for (const PointMark& point : points)
        if (met(id, point.color, length(point.at - pointer_) - point.radius))
            inner_.marker(id, point.at, point.radius + 4, MarkerShape::Circle, point.color.withAlpha(0.25F), {});
    inner_.points(id, points);
}

// Cells lie under everything else and cover it all: they give their colour and are not lit.
void SpotPainter::cells(std::string_view id, const CellMesh& mesh) {
    if (!mesh.ends.empty()) met(id, mesh.colorOf(0), kFar);
    inner_.cells(id, mesh);
}

void SpotPainter::segments(std::string_view id, const SegmentMesh& mesh) {
    double away = kFar;
    for (std::size_t i = 0; i + 1 < mesh.ends.size(); i += 2) {
        const Vec2 ends[] = {mesh.end(i), mesh.end(i + 1)};
        away = std::min(away, awayFrom(ends, false));
    }
    SegmentMesh wider = mesh;
    if (met(id, mesh.color, away)) wider.width += 1.5;
    inner_.segments(id, wider);
}

}  // namespace kappaflow
