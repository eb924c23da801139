#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/regions/pair.h"
#include "core/regions/partition_state.h"

namespace kappaflow {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

unsigned lowestBit(std::uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

bool isCut(const VertexSigns& all) { return (all.above & all.below) != 0; }

int signAt(const VertexSigns& signs, unsigned bit) {
    return static_cast<int>(signs.above >> bit & 1) - static_cast<int>(signs.below >> bit & 1);
}

/// c = a + share·(b − a), columns begin … end.
void interpolate(ValueRows& rows, std::size_t begin, std::size_t end, std::size_t a, std::size_t b, std::size_t c, double share) {
    const double *from = rows.row(a), *to = rows.row(b);
    double* into = rows.row(c);
    const Pair s = bothOf(share);
    for (std::size_t x = begin; x < end; x += 2) {
        const Pair start = loadPair(from + x);
        storePair(into + x, start + s * (loadPair(to + x) - start));
    }
}

}  // namespace

/// Everything a new vertex needs a row of; the target last.
void Partition::State::prepareCut() {
    carried.clear();
    carriedCapacity = std::numeric_limits<std::size_t>::max();
    const bool lastBlock = block + 1 == op().blocks.size();
    for (std::size_t r = 0; r < registers.size(); ++r) {
        ValueRows* rows = registers[r].get();
        const bool released = lastBlock && std::find(op().release.begin(), op().release.end(), r) != op().release.end();
        if (!rows || rows == target || released) continue;
        carried.push_back({rows, rows->width()});
        carriedCapacity = std::min(carriedCapacity, rows->capacity());
    }
    carried.push_back({target, targetOffset + currentBlock().end - currentBlock().begin});
    carriedCapacity = std::min(carriedCapacity, target->capacity());
}

/// Room for the two vertices that one cut makes; false when the budget does not allow it.
bool Partition::State::makeRoom() {
    const std::size_t needed = static_cast<std::size_t>(mesh.vertices) + 2;
    if (needed <= carriedCapacity) return true;
    exceeded = exceeded || overBudget(2);
    if (exceeded) return false;
    carriedCapacity = needed + needed / 2 + 14;
    for (const Carried& one : carried) one.rows->reserve(carriedCapacity, mesh.vertices);
    return true;
}

/// Depth first: what was cut last is still in the cache, and no other face's line changes what a face sees of its own.
void Partition::State::cutFace(std::uint32_t root) {
    VertexSigns seen = readLoop(root);
    if (!isCut(seen)) {
        blockWord.back()[root] = seen.above;
        return;
    }
    stack.assign(1, root);
    while (!stack.empty() && makeRoom()) {
        const std::uint32_t face = stack.back();
        stack.pop_back();
        seen = readLoop(face);
        while (isCut(seen) && !splitFace(lowestBit(seen.above & seen.below))) seen = readLoop(face);
        if (!isCut(seen)) {
            blockWord.back()[face] = seen.above;
            continue;
        }
        const std::uint32_t next = static_cast<std::uint32_t>(mesh.faces()) - 1;
        blockParent.back().push_back(root);
        blockWord.back().push_back(newSigns.above);
        blockWord.back()[face] = oldSigns.above;
        if (isCut(oldSigns)) stack.push_back(face);
        if (isCut(newSigns)) stack.push_back(next);
    }
}

/// Fills `loop`; the signs of all corners together.
VertexSigns Partition::State::readLoop(std::uint32_t face) {
    loop.clear();
    VertexSigns all;
    const std::uint32_t first = mesh.faceEdge[face];
    std::uint32_t h = first;
    do {
        const HalfEdgeMesh::HalfEdge& edge = mesh.edges[h];
        const VertexSigns& s = signs[edge.origin];
        loop.push_back({h, edge.origin, s});
        all.above |= s.above;
        all.below |= s.below;
        h = edge.next;
    } while (h != first);
    return all;
}

/// False when a corner was put on the boundary instead: one it runs past too closely, or one of more than two changes of sign.
bool Partition::State::splitFace(unsigned bit) {
    const std::size_t corners = loop.size();
    std::size_t changes = 0, before[2] = {0, 0}, after[2] = {0, 0};
    std::size_t last = 0;
    while (signAt(loop[last].signs, bit) == 0) ++last;
    const auto following = [&](std::size_t i) { return i + 1 == corners ? 0 : i + 1; };
    std::size_t i = last;
    for (std::size_t step = 0; step < corners; ++step) {
        i = following(i);
        const int sign = signAt(loop[i].signs, bit);
        if (sign == 0) continue;
        if (sign != signAt(loop[last].signs, bit)) {
            if (changes < 2) {
                before[changes] = last;
                after[changes] = i;
            }
            ++changes;
        }
        last = i;
    }
    if (changes != 2) {
        repair(bit);
        return false;
    }
    if (joinsLines)
        for (int k = 0; k < 2; ++k) {
            if (following(before[k]) == after[k] && meetsCorner(loop[before[k]].halfEdge, bit)) return false;
            if (op().pools != 0 && meetsSide(after[k], before[1 - k], bit)) return false;
        }
    std::uint32_t begins[2], ends[2];
    for (int k = 0; k < 2; ++k) {
        const std::size_t next = following(before[k]);
        ends[k] = loop[before[k]].halfEdge;
        begins[k] = next == after[k] ? mesh.splitEdge(ends[k], crossingVertex(ends[k], bit)) : loop[next].halfEdge;
    }
    // The side with fewer corners becomes the new face.
    const std::size_t between = before[1] + 1 - after[0] + (before[1] < after[0] ? corners : 0);
    const int first = 2 * between <= corners ? 0 : 1;
    VertexSigns sides[2];
    for (int k = 0; k < 2; ++k) {
        const VertexSigns &a = signs[mesh.edges[begins[0]].origin], &b = signs[mesh.edges[begins[1]].origin];
        sides[k] = {a.above | b.above, a.below | b.below};
        for (std::size_t c = after[k];; c = following(c)) {
            sides[k].above |= loop[c].signs.above;
            sides[k].below |= loop[c].signs.below;
            if (c == before[1 - k]) break;
        }
    }
    newSigns = sides[first];
    oldSigns = sides[1 - first];
    mesh.splitFace(begins[first], ends[first], begins[1 - first], ends[1 - first],
                   static_cast<std::int32_t>(currentBlock().firstBoundary + bit));
    return true;
}

/// Of a target that nobody reads, only what later boundaries of the block look at; a pooling's look at all corners.
std::size_t Partition::State::firstColumn(unsigned bit) const {
    const CutBlock& block = currentBlock();
    const bool read = op().keepsTarget || op().intoNext || op().pools != 0 || !block.regular || block.bits.size() > block.end - block.begin;
    return read ? 0 : bit & ~1U;
}

/// Where the boundary meets an edge whose ends lie on either side, as a share of the way from the one below to the one above.
Partition::State::EdgeCrossing Partition::State::crossingOf(std::uint32_t halfEdge, unsigned bit) const {
    const std::uint32_t origin = mesh.edges[halfEdge].origin, end = mesh.edges[mesh.edges[halfEdge].twin].origin;
    const bool rises = signs[origin].below >> bit & 1;
    const std::uint32_t a = rises ? origin : end, b = rises ? end : origin;
    const auto& [column, threshold] = currentBlock().bits[bit];
    const double low = std::min(target->row(a)[targetOffset + column] - threshold, -std::numeric_limits<double>::min());
    const double high = std::max(target->row(b)[targetOffset + column] - threshold, std::numeric_limits<double>::min());
    return {a, b, low / (low - high)};
}

/// Puts a corner on the boundary that meets an edge nearer to it than corners are told apart: what units draw along one line, each with
/// its own rounding, stays one line.
bool Partition::State::meetsCorner(std::uint32_t halfEdge, unsigned bit) {
    const auto [a, b, share] = crossingOf(halfEdge, bit);
    const double *p = registers[0]->row(a), *q = registers[0]->row(b);
    const double length = std::abs(p[0] - q[0]) + std::abs(p[1] - q[1]);
    if (share * length >= nearest && (1 - share) * length >= nearest) return false;
    putOn(share < 0.5 ? a : b, bit);
    return true;
}

/// Puts the corners of one side of the boundary on it when all of them are that near to it. Distances are read off the values: they
/// are affine on the face.
bool Partition::State::meetsSide(std::size_t first, std::size_t last, unsigned bit) {
    const std::size_t column = targetOffset + currentBlock().bits[bit].column;
    const double threshold = currentBlock().bits[bit].threshold;
    const auto following = [&](std::size_t i) { return i + 1 == loop.size() ? 0 : i + 1; };
    double side = 0, slope = 0;
    for (std::size_t i = first;; i = following(i)) {
        side = std::max(side, std::abs(target->row(loop[i].vertex)[column] - threshold));
        if (i == last) break;
    }
    const double* p = registers[0]->row(loop[first].vertex);
    for (const Corner& corner : loop) {
        const double* q = registers[0]->row(corner.vertex);
        const double length = std::abs(p[0] - q[0]) + std::abs(p[1] - q[1]);
        const double rise = std::abs(target->row(corner.vertex)[column] - target->row(loop[first].vertex)[column]);
        if (length > nearest) slope = std::max(slope, rise / length);
    }
    if (side >= slope * nearest) return false;
    for (std::size_t i = first;; i = following(i)) {
        putOn(loop[i].vertex, bit);
        if (i == last) return true;
    }
}

void Partition::State::putOn(std::uint32_t vertex, unsigned bit) {
    const auto& [column, threshold] = currentBlock().bits[bit];
    target->row(vertex)[targetOffset + column] = threshold;
    const std::uint64_t others = ~(std::uint64_t{1} << bit);
    signs[vertex].above &= others;
    signs[vertex].below &= others;
}

/// A new vertex there. Signs of boundaries that do not cross the edge follow from its ends; those that do are read off the new row, and
/// zero within rounding (its own and that of the values it comes from) is zero: what a multiple of this unit would show.
std::uint32_t Partition::State::crossingVertex(std::uint32_t halfEdge, unsigned bit) {
    const std::uint32_t c = mesh.vertices++;
    const auto [a, b, share] = crossingOf(halfEdge, bit);
    const CutBlock& block = currentBlock();
    const auto excess = [&](std::uint32_t vertex, unsigned i) {
        return target->row(vertex)[targetOffset + block.bits[i].column] - block.bits[i].threshold;
    };
    for (std::size_t i = 0; i + 1 < carried.size(); ++i) interpolate(*carried[i].rows, 0, carried[i].end, a, b, c, share);
    interpolate(*target, firstColumn(bit), carried.back().end, a, b, c, share);
    double* z = target->row(c) + targetOffset;
    z[block.bits[bit].column] = block.bits[bit].threshold;

    const VertexSigns sa = signs[a], sb = signs[b];
    std::uint64_t crossing = (sa.above & sb.below) | (sa.below & sb.above);
    VertexSigns s{(sa.above | sb.above) & ~crossing, (sa.below | sb.below) & ~crossing};
    crossing &= ~(std::uint64_t{1} << bit);
    for (; crossing != 0; crossing &= crossing - 1) {
        const unsigned i = lowestBit(crossing);
        const double y = excess(c, i), threshold = block.bits[i].threshold;
        const double rounding = 8 * kEpsilon * (std::abs(excess(a, i)) + std::abs(excess(b, i))) + tolerance[block.bits[i].column] +
                                4 * kEpsilon * std::abs(threshold);
        if (std::abs(y) <= rounding)
            z[block.bits[i].column] = threshold;
        else
            (y > 0 ? s.above : s.below) |= std::uint64_t{1} << i;
    }
    signs.push_back(s);
    return c;
}

/// A convex face is cut by a line twice: the corner nearest to the boundary is put on it.
void Partition::State::repair(unsigned bit) {
    const auto& [column, threshold] = currentBlock().bits[bit];
    double least = std::numeric_limits<double>::infinity();
    std::uint32_t closest = 0;
    for (const Corner& corner : loop) {
        const double distance = std::abs(target->row(corner.vertex)[targetOffset + column] - threshold);
        if (signAt(corner.signs, bit) == 0 || distance >= least) continue;
        least = distance;
        closest = corner.vertex;
    }
    putOn(closest, bit);
    ++repairs;
}

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

HalfEdgeMesh::Removal HalfEdgeMesh::removeEdges(std::vector<bool> remove, std::uint32_t oldest) {
    // Faces join along a tree of their neighbourhoods. What else is to go then has one face on both sides: it goes end by end.
    UnionFind sets(faces());
    std::vector<std::uint32_t> degree(vertices), ends(vertices);  // `ends`: the edges at a vertex, combined by exclusive or
    std::vector<bool> within(edges.size());
    for (std::uint32_t h = 0; h < edges.size(); ++h) {
        const std::uint32_t twin = edges[h].twin;
        if (twin < h) continue;
        if (remove[h] && sets.root(edges[h].face) != sets.root(edges[twin].face)) {
            sets.join(edges[h].face, edges[twin].face);
            continue;
        }
        within[h] = remove[h];
        remove[h] = remove[twin] = false;
        for (std::uint32_t v : {edges[h].origin, edges[twin].origin}) {
            ++degree[v];
            ends[v] ^= h;
        }
    }
    for (std::uint32_t first = 0; first < vertices; ++first)
        for (std::uint32_t v = first; degree[v] == 1 && within[ends[v]];) {
            const std::uint32_t h = ends[v], twin = edges[h].twin;
            remove[h] = remove[twin] = true;
            degree[v] = 0;
            v = edges[h].origin == v ? edges[twin].origin : edges[h].origin;
            --degree[v];
            ends[v] ^= h;
        }

    // Loops past removed edges.
    std::vector<bool> keep(edges.size());
    for (std::uint32_t h = 0; h < edges.size(); ++h) {
        keep[h] = !remove[h];
        if (remove[h]) continue;
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
