#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/regions/half_edge_mesh.h"
#include "core/regions/partition.h"
#include "core/regions/program.h"
#include "core/regions/value_rows.h"

namespace kappaflow {

/// Which boundaries of a block a vertex lies strictly above or below; neither: on it.
struct VertexSigns {
    std::uint64_t above = 0, below = 0;
};

/// The faces when the network ends after a depth.
struct DepthRecord {
    std::vector<std::uint32_t> parent;  ///< [face] its face at the depth before
    std::vector<std::uint64_t>
        words;  ///< [face][word]: bit i of block b above its boundary; max pooling: 16 bits a window, its largest input
    std::size_t wordsPerFace = 0;
    DepthCounts counts;
};

using Registers = std::vector<std::shared_ptr<ValueRows>>;

/// All that a build needs to go on after a depth. Rows are shared: builds append to them, nothing changes the first ones.
struct Snapshot {
    HalfEdgeMesh mesh;
    Registers registers;
    std::size_t nextOperation = 0, repairs = 0;
    double bytes = 0;
};

/// The builder behind Partition.
struct Partition::State {
    // What is built.
    Program program;
    Polygon window;
    PartitionOptions options;

    // What stands.
    HalfEdgeMesh mesh;
    Registers registers;                             ///< [register]; null when not alive
    std::vector<DepthRecord> records;                ///< of finished depths
    std::vector<std::optional<Snapshot>> snapshots;  ///< [depth − 1]
    double snapshotBytes = 0;
    std::size_t repairs = 0;
    int limit = 0;  ///< depth after which to stop
    int reused = 0;
    bool done = false;
    mutable double shownProgress = 0;  ///< what a depth that is given up had reached stays

    // Where the work is.
    enum class Phase { Begin, Fill, Cut, Apply, End };
    Phase phase = Phase::Begin;
    std::size_t operation = 0, block = 0, cursor = 0;
    std::size_t rootFaces = 0;  ///< faces when the block began
    std::vector<VertexSigns> signs;
    std::vector<std::vector<std::uint32_t>> blockParent;  ///< [block of the depth][face]
    std::vector<std::vector<std::uint64_t>> blockWord;
    std::uint32_t depthVertices = 0;  ///< when the depth began
    double rowBytes = 0;              ///< of a vertex in all live registers
    bool exceeded = false;            ///< the depth does not fit into the budget

    // What is made of it, on demand.
    std::optional<Certificate> certificate;
    std::optional<RegionMesh> regionMesh;

    // Scratch.
    struct Corner {
        std::uint32_t halfEdge, vertex;
        VertexSigns signs;
    };
    /// A register whose rows a new vertex needs, and how many columns of it.
    struct Carried {
        ValueRows* rows;
        std::size_t end;
    };
    VertexSigns newSigns, oldSigns;  ///< of the faces that the last cut made
    std::vector<Corner> loop;
    std::vector<std::uint32_t> stack;
    std::vector<Carried> carried;
    ValueRows* target = nullptr;   ///< of the operation that cuts
    std::size_t targetOffset = 0;  ///< column of the block's first
    std::size_t carriedCapacity = 0;
    LinearMap::Inputs inputs;
    std::vector<double> toleranceSlope, toleranceOffset;
    std::vector<double> tolerance;  ///< [column of the block] the largest of any vertex
    double largestInput = 0;
    std::vector<std::shared_ptr<ValueRows>> pool;
    std::vector<HalfEdgeMesh> spareMeshes;  ///< of snapshots given up: their memory is used again

    void start(Program, const Polygon&, const PartitionOptions&);
    bool step();
    double progress() const;
    Certificate certify() const;
    RegionMesh handedOut() const;

    // partition_build.cpp: from operation to operation.
    const Operation& op() const { return program.operations[operation]; }
    const CutBlock& currentBlock() const { return op().blocks[block]; }
    void restart(int depth);
    int reusableDepth(const Program&, const Polygon&, const PartitionOptions&) const;
    void beginOperation();
    void beginBlock();
    void endBlock();
    void endOperation();
    void endDepth();
    void keepSnapshot();
    void giveUpDepth();
    void finish();
    std::shared_ptr<ValueRows> rowsOf(std::size_t width);
    bool overBudget(double moreVertices) const;
    double liveRowBytes() const;
    DepthRecord recordOfBlocks();

    // partition_fill.cpp: rows of values, and their signs; from vertex `cursor` on, to `end`.
    void fillRows(std::size_t begin, std::size_t end);
    void fillBlock(std::size_t begin, std::size_t end);
    void applyFunctions(std::size_t begin, std::size_t end);
    void setTolerances();
    void noteTolerances(double scale);
    VertexSigns signsOf(double* z, const double* slope, double scale, const double* offset) const;

    // partition_cut.cpp: one face cut by the block's boundaries.
    void prepareCut();
    void cutFace(std::uint32_t face);
    bool makeRoom();
    VertexSigns readLoop(std::uint32_t face);
    bool splitFace(unsigned bit);
    std::uint32_t crossingVertex(std::uint32_t halfEdge, unsigned bit);
    std::size_t firstColumn(unsigned bit) const;
    void repair(unsigned bit);

    // partition_pool.cpp
    /// Joins faces between which no window's largest input differs.
    DepthRecord joinPooled();
};

/// For the room's own analyses.
struct PartitionAccess {
    using State = Partition::State;
    static const Partition::State& state(const Partition& partition) { return *partition.state_; }
};

}  // namespace kappaflow
