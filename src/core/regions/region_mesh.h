#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/geometry.h"

namespace kappaflow {

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
/// the final faces whose ancestor it is.
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
Vec2 faceCentroid(const RegionMesh&, std::size_t face);

/// The face a point lies in, the lower number on a common edge; −1 outside the window. Cost: all corners.
std::int32_t faceAt(const RegionMesh&, Vec2 point);

}  // namespace kappaflow
