// How a layer's lines are drawn, unit after unit, which cells stand while they are, and where the output cuts the last ones.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "scenes/expressivity/activation_regions_picture.h"

namespace kappaflow::activation_regions {
namespace {

using Index = std::uint32_t;

/// Lines that a pen draws one after the other; where a layer has more there are more pens.
constexpr Size kLinesAPen = 4;

Index endOf(const Result& r, Index edge, bool far) { return static_cast<Index>(r.edges[2 * edge + (far ? 1 : 0)]); }

/// The edges of one unit in the order in which a pen goes along them: first every line with ends, each from its left one; then the rings.
void follow(const Result& r, const std::vector<Vec2>& points, std::vector<Index> edges, std::vector<Courses::Piece>& course) {
    std::vector<std::pair<Index, Index>> at;  // vertex, edge
    for (const Index e : edges)
        for (const bool far : {false, true}) at.push_back({endOf(r, e, far), e});
    std::sort(at.begin(), at.end());
    std::vector<bool> used(edges.size());
    std::sort(edges.begin(), edges.end());
    const auto numberOf = [&](Index e) { return static_cast<Size>(std::lower_bound(edges.begin(), edges.end(), e) - edges.begin()); };
    const auto walk = [&](Index vertex) {
        for (bool on = true; on;) {
            on = false;
            for (auto i = std::lower_bound(at.begin(), at.end(), std::pair<Index, Index>{vertex, 0}); i != at.end() && i->first == vertex;
                 ++i) {
                const Size number = numberOf(i->second);
                if (used[number]) continue;
                used[number] = on = true;
                const bool turned = endOf(r, i->second, false) != vertex;
                course.push_back({i->second, turned});
                vertex = endOf(r, i->second, !turned);
                break;
            }
        }
    };
    std::vector<Index> starts;
    for (Size i = 0; i < at.size();) {
        Size next = i;
        while (next < at.size() && at[next].first == at[i].first) ++next;
        if ((next - i) % 2 == 1) starts.push_back(at[i].first);
        i = next;
    }
    std::stable_sort(starts.begin(), starts.end(), [&](Index a, Index b) { return points[a].x < points[b].x; });
    for (const Index vertex : starts) walk(vertex);
    for (Size i = 0; i < edges.size(); ++i)
        if (!used[i]) walk(endOf(r, edges[i], false));
}

/// Shares of the pen's way, in proportion to lengths: it keeps its speed.
void measure(const Result& r, const std::vector<Vec2>& points, std::vector<Courses::Piece>& course, std::vector<double>& stands) {
    double length = 0;
    for (auto& piece : course) {
        const Vec2 along = points[endOf(r, piece.edge, true)] - points[endOf(r, piece.edge, false)];
        piece.begin = length;
        piece.end = length += std::hypot(along.x, along.y);
    }
    for (auto& piece : course) {
        piece.begin /= std::max(length, 1e-300), piece.end /= std::max(length, 1e-300);
        stands[piece.edge] = piece.end;
    }
}

/// The regions on either side of every edge.
void findSides(const Result& r, std::vector<std::array<int, 2>>& sides) {
    const auto keyOf = [](Size a, Size b) { return std::pair(static_cast<Index>(std::min(a, b)), static_cast<Index>(std::max(a, b))); };
    std::vector<std::pair<std::pair<Index, Index>, Index>> edges;
    edges.reserve(r.edgeLayer.size());
    for (Index e = 0; e < r.edgeLayer.size(); ++e) edges.push_back({keyOf(endOf(r, e, false), endOf(r, e, true)), e});
    std::sort(edges.begin(), edges.end());
    sides.assign(edges.size(), {-1, -1});
    for (Size region = 0, begin = 0; region < r.polygonEnds.size(); ++region) {
        const auto end = static_cast<Size>(r.polygonEnds[region]);
        for (Size i = begin; i < end; ++i) {
            const auto key = keyOf(static_cast<Size>(r.polygons[i]), static_cast<Size>(r.polygons[i + 1 < end ? i + 1 : begin]));
            const auto found = std::lower_bound(edges.begin(), edges.end(), std::pair(key, Index{0}));
            if (found == edges.end() || found->first != key) continue;
            auto& side = sides[found->second];
            side[side[0] < 0 ? 0 : 1] = static_cast<int>(region);
        }
        begin = end;
    }
}

}  // namespace

Courses coursesOf(const Result& r, const region_mesh::Mesh& mesh) {
    Courses courses;
    const Size layers = r.depths.size() - 1;
    std::vector<std::vector<std::vector<Index>>> edges(layers + 1);  // [layer][unit]
    for (Index e = 0; e < r.edgeLayer.size(); ++e) {
        if (r.edgeUnit[e] < 0 || r.edgeLayer[e] < 1) continue;
        auto& units = edges[std::min(static_cast<Size>(r.edgeLayer[e]), layers)];
        const auto unit = static_cast<Size>(r.edgeUnit[e]);
        if (units.size() <= unit) units.resize(unit + 1);
        units[unit].push_back(e);
    }
    courses.stands.assign(r.edgeLayer.size(), 0);
    courses.pens.resize(layers + 1);
    for (Size layer = 1; layer <= layers; ++layer) {
        auto& units = edges[layer];
        std::erase_if(units, [](const auto& own) { return own.empty(); });
        auto& pens = courses.pens[layer];
        pens.resize((units.size() + kLinesAPen - 1) / kLinesAPen);
        for (Size u = 0; u < units.size(); ++u) follow(r, mesh.points, std::move(units[u]), pens[u % pens.size()]);
        for (auto& pen : pens) measure(r, mesh.points, pen, courses.stands);
    }
    findSides(r, courses.sides);
    return courses;
}

DrawnLines linesAt(const Result& r, const region_mesh::Mesh& mesh, const Courses& courses, Size layer, double share) {
    DrawnLines lines;
    for (const auto& pen : courses.pens[layer])
        for (const auto& piece : pen) {
            if (piece.begin >= share) break;
            const Vec2 from = mesh.points[endOf(r, piece.edge, piece.turned)], to = mesh.points[endOf(r, piece.edge, !piece.turned)];
            const bool whole = piece.end <= share;
            const Vec2 tip = whole ? to : from + (to - from) * ((share - piece.begin) / (piece.end - piece.begin));
            lines.ends.insert(lines.ends.end(), {from, tip});
            if (whole) continue;
            lines.tips.push_back(tip);
            lines.units.push_back(static_cast<Size>(r.edgeUnit[piece.edge]));
        }
    return lines;
}

std::vector<Size> cellsAt(const Result& r, const Courses& courses, Size layer, double share) {
    std::vector<Size> cells(r.area.size());
    std::iota(cells.begin(), cells.end(), Size{0});
    const auto first = [&](Size region) {
        while (cells[region] != region) region = cells[region] = cells[cells[region]];
        return region;
    };
    for (Size e = 0; e < courses.sides.size(); ++e) {
        const auto [a, b] = courses.sides[e];
        const auto drawn = static_cast<Size>(r.edgeLayer[e]);
        if (a < 0 || b < 0 || drawn < layer || (drawn == layer && courses.stands[e] <= share)) continue;
        const Size one = first(static_cast<Size>(a)), other = first(static_cast<Size>(b));
        cells[std::max(one, other)] = std::min(one, other);
    }
    for (Size region = 0; region < cells.size(); ++region) cells[region] = first(region);
    return cells;
}

Halves halvesOf(const Result& r, const region_mesh::Mesh& mesh) {
    Halves halves;
    for (Size region = 0; region < mesh.ends.size() && !r.vertexOutput.empty(); ++region) {
        const Size begin = region == 0 ? 0 : mesh.ends[region - 1], end = mesh.ends[region];
        const auto value = [&](Size corner) { return r.vertexOutput[mesh.corners[corner]]; };
        double least = 0, most = 0;
        for (Size i = begin; i < end; ++i) least = std::min(least, value(i)), most = std::max(most, value(i));
        if (least == 0 || most == 0) continue;
        for (const double side : {-1.0, 1.0}) {
            std::vector<Vec2> polygon;
            std::vector<double> values;
            for (Size i = begin; i < end; ++i) {
                const Size next = i + 1 < end ? i + 1 : begin;
                const double here = value(i), there = value(next);
                const Vec2 a = mesh.points[mesh.corners[i]], b = mesh.points[mesh.corners[next]];
                if (side * here >= 0) polygon.push_back(a), values.push_back(here);
                if (here * there < 0) polygon.push_back(a + (b - a) * (here / (here - there))), values.push_back(0);
            }
            double twice = 0, sum = 0;
            for (Size i = 1; i + 1 < polygon.size(); ++i) {
                const double area = cross(polygon[i] - polygon[0], polygon[i + 1] - polygon[0]);
                twice += area, sum += area * (values[0] + values[i] + values[i + 1]) / 3;
            }
            if (!(twice > 0)) continue;
            for (const Vec2 p : polygon) {
                halves.corners.push_back(static_cast<Index>(halves.points.size()));
                halves.points.push_back(p);
            }
            halves.ends.push_back(static_cast<Index>(halves.corners.size()));
            halves.regions.push_back(static_cast<Index>(region));
            halves.means.push_back(sum / twice);
        }
    }
    return halves;
}

}  // namespace kappaflow::activation_regions
