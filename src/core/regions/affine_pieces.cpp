#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/rng.h"
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
        for (std::size_t i = 0; i < kProjections * units; ++i) weights_.push_back(rng.gaussian());
    }
    Fingerprint of(const RegionMaps::Register& rows) const {
        Fingerprint print;
        for (std::size_t row = 0; row < 3; ++row)
            for (std::size_t u = 0; u < units_; ++u) {
                const double x = rows[row * units_ + u];
                print.size += std::abs(x);
                for (std::size_t p = 0; p < kProjections; ++p) print.numbers[row * kProjections + p] += weights_[p * units_ + u] * x;
            }
        return print;
    }

private:
    std::size_t units_;
    std::vector<double> weights_;
};

bool same(const Fingerprint& a, const Fingerprint& b) {
    for (std::size_t i = 0; i < a.numbers.size(); ++i)
        if (std::abs(a.numbers[i] - b.numbers[i]) > kEqual * std::max(a.size, b.size)) return false;
    return true;
}

std::uint32_t rootOf(std::vector<std::uint32_t>& parent, std::uint32_t x) {
    while (parent[x] != x) x = parent[x] = parent[parent[x]];
    return x;
}

/// Register that holds the values of the depth's activation.
std::size_t activationOf(const Program& program, std::size_t depth) {
    const DepthInfo& last = program.depths[depth - 1];
    return last.pools() ? last.target : program.operations[last.operations.back()].target;
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
        std::vector<Fingerprint> print(mesh.faces());
        RegionMaps(state.program, state.records).everyFace(activationOf(state.program, depth), [&](std::uint32_t face, const auto& rows) {
            print[face] = prints.of(rows);
        });
        for (const auto& edge : mesh.edges) {
            if (edge.right < 0 || !same(print[static_cast<std::size_t>(edge.left)], print[static_cast<std::size_t>(edge.right)])) continue;
            const std::uint32_t a = rootOf(parent, static_cast<std::uint32_t>(edge.left)),
                                b = rootOf(parent, static_cast<std::uint32_t>(edge.right));
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
