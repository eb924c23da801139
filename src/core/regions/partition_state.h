#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/regions/partition.h"
#include "core/regions/program.h"

namespace kappaflow {

/// A planar subdivision of a polygon into faces, edges paired as half-edges. Half-edges of a face run counterclockwise; those outside
/// the polygon have the face kOutside and run clockwise about it. Vertices are numbers alone.
struct HalfEdgeMesh {
    static constexpr std::uint32_t kOutside = 0xffffffffU;

    struct HalfEdge {
        std::uint32_t next, twin, origin, face;
    };

    std::vector<HalfEdge> edges;          ///< half-edges
    std::vector<std::int32_t> label;      ///< [half-edge] boundary that drew it; −1: the polygon's border
    std::vector<std::uint32_t> faceEdge;  ///< [face] one of its half-edges
    std::uint32_t vertices = 0;

    std::size_t faces() const { return faceEdge.size(); }

    /// One face with `corners` vertices 0, 1, …
    void reset(std::uint32_t corners);
    /// Puts `vertex` on half-edge h and its twin; h then ends there. The half-edge from it on is the returned one, which is next[h].
    std::uint32_t splitEdge(std::uint32_t h, std::uint32_t vertex);
    /// Joins the origins of two half-edges of one face, a != b and neither next to the other. The loop through a becomes the new face,
    /// which is returned; `beforeA`, `beforeB`: the half-edges that end where a and b begin.
    std::uint32_t splitFace(std::uint32_t a, std::uint32_t beforeA, std::uint32_t b, std::uint32_t beforeB, std::int32_t boundary);

    /// Takes out the edges h with remove[h] set (both halves alike), joins the faces at their sides, takes out the vertices from `oldest`
    /// on that are left with two edges, and renumbers everything in order. Faces keep the order of their least member. Every face keeps
    /// one loop: where joined faces surround another, an edge that leads to it stays, with the joined face on both of its sides.
    struct Removal {
        std::vector<std::uint32_t> face;  ///< [old face] new number
        std::vector<std::uint32_t> kept;  ///< [new vertex] old number, rising
    };
    Removal removeEdges(std::vector<bool> remove, std::uint32_t oldest);
};

/// Rows of doubles, one a vertex, that grow at the end. New rows hold what they hold: nothing is cleared. The width is padded to
/// eight, so that kernels may write whole groups.
class ValueRows {
public:
    explicit ValueRows(std::size_t width) : width_(width), stride_(strideOf(width)) {}

    static std::size_t strideOf(std::size_t width) { return (width + 7) / 8 * 8; }

    std::size_t width() const { return width_; }
    std::size_t stride() const { return stride_; }
    std::size_t capacity() const { return capacity_; }
    double* row(std::size_t r) { return data_.get() + r * stride_; }
    const double* row(std::size_t r) const { return data_.get() + r * stride_; }

    /// At least `rows` rows, the first `used` of them kept.
    void reserve(std::size_t rows, std::size_t used) {
        if (rows <= capacity_) return;
        std::unique_ptr<double[]> larger(new double[rows * stride_]);
        if (used > 0) std::copy_n(data_.get(), used * stride_, larger.get());
        data_ = std::move(larger);
        capacity_ = rows;
    }
    /// Another width in the same memory, contents lost.
    void reshape(std::size_t width) {
        const std::size_t numbers = capacity_ * stride_;
        width_ = width;
        stride_ = strideOf(width);
        capacity_ = numbers / stride_;
    }

private:
    std::size_t width_, stride_, capacity_ = 0;
    std::unique_ptr<double[]> data_;
};

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
    std::vector<std::vector<double>> rounding;
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
    std::vector<std::vector<double>> rounding;       ///< [register][unit] of a value; empty where no sum is cut
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
    double nearest = 0;       ///< distance below which corners are one
    bool joinsLines = false;  ///< some depth pools: its lines meet in points, and later lines bend there
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

    // partition.cpp: rows of values, and their signs; from vertex `cursor` on, to `end`.
    void fillRows(std::size_t begin, std::size_t end);
    void fillBlock(std::size_t begin, std::size_t end);
    void applyFunctions(std::size_t begin, std::size_t end);
    void setTolerances();
    double termRounding(std::size_t unit) const;
    void noteRounding();
    void noteTolerances(double scale);
    VertexSigns signsOf(double* z, const double* slope, double scale, const double* offset) const;

    // partition_cut.cpp: one face cut by the block's boundaries.
    void prepareCut();
    void cutFace(std::uint32_t face);
    bool makeRoom();
    VertexSigns readLoop(std::uint32_t face);
    bool splitFace(unsigned bit);
    struct EdgeCrossing {
        std::uint32_t a, b;
        double share;
    };
    EdgeCrossing crossingOf(std::uint32_t halfEdge, unsigned bit) const;
    bool meetsCorner(std::uint32_t halfEdge, unsigned bit);
    bool meetsSide(std::size_t first, std::size_t last, unsigned bit);
    void putOn(std::uint32_t vertex, unsigned bit);
    std::uint32_t crossingVertex(std::uint32_t halfEdge, unsigned bit);
    std::size_t firstColumn(unsigned bit) const;
    void repair(unsigned bit);

    // partition_build.cpp
    /// Joins faces between which no window's largest input differs.
    DepthRecord joinPooled();
    /// The boundary between two largest inputs of a window.
    std::int32_t pooledBoundary(std::size_t window, std::uint64_t input, std::uint64_t other) const;
};

/// For the room's own analyses.
struct PartitionAccess {
    using State = Partition::State;
    static const Partition::State& state(const Partition& partition) { return *partition.state_; }
};

/// Affine maps of faces from their patterns alone: rows of a register are its value at (0, 0) and its derivatives by s and t. The tree of
/// faces is walked depth first, so that what faces of a depth share is computed once.
class RegionMaps {
public:
    static constexpr std::size_t kRows = 3;
    using Register = std::vector<double>;  ///< [row][unit]

    RegionMaps(const Program&, const std::vector<DepthRecord>&);

    /// Calls visit(final face, register `shown`) for every final face, or for one.
    using Visit = std::function<void(std::uint32_t face, const Register& rows)>;
    void everyFace(std::size_t shown, const Visit&);
    void oneFace(std::uint32_t face, std::size_t shown, const Visit&);

private:
    using Registers = std::vector<Register>;
    void descend(std::size_t operation, std::size_t depth, std::uint32_t face, Registers, const Visit&);
    void make(const Operation&, Registers&);
    void applyStates(const Operation&, Register&, std::size_t depth, std::uint32_t face) const;
    void pool(const DepthInfo&, std::size_t depth, std::uint32_t face, Registers&) const;
    Registers begin() const;

    const Program& program_;
    const std::vector<DepthRecord>& records_;
    std::size_t shown_ = 0;
    std::vector<std::vector<std::uint32_t>> start_, children_;  ///< [depth][face]: faces of the next depth
    std::vector<std::uint32_t> only_;                           ///< [depth] the one face to follow; empty: all
    LinearMap::Inputs inputs_;
};

/// State of every unit of a depth in one of its faces.
std::vector<std::uint16_t> statesOf(const Program&, const DepthRecord&, std::size_t depth, std::size_t face);

}  // namespace kappaflow
