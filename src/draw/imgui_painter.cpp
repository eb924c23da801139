#include "draw/imgui_painter.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "draw/gl/gl_context.h"
#include "draw/imgui_fields.h"
#include "draw/imgui_mesh.h"
#include "draw/imgui_shapes.h"
#include "draw/ribbon_shape.h"

namespace kappaflow {
namespace {

bool finite(const PlanePlace& place) { return finite(Rect{place.origin, place.origin + place.scale}); }

bool whole(const Field2D& field) { return field.rows > 0 && field.cols > 0 && field.values.size() / field.cols >= field.rows; }

bool drawable(const ProjectedPoint& corner) { return std::isfinite(corner.at.x) && std::isfinite(corner.at.y) && corner.w > 0; }

}  // namespace

ImGuiPainter::ImGuiPainter(ImDrawList& list, const FontSet& fonts, const Theme& theme, double pixelRatio, GlContext* gl)
    : list_(list),
      fonts_(fonts),
      theme_(theme),
      pixelRatio_(pixelRatio),
      gl_(gl && gl->ready() ? gl : nullptr),
      fringeBefore_(list._FringeScale) {
    // ImGui softens edges over one unit; a unit is a CSS pixel here, the edge is to be a device pixel.
    list_._FringeScale = static_cast<float>(1 / pixelRatio_);
}

ImGuiPainter::~ImGuiPainter() { list_._FringeScale = fringeBefore_; }

void ImGuiPainter::line(std::string_view, std::span<const Vec2> points, const Stroke& stroke, bool closed) {
    addStroke(list_, points, stroke, closed, 1 / pixelRatio_);
}

void ImGuiPainter::polygon(std::string_view, std::span<const Vec2> points, Color fill) { addPolygon(list_, points, fill, 1 / pixelRatio_); }

void ImGuiPainter::strip(std::string_view, std::span<const Vec2> upper, std::span<const Vec2> lower, Color fill) {
    addStrip(list_, upper, lower, {0, 1}, fill, 1 / pixelRatio_);
}

void ImGuiPainter::rect(std::string_view, Rect rect, Color fill, double rounding) {
    if (!finite(rect) || rect.width() <= 0 || rect.height() <= 0) return;
    const ImVec2 lo(static_cast<float>(rect.lo.x), static_cast<float>(rect.lo.y)),
        hi(static_cast<float>(rect.hi.x), static_cast<float>(rect.hi.y));
    if (rounding > 0)
        addPolygon(list_, roundedRect(rect, rounding), fill, 1 / pixelRatio_);
    else
        list_.AddRectFilled(lo, hi, packed(fill));
}

void ImGuiPainter::frame(std::string_view, Rect rect, const Stroke& stroke, double rounding) {
    if (!finite(rect) || rect.width() <= 0 || rect.height() <= 0) return;
    // Inside the rectangle, so that a frame of whole pixels stays sharp.
    const double in = 0.5 * stroke.width;
    addStroke(list_, roundedRect(rect.inset(in, in, in, in), rounding - in), stroke, true, 1 / pixelRatio_);
}

void ImGuiPainter::marker(std::string_view, Vec2 at, double radius, MarkerShape shape, Color fill, std::optional<Stroke> rim) {
    if (!(radius > 0) || !std::isfinite(at.x) || !std::isfinite(at.y)) return;
    const std::vector<Vec2> outline = markerOutline(at, radius, shape, pixelRatio_);
    if (fill.a > 0) addPolygon(list_, outline, fill, 1 / pixelRatio_);
    if (rim) addStroke(list_, outline, *rim, true, 1 / pixelRatio_);
}

Vec2 ImGuiPainter::measure(std::string_view utf8, const TextStyle& style) {
    const double along = layOut(utf8, style, textMeasure(fonts_)).width, across = style.size * FontSet::kLineHeight;
    return style.upright ? Vec2{along, across} : Vec2{across, along};
}

void ImGuiPainter::text(std::string_view, Vec2 at, std::string_view utf8, const TextStyle& style) {
    if (!std::isfinite(at.x) || !std::isfinite(at.y)) return;
    const TextLayout layout = layOut(utf8, style, textMeasure(fonts_));
    const auto snap = [&](double v) { return std::round(v * pixelRatio_) / pixelRatio_; };
    const Vec2 start = textStart(at, layout.width, style);
    const Vec2 origin{snap(start.x), snap(start.y)};
    const auto draw = [&](Vec2 offset, Color color) {
        addText(list_, fonts_, layout, style.bold, origin + offset, style.upright, color, pixelRatio_);
    };
    if (style.halo) {
        const double r = 1.25, d = r * 0.7071;
        const Color rim = style.halo->withAlpha(style.halo->a * style.color.a);
        for (const Vec2 offset : {Vec2{r, 0}, {-r, 0}, {0, r}, {0, -r}, {d, d}, {-d, d}, {d, -d}, {-d, -d}}) draw(offset, rim);
    }
    draw({}, style.color);
}

void ImGuiPainter::field(std::string_view id, Rect dest, const Field2D& field) {
    if (!whole(field) || !finite(dest) || dest.width() <= 0 || dest.height() <= 0) return;
    if (!gl_ || !gl_->field(list_, id, dest, field, theme_.dark)) addField(list_, dest, field, theme_.dark);
}

void ImGuiPainter::plane(std::string_view id, const PlaneCorners& corners, const Field2D& field, double opacity) {
    if (!whole(field) || !(opacity > 0) || !std::all_of(corners.begin(), corners.end(), drawable)) return;
    if (!gl_ || !gl_->plane(list_, id, corners, field, opacity, theme_.dark)) addPlane(list_, corners, field, opacity, theme_.dark);
}

void ImGuiPainter::ribbons(std::string_view, std::span<const Ribbon> ribbons, Vec2 axis) {
    if (ribbons.empty()) return;
    if (gl_) return gl_->ribbons(list_, ribbons, axis, theme_.dark);
    const double pixel = 1 / pixelRatio_;
    for (const Ribbon& ribbon : ribbons) {
        const double widest = std::max(ribbon.widthFrom, ribbon.widthTo);
        const RibbonShape shape = shapeOf(ribbon, axis, 24);
        if (widest < 2 * pixel) {
            addStroke(list_, shape.middle, {ribbon.color, widest}, false, pixel);
            continue;
        }
        addStrip(list_, shape.upper, shape.lower, {-axis.y, axis.x}, ribbon.color, pixel);
    }
}

void ImGuiPainter::points(std::string_view, std::span<const PointMark> points) {
    if (points.empty()) return;
    if (gl_) return gl_->points(list_, points);
    for (const PointMark& point : points) marker({}, point.at, point.radius, MarkerShape::Circle, point.color, {});
}

void ImGuiPainter::cells(std::string_view id, const CellMesh& mesh) {
    if (!mesh.sound() || !finite(mesh.place)) return;
    gl_ ? gl_->cells(list_, id, mesh) : addCells(list_, mesh);
}

void ImGuiPainter::segments(std::string_view id, const SegmentMesh& mesh) {
    if (mesh.ends.size() < 2 || !(mesh.width > 0) || mesh.color.a <= 0 || !finite(mesh.place)) return;
    gl_ ? gl_->segments(list_, id, mesh, 1 / pixelRatio_) : addSegments(list_, mesh, 1 / pixelRatio_);
}

void ImGuiPainter::pushClip(Rect rect) {
    list_.PushClipRect({static_cast<float>(rect.lo.x), static_cast<float>(rect.lo.y)},
                       {static_cast<float>(rect.hi.x), static_cast<float>(rect.hi.y)}, true);
}

void ImGuiPainter::popClip() { list_.PopClipRect(); }

}  // namespace kappaflow
