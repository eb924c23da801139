#include "draw/svg_painter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "draw/imgui_shapes.h"
#include "draw/stroke.h"
#include "draw/svg_text.h"

namespace kappaflow {
namespace {

// The screen's face first, then what has Greek and the signs of mathematics on common systems.
constexpr const char* kFonts =
    "Inter, 'Inter Variable', 'Segoe UI', 'Helvetica Neue', Arial, 'STIX Two Math', STIXGeneral, 'Cambria Math', 'DejaVu Sans', sans-serif";
// Widths are those of single glyphs with figures of one width, as on the screen.
constexpr const char* kFontStyle = "font-variant-numeric:tabular-nums;font-variant-ligatures:none;font-kerning:none";

void writeElement(SvgWriter& out, std::string_view tag, std::string_view text) {
    if (text.empty()) return;
    out.begin(tag).content();
    out.text(text);
    out.close(tag);
}

void writeMetadata(SvgWriter& out, const FigureWords& words) {
    out.begin("metadata").content();
    out.begin("rdf:RDF").attribute("xmlns:rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#");
    out.attribute("xmlns:dc", "http://purl.org/dc/elements/1.1/").attribute("xmlns:dcterms", "http://purl.org/dc/terms/").content();
    out.begin("rdf:Description").attribute("rdf:about", "").content();
    writeElement(out, "dc:format", "image/svg+xml");
    writeElement(out, "dc:title", words.title);
    writeElement(out, "dc:description", words.caption);
    writeElement(out, "dc:identifier", words.scene);
    writeElement(out, "dc:creator", words.generator);
    writeElement(out, "dc:source", words.link);
    writeElement(out, "dc:relation", words.source);
    writeElement(out, "dcterms:requires", words.file);
    out.close("rdf:Description");
    out.close("rdf:RDF");
    out.close("metadata");
}

}  // namespace

std::string svgDocument(double width, double height, const Theme& theme, const FigureWords& words, const std::string& marks) {
    SvgWriter out;
    out.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.begin("svg").attribute("xmlns", "http://www.w3.org/2000/svg").attribute("xmlns:xlink", "http://www.w3.org/1999/xlink");
    out.attribute("version", "1.1").attribute("width", width).attribute("height", height);
    out.attribute("viewBox", "0 0 " + svgNumber(width) + ' ' + svgNumber(height));
    out.attribute("role", "img").attribute("font-family", kFonts).attribute("style", kFontStyle).attribute("xml:space", "preserve");
    out.content();
    out.raw("\n");
    writeElement(out, "title", words.title);
    writeElement(out, "desc", words.caption);
    writeMetadata(out, words);
    out.begin("rect").mark("ground").attribute("width", width).attribute("height", height).color("fill", theme.ground).end();
    out.raw(marks);
    out.close("svg");
    return out.written();
}

namespace {

// Bytes for all fields, planes and meshes together. A field may take half of what is left, a plane an eighth: a stack has many. Base64
// takes 4/3 bytes a cell of an image.
constexpr std::size_t kMostDetail = 1'200'000, kMostRunsOfAPlane = 2'500, kBytesOfARun = 32;
constexpr double kHaloWidth = 2.5, kThin = 2;

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
        if (begins && !goesOn) continue;
        begins ? path.move(points[i]) : path.line(points[i]);
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

// A ribbon's middle line as it is drawn: a cubic that leaves and arrives along the axis.
SvgPath middleOf(const Ribbon& ribbon, Vec2 axis) {
    const Vec2 span = ribbon.to - ribbon.from, reach = axis * (0.5 * (span.x * axis.x + span.y * axis.y));
    SvgPath path;
    path.move(ribbon.from);
    if (std::abs(span.x * axis.y - span.y * axis.x) < 0.1)
        path.line(ribbon.to);
    else
        path.curve(ribbon.from + reach, ribbon.to - reach, ribbon.to);
    return path;
}

// Where a ribbon runs nearly across the axis it is slimmer than at its ends (shapeOf: least slope kSteepest); a line has one width, the
// mean of those at the ends and in the middle.
double slimming(const Ribbon& ribbon, Vec2 axis) {
    constexpr double kSteepest = 0.35;
    const Vec2 span = ribbon.to - ribbon.from;
    const double along = std::abs(span.x * axis.x + span.y * axis.y), aside = 2 * std::abs(span.x * axis.y - span.y * axis.x);
    return 0.5 + 0.5 * std::min(1.0, along / std::max(kSteepest * std::hypot(along, aside), 1e-9));
}

float twoDigits(float value) {
    const float scale = value < 0.1f ? 1000.0f : 100.0f;
    return std::round(value * scale) / scale;
}

// Chords that stay within 0.15 pixels of an S-shaped curve that moves this far aside.
int segmentsOf(double aside) { return static_cast<int>(std::clamp(std::ceil(std::sqrt(5 * std::abs(aside))), 2.0, 24.0)); }

}  // namespace

SvgPainter::SvgPainter(const Theme& theme, MeasureText measure, std::string name)
    : theme_(theme), measure_(std::move(measure)), name_(std::move(name)), detailLeft_(kMostDetail) {}

void SvgPainter::line(std::string_view id, std::span<const Vec2> points, const Stroke& stroke, bool closed) {
    const SvgPath path = lineOf(points, closed);
    if (path.empty() || !(stroke.width > 0) || stroke.color.a <= 0) return;
    out_.begin("path").mark(id).attribute("fill", "none").stroke(drawn(stroke)).attribute("stroke-linejoin", "round");
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
    const double in = 0.5 * theme_.width(stroke.width);
    const Rect middle = rect.inset(in, in, in, in);
    out_.begin("rect").mark(id).attribute("fill", "none").stroke(drawn(stroke));
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
    if (!field.sound() || empty(dest)) return;
    const std::size_t before = out_.size();
    writeField(out_, id, dest, field, theme_.dark, std::max<std::size_t>(1, detailLeft_ * 3 / 8));
    spend(out_.size() - before);
}

void SvgPainter::spend(std::size_t bytes) { detailLeft_ -= std::min(detailLeft_, bytes); }

void SvgPainter::plane(std::string_view id, const PlaneCorners& corners, const Field2D& field, double opacity) {
    if (!field.sound() || !(opacity > 0) || !visible(corners)) return;
    const std::size_t before = out_.size(), most = detailLeft_ / 8 / kBytesOfARun;
    writePlane(out_, id, corners, field, opacity, theme_.dark, std::clamp<std::size_t>(most, 1, kMostRunsOfAPlane));
    spend(out_.size() - before);
}

void SvgPainter::ribbons(std::string_view id, std::span<const Ribbon> ribbons, Vec2 axis) {
    if (ribbons.empty()) return;
    out_.begin("g").mark(id).content();
    // Thin ones come in thousands and in few colours: what they have in common is said once.
    std::vector<std::pair<Stroke, std::string>> thin;
    for (const Ribbon& ribbon : ribbons) {
        const double widest = std::max(ribbon.widthFrom, ribbon.widthTo);
        if (!finite(ribbon.from) || !finite(ribbon.to) || !(widest > 0) || !std::isfinite(widest) || ribbon.color.a <= 0) continue;
        if (widest >= kThin) {
            const Vec2 span = ribbon.to - ribbon.from;
            const RibbonShape shape = shapeOf(ribbon, axis, segmentsOf(span.x * axis.y - span.y * axis.x));
            strip({}, shape.upper, shape.lower, ribbon.color);
            continue;
        }
        const double width = widest * slimming(ribbon, axis);
        const Stroke stroke{ribbon.color.withAlpha(twoDigits(ribbon.color.a)), twoDigits(static_cast<float>(width))};
        auto same = std::find_if(thin.begin(), thin.end(),
                                 [&](const auto& group) { return group.first.color == stroke.color && group.first.width == stroke.width; });
        if (same == thin.end()) same = thin.insert(thin.end(), {stroke, {}});
        // Each in a path of its own: where they cross, they are darker.
        same->second += "<path d=\"" + middleOf(ribbon, axis).data() + "\"/>";
    }
    for (const auto& [stroke, paths] : thin) {
        out_.begin("g").attribute("fill", "none").stroke(stroke).content();
        out_.raw(paths);
        out_.close("g");
    }
    out_.close("g");
}

void SvgPainter::points(std::string_view id, std::span<const PointMark> points) {
    if (points.empty()) return;
    out_.begin("g").mark(id).content();
    for (const PointMark& point : points) marker({}, point.at, point.radius, MarkerShape::Circle, point.color, {});
    out_.close("g");
}

void SvgPainter::cells(std::string_view id, const CellMesh& mesh) {
    if (!mesh.sound() || !finite(mesh.place)) return;
    const std::size_t before = out_.size();
    writeCells(out_, id, mesh, detailLeft_ / 2);
    spend(out_.size() - before);
}

void SvgPainter::segments(std::string_view id, const SegmentMesh& mesh) {
    if (!(mesh.width > 0) || mesh.color.a <= 0 || !finite(mesh.place)) return;
    const std::size_t before = out_.size();
    writeSegments(out_, id, mesh, detailLeft_ / 2);
    spend(out_.size() - before);
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
