#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/expressivity/growth_theory.h"
#include "core/expressivity/trajectory_sweep.h"
#include "support/sentence.h"

using namespace kappaflow;
using Vector = std::vector<double>;

namespace {

constexpr double kPi = 3.141592653589793;

CurvePieces planeArc(double t0, double t1) { return arcCurve(Vector{1, 0}, Vector{0, 1}, t0, t1); }

/// ∫ √(a² sin² t + b² cos² t) dt by a fine midpoint rule.
double slowEllipse(double a, double b, double from, double to) {
    const int points = 2000000;
    double sum = 0;
    for (int i = 0; i < points; ++i) {
        const double t = from + (to - from) * (i + 0.5) / points;
        sum += std::hypot(a * std::sin(t), b * std::cos(t));
    }
    return sum * (to - from) / points;
}

template <class Action>
void checkSentence(Action&& action, const char* part) {
    const std::string text = refusal(action);
    CAPTURE(text);
    CHECK(isOneSentence(text));
    CHECK(text.find(part) != text.npos);
}

std::vector<CurvePassage> through(const CurvePieces& curve, const Vector& weights, const Vector& bias, Activation activation) {
    const std::vector<CurveLayer> layers{curveLayer(weights, bias, curve.units, activation)};
    return sweepTrajectory(layers, curve);
}

}  // namespace

TEST_CASE("Ellipses have their length, from circles to lines run there and back") {
    CHECK(curveLength(planeArc(0, 2 * kPi)) == doctest::Approx(2 * kPi).epsilon(1e-14));
    for (const double b : {1.0, 0.3, 1e-2, 1e-5}) {
        CAPTURE(b);
        const CurvePieces ellipse = arcCurve(Vector{1, 0}, Vector{0, b}, 0.3, 4.9);
        CHECK(curveLength(ellipse) == doctest::Approx(slowEllipse(1, b, 0.3, 4.9)).epsilon(1e-10));
    }
    // Both ends on one line: 2·√2·|cos| run through, two turns of it in a whole circle.
    CHECK(curveLength(arcCurve(Vector{1, 1}, Vector{1, 1}, 0, 2 * kPi)) == doctest::Approx(8).epsilon(1e-14));
    CHECK(curveLength(arcCurve(Vector{0, 0}, Vector{0, 0}, 0, 1)) == 0);
}

TEST_CASE("A hard sigmoid bends a curve where the layer's own line says, not where the standard one would") {
    // PyTorch's is z/6 + 1/2: over −1 … 1 it rises by 1/3, and it bends at ±3.
    Network network{{1, 1, 2}, {}};
    Layer dense, bend;
    dense.in = dense.out = bend.in = bend.out = network.input;
    dense.as<Weights>().weights = {1, 0, 0, 1};
    bend.op = Pointwise{};
    bend.as<Pointwise>().activation = Activation::HardSigmoid;
    for (const double gain : {0.2, 1.0 / 6, -0.5}) {
        CAPTURE(gain);
        bend.as<Pointwise>().gain = gain;
        network.layers = {dense, bend};
        const std::vector<CurveLayer> layers = curveLayers(network);
        const auto near = sweepTrajectory(layers, segmentCurve(Vector{-1, 0}, Vector{1, 0}));
        CHECK(near.back().length == doctest::Approx(2 * std::abs(gain)).epsilon(1e-12));
        const auto far = sweepTrajectory(layers, segmentCurve(Vector{-10, 0}, Vector{10, 0}));
        CHECK(far.back().length == doctest::Approx(1).epsilon(1e-12));
        CHECK(far.back().transitions == 2);
        for (const double h : {-4.0, -0.7, 0.4, 5.0}) {
            CHECK(activated(layers[0], h).value == doctest::Approx(applyLayer(bend, {h, 0})[0]).epsilon(1e-12));
            CHECK(activated(layers[0], h).slope == doctest::Approx(applyLayerTransposedJacobian(bend, {h, 0}, {1, 0})[0]).epsilon(1e-12));
        }
    }
}

TEST_CASE("The perimeter of a 2 : 1 ellipse is 9.688448220547675") {
    CHECK(curveLength(arcCurve(Vector{2, 0}, Vector{0, 1}, 0, 2 * kPi)) == doctest::Approx(9.688448220547675).epsilon(1e-14));
}

TEST_CASE("A drawn line runs through its points and has their distances as length") {
    const CurvePieces line = polylineCurve(Vector{0, 0, 3, 4, 3, 5, 0, 5}, 2);
    CHECK(curveLength(line) == doctest::Approx(9).epsilon(1e-15));
    CHECK(curveAt(line, 0) == Vector{0, 0});
    CHECK(curveAt(line, 1) == Vector{3, 4});
    CHECK(curveAt(line, 2.5)[0] == doctest::Approx(1.5));
    CHECK(line.patterns() == 1);
    CHECK(curveLength(segmentCurve(Vector{1, 2}, Vector{4, 6})) == doctest::Approx(5).epsilon(1e-15));
}

TEST_CASE("Layers of a piece: units alone on a circle cut it where they should") {
    SUBCASE("hard-tanh of 2 cos t: saturated at both ends") {
        const auto passages = through(planeArc(0, 2 * kPi), {2, 0}, {}, Activation::HardTanh);
        CHECK(passages[1].pieces == 5);
        CHECK(passages[1].transitions == 4);
        CHECK(passages[1].signTransitions == 2);
        CHECK(passages[1].length == doctest::Approx(4).epsilon(1e-14));
    }
    SUBCASE("ReLU of cos t") {
        const auto passages = through(planeArc(0, 2 * kPi), {1, 0}, {}, Activation::Relu);
        CHECK(passages[1].pieces == 3);
        CHECK(passages[1].length == doctest::Approx(2).epsilon(1e-14));
    }
    SUBCASE("a unit that touches a threshold without crossing") {
        for (const double bias : {1.0, -1.0}) {
            const auto passages = through(planeArc(0, 2 * kPi), {1, 0}, {bias}, Activation::Relu);
            CHECK(passages[1].pieces == 1);
            CHECK(passages[1].transitions == 0);
            CHECK(passages[1].length == doctest::Approx(bias > 0 ? 4 : 0).epsilon(1e-14));
        }
    }
    SUBCASE("breakpoints at the ends of the arc") {
        const auto passages = through(planeArc(0, kPi), {0, 1}, {}, Activation::Relu);
        CHECK(passages[1].pieces == 1);
        CHECK(passages[1].length == doctest::Approx(2).epsilon(1e-14));
    }
    SUBCASE("segments") {
        const auto passages = through(segmentCurve(Vector{-1, -1}, Vector{1, 1}), {1, 0, 1, 1}, {0, 0.5}, Activation::Relu);
        CHECK(passages[1].pieces == 3);
        CHECK(passages[1].length == doctest::Approx(0.25 * 2 + std::sqrt(5.0)).epsilon(1e-14));
    }
}

TEST_CASE("Duplicated, negated, rescaled and weightless units change at one place, and nowhere") {
    const CurvePieces arc = planeArc(0.1, 2);
    const Vector w{0.9, -0.7};
    const auto once = through(arc, w, {0.1}, Activation::Relu);
    REQUIRE(once[1].pieces == 2);
    Vector many, bias;
    for (const double scale : {1.0, 1.0, 3.0, 0.1, -1.0, -7.0, 1e6}) {
        many.push_back(scale * w[0]);
        many.push_back(scale * w[1]);
        bias.push_back(scale * 0.1);
    }
    const auto same = through(arc, many, bias, Activation::Relu);
    CHECK(same[1].pieces == 2);
    CHECK(same[1].transitions == 7);
    for (const double constant : {-1.0, 0.0, 1.0}) {
        const auto still = through(arc, {0, 0}, {constant}, Activation::HardTanh);
        CHECK(still[1].pieces == 1);
        CHECK(still[1].transitions == 0);
        CHECK(still[1].length == 0);
    }
}

TEST_CASE("Weights that cancel leave a unit exactly at its threshold, which counts as below") {
    // The second layer sees z₁ − z₁ of two equal units.
    std::vector<CurveLayer> layers{curveLayer(Vector{0.3, 0.7, 0.3, 0.7}, {}, 2, Activation::Identity),
                                   curveLayer(Vector{0.123456789, -0.123456789}, Vector{1}, 2, Activation::HardTanh)};
    const auto passages = sweepTrajectory(layers, planeArc(0, 2 * kPi));
    CHECK(passages[2].transitions == 0);
    CHECK(passages[2].pieces == 1);
    CHECK(passages[2].length == 0);
}

TEST_CASE("A dead layer ends the curve: what follows has no length and one more piece nowhere") {
    std::vector<CurveLayer> layers{curveLayer(Vector{1, 0, 0, 1}, Vector{-5, -5}, 2, Activation::Relu),
                                   curveLayer(Vector{1, 2, 3, 4}, Vector{1, -1}, 2, Activation::Relu)};
    const auto passages = sweepTrajectory(layers, planeArc(0, 2 * kPi));
    CHECK(passages[1].length == 0);
    CHECK(passages[2].length == 0);
    CHECK(passages[2].pieces == 1);
}

TEST_CASE("Turning the input space and the first layer together changes nothing") {
    auto layers = randomLayers({Activation::HardTanh, 0, 6, 8, 0.3}, 5, 11);
    const RandomEnds ends = randomEnds(6, 11);
    const auto before = sweepTrajectory(layers, arcCurve(ends.x0, ends.x1, 0, kPi / 2));
    // Rotation by 0.7 in the plane of coordinates 1 and 4.
    const double c = std::cos(0.7), s = std::sin(0.7);
    const auto turn = [&](double* x, double* y) {
        const double a = *x, b = *y;
        *x = c * a - s * b;
        *y = s * a + c * b;
    };
    RandomEnds turned = ends;
    turn(&turned.x0[1], &turned.x0[4]);
    turn(&turned.x1[1], &turned.x1[4]);
    for (std::size_t u = 0; u < 6; ++u) turn(&layers[0].weights[1 * 6 + u], &layers[0].weights[4 * 6 + u]);
    const auto after = sweepTrajectory(layers, arcCurve(turned.x0, turned.x1, 0, kPi / 2));
    for (std::size_t l = 0; l < before.size(); ++l) {
        CHECK(before[l].pieces == after[l].pieces);
        CHECK(before[l].transitions == after[l].transitions);
        CHECK(after[l].length == doctest::Approx(before[l].length).epsilon(1e-10));
    }
}

TEST_CASE("Lengths and transitions of parts of an arc add up to those of the whole") {
    const auto layers = randomLayers({Activation::HardTanh, 0, 10, 6, 0.1}, 5, 5);
    const RandomEnds ends = randomEnds(10, 5);
    const auto whole = sweepTrajectory(layers, arcCurve(ends.x0, ends.x1, 0, 2));
    const auto first = sweepTrajectory(layers, arcCurve(ends.x0, ends.x1, 0, 0.77)),
               second = sweepTrajectory(layers, arcCurve(ends.x0, ends.x1, 0.77, 2));
    for (std::size_t l = 0; l < whole.size(); ++l) {
        CHECK(first[l].length + second[l].length == doctest::Approx(whole[l].length).epsilon(1e-10));
        CHECK(first[l].transitions + second[l].transitions == whole[l].transitions);
        CHECK(first[l].pieces + second[l].pieces == whole[l].pieces + 1);
    }
}

TEST_CASE("The image is continuous, and equal to the network at any t") {
    const auto layers = randomLayers({Activation::HardTanh, 0, 12, 9, 0.2}, 4, 21);
    const RandomEnds ends = randomEnds(12, 21);
    const CurvePieces start = arcCurve(ends.x0, ends.x1, 0, 2 * kPi);
    TrajectorySweep sweep(layers, start, {});
    while (sweep.advance(1)) {
    }
    for (int i = 0; i < 200; ++i) {
        const double t = 0.0313 * i;
        Vector z = curveAt(start, t);
        for (const CurveLayer& layer : layers) {
            Vector next = layer.bias;
            for (std::size_t j = 0; j < layer.in; ++j)
                for (std::size_t u = 0; u < layer.out; ++u) next[u] += layer.weights[j * layer.out + u] * z[j];
            for (double& h : next) h = activate(layer.kind, h, 0);
            z = next;
        }
        const Vector image = curveAt(sweep.image(), t);
        for (std::size_t u = 0; u < z.size(); ++u) CHECK(image[u] == doctest::Approx(z[u]).epsilon(1e-9));
    }
}

TEST_CASE("A budget stops the sweep at a layer border, with everything before it exact") {
    const auto layers = randomLayers({Activation::HardTanh, 0, 16, 16, 0}, 8, 2);
    const RandomEnds ends = randomEnds(16, 2);
    const CurvePieces start = arcCurve(ends.x0, ends.x1, 0, kPi / 2);
    const auto whole = sweepTrajectory(layers, start);
    for (const double limit : {0.0, 1.0, 30.0, 100.0, 1e9}) {
        CAPTURE(limit);
        TrajectorySweep sweep(layers, start, {limit, 1e9});
        while (sweep.advance(1e4)) {
        }
        CHECK(sweep.progress() == 1);
        CHECK(sweep.stopped() == (sweep.exactLayers() < layers.size()));
        if (sweep.stopped()) CHECK(static_cast<double>(whole[sweep.exactLayers() + 1].pieces) > limit);
        for (std::size_t l = 0; l < sweep.passages().size(); ++l) CHECK(sweep.passages()[l].pieces == whole[l].pieces);
    }
}

TEST_CASE("A wide layer that cuts one piece into too many stops at the limit: memory grows no further") {
    const std::size_t units = 2000;
    Vector weights, bias;
    for (std::size_t u = 0; u < units; ++u) {
        weights.insert(weights.end(), {1, 0});
        bias.push_back(-static_cast<double>(u + 1) / static_cast<double>(units + 1));
    }
    const CurveLayer layer = curveLayer(weights, bias, 2, Activation::Relu);
    const CurvePieces start = segmentCurve(Vector{0, 0}, Vector{1, 0});
    CurveLayerStep all(layer, start, 1e9), some(layer, start, 50);
    while (all.advance(1e6)) {
    }
    while (some.advance(1e6)) {
    }
    CHECK(all.image().curve.pieces() == units + 1);
    CHECK_FALSE(all.overLimit());
    CHECK(some.overLimit());
    CHECK(some.image().curve.pieces() == 51);
    CHECK(some.image().curve.coefficients.size() == 51 * some.image().curve.stride());
}

TEST_CASE("Unusable curves and layers are refused in one sentence") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    checkSentence([] { arcCurve(Vector{1}, Vector{1, 2}, 0, 1); }, "number of entries");
    checkSentence([] { arcCurve(Vector{}, Vector{}, 0, 1); }, "at least one");
    checkSentence([&] { arcCurve(Vector{1, nan}, Vector{1, 2}, 0, 1); }, "finite");
    checkSentence([] { arcCurve(Vector{1}, Vector{1}, 1, 1); }, "t0");
    checkSentence([&] { arcCurve(Vector{1}, Vector{1}, 0, nan); }, "t0");
    checkSentence([] { arcCurve(Vector{1}, Vector{1}, 0, 7); }, "full turn");
    checkSentence([] { polylineCurve(Vector{1, 2}, 2); }, "two points");
    checkSentence([] { polylineCurve(Vector{1, 2, 3}, 2); }, "two points");
    checkSentence([&] { polylineCurve(Vector{1, nan}, 1); }, "finite");
    checkSentence([&] { curveLayer(Vector{1, nan}, {}, 2, Activation::Relu); }, "finite");
    checkSentence([] { curveLayer(Vector{1, 2, 3}, {}, 2, Activation::Relu); }, "weights");
    checkSentence([] { curveLayer(Vector{1, 2}, Vector{1, 2}, 2, Activation::Relu); }, "biases");
    checkSentence([] { piecewiseLinear(Activation::Tanh); }, "linear pieces");
    const std::vector<CurveLayer> smooth{curveLayer(Vector{1}, {}, 1, Activation::Tanh)},
        wide{curveLayer(Vector{1, 1}, {}, 2, Activation::Relu)};
    checkSentence([&] { sweepTrajectory(smooth, segmentCurve(Vector{0}, Vector{1})); }, "linear pieces");
    checkSentence([&] { sweepTrajectory(wide, segmentCurve(Vector{0}, Vector{1})); }, "Layer 1 takes 2");
}
