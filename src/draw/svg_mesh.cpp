#include "draw/svg_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace kappaflow {
namespace {

constexpr std::size_t kBytesOfACell = 36, kBytesOfALine = 20;
// Neighbours overlap by this much, in pixels: where soft edges only touch, the ground would shine through.
constexpr double kOverlap = 0.4;

/// Indices of the `most` largest sizes, in their own order; sizes of 0 left out.
std::vector<std::size_t> largestOf(const std::vector<double>& sizes, std::size_t most) {
    std::vector<std::size_t> kept(sizes.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    kept.erase(std::remove_if(kept.begin(), kept.end(), [&](std::size_t i) { return !(sizes[i] > 0); }), kept.end());
    if (kept.size() <= most) return kept;
    const auto end = kept.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(kept.begin(), end, kept.end(),
                     [&](std::size_t a, std::size_t b) { return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b; });
    kept.erase(end, kept.end());
    std::sort(kept.begin(), kept.end());
    return kept;
}

Color stepped(const Color& c) {
    const auto step = [](float v) { return std::round(v * 32) / 32; };
    return {step(c.r), step(c.g), step(c.b), c.a};
}

Color colorOf(const CellMesh& mesh, std::size_t cell) { return mesh.shaded ? stepped(mesh.colorOf(cell)) : mesh.colorOf(cell); }

Rect boundsOf(const CellMesh& mesh, std::size_t cell) {
    Rect box{{1e300, 1e300}, {-1e300, -1e300}};
    for (std::size_t i = mesh.begin(cell); i < mesh.ends[cell]; ++i) {
        const Vec2 p = mesh.place.at(mesh.points[mesh.corners[i]]);
        box = {{std::min(box.lo.x, p.x), std::min(box.lo.y, p.y)}, {std::max(box.hi.x, p.x), std::max(box.hi.y, p.y)}};
    }
    return box;
}

/// The whole in the mean colour, behind cells of which some are missing.
void writeGround(SvgWriter& out, const CellMesh& mesh) {
    Rect all = boundsOf(mesh, 0);
    Color sum{0, 0, 0, 0};
    const float share = 1 / static_cast<float>(mesh.ends.size());
    for (std::size_t cell = 0; cell < mesh.ends.size(); ++cell) {
        const Rect box = boundsOf(mesh, cell);
        const Color c = colorOf(mesh, cell);
        all = {{std::min(all.lo.x, box.lo.x), std::min(all.lo.y, box.lo.y)}, {std::max(all.hi.x, box.hi.x), std::max(all.hi.y, box.hi.y)}};
        sum = {sum.r + c.r * share, sum.g + c.g * share, sum.b + c.b * share, sum.a + c.a * share};
    }
    out.begin("rect").color("fill", stepped(sum));
    out.attribute("x", all.lo.x).attribute("y", all.lo.y).attribute("width", all.width()).attribute("height", all.height()).end();
}

struct ByChannels {
    bool operator()(const Color& a, const Color& b) const {
        if (a.r != b.r) return a.r < b.r;
        if (a.g != b.g) return a.g < b.g;
        return a.b != b.b ? a.b < b.b : a.a < b.a;
    }
};

}  // namespace

void writeCells(SvgWriter& out, std::string_view id, const CellMesh& mesh, std::size_t mostBytes) {
    std::vector<double> sizes(mesh.ends.size());
    for (std::size_t cell = 0; cell < sizes.size(); ++cell) {
        const Rect box = boundsOf(mesh, cell);
        if (mesh.ends[cell] - mesh.begin(cell) >= 3) sizes[cell] = box.width() * box.height();
    }
    const auto kept = largestOf(sizes, mostBytes / kBytesOfACell);
    std::map<Color, SvgPath, ByChannels> paths;
    for (const std::size_t cell : kept) {
        SvgPath& path = paths.try_emplace(colorOf(mesh, cell), 1).first->second;
        for (std::size_t i = mesh.begin(cell); i < mesh.ends[cell]; ++i) {
            const Vec2 p = mesh.place.at(mesh.points[mesh.corners[i]]);
            i == mesh.begin(cell) ? path.move(p) : path.line(p);
        }
        path.close();
    }
    out.begin("g").mark(id).attribute("stroke-width", kOverlap).attribute("stroke-linejoin", "round").content();
    if (kept.size() < mesh.ends.size() && !mesh.ends.empty()) writeGround(out, mesh);
    for (const auto& [color, path] : paths) {
        if (color.a <= 0) continue;
        out.begin("path").color("fill", color);
        if (color.a >= 1) out.color("stroke", color);
        out.attribute("d", path.data()).end();
    }
    out.close("g");
}

void writeSegments(SvgWriter& out, std::string_view id, const SegmentMesh& mesh, std::size_t mostBytes) {
    std::vector<double> sizes(mesh.ends.size() / 2);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const Vec2 along = mesh.end(2 * i + 1) - mesh.end(2 * i);
        sizes[i] = std::hypot(along.x, along.y);
    }
    SvgPath path;
    for (const std::size_t i : largestOf(sizes, mostBytes / kBytesOfALine)) {
        path.move(mesh.end(2 * i));
        path.line(mesh.end(2 * i + 1));
    }
    if (path.empty()) return;
    out.begin("path").mark(id).attribute("fill", "none").stroke({mesh.color, mesh.width}).attribute("stroke-linejoin", "round");
    out.attribute("d", path.data()).end();
}

}  // namespace kappaflow
