#include <algorithm>
#include <cmath>

#include "core/base/rng.h"
#include "core/regions/partition_state.h"

namespace kappaflow {
namespace {

using HalfEdge = HalfEdgeMesh::HalfEdge;

constexpr double kAreaRounding = 1e-9;

/// Both ways along every edge, loops that close and visit every half-edge once.
bool twinsAgree(const HalfEdgeMesh& mesh) {
    const auto& e = mesh.edges;
    std::size_t inside = 0, walked = 0;
    for (std::uint32_t h = 0; h < e.size(); ++h) {
        const std::uint32_t next = e[h].next, twin = e[h].twin;
        if (next >= e.size() || twin >= e.size() || twin == h || e[twin].twin != h) return false;
        if (e[next].face != e[h].face || e[next].origin != e[twin].origin || e[h].origin == e[twin].origin) return false;
        if (e[h].face == e[twin].face || mesh.label[h] != mesh.label[twin]) return false;
        inside += e[h].face != HalfEdgeMesh::kOutside;
    }
    for (std::uint32_t f = 0; f < mesh.faces(); ++f) {
        const std::uint32_t first = mesh.faceEdge[f];
        if (e[first].face != f) return false;
        std::uint32_t h = first;
        do {
            ++walked;
            h = e[h].next;
        } while (h != first && walked <= inside);
    }
    return walked == inside;
}

/// Sum of areas; false when a face runs clockwise.
bool sumAreas(const HalfEdgeMesh& mesh, const ValueRows& positions, double windowArea, double& sum) {
    bool counterclockwise = true;
    for (std::uint32_t first : mesh.faceEdge) {
        const double* o = positions.row(mesh.edges[first].origin);
        double twice = 0;
        for (std::uint32_t h = mesh.edges[first].next; h != first; h = mesh.edges[h].next) {
            const double* p = positions.row(mesh.edges[h].origin);
            const double* q = positions.row(mesh.edges[mesh.edges[h].next].origin);
            twice += (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
        }
        counterclockwise = counterclockwise && twice >= -kAreaRounding * windowArea;
        sum += twice / 2;
    }
    return counterclockwise;
}

/// Faces of different parents differ there already, so only children of one parent are compared, all their words, through a table that is
/// at most half full.
bool patternsDiffer(const DepthRecord& record, std::size_t parents) {
    std::vector<std::uint32_t> children(parents);
    for (std::uint32_t parent : record.parent) ++children[parent];
    std::size_t size = 16;
    while (size < 2 * record.parent.size()) size *= 2;
    constexpr std::uint32_t kEmpty = 0xffffffffU;
    std::vector<std::uint32_t> table(size, kEmpty);
    const std::size_t words = record.wordsPerFace;
    for (std::uint32_t f = 0; f < record.parent.size(); ++f) {
        if (children[record.parent[f]] == 1) continue;
        std::uint64_t key = record.parent[f];
        for (std::size_t w = 0; w < words; ++w) {
            key ^= record.words[f * words + w];
            key = splitmix64(key);
        }
        std::size_t slot = key & (size - 1);
        for (; table[slot] != kEmpty; slot = (slot + 1) & (size - 1)) {
            const std::uint32_t g = table[slot];
            if (record.parent[g] == record.parent[f] &&
                std::equal(&record.words[f * words], &record.words[f * words] + words, &record.words[g * words]))
                return false;
        }
        table[slot] = f;
    }
    return true;
}

}  // namespace

Certificate Partition::State::certify() const {
    Certificate c;
    c.repairs = repairs;
    c.windowArea = area(window);
    c.twins = twinsAgree(mesh);
    c.euler = mesh.vertices + mesh.faces() == mesh.edges.size() / 2 + 1;
    if (!c.twins) return c;
    const bool counterclockwise = sumAreas(mesh, *registers[0], c.windowArea, c.areaSum);
    c.areas = counterclockwise && std::abs(c.areaSum - c.windowArea) <= kAreaRounding * c.windowArea;
    c.distinctPatterns = true;
    std::size_t parents = 1;
    for (const DepthRecord& record : records) {
        c.distinctPatterns = c.distinctPatterns && patternsDiffer(record, parents);
        parents = record.parent.size();
    }
    c.distinctPatterns = c.distinctPatterns && parents == mesh.faces();
    return c;
}

}  // namespace kappaflow
