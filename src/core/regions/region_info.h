#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/regions/partition.h"

namespace kappaflow {

/// y = value + ds·s + dt·t in slice coordinates, one entry an output.
struct AffineMap {
    std::vector<double> value, ds, dt;
};

struct RegionInfo {
    double area = 0;
    std::size_t sides = 0;
    std::int32_t firstCut = -1, lastCut = -1;  ///< boundaries of least and of greatest depth among its sides; −1: only the window's border
    AffineMap map;                             ///< of the network's output, in slice coordinates
    std::vector<double> gradient;              ///< [output][input] in input space, from the face's pattern
    double gradientNorm = 0;                   ///< Frobenius norm of `gradient`
};

/// Of a final face, from its pattern (not from vertex values). Cost: one product with every weight an input. `network`, `slice`: those of
/// the build.
RegionInfo regionInfo(const Partition&, const Network& network, const Slice& slice, std::size_t face);

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

struct MeshStatistics {
    std::size_t borderEdges = 0;
    std::map<std::size_t, std::size_t> faceSides, vertexDegrees;  ///< how many of each
    double minArea = 0, minEdge = 0;
};
MeshStatistics meshStatistics(const RegionMesh&);

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
/// centre + radius (cos, sin) from angle a to angle b (radians, b < a: clockwise; at most one turn).
std::vector<Crossing> crossedFacesOfArc(const RegionMesh&, Vec2 centre, double radius, double a, double b);

}  // namespace kappaflow
