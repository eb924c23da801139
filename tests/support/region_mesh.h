#pragma once
#include <map>

#include "core/regions/partition.h"

namespace kappaflow {

inline Partition builtPartition(const Network& network, const Slice& slice, const Polygon& window, const PartitionOptions& options = {}) {
    Partition partition;
    partition.start(network, slice, window, options);
    partition.finish();
    return partition;
}

inline const Polygon& unitSquare() {
    static const Polygon window = rectangle({-1, -1}, {1, 1});
    return window;
}

/// Mean of a face's corners, weighted by area; of one thinner than rounding not weighted.
inline Vec2 faceCentroid(const RegionMesh& mesh, std::size_t face) {
    const std::size_t begin = mesh.faceStart[face], end = mesh.faceStart[face + 1];
    const Vec2 o = mesh.vertices[mesh.corners[begin]];
    Vec2 weighted, mean;
    double twice = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const Vec2 a = mesh.vertices[mesh.corners[i]] - o, b = mesh.vertices[mesh.corners[i + 1 < end ? i + 1 : begin]] - o;
        weighted = weighted + (a + b) * cross(a, b);
        twice += cross(a, b);
        mean = mean + a * (1.0 / static_cast<double>(end - begin));
    }
    return o + (twice > 1e-280 ? weighted * (1 / (3 * twice)) : mean);
}

/// How many vertices have how many edges.
inline std::map<std::size_t, std::size_t> vertexDegrees(const RegionMesh& mesh) {
    std::vector<std::size_t> degree(mesh.vertices.size());
    for (const auto& edge : mesh.edges) ++degree[edge.from], ++degree[edge.to];
    std::map<std::size_t, std::size_t> counts;
    for (const std::size_t d : degree) ++counts[d];
    return counts;
}

}  // namespace kappaflow
