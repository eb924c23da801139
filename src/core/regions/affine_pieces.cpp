#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "core/base/rng.h"
#include "core/regions/pair.h"
#include "core/regions/partition_state.h"
#include "core/regions/region_info.h"
#include "core/regions/region_maps.h"

namespace kappaflow {
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
