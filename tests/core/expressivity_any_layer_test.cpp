// Curves through layers of any kind are sampled: against polylines of many points, and against exact ones where both are possible.
#include <doctest/doctest.h>

#include <cmath>

#include "core/expressivity/curve_plane.h"
#include "core/expressivity/followed_curve.h"
#include "core/io/network_file.h"
#include "support/networks.h"
#include "testData.h"

using namespace kappaflow;

namespace {

using Numbers = std::vector<double>;

constexpr double kQuarter = 1.5707963267948966;

std::vector<SampledLength> lengthsOf(const std::vector<CurveLayer>& layers, const CurvePieces& start) {
    FollowedCurve curve(layers, start, {{1e4, 1e6, 1e9}, {0.01, 48, 1200}}, Rng(3, Purpose::MonteCarlo, 1));
    while (curve.advance(1e9)) continue;
    return curve.lengths();
}

/// Lengths behind the layers of the polyline through `count` + 1 images.
Numbers polylineLengths(const Network& network, const std::vector<CurveLayer>& layers, const CurvePieces& start, int count) {
    Numbers lengths(layers.size() + 1);
    std::vector<Numbers> before;
    for (int i = 0; i <= count; ++i) {
        const auto states = forward(network, curveAt(start, kQuarter * i / count));
        std::vector<Numbers> now{states[0]};
        std::size_t at = 0;
        for (const CurveLayer& layer : layers) now.push_back(states[at += layer.whole.size()]);
        for (std::size_t l = 0; i > 0 && l < now.size(); ++l) {
            double square = 0;
            for (std::size_t u = 0; u < now[l].size(); ++u) square += (now[l][u] - before[l][u]) * (now[l][u] - before[l][u]);
            lengths[l] += std::sqrt(square);
        }
        before = std::move(now);
    }
    return lengths;
}

}  // namespace

TEST_CASE("lengths behind convolutions, blocks, norms and attention are those of a fine polyline" * doctest::test_suite("long")) {
    for (const std::string name : {"resnet", "densenet", "wavenet_gated", "squeeze_excite", "transformer", "mlp_layernorm"}) {
        CAPTURE(name);
        const Network network = readNetwork(testData(name + ".onnx"));
        const auto layers = anyCurveLayers(network);
        CHECK_FALSE(isPiecewiseLinear(layers));
        const std::size_t inputs = network.input.units();
        const CurvePieces start = arcCurve(gaussians(inputs, 5), gaussians(inputs, 6), 0, kQuarter);
        const auto sampled = lengthsOf(layers, start);
        const Numbers expected = polylineLengths(network, layers, start, 400);
        REQUIRE(sampled.size() == expected.size());
        for (std::size_t l = 0; l < expected.size(); ++l) {
            CAPTURE(l);
            // The polyline's corners lie on the curve: it is shorter by less than half a percent.
            CHECK(std::abs(sampled[l].value - expected[l]) < 5 * sampled[l].standardError + 0.005 * expected[l]);
        }
    }
}

TEST_CASE("a dense network given as layers of any kind has the points of the network, and a sampled curve the exact one's lengths") {
    Network network = readNetwork(testData("mlp_relu.onnx"));
    const auto exact = anyCurveLayers(network);
    CHECK(isPiecewiseLinear(exact));
    // The same network, one layer of it no longer dense.
    const Shape in = network.layers[1].out;
    network.layers.insert(network.layers.begin() + 2, residualBlock(in, {}, {}, 0.25, 0.75));
    const auto any = anyCurveLayers(network);
    REQUIRE(any.size() == exact.size() + 1);
    const CurvePieces start = arcCurve(gaussians(network.input.units(), 7), gaussians(network.input.units(), 8), 0, kQuarter);
    const auto lengths = lengthsOf(exact, start), sampled = lengthsOf(any, start);
    CHECK(lengths.back().standardError == 0);
    CHECK(sampled.back().standardError > 0);
    CHECK(std::abs(sampled.back().value - lengths.back().value) < 5 * sampled.back().standardError);
    Numbers rows, points;
    for (const double t : {0.1, 0.8, 1.4}) {
        const Numbers x = curveAt(start, t), y = forward(network, x).back();
        rows.insert(rows.end(), x.begin(), x.end());
        points.insert(points.end(), y.begin(), y.end());
    }
    for (const CurveLayer& layer : any) valuesThrough(layer, rows);
    REQUIRE(rows.size() == points.size());
    for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i] == doctest::Approx(points[i]).epsilon(1e-12));
}

TEST_CASE("a pseudo-random sign anywhere in the network is refused") {
    const Network network{{1, 1, 2}, {residualBlock({1, 1, 2}, {activationLayer({1, 1, 2}, Activation::PseudoRandom)})}};
    CHECK_THROWS_WITH_AS(anyCurveLayers(network), "The pseudo-random sign jumps everywhere, so that the image of a curve is no curve.",
                         InputError);
}
