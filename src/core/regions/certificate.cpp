#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "core/base/rng.h"
#include "core/regions/pair.h"
#include "core/regions/partition.h"
#include "core/regions/partition_state.h"

namespace kappaflow {
namespace {

using HalfEdge = HalfEdgeMesh::HalfEdge;

constexpr double kAreaRounding = 1e-9;
constexpr double kThinnest = 16 * std::numeric_limits<double>::epsilon();  ///< of the window's largest coordinate

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

/// Sum of areas; false when a face runs clockwise, or is thinner than the window's coordinates can tell: then it may be rounding alone.
bool sumAreas(const HalfEdgeMesh& mesh, const ValueRows& positions, double thinnest, double& sum) {
    bool wide = true;
    for (std::uint32_t first : mesh.faceEdge) {
        const double* o = positions.row(mesh.edges[first].origin);
        double twice = 0, reach = 0;
        for (std::uint32_t h = mesh.edges[first].next; h != first; h = mesh.edges[h].next) {
            const double* p = positions.row(mesh.edges[h].origin);
            const double* q = positions.row(mesh.edges[mesh.edges[h].next].origin);
            twice += (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
            reach = std::max(reach, std::abs(p[0] - o[0]) + std::abs(p[1] - o[1]));
        }
        wide = wide && twice > thinnest * reach;
        sum += twice / 2;
    }
    return wide;
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
    double farthest = 0;
    for (const Vec2& p : window) farthest = std::max({farthest, std::abs(p.x), std::abs(p.y)});
    const bool wide = sumAreas(mesh, *registers[0], kThinnest * farthest, c.areaSum);
    c.areas = wide && std::abs(c.areaSum - c.windowArea) <= kAreaRounding * c.windowArea;
    c.distinctPatterns = true;
    std::size_t parents = 1;
    for (const DepthRecord& record : records) {
        c.distinctPatterns = c.distinctPatterns && patternsDiffer(record, parents);
        parents = record.parent.size();
    }
    c.distinctPatterns = c.distinctPatterns && parents == mesh.faces();
    return c;
}

namespace {

/// A point of a face's boundary between two corners: corner a plus share of the way to corner b.
struct BoundaryPoint {
    std::size_t a = 0, b = 0;
    double share = 0;
};

class FaceOutputs {
public:
    FaceOutputs(const RegionMesh& mesh, std::size_t face)
        : mesh_(mesh), corners_(mesh.corners.data() + mesh.faceStart[face]), count_(mesh.sides(face)) {}

    std::size_t corners() const { return count_; }
    double output(std::size_t corner, std::size_t o) const { return mesh_.output[corners_[corner] * mesh_.outputs + o]; }
    /// The largest output at every corner, when it is one and the same.
    std::optional<std::size_t> winner() const;
    /// The chord on which `f`(corner), affine on the face, is zero; one along a side only where f is positive on the face.
    template <class Function>
    bool zeroChord(Function f, BoundaryPoint chord[2]) const;
    double outputAt(const BoundaryPoint& p, std::size_t o) const { return output(p.a, o) + p.share * (output(p.b, o) - output(p.a, o)); }
    Vec2 at(const BoundaryPoint& p) const {
        const Vec2 a = mesh_.vertices[corners_[p.a]], b = mesh_.vertices[corners_[p.b]];
        return a + (b - a) * p.share;
    }

private:
    const RegionMesh& mesh_;
    const std::uint32_t* corners_;
    std::size_t count_;
};

std::optional<std::size_t> FaceOutputs::winner() const {
    std::size_t best = 0;
    for (std::size_t o = 1; o < mesh_.outputs; ++o)
        if (output(0, o) > output(0, best)) best = o;
    for (std::size_t c = 0; c < count_; ++c)
        for (std::size_t o = 0; o < mesh_.outputs; ++o)
            if (output(c, o) > output(c, best)) return std::nullopt;
    return best;
}

template <class Function>
bool FaceOutputs::zeroChord(Function f, BoundaryPoint chord[2]) const {
    std::size_t found = 0, zeros = 0;
    bool above = false, below = false;
    for (std::size_t c = 0; c < count_; ++c) {
        const std::size_t d = (c + 1) % count_;
        const double y = f(c), z = f(d);
        above = above || y > 0;
        below = below || y < 0;
        zeros += y == 0;
        const bool crosses = (y > 0 && z < 0) || (y < 0 && z > 0);
        if (!crosses && y != 0) continue;
        // Zeros in a row on one side: its ends.
        if (found < 2)
            chord[found++] = {c, d, crosses ? y / (y - z) : 0};
        else if (y == 0 && f((c + count_ - 1) % count_) == 0)
            chord[1] = {c, d, 0};
    }
    return found == 2 && above && (below || zeros >= 2);
}

void addZeros(const FaceOutputs& face, std::uint32_t number, std::vector<MeshSegment>& segments) {
    BoundaryPoint chord[2];
    if (face.zeroChord([&](std::size_t c) { return face.output(c, 0); }, chord))
        segments.push_back({face.at(chord[0]), face.at(chord[1]), number});
}

/// The part of the chord on which outputs i and j are equal where no other is larger.
void addTies(const FaceOutputs& face, std::uint32_t number, std::size_t outputs, std::size_t i, std::size_t j,
             std::vector<MeshSegment>& segments) {
    BoundaryPoint chord[2];
    if (!face.zeroChord([&](std::size_t c) { return face.output(c, i) - face.output(c, j); }, chord)) return;
    double from = 0, to = 1;
    for (std::size_t o = 0; o < outputs; ++o) {
        if (o == i || o == j) continue;
        const double start = face.outputAt(chord[0], i) - face.outputAt(chord[0], o),
                     end = face.outputAt(chord[1], i) - face.outputAt(chord[1], o);
        if (start < 0 && end < 0) return;
        if (start < 0) from = std::max(from, start / (start - end));
        if (end < 0) to = std::min(to, start / (start - end));
    }
    const Vec2 a = face.at(chord[0]), b = face.at(chord[1]);
    if (from < to) segments.push_back({a + (b - a) * from, a + (b - a) * to, number});
}

}  // namespace

std::vector<MeshSegment> decisionBoundary(const RegionMesh& mesh) {
    std::vector<MeshSegment> segments;
    for (std::uint32_t f = 0; f < mesh.faces() && mesh.outputs > 0; ++f) {
        const FaceOutputs face(mesh, f);
        if (mesh.outputs == 1) {
            addZeros(face, f, segments);
            continue;
        }
        if (face.winner()) continue;
        for (std::size_t i = 0; i < mesh.outputs; ++i)
            for (std::size_t j = i + 1; j < mesh.outputs; ++j) addTies(face, f, mesh.outputs, i, j, segments);
    }
    return segments;
}

namespace {

constexpr std::size_t kProjections = 2;
constexpr double kEqual = 1e-9;

/// Value, ∂/∂s and ∂/∂t of random combinations of a face's units, and the size of the whole map: two different maps agree in all of
/// them with probability 0.
struct Fingerprint {
    std::array<double, 3 * kProjections> numbers{};
    double size = 0;
};

class Fingerprints {
public:
    explicit Fingerprints(std::size_t units) : units_(units) {
        Rng rng(1, Purpose::MonteCarlo);
        weights_.resize(kProjections * units);
        for (std::size_t p = 0; p < kProjections; ++p)
            for (std::size_t u = 0; u < units; ++u) weights_[kProjections * u + p] = rng.gaussian();
    }
    Fingerprint of(const RegionMaps::Register& rows) const {
        Fingerprint print;
        for (std::size_t row = 0; row < 3; ++row)
            for (std::size_t u = 0; u < units_; ++u) {
                const double x = rows[row * units_ + u];
                print.size += std::abs(x);
                for (std::size_t p = 0; p < kProjections; ++p) print.numbers[row * kProjections + p] += weights_[kProjections * u + p] * x;
            }
        return print;
    }

    /// Combinations of one vertex's values; `largest` becomes at least the sum of their absolute terms.
    std::array<double, kProjections> projected(const double* values, double& largest) const {
        static_assert(kProjections == 2, "one pair");
        Pair sums = bothOf(0), terms = bothOf(0);
        for (std::size_t u = 0; u < units_; ++u) {
            const Pair term = loadPair(&weights_[2 * u]) * bothOf(values[u]);
            sums = sums + term;
            terms = terms + whereAbove(term, term, bothOf(0) - term);
        }
        largest = std::max({largest, terms[0], terms[1]});
        return {sums[0], sums[1]};
    }

private:
    std::size_t units_;
    std::vector<double> weights_;  ///< [unit][projection]
};

bool same(const Fingerprint& a, const Fingerprint& b) {
    for (std::size_t i = 0; i < a.numbers.size(); ++i)
        if (std::abs(a.numbers[i] - b.numbers[i]) > kEqual * std::max(a.size, b.size)) return false;
    return true;
}

/// Gradients of random combinations of the last activation on every face, by Gauss from its values at the vertices, and how far
/// rounding may have moved them: what is further apart than that are two maps.
class VertexGradients {
public:
    VertexGradients(const RegionMesh& mesh, const ValueRows& rows, const Fingerprints& prints) : mesh_(mesh), face_(mesh.faces()) {
        std::vector<std::array<double, kProjections>> value;
        value.reserve(mesh.vertices.size());
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) value.push_back(prints.projected(rows.row(v), largest_));
        for (std::size_t f = 0; f < face_.size(); ++f) measure(f, value);
    }
    bool differ(std::size_t f, std::size_t g) const {
        const double rounding = face_[f].rounding + face_[g].rounding;
        for (std::size_t p = 0; p < kProjections; ++p)
            for (int axis = 0; axis < 2; ++axis) {
                const double a = face_[f].gradient[2 * p + axis], b = face_[g].gradient[2 * p + axis];
                if (std::abs(a - b) > rounding + kEqual * (std::abs(a) + std::abs(b))) return true;
            }
        return false;
    }

private:
    struct Face {
        std::array<double, 2 * kProjections> gradient{};
        double rounding = 0;
    };

    void measure(std::size_t f, const std::vector<std::array<double, kProjections>>& value) {
        const std::size_t begin = mesh_.faceStart[f], end = mesh_.faceStart[f + 1];
        const double doubled = 2 * faceArea(mesh_, f);
        double around = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t a = mesh_.corners[i], b = mesh_.corners[i + 1 < end ? i + 1 : begin];
            const Vec2 step = mesh_.vertices[b] - mesh_.vertices[a];
            around += std::abs(step.x) + std::abs(step.y);
            for (std::size_t p = 0; p < kProjections; ++p) {
                face_[f].gradient[2 * p] += (value[a][p] + value[b][p]) * step.y / doubled;
                face_[f].gradient[2 * p + 1] -= (value[a][p] + value[b][p]) * step.x / doubled;
            }
        }
        face_[f].rounding = doubled > 0 ? 1e-14 * largest_ * around / doubled : std::numeric_limits<double>::infinity();
    }

    const RegionMesh& mesh_;
    std::vector<Face> face_;
    double largest_ = 0;  ///< sum of absolute terms of any combination
};

/// Fingerprints of faces by their patterns, made when asked for.
class PatternPrints {
public:
    PatternPrints(const PartitionAccess::State& state, std::size_t shown, const Fingerprints& prints)
        : maps_(state.program, state.records), shown_(shown), prints_(prints), print_(state.mesh.faces()), known_(state.mesh.faces()) {}
    void makeAll() {
        maps_.everyFace(shown_, [&](std::uint32_t face, const auto& rows) { print_[face] = prints_.of(rows); });
        known_.assign(known_.size(), true);
    }
    const Fingerprint& of(std::uint32_t face) {
        if (!known_[face]) maps_.oneFace(face, shown_, [&](std::uint32_t, const auto& rows) { print_[face] = prints_.of(rows); });
        known_[face] = true;
        return print_[face];
    }

private:
    RegionMaps maps_;
    std::size_t shown_;
    const Fingerprints& prints_;
    std::vector<Fingerprint> print_;
    std::vector<bool> known_;
};

std::uint32_t rootOf(std::vector<std::uint32_t>& parent, std::uint32_t x) {
    while (parent[x] != x) x = parent[x] = parent[parent[x]];
    return x;
}

/// Register that holds the values of the depth's activation.
std::size_t activationOf(const Program& program, std::size_t depth) {
    const DepthInfo& last = program.depths[depth - 1];
    return last.pools() ? last.target : program.operations[last.operations.back()].target;
}

/// Edges beyond which the map may be the same: those whose values at the vertices do not tell.
std::vector<RegionMesh::Edge> undecidedEdges(const PartitionAccess::State& state, const RegionMesh& mesh, const Fingerprints& prints) {
    std::vector<RegionMesh::Edge> edges;
    std::unique_ptr<const VertexGradients> gradients;
    if (state.program.lastActivation != 0 && state.program.keepsOutput())
        gradients = std::make_unique<VertexGradients>(mesh, *state.registers[state.program.lastActivation], prints);
    for (const auto& edge : mesh.edges) {
        if (edge.right < 0) continue;
        if (!gradients || !gradients->differ(static_cast<std::size_t>(edge.left), static_cast<std::size_t>(edge.right)))
            edges.push_back(edge);
    }
    return edges;
}

}  // namespace

std::vector<std::uint32_t> affinePieces(const Partition& partition) {
    const auto& state = PartitionAccess::state(partition);
    const RegionMesh& mesh = partition.mesh();
    std::vector<std::uint32_t> parent(mesh.faces());
    for (std::uint32_t f = 0; f < parent.size(); ++f) parent[f] = f;
    const std::size_t depth = state.records.size();
    if (depth > 0) {
        const Fingerprints prints(state.program.depths[depth - 1].units);
        const auto edges = undecidedEdges(state, mesh, prints);
        PatternPrints patterns(state, activationOf(state.program, depth), prints);
        // Alone a face takes about twice as long as among all.
        if (edges.size() > mesh.faces() / 4) patterns.makeAll();
        for (const auto& edge : edges) {
            const auto left = static_cast<std::uint32_t>(edge.left), right = static_cast<std::uint32_t>(edge.right);
            if (!same(patterns.of(left), patterns.of(right))) continue;
            const std::uint32_t a = rootOf(parent, left), b = rootOf(parent, right);
            parent[std::max(a, b)] = std::min(a, b);
        }
    }
    std::vector<std::uint32_t> piece(parent.size());
    std::uint32_t count = 0;
    for (std::uint32_t f = 0; f < piece.size(); ++f) piece[f] = rootOf(parent, f) == f ? count++ : piece[rootOf(parent, f)];
    return piece;
}

std::size_t countOf(const std::vector<std::uint32_t>& pieces) {
    return pieces.empty() ? 0 : *std::max_element(pieces.begin(), pieces.end()) + std::size_t{1};
}

}  // namespace kappaflow
