#include <algorithm>

#include "draw/painter.h"

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

}  // namespace kappaflow
