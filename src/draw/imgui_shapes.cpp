#include "draw/imgui_shapes.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/imgui_support.h"
#include "draw/stroke.h"

namespace kappaflow {
namespace {

/// Collects vertices and triangles, then hands them to the list at once.
class Mesh {
public:
    unsigned vertex(Vec2 p, ImU32 color) {
        vertices_.push_back({toIm(p), white_, color});
        return static_cast<unsigned>(vertices_.size() - 1);
    }
    void triangle(unsigned a, unsigned b, unsigned c) { indices_.insert(indices_.end(), {a, b, c}); }
    void quad(unsigned a, unsigned b, unsigned c, unsigned d) { triangle(a, b, c), triangle(a, c, d); }
    void addTo(ImDrawList& list) const {
        if (indices_.empty()) return;
        list.PrimReserve(static_cast<int>(indices_.size()), static_cast<int>(vertices_.size()));
        const unsigned first = list._VtxCurrentIdx;
        for (const unsigned index : indices_) list.PrimWriteIdx(first + index);
        for (const ImDrawVert& v : vertices_) list.PrimWriteVtx(v.pos, v.uv, v.col);
    }

private:
    ImVec2 white_ = ImGui::GetFontTexUvWhitePixel();
    std::vector<ImDrawVert> vertices_;
    std::vector<unsigned> indices_;
};

// Outward normals at the corners, long enough to move both edges by one (at most twice that at spikes).
std::vector<Vec2> cornerNormals(std::span<const Vec2> points) {
    const std::size_t n = points.size();
    double area = 0;
    for (std::size_t i = 0; i < n; ++i) area += points[i].x * points[(i + 1) % n].y - points[(i + 1) % n].x * points[i].y;
    std::vector<Vec2> edges(n), corners(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Vec2 d = points[(i + 1) % n] - points[i];
        const double scale = (area < 0 ? -1 : 1) / std::max(std::hypot(d.x, d.y), 1e-9);
        edges[i] = {d.y * scale, -d.x * scale};
    }
    for (std::size_t i = 0; i < n; ++i) {
        const Vec2 mean = (edges[(i + n - 1) % n] + edges[i]) * 0.5;
        corners[i] = mean * (1 / std::max(mean.x * mean.x + mean.y * mean.y, 0.25));
    }
    return corners;
}

bool convex(std::span<const Vec2> points) {
    const std::size_t n = points.size();
    double least = 0, most = 0, turning = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec2 a = points[(i + 1) % n] - points[i], b = points[(i + 2) % n] - points[(i + 1) % n];
        const double turn = cross(a, b);
        least = std::min(least, turn), most = std::max(most, turn);
        turning += std::atan2(turn, a.x * b.x + a.y * b.y);
    }
    return (least >= 0 || most <= 0) && std::abs(turning) < 7;  // once round, not a star's twice
}

// How far half a soft edge reaches along `across` at a line of the local slope.
double reach(std::span<const Vec2> line, std::size_t i, Vec2 across, double fringe) {
    const Vec2 d = line[std::min(i + 1, line.size() - 1)] - line[i > 0 ? i - 1 : 0];
    return 0.5 * fringe * std::clamp(std::hypot(d.x, d.y) / std::max(std::abs(cross(d, across)), 1e-9), 1.0, 4.0);
}

}  // namespace

unsigned packed(Color c) {
    const auto channel = [](float v) { return static_cast<unsigned>(255 * std::clamp(v, 0.0f, 1.0f) + 0.5f); };
    return IM_COL32(channel(c.r), channel(c.g), channel(c.b), channel(c.a));
}

void addStrip(ImDrawList& list, std::span<const Vec2> first, std::span<const Vec2> second, Vec2 across, Color color, double fringe) {
    const std::size_t n = std::min(first.size(), second.size());
    if (n < 2 || !finite(first) || !finite(second)) return;
    const ImU32 full = packed(color), none = packed(color.withAlpha(0));
    Mesh mesh;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec2 gap = second[i] - first[i];
        const double width = gap.x * across.x + gap.y * across.y;
        // Where the lines have crossed, "out" is the other way.
        const double sign = width < 0 ? -1 : 1, most = 0.5 * std::abs(width);
        const double begin = reach(first, i, across, fringe), end = reach(second, i, across, fringe);
        mesh.vertex(first[i] - across * (sign * begin), none);
        mesh.vertex(first[i] + across * (sign * std::min(begin, most)), full);
        mesh.vertex(second[i] - across * (sign * std::min(end, most)), full);
        mesh.vertex(second[i] + across * (sign * end), none);
        if (i == 0) continue;
        const unsigned now = static_cast<unsigned>(4 * i), before = now - 4;
        for (unsigned k = 0; k < 3; ++k) mesh.quad(before + k, now + k, now + k + 1, before + k + 1);
    }
    mesh.addTo(list);
}

void addPolygon(ImDrawList& list, std::span<const Vec2> points, Color color, double fringe) {
    const std::size_t n = points.size();
    if (n < 3 || !finite(points)) return;
    const ImU32 full = packed(color), none = packed(color.withAlpha(0));
    const std::vector<Vec2> normals = cornerNormals(points);
    Mesh mesh;
    for (std::size_t i = 0; i < n; ++i) {
        mesh.vertex(points[i] - normals[i] * (0.5 * fringe), full);
        mesh.vertex(points[i] + normals[i] * (0.5 * fringe), none);
    }
    const bool fan = convex(points);
    for (unsigned i = 2; fan && i < n; ++i) mesh.triangle(0, 2 * (i - 1), 2 * i);
    const std::vector<int> triangles = fan ? std::vector<int>{} : triangulate(points);
    for (std::size_t i = 0; i + 2 < triangles.size(); i += 3)
        mesh.triangle(static_cast<unsigned>(2 * triangles[i]), static_cast<unsigned>(2 * triangles[i + 1]),
                      static_cast<unsigned>(2 * triangles[i + 2]));
    for (unsigned i = 0; i < n; ++i) {
        const unsigned next = static_cast<unsigned>((i + 1) % n);
        mesh.quad(2 * i, 2 * next, 2 * next + 1, 2 * i + 1);
    }
    mesh.addTo(list);
}

void addStroke(ImDrawList& list, std::span<const Vec2> points, const Stroke& stroke, bool closed, double fringe) {
    if (!(stroke.width > 0) || stroke.color.a <= 0) return;
    // Thinner than a device pixel: a pixel wide and paler.
    const double width = std::max(stroke.width, fringe);
    const ImU32 color = packed(stroke.color.withAlpha(static_cast<float>(stroke.color.a * std::min(1.0, stroke.width / fringe))));
    std::vector<ImVec2> part;
    const auto draw = [&](const std::vector<Vec2>& line, bool ring) {
        part.clear();
        for (const Vec2 p : line) part.push_back(toIm(p));
        list.AddPolyline(part.data(), static_cast<int>(part.size()), color, ring ? ImDrawFlags_Closed : 0, static_cast<float>(width));
    };
    for (auto& line : drawableParts(points, closed, width, 0.2 * fringe)) {
        const bool ring = closed && finite(points) && line.size() > 2;
        if (stroke.dash == Dash::Solid) {
            draw(line, ring);
            continue;
        }
        if (ring) line.push_back(line.front());
        for (const auto& stretch : dashes(line, width, stroke.dash)) draw(stretch, false);
    }
}

double textWidth(const FontSet& fonts, std::string_view utf8, double size, bool italic, bool bold) {
    const SizedFont sized = fonts.pick(bold ? FontFace::Bold : italic ? FontFace::Italic : FontFace::Regular, size);
    if (!sized.font) return 0;
    double width = 0;
    for (std::size_t at = 0; at < utf8.size();) width += sized.font->GetCharAdvance(nextCodePoint(utf8, at));
    return width * sized.scale;
}

MeasureText textMeasure(const FontSet& fonts) {
    return [&fonts](std::string_view text, double size, bool italic, bool bold) { return textWidth(fonts, text, size, italic, bold); };
}

void addText(ImDrawList& list, const FontSet& fonts, const TextLayout& layout, bool bold, Vec2 origin, bool upright, Color color,
             double pixelRatio) {
    const ImU32 ink = packed(color);
    // Glyphs of high-density fonts have no finer bitmaps: they go on whole device pixels.
    const auto place = [&](double along) { return pixelRatio < 1.9 ? along : std::round(along * pixelRatio) / pixelRatio; };
    // From (along the line, down from the baseline) to the screen.
    const auto onScreen = [&](double along, double down) {
        return upright ? toIm(Vec2{origin.x + along, origin.y + down}) : toIm(Vec2{origin.x + down, origin.y - along});
    };
    for (const TextRun& run : layout.runs) {
        const SizedFont sized = fonts.pick(bold ? FontFace::Bold : run.italic ? FontFace::Italic : FontFace::Regular, run.size);
        if (!sized.font) continue;
        const double baseline = std::round(sized.font->Ascent), drop = -std::round(run.rise * pixelRatio) / pixelRatio;
        // There is no bold italic: symbols in bold text lean by Inter's 9.4 degrees.
        const double lean = bold && run.italic ? 0.166 : 0;
        double x = run.x;
        for (std::size_t at = 0; at < run.text.size();) {
            const ImFontGlyph* glyph = sized.font->FindGlyph(nextCodePoint(run.text, at));
            if (!glyph) continue;
            if (glyph->Visible) {
                const double left = place(x) + glyph->X0 * sized.scale, right = place(x) + glyph->X1 * sized.scale;
                const double top = drop + (glyph->Y0 - baseline) * sized.scale, bottom = drop + (glyph->Y1 - baseline) * sized.scale;
                list.PrimReserve(6, 4);
                const double topLean = lean * (drop - top), bottomLean = lean * (drop - bottom);
                list.PrimQuadUV(onScreen(left + topLean, top), onScreen(right + topLean, top), onScreen(right + bottomLean, bottom),
                                onScreen(left + bottomLean, bottom), {glyph->U0, glyph->V0}, {glyph->U1, glyph->V0}, {glyph->U1, glyph->V1},
                                {glyph->U0, glyph->V1}, ink);
            }
            x += glyph->AdvanceX * sized.scale;
        }
    }
}

std::vector<Vec2> roundedRect(const Rect& rect, double rounding) {
    const double r = std::max(0.0, std::min(rounding, 0.5 * std::min(rect.width(), rect.height())));
    const Vec2 centres[] = {
        {rect.lo.x + r, rect.lo.y + r}, {rect.hi.x - r, rect.lo.y + r}, {rect.hi.x - r, rect.hi.y - r}, {rect.lo.x + r, rect.hi.y - r}};
    if (r <= 0) return {centres, centres + 4};
    const int steps = static_cast<int>(std::clamp(std::ceil(1.5 * std::sqrt(r)) + 1, 3.0, 16.0));
    std::vector<Vec2> outline;
    for (int corner = 0; corner < 4; ++corner)
        for (int i = 0; i <= steps; ++i) {
            const double angle = std::numbers::pi * (1 + 0.5 * (corner + static_cast<double>(i) / steps));
            outline.push_back(centres[corner] + Vec2{std::cos(angle), std::sin(angle)} * r);
        }
    return outline;
}

std::vector<Vec2> markerOutline(Vec2 at, double radius, MarkerShape shape, double pixelRatio) {
    // Squares and diamonds of the same area as the disc; the cross is as wide as the disc.
    const double half = radius * 0.886, tip = radius * 1.253, arm = radius * 0.3;
    switch (shape) {
        case MarkerShape::Square:
            return {at + Vec2{-half, -half}, at + Vec2{half, -half}, at + Vec2{half, half}, at + Vec2{-half, half}};
        case MarkerShape::Diamond:
            return {at + Vec2{0, -tip}, at + Vec2{tip, 0}, at + Vec2{0, tip}, at + Vec2{-tip, 0}};
        case MarkerShape::Cross: {
            std::vector<Vec2> outline;
            for (const Vec2 p : {Vec2{-arm, -radius},
                                 {arm, -radius},
                                 {arm, -arm},
                                 {radius, -arm},
                                 {radius, arm},
                                 {arm, arm},
                                 {arm, radius},
                                 {-arm, radius},
                                 {-arm, arm},
                                 {-radius, arm},
                                 {-radius, -arm},
                                 {-arm, -arm}})
                outline.push_back(at + Vec2{(p.x - p.y) * 0.7071, (p.x + p.y) * 0.7071});
            return outline;
        }
        case MarkerShape::Circle:
            break;
    }
    const int steps = static_cast<int>(std::clamp(std::ceil(7 * std::sqrt(radius * pixelRatio)), 12.0, 96.0));
    std::vector<Vec2> outline;
    for (int i = 0; i < steps; ++i) {
        const double angle = 2 * std::numbers::pi * i / steps;
        outline.push_back(at + Vec2{std::cos(angle), std::sin(angle)} * radius);
    }
    return outline;
}

}  // namespace kappaflow
