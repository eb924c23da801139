#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "support/region_cases.h"
#include "support/region_mesh.h"

using namespace kappaflow;

namespace {

double fraction(const std::string& text) {
    const auto slash = text.find('/');
    return slash == std::string::npos ? std::stod(text) : std::stod(text.substr(0, slash)) / std::stod(text.substr(slash + 1));
}

/// From end to end without a gap, no face twice in a row.
void checkChain(const std::vector<Crossing>& chain) {
    REQUIRE(!chain.empty());
    CHECK(chain.front().from == doctest::Approx(0));
    CHECK(chain.back().to == doctest::Approx(1));
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
        CHECK(chain[i].to == doctest::Approx(chain[i + 1].from).epsilon(1e-9));
        CHECK(chain[i].face != chain[i + 1].face);
    }
}

std::size_t stateChanges(const Partition& partition, std::size_t f, std::size_t g) {
    std::size_t changes = 0;
    for (int d = 1; d <= partition.depths(); ++d) {
        const auto a = partition.pattern(f, d), b = partition.pattern(g, d);
        for (std::size_t u = 0; u < a.size(); ++u) changes += a[u] != b[u];
    }
    return changes;
}

Partition built(const RegionCase& one) { return builtPartition(one.network, one.slice, one.window); }

}  // namespace

TEST_CASE("segments cross as many regions, with as many changes of state, as the references say") {
    int segments = 0;
    for (const std::string& name : regionCaseNames()) {
        const RegionCase one = regionCase(name);
        if (one.segments.is_null()) continue;
        CAPTURE(name);
        const Partition partition = built(one);
        for (std::size_t s = 0; s < one.segments.size(); ++s, ++segments) {
            const auto point = [&](int end) { return Vec2{fraction(one.segments[s][end][0]), fraction(one.segments[s][end][1])}; };
            const auto chain = crossedFaces(partition.mesh(), {point(0), point(1)});
            checkChain(chain);
            std::size_t transitions = 0;
            for (std::size_t i = 0; i + 1 < chain.size(); ++i) transitions += stateChanges(partition, chain[i].face, chain[i + 1].face);
            CHECK(chain.size() == one.expect["segments"][s]["pieces"]);
            CHECK(transitions == one.expect["segments"][s]["transitions"]);
        }
    }
    CHECK(segments == 6);
}

TEST_CASE("a polyline and an arc are in the face that they say, and a polygon of many corners crosses what the circle does") {
    const RegionCase one = regionCase("relu_2-16-16_s0");
    const Partition partition = built(one);
    const RegionMesh& mesh = partition.mesh();
    const Polygon bent{{-0.9, -0.8}, {0.7, -0.3}, {0.7, 0.9}, {-0.5, 0.1}, {-0.9, -0.8}};
    std::vector<double> reach{0};
    for (std::size_t i = 0; i + 1 < bent.size(); ++i)
        reach.push_back(reach.back() + std::hypot(bent[i + 1].x - bent[i].x, bent[i + 1].y - bent[i].y));
    const auto chain = crossedFaces(mesh, bent);
    checkChain(chain);
    for (const Crossing& c : chain) {
        const double at = (c.from + c.to) / 2 * reach.back();
        std::size_t i = 0;
        while (reach[i + 1] < at) ++i;
        const Vec2 p = bent[i] + (bent[i + 1] - bent[i]) * ((at - reach[i]) / (reach[i + 1] - reach[i]));
        CHECK(faceAt(mesh, p) == static_cast<std::int32_t>(c.face));
    }
    const auto arc = crossedFacesOfArc(mesh, {0.1, 0}, 0.7, -1, -1 + 2 * std::numbers::pi);
    auto shifted = arc;
    for (Crossing& c : shifted) c.from -= arc.front().from, c.to -= arc.front().from;
    checkChain(shifted);
    for (const Crossing& c : arc) {
        const double angle = -1 + 2 * std::numbers::pi * (c.from + c.to) / 2;
        CHECK(faceAt(mesh, {0.1 + 0.7 * std::cos(angle), 0.7 * std::sin(angle)}) == static_cast<std::int32_t>(c.face));
    }
    Polygon polygon;
    for (int i = 0; i <= 20000; ++i) {
        const double angle = -1 + 2 * std::numbers::pi * i / 20000;
        polygon.push_back({0.1 + 0.7 * std::cos(angle), 0.7 * std::sin(angle)});
    }
    const auto many = crossedFaces(mesh, polygon);
    // The polygon begins within a piece, which it has at both its ends; of the closed arc it is one, the last.
    CHECK(many.size() == arc.size() + 1);
    CHECK(many.front().face == arc.back().face);
    CHECK(arc.back().to == doctest::Approx(1 + many.front().to).epsilon(1e-6));
    auto reversed = crossedFacesOfArc(mesh, {0.1, 0}, 0.7, -1 + 2 * std::numbers::pi, -1);
    REQUIRE(reversed.size() == arc.size());
    CHECK(reversed.back().face == arc.back().face);
    for (std::size_t i = 0; i + 1 < arc.size(); ++i) CHECK(reversed[arc.size() - 2 - i].face == arc[i].face);
}

TEST_CASE("a segment along an edge counts once, one outside the window not at all, one that only touches a corner neither") {
    const RegionCase grid = regionCase("known_star_5");
    const Partition partition = built(grid);
    const RegionMesh& mesh = partition.mesh();
    for (const auto& edge : mesh.edges) {
        const auto chain = crossedFaces(mesh, {mesh.vertices[edge.from], mesh.vertices[edge.to]});
        REQUIRE(chain.size() == 1);
        CHECK((chain[0].face == static_cast<std::uint32_t>(edge.left) || chain[0].face == static_cast<std::uint32_t>(edge.right)));
    }
    CHECK(crossedFaces(mesh, {{2, 0}, {3, 1}}).empty());
    CHECK(crossedFaces(mesh, {{0, 2}, {2, 0}}).empty());
    CHECK(crossedFaces(mesh, {{0.5, 0.5}}).empty());
    CHECK(crossedFaces(mesh, {{0.5, 0.5}, {0.5, 0.5}}).empty());
    CHECK(crossedFacesOfArc(mesh, {5, 5}, 1, 0, 1).empty());
    CHECK(faceAt(mesh, {2, 0}) == -1);
    const auto through = crossedFaces(mesh, {{-3, 0.11}, {3, 0.11}});
    CHECK(through.front().from == doctest::Approx(1.0 / 3));
    CHECK(through.back().to == doctest::Approx(2.0 / 3));
}
