#include "core/regions/region_info.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/regions/partition_state.h"
#include "core/regions/region_maps.h"

namespace kappaflow {
namespace {

constexpr std::size_t kAnyWidth = static_cast<std::size_t>(-1);

std::vector<double> rowOf(const RegionMaps::Register& rows, std::size_t row, std::size_t width) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row * width);
    return {begin, begin + static_cast<std::ptrdiff_t>(width)};
}

LinearMap identity(std::size_t inputs) {
    std::vector<std::vector<LinearMap::Entry>> rows;
    for (std::uint32_t i = 0; i < inputs; ++i) rows.push_back({{i, 1.0}});
    return {inputs, rows, {}};
}

void setCuts(RegionInfo& info, const RegionMesh& mesh, std::size_t face) {
    std::int32_t least = std::numeric_limits<std::int32_t>::max(), greatest = 0;
    for (const auto& edge : mesh.edges) {
        if (edge.boundary < 0 || (edge.left != static_cast<std::int32_t>(face) && edge.right != static_cast<std::int32_t>(face))) continue;
        const std::int32_t depth = mesh.depthOf(edge);
        if (depth < least) info.firstCut = edge.boundary;
        if (depth > greatest) info.lastCut = edge.boundary;
        least = std::min(least, depth);
        greatest = std::max(greatest, depth);
    }
}

}  // namespace

RegionInfo regionInfo(const Partition& partition, const Network& network, const Slice& slice, std::size_t face) {
    const auto& state = PartitionAccess::state(partition);
    const RegionMesh& mesh = partition.mesh();
    RegionInfo info;
    info.area = faceArea(mesh, face);
    info.sides = mesh.sides(face);
    setCuts(info, mesh, face);
    if (partition.exactDepth() < partition.depths()) return info;
    const std::size_t inputs = network.input.units(), outputs = network.output().units();
    const Program onSlice = lowered(network, sliceMap(slice, inputs), kAnyWidth);
    RegionMaps(onSlice, state.records).oneFace(static_cast<std::uint32_t>(face), onSlice.output, [&](std::uint32_t, const auto& rows) {
        info.map = {rowOf(rows, 0, outputs), rowOf(rows, 1, outputs), rowOf(rows, 2, outputs)};
    });
    const Program everywhere = lowered(network, identity(inputs), kAnyWidth);
    RegionMaps(everywhere, state.records)
        .oneFace(static_cast<std::uint32_t>(face), everywhere.output, [&](std::uint32_t, const auto& rows) {
            for (std::size_t o = 0; o < outputs; ++o)
                for (std::size_t i = 0; i < inputs; ++i) info.gradient.push_back(rows[(1 + i) * outputs + o]);
        });
    double squares = 0;
    for (double g : info.gradient) squares += g * g;
    info.gradientNorm = std::sqrt(squares);
    return info;
}

/// Gauss: area times gradient is the integral of y times the outward normal, exact for an affine y.
std::vector<double> meansOnFaces(const RegionMesh& mesh, const std::vector<double>& atVertex) {
    std::vector<double> means(mesh.faces());
    for (std::size_t f = 0; f < means.size(); ++f) {
        const std::size_t begin = mesh.faceStart[f], end = mesh.faceStart[f + 1];
        const auto corner = [&](std::size_t i) { return mesh.corners[i]; };
        const Vec2 a = mesh.vertices[corner(begin)];
        double area = 0, sum = 0, plain = 0;
        for (std::size_t i = begin; i < end; ++i) plain += atVertex[corner(i)];
        // The triangles of a fan, by area.
        for (std::size_t i = begin + 1; i + 1 < end; ++i) {
            const Vec2 b = mesh.vertices[corner(i)] - a, c = mesh.vertices[corner(i + 1)] - a;
            const double triangle = b.x * c.y - b.y * c.x;
            area += triangle;
            sum += triangle * (atVertex[corner(begin)] + atVertex[corner(i)] + atVertex[corner(i + 1)]) / 3;
        }
        means[f] = area > 0 ? sum / area : plain / static_cast<double>(end - begin);
    }
    return means;
}

std::vector<double> slopeNorms(const RegionMesh& mesh) {
    std::vector<double> norms(mesh.outputs == 0 ? 0 : mesh.faces());
    for (std::size_t f = 0; f < norms.size(); ++f) {
        const std::size_t begin = mesh.faceStart[f], end = mesh.faceStart[f + 1], base = mesh.corners[begin];
        const double doubled = 2 * faceArea(mesh, f);
        double squares = 0;
        for (std::size_t o = 0; o < mesh.outputs; ++o) {
            Vec2 sum;
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint32_t a = mesh.corners[i], b = mesh.corners[i + 1 < end ? i + 1 : begin];
                const double y =
                    mesh.output[a * mesh.outputs + o] + mesh.output[b * mesh.outputs + o] - 2 * mesh.output[base * mesh.outputs + o];
                const Vec2 step = mesh.vertices[b] - mesh.vertices[a];
                sum = sum + Vec2{step.y, -step.x} * y;
            }
            squares += sum.x * sum.x + sum.y * sum.y;
        }
        norms[f] = doubled > 0 ? std::sqrt(squares) / doubled : 0;
    }
    return norms;
}

MeshStatistics meshStatistics(const RegionMesh& mesh) {
    MeshStatistics statistics;
    std::vector<std::size_t> degree(mesh.vertices.size());
    statistics.minEdge = statistics.minArea = std::numeric_limits<double>::infinity();
    for (const auto& edge : mesh.edges) {
        statistics.borderEdges += edge.right < 0;
        ++degree[edge.from];
        ++degree[edge.to];
        const Vec2 step = mesh.vertices[edge.to] - mesh.vertices[edge.from];
        statistics.minEdge = std::min(statistics.minEdge, std::hypot(step.x, step.y));
    }
    for (std::size_t d : degree) ++statistics.vertexDegrees[d];
    for (std::size_t f = 0; f < mesh.faces(); ++f) {
        ++statistics.faceSides[mesh.sides(f)];
        statistics.minArea = std::min(statistics.minArea, faceArea(mesh, f));
    }
    return statistics;
}

}  // namespace kappaflow
