#include "draw/imgui_painter.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "draw/gl/gl_context.h"
#include "draw/imgui_shapes.h"
#include "draw/imgui_support.h"
#include "draw/painter.h"
#include "draw/stroke.h"

namespace kappaflow {
namespace {

/// A field with no more rows and columns than there are pixels for them.
struct FieldCells {
    const Field2D& field;
    std::size_t rows, cols;
    double opacity;
    bool dark;
    FieldCells(const Field2D& f, double width, double height, double alpha, bool night)
        : field(f), rows(atMost(f.rows, height)), cols(atMost(f.cols, width)), opacity(alpha), dark(night) {}
    static std::size_t atMost(std::size_t count, double pixels) {
        return static_cast<std::size_t>(std::clamp(pixels, 1.0, static_cast<double>(count)));
    }
    /// 0: nothing to draw.
    ImU32 colorAt(std::size_t row, std::size_t col) const {
        const double value = field.values[(row * field.rows / rows) * field.cols + col * field.cols / cols];
        const double place = mapPosition(field.map, value, field.lo, field.hi, field.logarithmic);
        if (std::isnan(place)) return 0;
        Color color = sample(field.map, place, dark);
        color.a *= static_cast<float>(opacity * (field.fadesOut ? fadedAlpha(place) : 1));
        return color.a > 0 ? packed(color) : 0;
    }
    /// draw(row, first column, column behind the last, colour) for every run.
    template <class Draw>
    void forEachRun(Draw draw) const {
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t begin = 0, end = 0; begin < cols; begin = end) {
                const ImU32 color = colorAt(row, begin);
                for (end = begin + 1; end < cols && colorAt(row, end) == color;) ++end;
                if (color) draw(row, begin, end, color);
            }
    }
};

double distance(const ProjectedPoint& a, const ProjectedPoint& b) { return length(a.at - b.at); }

// Hard edges: soft ones of neighbours would overlap into a seam where the colours are see-through.
void addQuad(ImDrawList& list, const Vec2 (&corners)[4], ImU32 color) {
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    list.PrimReserve(6, 4);
    const unsigned first = list._VtxCurrentIdx;
    for (const unsigned corner : {0u, 1u, 2u, 0u, 2u, 3u}) list.PrimWriteIdx(first + corner);
    for (const Vec2& p : corners) list.PrimWriteVtx(toIm(p), white, color);
}

/// Fields without GL: one shape for every run of equal colour in a row. Rows and columns finer than a pixel are skipped over.
void addField(ImDrawList& list, const Rect& dest, const Field2D& field, bool dark) {
    const FieldCells cells(field, dest.width(), dest.height(), 1, dark);
    const auto x = [&](std::size_t col) {
        return static_cast<float>(dest.lo.x + dest.width() * static_cast<double>(col) / static_cast<double>(cells.cols));
    };
    const auto y = [&](std::size_t row) {
        return static_cast<float>(dest.lo.y + dest.height() * static_cast<double>(row) / static_cast<double>(cells.rows));
    };
    cells.forEachRun([&](std::size_t row, std::size_t begin, std::size_t end, ImU32 color) {
        list.AddRectFilled({x(begin), y(row)}, {x(end), y(row + 1)}, color);
    });
}

void addPlane(ImDrawList& list, const PlaneCorners& corners, const Field2D& field, double opacity, bool dark) {
    const FieldCells cells(field, std::max(distance(corners[0], corners[1]), distance(corners[3], corners[2])),
                           std::max(distance(corners[0], corners[3]), distance(corners[1], corners[2])), opacity, dark);
    const auto at = [&](std::size_t row, std::size_t col) {
        return pointOn(corners, static_cast<double>(col) / static_cast<double>(cells.cols),
                       static_cast<double>(row) / static_cast<double>(cells.rows))
            .at;
    };
    cells.forEachRun([&](std::size_t row, std::size_t begin, std::size_t end, ImU32 color) {
        addQuad(list, {at(row, begin), at(row, end), at(row + 1, end), at(row + 1, begin)}, color);
    });
}

/// Across the line, half its width and its soft edge from the middle out.
struct Profile {
    double inner, outer;
    ImU32 full, none;
};

Profile profileOf(const SegmentMesh& mesh, double pixel) {
    // Thinner than a device pixel: a pixel wide and paler.
    const double width = std::max(mesh.width, pixel), paler = std::min(1.0, mesh.width / pixel);
    const Color color = mesh.color.withAlpha(static_cast<float>(mesh.color.a * paler));
    return {0.5 * (width - pixel), 0.5 * (width + pixel), packed(color), packed(color.withAlpha(0))};
}

void addSegment(ImDrawList& list, Vec2 a, Vec2 b, const Profile& profile, ImVec2 white) {
    const Vec2 along = b - a;
    const double length = std::hypot(along.x, along.y);
    if (!(length > 1e-6)) return;
    const Vec2 across{-along.y / length, along.x / length};
    list.PrimReserve(18, 8);
    const unsigned first = list._VtxCurrentIdx;
    for (const Vec2 end : {a, b}) {
        list.PrimWriteVtx(toIm(end - across * profile.outer), white, profile.none);
        list.PrimWriteVtx(toIm(end - across * profile.inner), white, profile.full);
        list.PrimWriteVtx(toIm(end + across * profile.inner), white, profile.full);
        list.PrimWriteVtx(toIm(end + across * profile.outer), white, profile.none);
    }
    for (unsigned strip = 0; strip < 3; ++strip)
        for (const unsigned corner : {0u, 1u, 5u, 0u, 5u, 4u}) list.PrimWriteIdx(first + strip + corner);
}

/// Meshes as plain shapes, where there is no GL to keep them: made anew every frame, about 1 ms for 10 000 cells and their edges natively.
/// Cells have hard edges: soft ones of neighbours would overlap into seams.
void addCells(ImDrawList& list, const CellMesh& mesh) {
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    for (std::size_t cell = 0; cell < mesh.ends.size(); ++cell) {
        const std::size_t begin = mesh.begin(cell), count = mesh.ends[cell] - begin;
        if (count < 3) continue;
        list.PrimReserve(static_cast<int>(3 * (count - 2)), static_cast<int>(count));
        const unsigned first = list._VtxCurrentIdx;
        for (unsigned i = 2; i < count; ++i) {
            list.PrimWriteIdx(first);
            list.PrimWriteIdx(first + i - 1);
            list.PrimWriteIdx(first + i);
        }
        for (std::size_t i = begin; i < begin + count; ++i)
            list.PrimWriteVtx(toIm(mesh.place.at(mesh.points[mesh.corners[i]])), white,
                              packed(mesh.colors[mesh.shaded ? mesh.corners[i] : cell]));
    }
}

/// `pixel`: a device pixel, the width of the soft edge.
void addSegments(ImDrawList& list, const SegmentMesh& mesh, double pixel) {
    const Profile profile = profileOf(mesh, pixel);
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    for (std::size_t i = 0; i + 1 < mesh.ends.size(); i += 2) addSegment(list, mesh.end(i), mesh.end(i + 1), profile, white);
}

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
    addStroke(list_, points, {stroke.color, theme_.width(stroke.width), stroke.dash}, closed, 1 / pixelRatio_);
}

void ImGuiPainter::polygon(std::string_view, std::span<const Vec2> points, Color fill) { addPolygon(list_, points, fill, 1 / pixelRatio_); }

void ImGuiPainter::strip(std::string_view, std::span<const Vec2> upper, std::span<const Vec2> lower, Color fill) {
    addStrip(list_, upper, lower, {0, 1}, fill, 1 / pixelRatio_);
}

void ImGuiPainter::rect(std::string_view, Rect rect, Color fill, double rounding) {
    if (!finite(rect) || rect.width() <= 0 || rect.height() <= 0) return;
    if (rounding > 0)
        addPolygon(list_, roundedRect(rect, rounding), fill, 1 / pixelRatio_);
    else
        list_.AddRectFilled(toIm(rect.lo), toIm(rect.hi), packed(fill));
}

void ImGuiPainter::frame(std::string_view, Rect rect, const Stroke& stroke, double rounding) {
    if (!finite(rect) || rect.width() <= 0 || rect.height() <= 0) return;
    // Inside the rectangle, so that a frame of whole pixels stays sharp.
    const double width = theme_.width(stroke.width), in = 0.5 * width;
    addStroke(list_, roundedRect(rect.inset(in, in, in, in), rounding - in), {stroke.color, width, stroke.dash}, true, 1 / pixelRatio_);
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
    if (!field.sound() || !finite(dest) || dest.width() <= 0 || dest.height() <= 0) return;
    if (!gl_ || !gl_->field(list_, id, dest, field, theme_.dark)) addField(list_, dest, field, theme_.dark);
}

void ImGuiPainter::plane(std::string_view id, const PlaneCorners& corners, const Field2D& field, double opacity) {
    if (!field.sound() || !(opacity > 0) || !visible(corners)) return;
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
    SegmentMesh wide = mesh;
    wide.width = theme_.width(mesh.width);
    gl_ ? gl_->segments(list_, id, wide, 1 / pixelRatio_) : addSegments(list_, wide, 1 / pixelRatio_);
}

void ImGuiPainter::pushClip(Rect rect) { list_.PushClipRect(toIm(rect.lo), toIm(rect.hi), true); }

void ImGuiPainter::popClip() { list_.PopClipRect(); }

}  // namespace kappaflow
