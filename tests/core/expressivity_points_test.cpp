#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "core/expressivity/curve_pieces.h"
#include "core/expressivity/curve_plane.h"
#include "core/expressivity/growth_theory.h"
#include "core/expressivity/trajectory_sweep.h"
#include "support/sentence.h"
#include "support/slow_trajectory.h"

using namespace kappaflow;
using Vector = std::vector<double>;

namespace {

constexpr double kPi = std::numbers::pi;

struct Setup {
    std::vector<CurveLayer> layers;
    CurvePieces start;
    Setup(Activation activation, double width, double weightVariance, std::size_t count, std::uint64_t seed)
        : layers(randomLayers({activation, 0, width, weightVariance, 0}, count, seed)), start() {
        const RandomEnds ends = randomEnds(static_cast<std::size_t>(width), seed);
        start = arcCurve(ends.x0, ends.x1, 0, kPi / 2);
    }
};

std::vector<SampledLength> sampled(const Setup& s, SamplingPlan plan, std::uint64_t index = 0) {
    TangentSampler sampler(s.layers, s.start, Rng(1, Purpose::MonteCarlo, index), plan);
    while (sampler.advance(1e6)) {
    }
    return sampler.lengths();
}

double angularLength(const CurvePieces& curve, double weightVariance, double biasVariance) {
    return kPi * meanCrossings(curve, weightVariance, biasVariance, 0);
}

/// One piece of three units that share a profile: z(t) = (a cos t + b sin t + c)·direction, to rounding.
CurvePieces radial(double a, double b, double c) {
    CurvePieces curve;
    curve.units = 3;
    curve.ends = {0.1, 1.2};
    for (const double coefficient : {a, b, c})
        for (const double along : {1.0, 1.0 / 3, 0.7}) curve.coefficients.push_back(coefficient * along);
    return curve;
}

}  // namespace

TEST_CASE("Sampled lengths lie within 4 standard errors of the exact ones, at the precision asked for") {
    const Setup s(Activation::HardTanh, 24, 16, 6, 4);
    const auto exact = sweepTrajectory(s.layers, s.start);
    const auto lengths = sampled(s, {0.02, 32, 4096});
    REQUIRE(lengths.size() == exact.size());
    for (std::size_t l = 0; l < lengths.size(); ++l) {
        CAPTURE(l);
        CHECK(std::abs(lengths[l].value - exact[l].length) < 4 * lengths[l].standardError + 1e-12 * exact[l].length);
        CHECK(lengths[l].standardError < 0.04 * exact[l].length);
    }
}

TEST_CASE("Sampled lengths are unbiased where a polyline of as many points is short by a fifth, and their errors are honest") {
    const Setup s(Activation::HardTanh, 24, 16, 8, 6);
    const double exact = sweepTrajectory(s.layers, s.start).back().length;
    const int repeats = 200;
    double sum = 0, square = 0, stated = 0;
    for (int r = 0; r < repeats; ++r) {
        const SampledLength length = sampled(s, {0, 1, 32}, static_cast<std::uint64_t>(r)).back();
        sum += length.value;
        square += length.value * length.value;
        stated += length.standardError * length.standardError;
    }
    const double mean = sum / repeats, variance = square / repeats - mean * mean;
    CHECK(std::abs(mean - exact) < 4 * std::sqrt(variance / repeats));
    CHECK(stated / repeats == doctest::Approx(variance).epsilon(0.35));
    double polyline = 0;
    const auto at = drawingPoints(0, kPi / 2, 64, Vector(8, 1), 8);
    TrajectorySweep sweep(s.layers, s.start, {});
    while (sweep.advance()) {
    }
    for (std::size_t i = 1; i < at.size(); ++i) {
        const Vector a = curveAt(sweep.image(), at[i - 1]), b = curveAt(sweep.image(), at[i]);
        double step = 0;
        for (std::size_t u = 0; u < a.size(); ++u) step += (a[u] - b[u]) * (a[u] - b[u]);
        polyline += std::sqrt(step);
    }
    CHECK(polyline < 0.8 * exact);
}

TEST_CASE("With smooth activations sampled lengths are those of a fine polyline where there is little folding") {
    const Setup s(Activation::Tanh, 10, 1.5, 3, 8);
    const auto lengths = sampled(s, {0.002, 64, 20000});
    const double slow = SlowTrajectory(s.layers, s.start, 20000, 1.0).layers().back().length;
    CHECK(std::abs(lengths.back().value - slow) < 4 * lengths.back().standardError + 1e-5 * slow);
}

TEST_CASE("A sampler that starts behind a layer, and bins of length, tell the same lengths") {
    const Setup s(Activation::Relu, 12, 2, 4, 10);
    TrajectorySweep sweep(s.layers, s.start, {});
    while (sweep.advance()) {
    }
    const Vector bins = lengthByBin(sweep.image(), 16);
    CHECK(std::accumulate(bins.begin(), bins.end(), 0.0) == doctest::Approx(sweep.passages().back().length).epsilon(1e-12));
    const std::vector<CurveLayer> none;
    TangentSampler sampler(none, sweep.image(), Rng(2, Purpose::MonteCarlo), {0.005, 32, 8192});
    while (sampler.advance()) {
    }
    const SampledLength length = sampler.lengths().back();
    CHECK(std::abs(length.value - sweep.passages().back().length) < 4 * length.standardError);
    const Vector sampledBins = sampler.lengthByBin();
    CHECK(std::accumulate(sampledBins.begin(), sampledBins.end(), 0.0) == doctest::Approx(length.value).epsilon(0.02));
    const std::vector<CurveLayer> wide = randomLayers({Activation::Relu, 0, 5, 1, 0}, 1, 1);
    CHECK(isOneSentence(refusal([&] { TangentSampler(wide, sweep.image(), Rng(1, Purpose::MonteCarlo), {}); })));
}

TEST_CASE("Angular lengths: arcs about the origin turn by their angle, with bias by less, through the origin by none") {
    const CurvePieces circle = arcCurve(Vector{3, 0}, Vector{0, 3}, 0.2, 1.9);
    CHECK(angularLength(circle, 4, 0) == doctest::Approx(1.7).epsilon(1e-10));
    // (3σ/√2 (cos, sin), σ_b): a circle of latitude.
    const double r = 3 * std::sqrt(2.0);
    CHECK(angularLength(circle, 4, 1) == doctest::Approx(1.7 * r / std::hypot(r, 1)).epsilon(1e-10));
    CHECK(angularLength(segmentCurve(Vector{-1, 2}, Vector{-2, 4}), 1, 0) == doctest::Approx(0));
    CHECK(angularLength(segmentCurve(Vector{1, -1}, Vector{1, 1}), 1, 0) == doctest::Approx(kPi / 2).epsilon(1e-10));
    CHECK(angularLength(arcCurve(Vector{0, 0}, Vector{0, 0}, 0, 1), 1, 0) == 0);
    CHECK(isOneSentence(refusal([&] { angularLength(circle, -1, 0); })));
}

TEST_CASE("Curves straight to or from the origin turn through no angle, and their crossings take no endless refinement") {
    for (const double c : {-3.0, 0.0, 0.1, 5.0}) {
        CHECK(angularLength(radial(1, 0.7, c), 2, 0) == 0);
        // A bias takes the origin off the line: (σ_w z, σ_b) turns by the angle between its ends where it runs one way.
        CHECK(angularLength(radial(1, 0.7, c), 2, 0.5) > 0);
    }
    const CurvePieces rising = radial(0, 1, 0);
    const double norm = std::sqrt(2.0 / 3 * (1 + 1.0 / 9 + 0.49));
    const double expected = std::atan2(norm * std::sin(1.2), 0.5) - std::atan2(norm * std::sin(0.1), 0.5);
    CHECK(angularLength(rising, 2, 0.25) == doctest::Approx(expected).epsilon(1e-9));
}

TEST_CASE("Crossings of a value by a curve straight away from the origin: those of one Gaussian number times its length") {
    // h = g·ρ(t), ρ from ρ₀ to ρ₁, crosses τ once where τ/ρ₁ < g <= τ/ρ₀.
    const CurvePieces rising = radial(0, 1, 0);
    const double norm = std::sqrt(2.0 / 3 * (1 + 1.0 / 9 + 0.49)), first = norm * std::sin(0.1), last = norm * std::sin(1.2);
    const auto above = [](double g) { return 0.5 * std::erfc(g / std::numbers::sqrt2); };
    CHECK(meanCrossings(rising, 2, 0, 0.8) == doctest::Approx(above(0.8 / last) - above(0.8 / first)).epsilon(1e-9));
}

TEST_CASE("Random units cross thresholds as often as Kac and Rice say: 4000 units, 4 standard errors") {
    const Setup s(Activation::HardTanh, 12, 6, 3, 12);
    TrajectorySweep sweep(s.layers, s.start, {});
    while (sweep.advance()) {
    }
    const std::size_t units = 4000;
    const double variance = 3, bias = 0.4;
    Vector weights(units * 12), shift(units);
    Rng rng(5, Purpose::Data);
    for (double& w : weights) w = rng.gaussian() * std::sqrt(variance / 12);
    for (double& b : shift) b = rng.gaussian() * std::sqrt(bias);
    for (const double threshold : {0.0, 1.0, -0.7}) {
        Vector moved = shift;
        for (double& b : moved) b -= threshold;
        const auto found = signChanges(throughAffine(curveLayer(weights, moved, 12, Activation::Identity), sweep.image()));
        Vector counts(units);
        for (const CurveTransition& crossing : found) ++counts[crossing.unit];
        double mean = 0, square = 0;
        for (const double count : counts) {
            mean += count / units;
            square += count * count / units;
        }
        CAPTURE(threshold);
        CHECK(std::abs(mean - meanCrossings(sweep.image(), variance, bias, threshold)) < 4 * std::sqrt((square - mean * mean) / units));
    }
}

TEST_CASE("Drawing points run from end to end, always forward, and crowd where the curve is long") {
    Vector byBin(20, 0.0);
    byBin[4] = 1;
    for (int b = 0; b < 10; ++b) byBin[10 + b] = 1;
    const auto at = drawingPoints(2, 5, 301, byBin, 10);
    CHECK(at.front() == 2);
    CHECK(at.back() == doctest::Approx(5).epsilon(1e-14));
    int inFifth = 0;
    for (std::size_t i = 1; i < at.size(); ++i) {
        CHECK(at[i] > at[i - 1]);
        inFifth += at[i] > 3.2 && at[i] <= 3.5;
    }
    CHECK(inFifth > 100);
    CHECK(drawingPoints(0, 1, 5, Vector(10, 0.0), 10).size() == 5);
}
