#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "support/networks.h"
#include "support/region_mesh.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

Network randomNetwork(const std::vector<int>& widths, Activation activation, std::uint64_t seed, bool readout = true) {
    Network network;
    network.input = {1, 1, widths[0]};
    for (std::size_t l = 1; l < widths.size(); ++l) {
        network.layers.push_back(denseLayer(widths[l - 1], widths[l]));
        if (l + 1 < widths.size() || !readout) network.layers.push_back(activationLayer({1, 1, widths[l]}, activation));
    }
    initialise(network, {Initialiser::Gaussian, 2, 0.05}, seed);
    return network;
}

const Polygon& square() { return unitSquare(); }

Partition built(const Network& network, const Slice& slice, const Polygon& window, const PartitionOptions& options = {}) {
    return builtPartition(network, slice, window, options);
}

/// To the bit.
void checkSame(const RegionMesh& a, const RegionMesh& b) {
    CHECK(a.vertices == b.vertices);
    CHECK(a.corners == b.corners);
    CHECK(a.faceStart == b.faceStart);
    CHECK(a.depths == b.depths);
    CHECK(a.ancestor == b.ancestor);
    CHECK(a.patternHash == b.patternHash);
    CHECK(a.output == b.output);
    REQUIRE(a.edges.size() == b.edges.size());
    bool same = true;
    for (std::size_t e = 0; e < a.edges.size(); ++e)
        same = same && a.edges[e].from == b.edges[e].from && a.edges[e].to == b.edges[e].to && a.edges[e].left == b.edges[e].left &&
               a.edges[e].right == b.edges[e].right && a.edges[e].boundary == b.edges[e].boundary;
    CHECK(same);
}

/// At its centroid every face has the pattern that running the network there shows, and the outputs and their slope that it has at its
/// corners. The slice's directions are orthonormal.
void checkAgainstForward(const Network& network, const Slice& slice, const Polygon& window) {
    const Partition partition = built(network, slice, window);
    const RegionMesh& mesh = partition.mesh();
    CHECK(partition.certificate().holds());
    const auto slopes = slopeNorms(mesh);
    std::vector<std::vector<double>> means;
    for (std::size_t o = 0; o < mesh.outputs; ++o) {
        std::vector<double> atVertex;
        for (std::size_t v = o; v < mesh.output.size(); v += mesh.outputs) atVertex.push_back(mesh.output[v]);
        means.push_back(meansOnFaces(mesh, atVertex));
    }
    REQUIRE(mesh.faces() > 5);
    for (std::size_t f = 0; f < mesh.faces(); ++f) {
        // Thinner ones leave forward() no room for its own rounding.
        if (faceArea(mesh, f) < 1e-9) continue;
        CAPTURE(f);
        const Vec2 centroid = faceCentroid(mesh, f);
        CHECK(faceAt(mesh, centroid) == static_cast<std::int32_t>(f));
        const auto states = forward(network, slice.at(centroid));
        int depth = 0;
        for (std::size_t l = 0; l < network.layers.size(); ++l) {
            const Layer& layer = network.layers[l];
            if (!layer.is<Pointwise>()) continue;
            const auto pattern = partition.pattern(f, ++depth);
            for (std::size_t u = 0; u < pattern.size(); ++u) CHECK(pattern[u] == piecewiseLinear(layer, u).stateOf(states[l][u]));
        }
        const auto& y = states.back();
        double squares = 0;
        for (std::size_t o = 0; o < y.size(); ++o) {
            CHECK(means[o][f] == doctest::Approx(y[o]).epsilon(1e-9));
            std::vector<double> direction(y.size());
            direction[o] = 1;
            const auto gradient = backward(network, states, direction)[0];
            for (const auto* axis : {&slice.u, &slice.v}) {
                const double along = std::inner_product(gradient.begin(), gradient.end(), axis->begin(), 0.0);
                squares += along * along;
            }
        }
        if (faceArea(mesh, f) > 1e-5) CHECK(slopes[f] == doctest::Approx(std::sqrt(squares)).epsilon(1e-8));
    }
}

}  // namespace

TEST_CASE("at its centroid every region has the pattern, output and slope of the network there" * doctest::test_suite("long")) {
    checkAgainstForward(randomNetwork({2, 6, 6, 3}, Activation::Relu, 1), sliceOfInputs(2), square());
    checkAgainstForward(randomNetwork({2, 4, 4, 1}, Activation::HardTanh, 2), sliceOfInputs(2), rectangle({-3, -2}, {3, 2}));
    const Slice oblique = orthonormal(sliceThrough({0.5, 0, -1, 0.25}, {1, 1, 0, 0}, {-1, 0.5, 1, 2}));
    checkAgainstForward(randomNetwork({4, 5, 5, 2}, Activation::LeakyRelu, 3), oblique, square());
    checkAgainstForward(randomNetwork({2, 5, 4, 2}, Activation::Abs, 4), sliceOfInputs(2), square());
    checkAgainstForward(randomNetwork({2, 5, 4, 2}, Activation::HardSigmoid, 5), sliceOfInputs(2), rectangle({-4, -4}, {4, 4}));
    checkAgainstForward(randomNetwork({2, 70, 2}, Activation::Relu, 6), sliceOfInputs(2), square());
}

TEST_CASE("step by step is at once, with progress that never falls, also when a layer is given up") {
    const Network network = randomNetwork({2, 48, 48, 1}, Activation::HardTanh, 7);
    for (const PartitionOptions& options : {PartitionOptions{}, PartitionOptions{4000, 2e8, 0, true}}) {
        const Partition atOnce = built(network, sliceOfInputs(2), square(), options);
        Partition partition;
        partition.start(network, sliceOfInputs(2), square(), options);
        double progress = 0;
        int steps = 0;
        for (bool more = true; more; ++steps) {
            more = partition.step();
            CHECK(partition.progress() >= progress);
            progress = partition.progress();
        }
        CHECK(steps > 1);
        CHECK(progress == 1);
        checkSame(partition.mesh(), atOnce.mesh());
    }
    CHECK(built(network, sliceOfInputs(2), square(), {4000, 2e8, 0, true}).exactDepth() == 1);
}

TEST_CASE("a build that takes over what still holds is a fresh build to the bit") {
    const std::vector<int> widths{3, 9, 8, 7, 2};
    const Network network = randomNetwork(widths, Activation::Relu, 8);
    const Slice slice = sliceThrough({0, 0, 0.5}, {1, 0, 0.25}, {0, 1, -0.5});
    Partition partition;
    const auto check = [&](const Network& next, const Slice& plane, const Polygon& window, const PartitionOptions& options, int reused) {
        partition.start(next, plane, window, options);
        CHECK(partition.reusedDepths() == reused);
        partition.finish();
        checkSame(partition.mesh(), built(next, plane, window, options).mesh());
        CHECK(partition.certificate().holds());
    };
    check(network, slice, square(), {}, 0);
    check(network, slice, square(), {}, 3);
    for (int depth = 3; depth >= 0; --depth) {
        CAPTURE(depth);
        Network changed = network;
        changed.layers[static_cast<std::size_t>(2 * depth)].as<Weights>().weights[1] += 0.25;
        check(changed, slice, square(), {}, depth);
        check(network, slice, square(), {}, depth);
    }
    check(network, slice, rectangle({-1, -1}, {0.5, 1}), {}, 0);
    check(network, turned(slice, {0, 0}, {1, 1, 1}, 0.5), rectangle({-1, -1}, {0.5, 1}), {}, 0);
    check(network, slice, square(), {}, 0);
    const double regions = static_cast<double>(partition.mesh().depths[1].faces);
    check(network, slice, square(), {regions, 2e8, 3.2e7, true}, 1);
    check(network, slice, square(), {}, 1);
    check(network, slice, square(), {2e5, 2e8, 0, true}, 3);
    check(network, slice, square(), {2e5, 2e8, 0, true}, 0);
}

TEST_CASE("a budget stops at the border of a layer and says through which the mesh is exact") {
    const Network network = randomNetwork({2, 12, 12, 12, 1}, Activation::Relu, 9);
    const Partition all = built(network, sliceOfInputs(2), square());
    REQUIRE(all.exactDepth() == 3);
    for (int depth = 0; depth <= 3; ++depth)
        for (const double snapshots : {0.0, 3.2e7}) {
            CAPTURE(depth);
            const double regions = static_cast<double>(all.mesh().depths[static_cast<std::size_t>(depth)].faces);
            const Partition some = built(network, sliceOfInputs(2), square(), {regions, 2e8, snapshots, true});
            CHECK(some.exactDepth() == depth);
            CHECK(some.depths() == 3);
            CHECK(some.mesh().faces() == all.mesh().depths[static_cast<std::size_t>(depth)].faces);
            CHECK(some.mesh().output.empty() == (depth < 3));
            CHECK(some.certificate().holds());
            Network shorter = network;
            shorter.layers.resize(static_cast<std::size_t>(2 * depth));
            if (depth > 0 && depth < 3) CHECK(some.mesh().vertices == built(shorter, sliceOfInputs(2), square()).mesh().vertices);
        }
    CHECK(built(network, sliceOfInputs(2), square(), {0, 2e8, 3.2e7, true}).mesh().faces() == 1);
    CHECK(built(network, sliceOfInputs(2), square(), {1, 2e8, 3.2e7, true}).exactDepth() == 0);
    CHECK(built(network, sliceOfInputs(2), square(), {1e9, 2e8, 3.2e7, true}).exactDepth() == 3);
    CHECK(built(network, sliceOfInputs(2), square(), {1e9, 2e4, 3.2e7, true}).exactDepth() < 3);
    CHECK(built(network, sliceOfInputs(2), square(), {1e9, 0, 0, true}).exactDepth() == 0);
}

TEST_CASE("a layer wider than a word of signs gives the same regions in any order of its units, and outputs that fit") {
    const Network network = randomNetwork({2, 150, 3}, Activation::Relu, 10);
    const Partition partition = built(network, sliceOfInputs(2), square());
    Network reversed = network;
    Layer &first = reversed.layers[0], &last = reversed.layers[2];
    for (std::size_t u = 0; u < 150; ++u) {
        for (std::size_t i = 0; i < 2; ++i)
            first.as<Weights>().weights[2 * u + i] = network.layers[0].as<Weights>().weights[2 * (149 - u) + i];
        first.as<Weights>().bias[u] = network.layers[0].as<Weights>().bias[149 - u];
        for (std::size_t o = 0; o < 3; ++o)
            last.as<Weights>().weights[150 * o + u] = network.layers[2].as<Weights>().weights[150 * o + 149 - u];
    }
    CHECK(built(reversed, sliceOfInputs(2), square()).mesh().depths == partition.mesh().depths);
    const RegionMesh& mesh = partition.mesh();
    for (std::size_t v = 0; v < mesh.vertices.size(); v += 17) {
        const auto y = forward(network, {mesh.vertices[v].x, mesh.vertices[v].y}).back();
        for (std::size_t o = 0; o < 3; ++o) CHECK(mesh.output[3 * v + o] == doctest::Approx(y[o]).epsilon(1e-9));
    }
}

TEST_CASE("hashes name patterns, whatever else is on the mesh, and ancestors fold layers in") {
    const Network network = randomNetwork({2, 8, 8, 1}, Activation::Relu, 11);
    const Partition wide = built(network, sliceOfInputs(2), square()),
                    narrow = built(network, sliceOfInputs(2), rectangle({-0.3, -0.4}, {0.5, 0.6}));
    for (std::size_t f = 0; f < narrow.mesh().faces(); ++f) {
        const std::int32_t same = faceAt(wide.mesh(), faceCentroid(narrow.mesh(), f));
        REQUIRE(same >= 0);
        for (std::size_t d = 0; d < 3; ++d)
            CHECK(narrow.mesh().patternHash[d][f] == wide.mesh().patternHash[d][static_cast<std::size_t>(same)]);
    }
    const RegionMesh& mesh = wide.mesh();
    for (const auto& edge : mesh.edges) {
        if (edge.right < 0) continue;
        for (std::int32_t d = 0; d <= 2; ++d) {
            const auto& ancestor = mesh.ancestor[static_cast<std::size_t>(d)];
            const bool together = ancestor[static_cast<std::size_t>(edge.left)] == ancestor[static_cast<std::size_t>(edge.right)];
            CHECK(together == (d < mesh.depthOf(edge)));
        }
    }
}

TEST_CASE("what cannot be partitioned is refused in a sentence") {
    const Network network = randomNetwork({3, 4, 1}, Activation::Relu, 12);
    const Slice slice = sliceOfInputs(3);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Partition p;
    CHECK_THROWS_AS(p.start(network, {{0, 0, 0}, {1, 2, 3}, {-2, -4, -6}}, square()), InputError);
    CHECK_THROWS_AS(p.start(network, {{0, 0, 0}, {1, 2, 3}, {0, 0, 0}}, square()), InputError);
    CHECK_THROWS_AS(p.start(network, {{0, nan, 0}, {1, 2, 3}, {0, 1, 0}}, square()), InputError);
    CHECK_THROWS_AS(p.start(network, sliceOfInputs(2), square()), InputError);
    CHECK_THROWS_AS(sliceThrough({0, 0}, {1, 1}, {2, 2}), InputError);
    CHECK_THROWS_AS(sliceThrough({0, 0}, {1, 1}, {0, 1, 2}), InputError);
    CHECK_THROWS_AS(sliceOfInputs(2, 1, 1), InputError);
    CHECK_THROWS_AS(sliceOfInputs(1), InputError);
    CHECK_THROWS_AS(p.start(network, slice, {{0, 0}, {1, 0}}), InputError);
    CHECK_THROWS_AS(p.start(network, slice, {{0, 0}, {1, 1}, {2, 2}}), InputError);
    CHECK_THROWS_AS(p.start(network, slice, {{0, 0}, {nan, 0}, {0, 1}}), InputError);
    CHECK_THROWS_AS(p.start(network, slice, {{0, 0}, {2, 0}, {0.5, 0.5}, {0, 2}}), InputError);
    CHECK_THROWS_AS(p.start(network, slice, {{0, 0}, {2, 2}, {2, 0}, {0, 2}}), InputError);
    Network changed = network;
    changed.layers[0].as<Weights>().weights[2] = nan;
    CHECK_THROWS_AS(p.start(changed, slice, square()), InputError);
    changed.layers[0].as<Weights>().weights.clear();
    CHECK_THROWS_AS(p.start(changed, slice, square()), InputError);
    changed = network;
    changed.layers[1].as<Pointwise>().activation = Activation::Tanh;
    CHECK_THROWS_WITH_AS(p.start(changed, slice, square()),
                         "Layer 2 is tanh, which is not piecewise linear, so that there are no regions to draw: the scene "
                         "trajectory-length shows what smooth activations do to a curve.",
                         InputError);
    changed = network;
    for (double& weight : changed.layers[0].as<Weights>().weights) weight *= 1e200;
    CHECK_THROWS_AS((p.start(changed, slice, square()), p.finish()), InputError);
    CHECK_THROWS_AS(p.start(network, slice, rectangle({-1e160, -1}, {1, 1})), InputError);
    // What was refused leaves the builder fit for use.
    p.start(network, slice, square());
    p.finish();
    CHECK(p.certificate().holds());
}

TEST_CASE("a window's corners may run either way, repeat and lie on its sides") {
    const Network network = randomNetwork({2, 6, 1}, Activation::Relu, 13);
    const Polygon clumsy{{-1, 1}, {1, 1}, {1, 1}, {1, 0}, {1, -1}, {-1, -1}};
    const Partition a = built(network, sliceOfInputs(2), square()), b = built(network, sliceOfInputs(2), clumsy);
    CHECK(a.mesh().depths == b.mesh().depths);
    CHECK(area(checkedWindow(clumsy)) == doctest::Approx(4));
}

TEST_CASE("a slice turned out of its plane keeps its pivot, its other direction and lengths") {
    const Slice slice{{1, 2, 3}, {2, 0, 0}, {1, 1, 0}}, swung = turned(slice, {0.5, -1}, {0, 0, 5}, 0.7);
    const auto before = slice.at({0.5, -1}), after = swung.at({0.5, -1});
    for (std::size_t i = 0; i < 3; ++i) CHECK(after[i] == doctest::Approx(before[i]));
    CHECK(swung.v == slice.v);
    CHECK(swung.u[0] == doctest::Approx(2 * std::cos(0.7)));
    CHECK(swung.u[2] == doctest::Approx(2 * std::sin(0.7)));
    CHECK(turned(slice, {0, 0}, {3, 4, 0}, 0.7) == slice);
}

TEST_CASE("the cost is above what a build multiplies, grows with the budget, and is finite for networks that no budget takes whole") {
    const Network network = randomNetwork({2, 24, 24, 24, 1}, Activation::Relu, 14);
    const Partition partition = built(network, sliceOfInputs(2), square());
    double products = 0;
    for (std::size_t d = 1; d < 3; ++d) products += 2.0 * 24 * 24 * static_cast<double>(partition.mesh().depths[d].vertices);
    const Cost cost = partitionCost(network);
    CHECK(cost.operations > products);
    CHECK(cost.operations < kCostLimit.operations);
    CHECK(cost.bytes < kCostLimit.bytes * 2);
    CHECK(partitionCost(network, {1e4, 2e8, 0, true}).operations < cost.operations);
    CHECK(partitionCost(network, {1, 0, 0, true}).bytes < 1e6);
    const Cost large = partitionCost(randomNetwork({2, 2000, 2000, 2000}, Activation::HardTanh, 15));
    CHECK(std::isfinite(large.operations));
    CHECK(large.operations > kCostLimit.operations);
}

TEST_CASE("a slice around three points has them at their own distances within half a unit, and finds their feet again") {
    const std::vector<double> a{1, 2, 3, 4}, b{0, -1, 2, 2}, c{5, 0, 0, 1};
    const Slice slice = sliceAround(a, b, c);
    const auto apart = [](Vec2 p, Vec2 q) { return std::hypot(p.x - q.x, p.y - q.y); };
    const auto distance = [](const std::vector<double>& p, const std::vector<double>& q) {
        double sum = 0;
        for (std::size_t i = 0; i < p.size(); ++i) sum += (p[i] - q[i]) * (p[i] - q[i]);
        return std::sqrt(sum);
    };
    const Vec2 at[] = {footOn(slice, a), footOn(slice, b), footOn(slice, c)};
    const double unit = distance(slice.u, {0, 0, 0, 0});
    CHECK(distance(slice.v, {0, 0, 0, 0}) == doctest::Approx(unit));
    CHECK(unit * apart(at[0], at[1]) == doctest::Approx(distance(a, b)));
    CHECK(unit * apart(at[1], at[2]) == doctest::Approx(distance(b, c)));
    CHECK(unit * apart(at[2], at[0]) == doctest::Approx(distance(c, a)));
    double farthest = 0;
    for (const Vec2 p : at) farthest = std::max(farthest, apart(p, {0, 0}));
    CHECK(farthest == doctest::Approx(0.5));
    CHECK(distance(slice.at(at[1]), b) < 1e-12);
    CHECK(at[0].y == doctest::Approx(at[1].y));
    CHECK(isOneSentence(refusal([] { sliceAround({0, 0, 0}, {1, 1, 1}, {2, 2, 2}); })));
}
