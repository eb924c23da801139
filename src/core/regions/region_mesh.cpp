#include "core/regions/region_mesh.h"

#include <algorithm>
#include <limits>

#include "core/base/rng.h"
#include "core/regions/partition_state.h"

namespace kappaflow {
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

/// Of area; a face without any (thinner than rounding) has its corners' mean.
Vec2 faceCentroid(const RegionMesh& mesh, std::size_t face) {
    const std::size_t begin = mesh.faceStart[face], end = mesh.faceStart[face + 1];
    const Vec2 o = mesh.vertices[mesh.corners[begin]];
    Vec2 weighted, mean;
    double twice = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const Vec2 a = mesh.vertices[mesh.corners[i]] - o, b = mesh.vertices[mesh.corners[i + 1 < end ? i + 1 : begin]] - o;
        weighted = weighted + (a + b) * cross(a, b);
        twice += cross(a, b);
        mean = mean + a * (1.0 / static_cast<double>(end - begin));
    }
    const Vec2 centroid = weighted * (1 / (3 * twice));
    return o + (twice > std::numeric_limits<double>::min() * 1e20 ? centroid : mean);
}

std::int32_t faceAt(const RegionMesh& mesh, Vec2 point) {
    for (std::size_t face = 0; face < mesh.faces(); ++face) {
        const std::size_t begin = mesh.faceStart[face], end = mesh.faceStart[face + 1];
        bool inside = true;
        for (std::size_t i = begin; i < end && inside; ++i) {
            const Vec2 a = mesh.vertices[mesh.corners[i]], b = mesh.vertices[mesh.corners[i + 1 < end ? i + 1 : begin]];
            // The smaller vertex first, so that both sides of an edge see the same rounding.
            const bool swap = b.x < a.x || (b.x == a.x && b.y < a.y);
            const double side = swap ? -cross(a - b, point - b) : cross(b - a, point - a);
            inside = side >= 0;
        }
        if (inside) return static_cast<std::int32_t>(face);
    }
    return -1;
}

}  // namespace kappaflow
