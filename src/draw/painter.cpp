#include "draw/painter.h"

#include <algorithm>

#include "draw/markup.h"

namespace kappaflow {

bool CellMesh::sound() const {
    std::uint32_t last = 0;
    for (const std::uint32_t end : ends) {
        if (end < last) return false;
        last = end;
    }
    return last <= corners.size() && colors.size() >= (shaded ? points.size() : ends.size()) &&
           std::all_of(corners.begin(), corners.end(), [&](std::uint32_t corner) { return corner < points.size(); });
}

Color CellMesh::colorOf(std::size_t cell) const {
    if (!shaded) return colors[cell];
    Color sum{0, 0, 0, 0};
    const std::size_t first = begin(cell), last = ends[cell];
    const float share = 1 / static_cast<float>(std::max<std::size_t>(last - first, 1));
    for (std::size_t i = first; i < last; ++i) {
        const Color& c = colors[corners[i]];
        sum = {sum.r + c.r * share, sum.g + c.g * share, sum.b + c.b * share, sum.a + c.a * share};
    }
    return sum;
}

void Painter::cells(std::string_view id, const CellMesh& mesh) {
    if (!mesh.sound()) return;
    std::vector<Vec2> outline;
    for (std::size_t cell = 0; cell < mesh.ends.size(); ++cell) {
        outline.clear();
        for (std::size_t i = mesh.begin(cell); i < mesh.ends[cell]; ++i) outline.push_back(mesh.place.at(mesh.points[mesh.corners[i]]));
        polygon(id, outline, mesh.colorOf(cell));
    }
}

void Painter::segments(std::string_view id, const SegmentMesh& mesh) {
    for (std::size_t i = 0; i + 1 < mesh.ends.size(); i += 2) line(id, mesh.end(i), mesh.end(i + 1), {mesh.color, mesh.width});
}

namespace {

double recordedWidth(std::string_view utf8, double size, bool, bool) {
    double count = 0;
    for (std::size_t at = 0; at < utf8.size(); ++count) nextCodePoint(utf8, at);
    return 0.5 * size * count;
}

}  // namespace

std::vector<const DrawnMark*> Recorder::find(std::string_view prefix) const {
    std::vector<const DrawnMark*> found;
    for (const DrawnMark& mark : marks)
        if (std::string_view(mark.id).substr(0, prefix.size()) == prefix) found.push_back(&mark);
    return found;
}

DrawnMark& Recorder::add(const char* kind, std::string_view id, std::vector<Vec2> points, std::vector<double> numbers, Color color) {
    return marks.emplace_back(DrawnMark{kind, std::string(id), {}, std::move(points), std::move(numbers), color});
}

void Recorder::line(std::string_view id, std::span<const Vec2> points, const Stroke& stroke, bool closed) {
    add("line", id, {points.begin(), points.end()}, {stroke.width, closed ? 1.0 : 0.0}, stroke.color).dash = stroke.dash;
}

void Recorder::polygon(std::string_view id, std::span<const Vec2> points, Color fill) {
    add("polygon", id, {points.begin(), points.end()}, {}, fill);
}

void Recorder::strip(std::string_view id, std::span<const Vec2> upper, std::span<const Vec2> lower, Color fill) {
    auto& points = add("strip", id, {upper.begin(), upper.end()}, {}, fill).points;
    points.insert(points.end(), lower.begin(), lower.end());
}

void Recorder::rect(std::string_view id, Rect rect, Color fill, double rounding) { add("rect", id, {rect.lo, rect.hi}, {rounding}, fill); }

void Recorder::frame(std::string_view id, Rect rect, const Stroke& stroke, double rounding) {
    add("frame", id, {rect.lo, rect.hi}, {stroke.width, rounding}, stroke.color).dash = stroke.dash;
}

void Recorder::marker(std::string_view id, Vec2 at, double radius, MarkerShape shape, Color fill, std::optional<Stroke> rim) {
    add("marker", id, {at}, {radius, static_cast<double>(shape), rim ? rim->width : 0}, fill);
}

void Recorder::text(std::string_view id, Vec2 at, std::string_view utf8, const TextStyle& style) {
    const std::vector<double> numbers{style.size, static_cast<double>(style.h), static_cast<double>(style.v), style.upright ? 1.0 : 0.0};
    add("text", id, {at}, numbers, style.color).text = utf8;
}

Vec2 Recorder::measure(std::string_view utf8, const TextStyle& style) {
    const double width = layOut(utf8, style, recordedWidth).width, height = 1.2 * style.size;
    return style.upright ? Vec2{width, height} : Vec2{height, width};
}

void Recorder::field(std::string_view id, Rect dest, const Field2D& field) {
    const auto rows = static_cast<double>(field.rows), cols = static_cast<double>(field.cols);
    auto& numbers = add("field", id, {dest.lo, dest.hi}, {rows, cols, field.lo, field.hi}, {}).numbers;
    numbers.insert(numbers.end(), field.values.begin(), field.values.end());
}

// Four corners; then rows, columns, both ends of the colour map, opacity, the corners' weights, and the values.
void Recorder::plane(std::string_view id, const PlaneCorners& corners, const Field2D& field, double opacity) {
    const auto rows = static_cast<double>(field.rows), cols = static_cast<double>(field.cols);
    DrawnMark& mark = add("plane", id, {}, {rows, cols, field.lo, field.hi, opacity}, {});
    for (const ProjectedPoint& corner : corners) mark.points.push_back(corner.at), mark.numbers.push_back(corner.w);
    mark.numbers.insert(mark.numbers.end(), field.values.begin(), field.values.end());
}

void Recorder::ribbons(std::string_view id, std::span<const Ribbon> ribbons, Vec2 axis) {
    for (const Ribbon& r : ribbons) add("ribbon", id, {r.from, r.to, axis}, {r.widthFrom, r.widthTo, r.phase}, r.color);
}

void Recorder::points(std::string_view id, std::span<const PointMark> points) {
    for (const PointMark& point : points) add("point", id, {point.at}, {point.radius}, point.color);
}

// One mark for all cells: their corners on the screen, and how many each has; the first colour.
void Recorder::cells(std::string_view id, const CellMesh& mesh) {
    if (!mesh.sound()) return;
    DrawnMark& mark = add("cells", id, {}, {}, mesh.colors.empty() ? Color{} : mesh.colors.front());
    for (const std::uint32_t corner : mesh.corners) mark.points.push_back(mesh.place.at(mesh.points[corner]));
    for (std::size_t c = 0; c < mesh.ends.size(); ++c) mark.numbers.push_back(static_cast<double>(mesh.ends[c] - mesh.begin(c)));
}

void Recorder::segments(std::string_view id, const SegmentMesh& mesh) {
    DrawnMark& mark = add("segments", id, {}, {mesh.width, mesh.grown}, mesh.color);
    for (std::size_t i = 0; i < mesh.ends.size() / 2 * 2; ++i) mark.points.push_back(mesh.end(i));
}

void Recorder::pushClip(Rect rect) { add("clip", {}, {rect.lo, rect.hi}, {}, {}); }
void Recorder::popClip() { add("unclip", {}, {}, {}, {}); }

}  // namespace kappaflow
