#include <doctest/doctest.h>

#include <cmath>

#include "core/regions/partition.h"
#include "support/networks.h"
#include "support/sentence.h"

using namespace kappaflow;

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

TEST_CASE("means on faces are the function's values at the centroids") {
    Network network{{1, 1, 2},
                    {withNumbers(denseLayer(2, 6), 3), activationLayer({1, 1, 6}, Activation::Relu), withNumbers(denseLayer(6, 1), 4)}};
    Partition partition;
    partition.start(network, sliceOfInputs(2), rectangle({-1, -1}, {1, 1}));
    partition.finish();
    const RegionMesh& mesh = partition.mesh();
    const auto means = meansOnFaces(mesh, mesh.output);
    REQUIRE(means.size() > 5);
    for (std::size_t f = 0; f < means.size(); ++f) {
        const Vec2 middle = faceCentroid(mesh, f);
        CHECK(means[f] == doctest::Approx(forward(network, {middle.x, middle.y}).back()[0]).epsilon(1e-9));
    }
}
