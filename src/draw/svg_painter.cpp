#include "draw/svg_painter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "draw/imgui_shapes.h"
#include "draw/ribbon_shape.h"
#include "draw/svg_cells.h"

namespace kappaflow {
namespace {

// Base64 takes 4/3 bytes a cell; a run about 30.
constexpr std::size_t kMostCells = 800'000, kMostRuns = 16'000, kMostRunsOfAPlane = 2'500;
constexpr double kHaloWidth = 2.5;

bool finite(Vec2 p) { return std::isfinite(p.x) && std::isfinite(p.y); }
bool finite(std::span<const Vec2> points) {
    return std::all_of(points.begin(), points.end(), [](Vec2 p) { return finite(p); });
}
bool finite(const Rect& rect) { return finite(rect.lo) && finite(rect.hi); }
bool empty(const Rect& rect) { return !finite(rect) || rect.width() <= 0 || rect.height() <= 0; }

SvgPath outlineOf(std::span<const Vec2> points) {
    SvgPath path;
    for (std::size_t i = 0; i < points.size(); ++i) i == 0 ? path.move(points[i]) : path.line(points[i]);
    path.close();
    return path;
}

// Cut where a point is not finite; a point alone is no line.
SvgPath lineOf(std::span<const Vec2> points, bool closed) {
    SvgPath path;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!finite(points[i])) continue;
        const bool begins = i == 0 || !finite(points[i - 1]), goesOn = i + 1 < points.size() && finite(points[i + 1]);
        if (!begins)
            path.line(points[i]);
        else if (goesOn)
            path.move(points[i]);
    }
    if (closed && !path.empty() && finite(points)) path.close();
    return path;
}

void writeBox(SvgWriter& out, const Rect& rect) {
    out.attribute("x", rect.lo.x).attribute("y", rect.lo.y).attribute("width", rect.width()).attribute("height", rect.height());
}

void writeRounding(SvgWriter& out, const Rect& rect, double rounding) {
    const double most = 0.5 * std::min(rect.width(), rect.height());
    if (rounding > 0) out.attribute("rx", std::min(rounding, most));
}

// Chords that stay within 0.15 pixels of an S-shaped curve that moves this far aside.
int segmentsOf(double aside) { return static_cast<int>(std::clamp(std::ceil(std::sqrt(5 * std::abs(aside))), 2.0, 24.0)); }

}  // namespace

SvgPainter::SvgPainter(const Theme& theme, MeasureText measure, std::string name)
    : theme_(theme), measure_(std::move(measure)), name_(std::move(name)), cellsLeft_(kMostCells), runsLeft_(kMostRuns) {}

void SvgPainter::line(std::string_view id, std::span<const Vec2> points, const Stroke& stroke, bool closed) {
    const SvgPath path = lineOf(points, closed);
    if (path.empty() || !(stroke.width > 0) || stroke.color.a <= 0) return;
    out_.begin("path").mark(id).attribute("fill", "none").stroke(stroke).attribute("stroke-linejoin", "round");
    out_.attribute("d", path.data()).end();
}

void SvgPainter::area(std::string_view id, const SvgPath& path, Color fill) {
    if (fill.a > 0) out_.begin("path").mark(id).color("fill", fill).attribute("d", path.data()).end();
}

void SvgPainter::polygon(std::string_view id, std::span<const Vec2> points, Color fill) {
    if (points.size() >= 3 && finite(points)) area(id, outlineOf(points), fill);
}

void SvgPainter::strip(std::string_view id, std::span<const Vec2> upper, std::span<const Vec2> lower, Color fill) {
    const std::size_t n = std::min(upper.size(), lower.size());
    if (n < 2 || !finite(upper) || !finite(lower)) return;
    std::vector<Vec2> outline(upper.begin(), upper.begin() + static_cast<std::ptrdiff_t>(n));
    for (std::size_t i = n; i-- > 0;) outline.push_back(lower[i]);
    area(id, outlineOf(outline), fill);
}

void SvgPainter::rect(std::string_view id, Rect rect, Color fill, double rounding) {
    if (empty(rect) || fill.a <= 0) return;
    out_.begin("rect").mark(id).color("fill", fill);
    writeBox(out_, rect);
    writeRounding(out_, rect, rounding);
    out_.end();
}

void SvgPainter::frame(std::string_view id, Rect rect, const Stroke& stroke, double rounding) {
    if (empty(rect) || !(stroke.width > 0) || stroke.color.a <= 0) return;
    const double in = 0.5 * stroke.width;
    const Rect middle = rect.inset(in, in, in, in);
    out_.begin("rect").mark(id).attribute("fill", "none").stroke(stroke);
    writeBox(out_, middle);
    writeRounding(out_, middle, rounding - in);
    out_.end();
}

void SvgPainter::marker(std::string_view id, Vec2 at, double radius, MarkerShape shape, Color fill, std::optional<Stroke> rim) {
    if (!(radius > 0) || !std::isfinite(radius) || !finite(at)) return;
    out_.begin(shape == MarkerShape::Circle ? "circle" : "path").mark(id);
    if (fill.a > 0)
        out_.color("fill", fill);
    else
        out_.attribute("fill", "none");
    if (rim && rim->width > 0) out_.stroke(*rim).attribute("stroke-linejoin", "round");
    if (shape == MarkerShape::Circle)
        out_.attribute("cx", at.x).attribute("cy", at.y).attribute("r", radius).end();
    else
        out_.attribute("d", outlineOf(markerOutline(at, radius, shape, 1)).data()).end();
}

Vec2 SvgPainter::measure(std::string_view utf8, const TextStyle& style) {
    const double along = layOut(utf8, style, measure_).width, across = style.size * FontSet::kLineHeight;
    return style.upright ? Vec2{along, across} : Vec2{across, along};
}

void SvgPainter::text(std::string_view id, Vec2 at, std::string_view utf8, const TextStyle& style) {
    const TextLayout layout = layOut(utf8, style, measure_);
    if (!finite(at) || layout.runs.empty()) return;
    const Vec2 start = textStart(at, layout.width, style);
    // Turned text is laid out from the origin of its own axes.
    const Vec2 origin = style.upright ? start : Vec2{};
    out_.begin("text").mark(id).attribute("font-size", style.size).color("fill", style.color);
    if (style.bold) out_.attribute("font-weight", "600");
    if (style.halo) {
        out_.color("stroke", style.halo->withAlpha(style.halo->a * style.color.a)).attribute("stroke-width", kHaloWidth);
        out_.attribute("stroke-linejoin", "round").attribute("paint-order", "stroke");
    }
    if (!style.upright) out_.attribute("transform", "translate(" + svgNumber(start.x) + ' ' + svgNumber(start.y) + ") rotate(-90)");
    const auto place = [&](const TextRun& run) {
        out_.attribute("x", origin.x + run.x).attribute("y", origin.y - run.rise);
        if (run.italic) out_.attribute("font-style", "italic");
        if (run.size != style.size) out_.attribute("font-size", run.size);
        if (run.width >= 0.01) out_.attribute("textLength", run.width).attribute("lengthAdjust", "spacingAndGlyphs");
        out_.content();
        out_.text(run.text);
    };
    if (layout.runs.size() == 1 && layout.runs.front().size == style.size) {
        place(layout.runs.front());
    } else {
        out_.content();
        for (const TextRun& run : layout.runs) {
            out_.begin("tspan");
            place(run);
            out_.raw("</tspan>");
        }
    }
    out_.close("text");
}

void SvgPainter::field(std::string_view id, Rect dest, const Field2D& field) {
    const bool whole = field.rows > 0 && field.cols > 0 && field.values.size() / field.cols >= field.rows;
    if (!whole || empty(dest)) return;
    cellsLeft_ -= writeField(out_, id, dest, field, theme_.dark, std::max<std::size_t>(1, cellsLeft_ / 2));
}

void SvgPainter::plane(std::string_view id, const PlaneCorners& corners, const Field2D& field, double opacity) {
    const bool whole = field.rows > 0 && field.cols > 0 && field.values.size() / field.cols >= field.rows;
    const bool seen = std::all_of(corners.begin(), corners.end(), [](const ProjectedPoint& p) { return finite(p.at) && p.w > 0; });
    if (!whole || !seen || !(opacity > 0)) return;
    const std::size_t most = std::clamp<std::size_t>(runsLeft_ / 2, 1, kMostRunsOfAPlane);
    runsLeft_ -= std::min(runsLeft_, writePlane(out_, id, corners, field, opacity, theme_.dark, most));
}

void SvgPainter::writeRibbon(const Ribbon& ribbon, Vec2 axis) {
    const double widest = std::max(ribbon.widthFrom, ribbon.widthTo);
    if (!finite(ribbon.from) || !finite(ribbon.to) || !(widest > 0) || !std::isfinite(widest) || ribbon.color.a <= 0) return;
    const Vec2 span = ribbon.to - ribbon.from;
    if (widest < 2) {
        const Vec2 reach = axis * (0.5 * (span.x * axis.x + span.y * axis.y));
        SvgPath path;
        path.move(ribbon.from);
        path.curve(ribbon.from + reach, ribbon.to - reach, ribbon.to);
        out_.begin("path").attribute("fill", "none").stroke({ribbon.color, widest}).attribute("d", path.data()).end();
        return;
    }
    const RibbonShape shape = shapeOf(ribbon, axis, segmentsOf(span.x * axis.y - span.y * axis.x));
    strip({}, shape.upper, shape.lower, ribbon.color);
}

void SvgPainter::ribbons(std::string_view id, std::span<const Ribbon> ribbons, Vec2 axis) {
    if (ribbons.empty()) return;
    out_.begin("g").mark(id).content();
    for (const Ribbon& ribbon : ribbons) writeRibbon(ribbon, axis);
    out_.close("g");
}

void SvgPainter::points(std::string_view id, std::span<const PointMark> points) {
    if (points.empty()) return;
    out_.begin("g").mark(id).content();
    for (const PointMark& point : points) marker({}, point.at, point.radius, MarkerShape::Circle, point.color, {});
    out_.close("g");
}

void SvgPainter::pushClip(Rect rect) {
    auto known = std::find(clips_.begin(), clips_.end(), rect);
    const std::string id = name_ + "-clip" + std::to_string(known - clips_.begin());
    if (known == clips_.end()) {
        clips_.push_back(rect);
        out_.begin("clipPath").attribute("id", id).content();
        out_.begin("rect");
        writeBox(out_, empty(rect) ? Rect{} : rect);
        out_.end();
        out_.close("clipPath");
    }
    out_.begin("g").attribute("clip-path", "url(#" + id + ")").content();
    ++openClips_;
}

void SvgPainter::popClip() {
    if (openClips_ == 0) return;
    --openClips_;
    out_.close("g");
}

std::string SvgPainter::finish() {
    while (openClips_ > 0) popClip();
    return out_.written();
}

}  // namespace kappaflow
