#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "core/base/cost.h"
#include "core/net/network.h"
#include "core/regions/region_mesh.h"
#include "core/regions/slice.h"

namespace kappaflow {

struct PartitionOptions {
    double regionBudget = 2e5;     ///< a depth that would have more regions is left out, with all that follow; the window always stands
    double byteBudget = 2e8;       ///< the same for the memory of mesh and values
    double snapshotBytes = 3.2e7;  ///< for what is kept of each depth to begin again from; 0: nothing
    bool outputs = true;           ///< keep the network's output at the vertices (up to 64 outputs)
};

/// Proofs of a finished partition, from the mesh alone.
struct Certificate {
    bool euler = false;             ///< V − E + F = 1
    bool distinctPatterns = false;  ///< as many patterns as faces, compared bit by bit
    bool areas = false;             ///< faces are counterclockwise and their areas sum to the window's, to 1e-9 of it
    bool twins = false;             ///< every edge runs both ways between faces that know it; every loop closes
    double areaSum = 0, windowArea = 0;
    std::size_t repairs = 0;  ///< signs set to zero because rounding showed a convex face cut more than once by one line
    bool holds() const { return euler && distinctPatterns && areas && twins; }
};

/// The exact partition of a convex window of a slice into activation regions, depth by depth: values of the current layer stand at the
/// mesh's vertices, every sign is decided once per vertex, and only faces that a line really cuts are touched. Sums run in one fixed
/// order, so every platform gives the same bits. All counts are of float64.
/// Cost: Σ_d V_{d−1}·K_{d−1}·K_d + (V_d − V_{d−1})·K_d operations.
class Partition {
public:
    Partition();
    ~Partition();
    Partition(Partition&&) noexcept;
    Partition& operator=(Partition&&) noexcept;

    /// Begins a build. Buffers are reused; depths that the last build finished are taken over when window, slice and everything below
    /// them are the same. The result is the same to the bit. Throws InputError: what validate, checkedWindow and piecewise lowering refuse.
    void start(const Network&, const Slice&, const Polygon& window, const PartitionOptions& = {});
    /// Next slice of work, a few milliseconds; false when nothing is left.
    bool step();
    /// To the end on the spot.
    void finish();
    double progress() const;  ///< 0 … 1, never falling

    int depths() const;        ///< activation and max pooling layers of the network
    int exactDepth() const;    ///< the mesh is exact through this depth; below `depths` when a budget stopped the build
    int reusedDepths() const;  ///< taken over from the build before
    const std::string& layerName(int depth) const;  ///< "layer 4 (\"relu2\")", depth from 1
    std::size_t unitsOf(int depth) const;           ///< whose states make the pattern

    /// Once step() has returned false.
    const Certificate& certificate() const;
    const RegionMesh& mesh() const;
    /// State of every unit of a depth in a final face: number of its breakpoints below; max pooling: number of the largest input.
    std::vector<std::uint16_t> pattern(std::size_t face, int depth) const;
    bool pools(int depth) const;
    /// Max pooling: the unit of the layer below that is input `input` of a window.
    std::uint32_t pooledInput(int depth, std::size_t window, std::size_t input) const;

private:
    friend struct PartitionAccess;
    struct State;
    std::unique_ptr<State> state_;
};

/// Upper estimate from sizes and budgets alone, with as many regions as lines could make. Throws what validate throws.
Cost partitionCost(const Network&, const PartitionOptions& = {});

}  // namespace kappaflow
