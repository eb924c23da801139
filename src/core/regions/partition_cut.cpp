#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

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

/// False when rounding showed more than two changes of sign and one was taken back, or none is left.
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

/// Of a target that nobody reads, only what later boundaries of the block look at.
std::size_t Partition::State::firstColumn(unsigned bit) const {
    const CutBlock& block = currentBlock();
    const bool read = op().keepsTarget || op().intoNext || !block.regular || block.bits.size() > block.end - block.begin;
    return read ? 0 : bit & ~1U;
}

/// Where the boundary meets an edge whose ends lie on either side. Signs of boundaries that do not cross the edge follow from its
/// ends; those that do are read off the new row, and zero within rounding (its own and that of the values it comes from) is zero: what a
/// multiple of this unit would show.
std::uint32_t Partition::State::crossingVertex(std::uint32_t halfEdge, unsigned bit) {
    const std::uint32_t origin = mesh.edges[halfEdge].origin, end = mesh.edges[mesh.edges[halfEdge].twin].origin, c = mesh.vertices++;
    const bool rises = signs[origin].below >> bit & 1;
    const std::uint32_t a = rises ? origin : end, b = rises ? end : origin;
    const CutBlock& block = currentBlock();
    const auto excess = [&](std::uint32_t vertex, unsigned i) {
        return target->row(vertex)[targetOffset + block.bits[i].column] - block.bits[i].threshold;
    };
    const double low = std::min(excess(a, bit), -std::numeric_limits<double>::min());
    const double high = std::max(excess(b, bit), std::numeric_limits<double>::min());
    const double share = low / (low - high);
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
    std::uint32_t nearest = 0;
    for (const Corner& corner : loop) {
        const double distance = std::abs(target->row(corner.vertex)[targetOffset + column] - threshold);
        if (signAt(corner.signs, bit) == 0 || distance >= least) continue;
        least = distance;
        nearest = corner.vertex;
    }
    target->row(nearest)[targetOffset + column] = threshold;
    const std::uint64_t others = ~(std::uint64_t{1} << bit);
    signs[nearest].above &= others;
    signs[nearest].below &= others;
    ++repairs;
}

}  // namespace kappaflow
