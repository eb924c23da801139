#include "core/regions/half_edge_mesh.h"

#include <numeric>

namespace kappaflow {

void HalfEdgeMesh::reset(std::uint32_t corners) {
    edges.clear();
    for (std::uint32_t i = 0; i < corners; ++i) {
        const std::uint32_t after = (i + 1) % corners, before = (i + corners - 1) % corners;
        edges.push_back({2 * after, 2 * i + 1, i, 0});
        edges.push_back({2 * before + 1, 2 * i, after, kOutside});
    }
    label.assign(edges.size(), -1);
    faceEdge.assign(1, 0);
    vertices = corners;
}

std::uint32_t HalfEdgeMesh::splitEdge(std::uint32_t h, std::uint32_t vertex) {
    const std::uint32_t t = edges[h].twin, n = static_cast<std::uint32_t>(edges.size()), m = n + 1;
    edges.push_back({edges[h].next, t, vertex, edges[h].face});
    edges.push_back({edges[t].next, h, vertex, edges[t].face});
    edges[h].next = n;
    edges[h].twin = m;
    edges[t].next = m;
    edges[t].twin = n;
    const std::int32_t boundary = label[h];
    label.push_back(boundary);
    label.push_back(boundary);
    return n;
}

std::uint32_t HalfEdgeMesh::splitFace(std::uint32_t a, std::uint32_t beforeA, std::uint32_t b, std::uint32_t beforeB,
                                      std::int32_t boundary) {
    const std::uint32_t old = edges[a].face, face = static_cast<std::uint32_t>(faceEdge.size());
    const std::uint32_t n = static_cast<std::uint32_t>(edges.size()), m = n + 1;
    edges.push_back({a, m, edges[b].origin, face});
    edges.push_back({b, n, edges[a].origin, old});
    label.push_back(boundary);
    label.push_back(boundary);
    edges[beforeB].next = n;
    edges[beforeA].next = m;
    for (std::uint32_t h = a; h != n; h = edges[h].next) edges[h].face = face;
    faceEdge.push_back(n);
    faceEdge[old] = m;
    return face;
}

namespace {

class UnionFind {
public:
    explicit UnionFind(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0U); }
    std::uint32_t root(std::uint32_t x) {
        while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
        return x;
    }
    /// The root of two sets is the lesser one.
    void join(std::uint32_t a, std::uint32_t b) {
        a = root(a);
        b = root(b);
        parent_[a < b ? b : a] = a < b ? a : b;
    }

private:
    std::vector<std::uint32_t> parent_;
};

constexpr std::uint32_t kGone = 0xffffffffU;

/// Numbers 0, 1, … for the true ones.
std::vector<std::uint32_t> numbered(const std::vector<bool>& kept) {
    std::vector<std::uint32_t> number(kept.size(), kGone);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < kept.size(); ++i)
        if (kept[i]) number[i] = next++;
    return number;
}

}  // namespace

HalfEdgeMesh::Removal HalfEdgeMesh::removeEdges(const std::vector<bool>& remove, std::uint32_t oldest) {
    UnionFind sets(faces());
    for (std::size_t h = 0; h < edges.size(); ++h)
        if (remove[h]) sets.join(edges[h].face, edges[edges[h].twin].face);

    // Loops past removed edges; degrees of what remains.
    std::vector<std::uint32_t> degree(vertices);
    std::vector<bool> keep(edges.size());
    for (std::uint32_t h = 0; h < edges.size(); ++h) {
        keep[h] = !remove[h];
        if (remove[h]) continue;
        ++degree[edges[h].origin];
        std::uint32_t next = edges[h].next;
        while (remove[next]) next = edges[edges[next].twin].next;
        edges[h].next = next;
    }
    // A vertex on a line: the half-edge before it runs on over the one after it.
    std::vector<bool> keepVertex(vertices);
    for (std::uint32_t v = 0; v < vertices; ++v) keepVertex[v] = v < oldest ? true : degree[v] > 2;
    for (std::uint32_t h = 0; h < edges.size(); ++h) {
        if (!keep[h] || !keepVertex[edges[h].origin]) continue;
        std::uint32_t last = h;
        for (std::uint32_t next = edges[h].next; !keepVertex[edges[next].origin]; next = edges[next].next) {
            keep[next] = false;
            last = next;
        }
        if (last == h) continue;
        edges[h].next = edges[last].next;
        // The twin of the last piece begins at this run's end and runs back to h's origin.
        edges[h].twin = edges[last].twin;
    }

    const auto edgeNumber = numbered(keep), vertexNumber = numbered(keepVertex);
    std::vector<bool> isRoot(faces());
    for (std::uint32_t f = 0; f < isRoot.size(); ++f) isRoot[f] = sets.root(f) == f;
    const auto faceNumber = numbered(isRoot);

    Removal removal;
    for (std::uint32_t f = 0; f < isRoot.size(); ++f) removal.face.push_back(faceNumber[sets.root(f)]);
    for (std::uint32_t v = 0; v < vertices; ++v)
        if (keepVertex[v]) removal.kept.push_back(v);
    std::size_t faceCount = 0;
    for (bool root : isRoot) faceCount += root;
    faceEdge.assign(faceCount, kGone);
    std::uint32_t count = 0;
    for (std::uint32_t h = 0; h < edges.size(); ++h) {
        if (!keep[h]) continue;
        const HalfEdge old = edges[h];
        const std::uint32_t face = old.face == kOutside ? kOutside : removal.face[old.face];
        edges[count] = {edgeNumber[old.next], edgeNumber[old.twin], vertexNumber[old.origin], face};
        label[count] = label[h];
        if (face != kOutside && faceEdge[face] == kGone) faceEdge[face] = count;
        ++count;
    }
    edges.resize(count);
    label.resize(count);
    vertices = static_cast<std::uint32_t>(removal.kept.size());
    return removal;
}

}  // namespace kappaflow
