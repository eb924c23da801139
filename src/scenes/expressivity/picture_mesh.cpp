#include "scenes/expressivity/picture_mesh.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::region_mesh {

Mesh meshOf(const Source& source) {
    Mesh mesh;
    const Vec2 centre = source.centre();
    const double scale = 1 / source.half();
    const auto placed = [&](const double* p) { return Vec2{(p[0] - centre.x) * scale, (p[1] - centre.y) * scale}; };
    const auto& vertices = source.vertices->values;
    mesh.points.reserve(vertices.size() / 2);
    for (std::size_t v = 0; v + 1 < vertices.size(); v += 2) mesh.points.push_back(placed(&vertices[v]));
    mesh.corners.assign(source.polygons->values.begin(), source.polygons->values.end());
    mesh.ends.assign(source.polygonEnds->values.begin(), source.polygonEnds->values.end());
    mesh.edges.resize(source.layers() + 1);
    const double* ends = source.edges->values.data();
    for (const double layer : source.edgeLayer->values) {
        auto& of = mesh.edges[std::min(static_cast<std::size_t>(layer), source.layers())];
        for (int end = 0; end < 2; ++end) of.push_back(mesh.points[static_cast<std::size_t>(*ends++)]);
    }
    for (std::size_t s = 0; source.decision && s < source.decision->axes[0].size(); ++s)
        for (std::size_t end = 0; end < 2; ++end) mesh.decisions.push_back(placed(source.decision->row(s) + 2 * end));
    return mesh;
}

bool holds(const Mesh& mesh, std::size_t region, Vec2 p) {
    const std::size_t begin = region == 0 ? 0 : mesh.ends[region - 1], end = mesh.ends[region];
    bool inside = end > begin + 2;
    for (std::size_t i = begin; inside && i < end; ++i) {
        const Vec2 a = mesh.points[mesh.corners[i]], b = mesh.points[mesh.corners[i + 1 < end ? i + 1 : begin]];
        inside = (b.x - a.x) * (p.y - a.y) >= (b.y - a.y) * (p.x - a.x);
    }
    return inside;
}

std::optional<std::size_t> regionAt(const Mesh& mesh, Vec2 p) {
    for (std::size_t region = 0; region < mesh.ends.size(); ++region)
        if (holds(mesh, region, p)) return region;
    return std::nullopt;
}

void drawFills(PictureFrame& f, const Seen& seen, const std::vector<Color>& colors, bool shaded) {
    CellMesh cells;
    cells.points = seen.mesh.points;
    cells.corners = seen.mesh.corners;
    cells.ends = seen.mesh.ends;
    cells.colors = colors;
    cells.shaded = shaded;
    cells.place = seen.place;
    cells.version = seen.version;
    f.painter.cells("regions/cells", cells);
}

/// Lines are finer and paler where cells are smaller than they.
void drawEdges(PictureFrame& f, const Seen& seen, const Array& regionsByDepth) {
    const Between b = between(seen.depth, seen.mesh.edges.size() - 1);
    const double shown = regionsByDepth.values[b.below] * (1 - b.fraction) + regionsByDepth.values[b.above] * b.fraction;
    const double cell = 2 * seen.place.scale.x / std::sqrt(std::max(shown, 1.0));
    const double width = std::clamp(cell / 14, 0.6, 2.0);
    const auto alpha = static_cast<float>(std::clamp(cell / 7, 0.3, 1.0));
    for (std::size_t layer = b.fraction > 0 ? b.above : b.below; layer >= 1; --layer) {
        const double grown = layer > b.below ? eased(b.fraction) : 1;
        const double older = layer == 1 ? 1.25 : 1;
        f.painter.segments("regions/edges/" + std::to_string(layer), {seen.mesh.edges[layer], layerColor(f.theme, layer).withAlpha(alpha),
                                                                      width * older, grown, seen.place, seen.version});
    }
}

void drawDecision(PictureFrame& f, const Seen& seen) {
    const double share = seen.depth - (static_cast<double>(seen.mesh.edges.size()) - 2);
    if (seen.mesh.decisions.empty() || share <= 0) return;
    const auto alpha = static_cast<float>(eased(std::min(share, 1.0)));
    const auto& lines = seen.mesh.decisions;
    f.painter.segments("regions/decision/rim", {lines, f.theme.ground.withAlpha(0.8f * alpha), 6, 1, seen.place, seen.version});
    f.painter.segments("regions/decision", {lines, f.theme.text.withAlpha(alpha), 3, 1, seen.place, seen.version});
}

void drawMarked(PictureFrame& f, const Seen& seen, const Array& pattern, std::size_t layer, std::size_t region) {
    const double* patterns = pattern.row(layer);
    const auto& ends = seen.mesh.ends;
    std::vector<std::uint32_t> corners, marked;
    for (std::size_t r = 0; r < ends.size(); ++r) {
        if (patterns[r] != patterns[region]) continue;
        for (std::size_t i = r == 0 ? 0 : ends[r - 1]; i < ends[r]; ++i) corners.push_back(seen.mesh.corners[i]);
        marked.push_back(static_cast<std::uint32_t>(corners.size()));
    }
    const std::vector<Color> colors(marked.size(), f.theme.accent.withAlpha(0.35f));
    CellMesh cells;
    cells.points = seen.mesh.points, cells.corners = corners, cells.ends = marked, cells.colors = colors, cells.place = seen.place;
    f.painter.cells("regions/marked", cells);
}

}  // namespace kappaflow::region_mesh
