#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/cost.h"
#include "core/base/geometry.h"
#include "core/net/network.h"

namespace kappaflow {

/// A plane in input space: x = origin + s·u + t·v. Its own coordinates (s, t) are those of windows, vertices and regions; u and v need
/// be neither orthogonal nor of length 1.
struct Slice {
    std::vector<double> origin, u, v;

    std::vector<double> at(Vec2 p) const;
    friend bool operator==(const Slice&, const Slice&) = default;
};

/// Through the origin along two inputs: (s, t) are their values. Throws InputError unless first != second, both < inputs.
Slice sliceOfInputs(std::size_t inputs, std::size_t first = 0, std::size_t second = 1);
/// Through three points: a at (0, 0), b at (1, 0), c at (0, 1). Throws what `validate` throws, as when the points lie on one line.
Slice sliceThrough(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c);
/// The same plane with its origin in the middle of the three, u and v orthogonal, u along b − a, both as long as twice the distance to the
/// farthest: all three lie within half a unit of (0, 0), at their own distances. Throws as sliceThrough.
Slice sliceAround(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c);
/// Coordinates of the foot of a point's perpendicular on the plane. Expects orthogonal directions.
Vec2 footOn(const Slice&, const std::vector<double>& point);
/// The slice about its own point `pivot` with u swung out of the plane by `angle` towards `direction`: u cos angle + n |u| sin angle,
/// n the unit vector of direction's part orthogonal to the plane; v stays. The slice itself when that part vanishes.
Slice turned(const Slice&, Vec2 pivot, const std::vector<double>& direction, double angle);
/// u and v as an orthonormal pair that spans the same plane, u's direction kept.
Slice orthonormal(const Slice&);

/// Throws InputError: wrong number of entries, NaN or infinity, a direction of length 0, parallel directions (sine of the angle <= 1e-9).
void validate(const Slice&, std::size_t inputs);

/// A convex window, corners in either order.
using Polygon = std::vector<Vec2>;
Polygon rectangle(Vec2 lo, Vec2 hi);
/// The same counterclockwise, without corners that repeat or lie on the line of their neighbours. Throws InputError: fewer than three
/// corners left, NaN or infinity, area 0 (below 1e-12 of the square of its extent), not convex.
Polygon checkedWindow(const Polygon&);
double area(const Polygon&);

/// One line z_unit = threshold of a depth (activation or max pooling layer, counted from 1). Max pooling: z_unit = z_other of two inputs of
/// one of its windows.
struct Boundary {
    std::int32_t depth = 0, unit = 0;  ///< unit from 0
    std::int32_t state = 0;            ///< number of the breakpoint from 0: beyond it the unit's state is state + 1
    double threshold = 0;
};

/// Regions, edges and vertices when the network ends after a depth.
struct DepthCounts {
    std::size_t faces = 1, edges = 0, vertices = 0;
    friend bool operator==(const DepthCounts&, const DepthCounts&) = default;
};

/// The finished partition of a window by activation patterns. Faces are convex, one per pattern; every face of depth d is the union of
/// the final faces whose ancestor it is. A max pooling's state is the number of the largest input of each window, the first of equal
/// ones: within a face of the depth before, a pattern's face is an intersection of half-planes x_i >= x_j, without holes and in one
/// piece. Faces of different patterns stay apart even where their affine maps are equal.
struct RegionMesh {
    struct Edge {
        std::uint32_t from = 0, to = 0;     ///< vertices
        std::int32_t left = 0, right = -1;  ///< faces; right is −1 on the window's border
        std::int32_t boundary = -1;         ///< index into `boundaries`; −1: the window's border
    };

    std::vector<Vec2> vertices;            ///< slice coordinates
    std::vector<std::uint32_t> corners;    ///< vertices of all faces, each counterclockwise; collinear ones included
    std::vector<std::uint32_t> faceStart;  ///< [face + 1] into corners
    std::vector<Edge> edges;
    std::vector<Boundary> boundaries;

    std::vector<DepthCounts> depths;                   ///< [d]: d = 0 is the window itself
    std::vector<std::vector<std::uint32_t>> ancestor;  ///< [d][final face]: number of its face at depth d, d = 0 … depths
    /// [d][final face] hash of all states up to depth d: equal for equal patterns, whatever else is in the mesh, so that colours stay
    /// while a network is trained or a slice is moved.
    std::vector<std::vector<std::uint64_t>> patternHash;

    std::size_t outputs = 0;     ///< per vertex
    std::vector<double> output;  ///< [vertex][output] of the network; empty when not kept or when depths were left out

    std::size_t faces() const { return faceStart.empty() ? 0 : faceStart.size() - 1; }
    std::size_t sides(std::size_t face) const { return faceStart[face + 1] - faceStart[face]; }
    /// Depth of the edge's boundary, 0 on the border.
    std::int32_t depthOf(const Edge& edge) const {
        return edge.boundary < 0 ? 0 : boundaries[static_cast<std::size_t>(edge.boundary)].depth;
    }
};

double faceArea(const RegionMesh&, std::size_t face);

/// The face a point lies in, the lower number on a common edge; −1 outside the window. Cost: all corners.
std::int32_t faceAt(const RegionMesh&, Vec2 point);

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
    bool areas = false;             ///< faces are counterclockwise, wider than rounding, and their areas sum to the window's, to 1e-9 of it
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

    int depths() const;                    ///< activation and max pooling layers of the network
    int exactDepth() const;                ///< the mesh is exact through this depth; below `depths` when a budget stopped the build
    int reusedDepths() const;              ///< taken over from the build before
    std::size_t unitsOf(int depth) const;  ///< whose states make the pattern; depth from 1

    /// Once step() has returned false.
    const Certificate& certificate() const;
    const RegionMesh& mesh() const;
    /// State of every unit of a depth in a final face: number of its breakpoints below; max pooling: number of the largest input.
    std::vector<std::uint16_t> pattern(std::size_t face, int depth) const;

private:
    friend struct PartitionAccess;
    struct State;
    std::unique_ptr<State> state_;
};

/// Upper estimate from sizes and budgets alone, with as many regions as lines could make. Throws what validate throws.
Cost partitionCost(const Network&, const PartitionOptions& = {});

/// Norm of (∂y/∂s, ∂y/∂t) over all outputs on every face, from the outputs at its vertices; u and v orthonormal make it the gradient
/// within the slice. Rounding shows in faces thinner than 1e-12. Empty without outputs. Cost: all corners.
std::vector<double> slopeNorms(const RegionMesh&);

/// A function that is affine on every face, given at the vertices, at the faces' centroids: its mean over each. Cost: all corners.
std::vector<double> meansOnFaces(const RegionMesh&, const std::vector<double>& atVertex);

/// Edge-connected unions of final faces on which the output of the last activation is the same affine map (equal to 1e-9 of its size).
/// [face] → piece from 0, numbered in the order of faces; of the last exact depth when depths were left out. Cost: about that of the
/// build's products three times.
std::vector<std::uint32_t> affinePieces(const Partition&);
std::size_t countOf(const std::vector<std::uint32_t>& pieces);

struct MeshSegment {
    Vec2 a, b;
    std::uint32_t face = 0;
};
/// Where the decision changes, exactly: the zero set of one output; of several, where the largest two are equal. Empty without outputs.
std::vector<MeshSegment> decisionBoundary(const RegionMesh&);

/// One passage of a curve through a face, parameters 0 … 1 along the whole curve (a polyline: by length).
struct Crossing {
    std::uint32_t face = 0;
    double from = 0, to = 0;
};
/// The faces a curve crosses, in its order; parts outside the window are left out, touching a corner is not crossing. Along an edge it
/// counts for the face to its left. Cost: all edges for each piece of the curve.
std::vector<Crossing> crossedFaces(const RegionMesh&, const Polygon& polyline);
/// centre + radius (cos, sin) from angle a to angle b (radians, b < a: clockwise; at most one turn). Of a whole turn the piece that runs
/// over its ends is one, the last, and ends beyond 1.
std::vector<Crossing> crossedFacesOfArc(const RegionMesh&, Vec2 centre, double radius, double a, double b);

}  // namespace kappaflow
