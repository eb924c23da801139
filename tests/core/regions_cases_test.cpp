#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/region_cases.h"
#include "support/region_mesh.h"

using namespace kappaflow;

namespace {

std::map<std::size_t, std::size_t> counts(const nlohmann::json& json) {
    std::map<std::size_t, std::size_t> map;
    for (const auto& [key, value] : json.items()) map[std::stoul(key)] = value;
    return map;
}

}  // namespace

TEST_CASE("every reference partition is met exactly: regions, edges and vertices of every layer, sides, degrees, pieces") {
    for (const std::string& name : regionCaseNames()) {
        CAPTURE(name);
        const RegionCase one = regionCase(name);
        const Partition partition = builtPartition(one.network, one.slice, one.window);
        const auto& mesh = partition.mesh();
        REQUIRE(partition.exactDepth() == partition.depths());
        REQUIRE(mesh.depths.size() == one.expect["per_layer"].size() + 1);
        for (std::size_t d = 1; d < mesh.depths.size(); ++d) {
            CAPTURE(d);
            CHECK(mesh.depths[d].faces == one.expect["per_layer"][d - 1]["F"]);
            CHECK(mesh.depths[d].edges == one.expect["per_layer"][d - 1]["E"]);
            CHECK(mesh.depths[d].vertices == one.expect["per_layer"][d - 1]["V"]);
        }
        CHECK(mesh.faces() == one.expect["F"]);
        CHECK(mesh.edges.size() == one.expect["E"]);
        CHECK(mesh.vertices.size() == one.expect["V"]);
        CHECK(partition.certificate().holds());
        CHECK(partition.certificate().repairs == 0);
        CHECK(countOf(affinePieces(partition)) == one.expect["L_last"]);
        CHECK(affinePieces(builtPartition(one.network, one.slice, one.window, {2e5, 2e8, 0, false})) == affinePieces(partition));
        std::size_t border = 0;
        std::map<std::size_t, std::size_t> sides;
        double least = 1e9, shortest = 1e9;
        for (const auto& edge : mesh.edges) {
            const Vec2 step = mesh.vertices[edge.to] - mesh.vertices[edge.from];
            border += edge.right < 0;
            shortest = std::min(shortest, std::hypot(step.x, step.y));
        }
        for (std::size_t f = 0; f < mesh.faces(); ++f) ++sides[mesh.sides(f)], least = std::min(least, faceArea(mesh, f));
        CHECK(border == one.expect["border_edges"]);
        CHECK(sides == counts(one.expect["face_sides"]));
        CHECK(vertexDegrees(mesh) == counts(one.expect["vertex_degrees"]));
        CHECK(least == doctest::Approx(one.expect["min_area"].get<double>()).epsilon(1e-8));
        CHECK(shortest == doctest::Approx(one.expect["min_edge"].get<double>()).epsilon(1e-8));
    }
}
