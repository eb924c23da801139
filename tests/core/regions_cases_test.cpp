#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "core/regions/partition.h"
#include "support/region_cases.h"

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
        Partition partition;
        partition.start(one.network, one.slice, one.window);
        partition.finish();
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
        Partition withoutOutputs;
        withoutOutputs.start(one.network, one.slice, one.window, {2e5, 2e8, 0, false});
        withoutOutputs.finish();
        CHECK(affinePieces(withoutOutputs) == affinePieces(partition));
        const MeshStatistics statistics = meshStatistics(mesh);
        CHECK(statistics.borderEdges == one.expect["border_edges"]);
        CHECK(statistics.faceSides == counts(one.expect["face_sides"]));
        CHECK(statistics.vertexDegrees == counts(one.expect["vertex_degrees"]));
        CHECK(statistics.minArea == doctest::Approx(one.expect["min_area"].get<double>()).epsilon(1e-8));
        CHECK(statistics.minEdge == doctest::Approx(one.expect["min_edge"].get<double>()).epsilon(1e-8));
    }
}
