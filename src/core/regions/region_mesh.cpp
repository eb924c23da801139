#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/regions/partition.h"
#include "core/regions/partition_state.h"

namespace kappaflow {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// a + scale·b.
std::vector<double> plus(std::vector<double> a, double scale, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += scale * b[i];
    return a;
}

std::vector<double> scaled(std::vector<double> a, double scale) {
    for (double& x : a) x *= scale;
    return a;
}

double largest(const std::vector<double>& a) {
    double most = 0;
    for (double x : a) most = std::max(most, std::abs(x));
    return most;
}

/// Of length 1, without overflow on the way; a is not zero.
std::vector<double> unitVector(const std::vector<double>& a) {
    const std::vector<double> b = scaled(a, 1 / largest(a));
    return scaled(b, 1 / std::sqrt(dot(b, b)));
}

/// The part of a orthogonal to a unit vector; twice, since the first pass leaves rounding of a's length.
std::vector<double> without(const std::vector<double>& a, const std::vector<double>& unit) {
    const std::vector<double> once = plus(a, -dot(a, unit), unit);
    return plus(once, -dot(once, unit), unit);
}

void requireFinite(const std::vector<double>& a, std::size_t inputs, const char* what) {
    if (a.size() != inputs)
        throw InputError("The slice's " + std::string(what) + " has " + std::to_string(a.size()) + " numbers where the network has " +
                         std::to_string(inputs) + " inputs.");
    for (double x : a)
        if (!std::isfinite(x) || std::abs(x) > 1e150)
            throw InputError("The slice's " + std::string(what) + " must be made of finite numbers below 10¹⁵⁰.");
}

constexpr double kParallel = 1e-9;  ///< sine of the angle

double extentOf(const Polygon& polygon) {
    Vec2 lo = polygon.front(), hi = lo;
    for (Vec2 p : polygon) {
        lo = {std::min(lo.x, p.x), std::min(lo.y, p.y)};
        hi = {std::max(hi.x, p.x), std::max(hi.y, p.y)};
    }
    return std::max(hi.x - lo.x, hi.y - lo.y);
}

/// Corners without repeats, then without those on their neighbours' line.
Polygon simplified(const Polygon& polygon, double extent) {
    Polygon corners = polygon;
    for (bool changed = true; changed && corners.size() >= 3;) {
        changed = false;
        for (std::size_t i = 0; i < corners.size() && corners.size() >= 3; ++i) {
            const Vec2 before = corners[(i + corners.size() - 1) % corners.size()], here = corners[i],
                       after = corners[(i + 1) % corners.size()];
            if (std::abs(cross(here - before, after - here)) > 1e-14 * extent * extent) continue;
            corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(i--));
            changed = true;
        }
    }
    return corners;
}

/// Every turn is to the left and the turns make one revolution: the sum of steps' directions changes from up to down once.
bool isConvex(const Polygon& p) {
    int changes = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec2 a = p[(i + 1) % p.size()] - p[i], b = p[(i + 2) % p.size()] - p[(i + 1) % p.size()];
        if (cross(a, b) <= 0) return false;
        changes += (a.y > 0 || (a.y == 0 && a.x > 0)) != (b.y > 0 || (b.y == 0 && b.x > 0));
    }
    return changes == 2;
}

}  // namespace

std::vector<double> Slice::at(Vec2 p) const { return plus(plus(origin, p.x, u), p.y, v); }

Slice sliceOfInputs(std::size_t inputs, std::size_t first, std::size_t second) {
    if (first == second || first >= inputs || second >= inputs)
        throw InputError("A slice along two inputs needs two different ones below " + std::to_string(inputs) + ".");
    Slice slice{std::vector<double>(inputs), std::vector<double>(inputs), std::vector<double>(inputs)};
    slice.u[first] = slice.v[second] = 1;
    return slice;
}

Slice sliceThrough(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c) {
    requireFinite(a, a.size(), "first point");
    requireFinite(b, a.size(), "second point");
    requireFinite(c, a.size(), "third point");
    Slice slice{a, plus(b, -1, a), plus(c, -1, a)};
    validate(slice, a.size());
    return slice;
}

Slice sliceAround(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c) {
    const Slice flat = orthonormal(sliceThrough(a, b, c));
    const std::vector<double> middle = plus(plus(scaled(a, 1.0 / 3), 1.0 / 3, b), 1.0 / 3, c);
    double reach = 0;
    for (const auto* p : {&a, &b, &c}) {
        const std::vector<double> away = plus(*p, -1, middle);
        reach = std::max(reach, std::sqrt(dot(away, away)));
    }
    return {middle, scaled(flat.u, 2 * reach), scaled(flat.v, 2 * reach)};
}

Vec2 footOn(const Slice& slice, const std::vector<double>& point) {
    const std::vector<double> away = plus(point, -1, slice.origin);
    return {dot(away, slice.u) / dot(slice.u, slice.u), dot(away, slice.v) / dot(slice.v, slice.v)};
}

Slice turned(const Slice& slice, Vec2 pivot, const std::vector<double>& direction, double angle) {
    const Slice plane = orthonormal(slice);
    const std::vector<double> out = without(without(direction, plane.u), plane.v);
    if (largest(out) <= 1e-12 * largest(direction)) return slice;
    const std::vector<double> n = unitVector(out), centre = slice.at(pivot);
    const double length = std::sqrt(dot(slice.u, slice.u));
    Slice result = slice;
    result.u = plus(scaled(slice.u, std::cos(angle)), length * std::sin(angle), n);
    result.origin = plus(plus(centre, -pivot.x, result.u), -pivot.y, result.v);
    return result;
}

Slice orthonormal(const Slice& slice) {
    const std::vector<double> u = unitVector(slice.u);
    return {slice.origin, u, unitVector(without(unitVector(slice.v), u))};
}

void validate(const Slice& slice, std::size_t inputs) {
    requireFinite(slice.origin, inputs, "origin");
    requireFinite(slice.u, inputs, "first direction");
    requireFinite(slice.v, inputs, "second direction");
    if (largest(slice.u) == 0 || largest(slice.v) == 0) throw InputError("A direction of the slice has length 0.");
    const std::vector<double> off = without(unitVector(slice.v), unitVector(slice.u));
    if (std::sqrt(dot(off, off)) <= kParallel) throw InputError("The slice's two directions are parallel: they span a line, not a plane.");
}

Polygon rectangle(Vec2 lo, Vec2 hi) { return {lo, {hi.x, lo.y}, hi, {lo.x, hi.y}}; }

double area(const Polygon& p) {
    double twice = 0;
    for (std::size_t i = 1; i + 1 < p.size(); ++i) twice += cross(p[i] - p[0], p[i + 1] - p[0]);
    return twice / 2;
}

Polygon checkedWindow(const Polygon& polygon) {
    for (Vec2 p : polygon)
        if (!std::isfinite(p.x) || !std::isfinite(p.y) || std::max(std::abs(p.x), std::abs(p.y)) > 1e150)
            throw InputError("The window's corners must be finite numbers below 10¹⁵⁰.");
    if (polygon.size() < 3) throw InputError("A window needs three corners or more.");
    const double extent = extentOf(polygon);
    Polygon window = simplified(polygon, extent);
    if (window.size() < 3 || std::abs(area(window)) <= 1e-12 * extent * extent)
        throw InputError("The window has no area: its corners lie on a line.");
    if (area(window) < 0) window = Polygon(window.rbegin(), window.rend());
    if (!isConvex(window)) throw InputError("The window must be convex.");
    return window;
}

namespace {

void addFaces(RegionMesh& out, const HalfEdgeMesh& mesh) {
    out.corners.reserve(mesh.edges.size());
    out.faceStart.reserve(mesh.faces() + 1);
    for (std::uint32_t first : mesh.faceEdge) {
        out.faceStart.push_back(static_cast<std::uint32_t>(out.corners.size()));
        std::uint32_t h = first;
        do {
            out.corners.push_back(mesh.edges[h].origin);
            h = mesh.edges[h].next;
        } while (h != first);
    }
    out.faceStart.push_back(static_cast<std::uint32_t>(out.corners.size()));
}

void addEdges(RegionMesh& out, const HalfEdgeMesh& mesh) {
    out.edges.reserve(mesh.edges.size() / 2);
    for (std::uint32_t h = 0; h < mesh.edges.size(); ++h) {
        const auto& edge = mesh.edges[h];
        const auto& twin = mesh.edges[edge.twin];
        const bool border = twin.face == HalfEdgeMesh::kOutside;
        if (edge.face == HalfEdgeMesh::kOutside || (!border && edge.twin < h)) continue;
        out.edges.push_back({edge.origin, twin.origin, static_cast<std::int32_t>(edge.face),
                             border ? -1 : static_cast<std::int32_t>(twin.face), border ? -1 : mesh.label[h]});
    }
}

/// The faces at every depth and hashes of their patterns, in the numbering of the final faces.
void addDepths(RegionMesh& out, const std::vector<DepthRecord>& records) {
    const std::size_t depths = records.size(), faces = out.faces();
    out.ancestor.resize(depths + 1);
    out.patternHash.resize(depths + 1);
    out.ancestor[depths].resize(faces);
    for (std::uint32_t f = 0; f < faces; ++f) out.ancestor[depths][f] = f;
    for (std::size_t d = depths; d > 0; --d) {
        out.ancestor[d - 1].resize(faces);
        for (std::size_t f = 0; f < faces; ++f) out.ancestor[d - 1][f] = records[d - 1].parent[out.ancestor[d][f]];
    }
    std::vector<std::uint64_t> hash(1, 0x6b617070615f666cULL);
    out.patternHash[0].assign(faces, hash[0]);
    for (std::size_t d = 1; d <= depths; ++d) {
        const DepthRecord& record = records[d - 1];
        std::vector<std::uint64_t> next(record.parent.size());
        for (std::size_t f = 0; f < next.size(); ++f) {
            std::uint64_t key = hash[record.parent[f]] + d;
            for (std::size_t w = 0; w < record.wordsPerFace; ++w) {
                key = splitmix64(key);
                key ^= record.words[f * record.wordsPerFace + w];
            }
            next[f] = splitmix64(key);
        }
        hash = std::move(next);
        out.patternHash[d].resize(faces);
        for (std::size_t f = 0; f < faces; ++f) out.patternHash[d][f] = hash[out.ancestor[d][f]];
    }
}

}  // namespace

RegionMesh Partition::State::handedOut() const {
    RegionMesh out;
    out.vertices.reserve(mesh.vertices);
    for (std::uint32_t v = 0; v < mesh.vertices; ++v) out.vertices.push_back({registers[0]->row(v)[0], registers[0]->row(v)[1]});
    addFaces(out, mesh);
    addEdges(out, mesh);
    out.boundaries = program.boundaries;
    out.depths.push_back({1, window.size(), window.size()});
    for (const DepthRecord& record : records) out.depths.push_back(record.counts);
    addDepths(out, records);
    if (!program.keepsOutput()) return out;
    out.outputs = program.outputWidth;
    const ValueRows& rows = *registers[program.output];
    out.output.reserve(static_cast<std::size_t>(mesh.vertices) * out.outputs);
    for (std::uint32_t v = 0; v < mesh.vertices; ++v) out.output.insert(out.output.end(), rows.row(v), rows.row(v) + out.outputs);
    return out;
}

double faceArea(const RegionMesh& mesh, std::size_t face) {
    const Vec2 o = mesh.vertices[mesh.corners[mesh.faceStart[face]]];
    double twice = 0;
    for (std::size_t i = mesh.faceStart[face] + 1; i + 1 < mesh.faceStart[face + 1]; ++i)
        twice += cross(mesh.vertices[mesh.corners[i]] - o, mesh.vertices[mesh.corners[i + 1]] - o);
    return twice / 2;
}

}  // namespace kappaflow
