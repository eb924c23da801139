#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "core/expressivity/growth_theory.h"
#include "support/sentence.h"
#include "support/slow_trajectory.h"

using namespace kappaflow;
using Vector = std::vector<double>;

namespace {

GrowthSetting hardTanh(double width, double weightVariance, double biasVariance = 0) {
    return {Activation::HardTanh, 0, width, weightVariance, biasVariance};
}

/// E φ(√q g)² by a fine trapezoidal rule.
double slowSquare(Activation activation, double slope, double q) {
    double sum = 0;
    const double step = 1e-4;
    for (int i = -100000; i <= 100000; ++i) {
        const double g = i * step, value = activate(activation, std::sqrt(q) * g, slope);
        sum += step * std::exp(-g * g / 2) / std::sqrt(2 * 3.141592653589793) * value * value;
    }
    return sum;
}

}  // namespace

TEST_CASE("Theorem 1's base at the reference's settings, and without bias √(σ_w k/(σ_w + k))") {
    const double listed[][2] = {{1, 0.998}, {2, 1.186}, {3, 1.312}, {4, 1.409}, {8, 1.673}, {16, 1.985}, {64, 2.785}, {100, 3.102}};
    for (const auto& [variance, base] : listed) {
        CHECK(theoremOneBase(hardTanh(256, variance)) == doctest::Approx(base).epsilon(5e-4));
        const double s = std::sqrt(variance);
        CHECK(theoremOneBase(hardTanh(256, variance)) == doctest::Approx(std::sqrt(s * 256 / (s + 256))).epsilon(1e-14));
        CHECK(growthUpperBound(hardTanh(256, variance)) == s);
    }
    CHECK(theoremOneBase(hardTanh(64, 4, 12)) == doctest::Approx(2 / 2.0 * 8 / std::sqrt(68.0)).epsilon(1e-14));
    CHECK(theoremOneBase(hardTanh(64, 0)) == 0);
}

TEST_CASE("Mean-field growth of hard-tanh is the reference's √χ") {
    const double listed[][2] = {{1, 1.000}, {2, 1.158}, {3, 1.263}, {4, 1.345}, {8, 1.572}, {16, 1.845}, {64, 2.568}, {100, 2.862}};
    for (const auto& row : listed) {
        const double variance = row[0], growth = row[1];
        CAPTURE(variance);
        const MeanField field = meanFieldFixedPoint(hardTanh(64, variance));
        CHECK(std::sqrt(field.chi) == doctest::Approx(growth).epsilon(6e-4));
        if (field.q > 0)
            CHECK(variance * gaussianMoments(Activation::HardTanh, 0, field.q).square == doctest::Approx(field.q).epsilon(1e-11));
    }
    CHECK(std::sqrt(meanFieldFixedPoint(hardTanh(64, 2, 1)).chi) == doctest::Approx(0.987).epsilon(6e-4));
    CHECK(std::sqrt(meanFieldFixedPoint(hardTanh(64, 4, 1)).chi) == doctest::Approx(1.241).epsilon(6e-4));
    CHECK(std::sqrt(meanFieldFixedPoint(hardTanh(64, 16, 1)).chi) == doctest::Approx(1.811).epsilon(6e-4));
    CHECK(meanFieldFixedPoint(hardTanh(64, 0.9)).q == 0);
    CHECK(meanFieldFixedPoint(hardTanh(64, 0)).q == 0);
}

TEST_CASE("Gaussian moments agree with a fine sum, for kinks and for smooth activations") {
    for (const double q : {1e-3, 0.4, 1.0, 7.0, 150.0})
        for (const Activation a : {Activation::Relu, Activation::LeakyRelu, Activation::Abs, Activation::HardTanh, Activation::Relu6,
                                   Activation::HardSigmoid, Activation::Tanh, Activation::Sigmoid}) {
            CAPTURE(q);
            CAPTURE(activationKey(a));
            CHECK(gaussianMoments(a, 0.2, q).square == doctest::Approx(slowSquare(a, 0.2, q)).epsilon(1e-6));
        }
    CHECK(gaussianMoments(Activation::HardTanh, 0, 0).slopeSquare == 1);
    CHECK(isOneSentence(refusal([] { gaussianMoments(Activation::PseudoRandom, 0, 1); })));
}

TEST_CASE("E φ'² of |h|, the leaky ReLU and tanh") {
    CHECK(gaussianMoments(Activation::Abs, 0, 3).slopeSquare == doctest::Approx(1).epsilon(1e-15));
    CHECK(gaussianMoments(Activation::LeakyRelu, 0.2, 3).slopeSquare == doctest::Approx(0.52).epsilon(1e-14));
    // tanh: E (1 − tanh²)² beside a fine sum.
    double sum = 0;
    for (int i = -90000; i <= 90000; ++i) {
        const double g = i * 1e-4, t = std::tanh(2 * g);
        sum += 1e-4 * std::exp(-g * g / 2) / std::sqrt(2 * 3.141592653589793) * (1 - t * t) * (1 - t * t);
    }
    CHECK(gaussianMoments(Activation::Tanh, 0, 4).slopeSquare == doctest::Approx(sum).epsilon(1e-9));
}

TEST_CASE("Mean field by layer ends at the fixed point; homogeneous activations have theirs in closed form") {
    const auto fields = meanFieldByLayer(hardTanh(64, 4, 0.5), 1, 200);
    CHECK(fields.back().q == doctest::Approx(meanFieldFixedPoint(hardTanh(64, 4, 0.5)).q).epsilon(1e-10));
    const MeanField tanhField = meanFieldFixedPoint({Activation::Tanh, 0, 64, 2, 0.1});
    CHECK(2 * gaussianMoments(Activation::Tanh, 0, tanhField.q).square + 0.1 == doctest::Approx(tanhField.q).epsilon(1e-10));
    CHECK(meanFieldFixedPoint({Activation::Relu, 0, 64, 1, 0.5}).q == doctest::Approx(1));
    CHECK(meanFieldFixedPoint({Activation::Relu, 0, 64, 2, 0}, 3).q == 3);
    CHECK(std::isinf(meanFieldFixedPoint({Activation::Relu, 0, 64, 2, 0.1}).q));
    CHECK(std::isinf(meanFieldFixedPoint({Activation::Abs, 0, 64, 4, 0}).q));
    CHECK(meanFieldFixedPoint({Activation::Relu, 0, 64, 1, 0}).q == 0);
}

TEST_CASE("ReLU's exact factor: He-initialised networks do not grow, and narrow ones shrink") {
    const double listed[][2] = {{4, 0.8386}, {16, 0.9602}, {64, 0.9902}, {100, 0.9937}, {256, 0.9976}};
    for (const auto& [width, growth] : listed) CHECK(reluGrowth(width, 2) == doctest::Approx(growth).epsilon(6e-5));
    CHECK(reluGrowth(16, 4) == doctest::Approx(1.3579).epsilon(5e-5));
    CHECK(reluGrowth(1, 2) == doctest::Approx(std::sqrt(2.0) / 2 * std::sqrt(2 / 3.141592653589793)).epsilon(1e-14));
    CHECK(reluGrowth(4000, 2) == doctest::Approx(1).epsilon(2e-4));
    // Γ((k + 1)/2)/Γ(k/2) at k = 2: √π/2.
    CHECK(absGrowth(2, 1) == doctest::Approx(std::sqrt(3.141592653589793) / 2).epsilon(1e-14));
    CHECK(absGrowth(1000, 1) == doctest::Approx(1).epsilon(3e-4));
}

TEST_CASE("Transitions per length at the reference's settings") {
    const double listed[][3] = {{64, 4, 0.0479}, {64, 16, 0.0430}, {256, 16, 0.0215}, {16, 8, 0.0894}};
    for (const auto& [width, variance, rate] : listed)
        CHECK(transitionsPerLength(hardTanh(width, variance), meanFieldFixedPoint(hardTanh(width, variance)).q) ==
              doctest::Approx(rate).epsilon(2e-3));
}

TEST_CASE(
    "Theorem 2's growth, and the exact one of saturated units: 1 of one or two units, 4/3 of four, 2/π of Theorem 2's in wide layers") {
    CHECK(theoremTwoGrowth(hardTanh(64, 4)) == doctest::Approx(8).epsilon(1e-14));
    CHECK(theoremTwoGrowth(hardTanh(64, 4, 4)) == doctest::Approx(std::sqrt(32.0)).epsilon(1e-14));
    CHECK(saturatedGrowth(hardTanh(1, 4)) == doctest::Approx(1).epsilon(1e-14));
    CHECK(saturatedGrowth(hardTanh(2, 4)) == doctest::Approx(1).epsilon(1e-14));
    CHECK(saturatedGrowth(hardTanh(4, 4)) == doctest::Approx(4.0 / 3).epsilon(1e-14));
    for (const double bias : {0.0, 2.0})
        CHECK(saturatedGrowth(hardTanh(1e6, 4, bias)) ==
              doctest::Approx(2 / 3.141592653589793 * theoremTwoGrowth(hardTanh(1e6, 4, bias))).epsilon(1e-6));
}

TEST_CASE("Lengths of networks with large weights grow nearly as those of saturated units, with and without bias") {
    GrowthSweepPlan plan;
    plan.settings = {hardTanh(4, 1e4), hardTanh(8, 1e4), hardTanh(8, 1e4, 1e4)};
    plan.first = 1;
    plan.last = 5;
    plan.draws = 400;
    GrowthSweep sweep(plan);
    while (sweep.advance(1e8)) {
    }
    for (std::size_t i = 0; i < 3; ++i) {
        const SampledLength growth = sweep.growth(i);
        CAPTURE(i);
        CAPTURE(growth.value);
        CAPTURE(growth.standardError);
        CHECK(std::abs(growth.value - saturatedGrowth(plan.settings[i])) < 4 * growth.standardError + 0.02);
        CHECK(growth.standardError < 0.03);
        CHECK(std::pow(sweep.stretch(i, 5).value / sweep.stretch(i, 1).value, 0.25) == doctest::Approx(growth.value).epsilon(1e-12));
        CHECK(sweep.stretch(i, 0).value == 1);
    }
}

TEST_CASE("Measured hard-tanh growth lies within ±0.03 of the reference at k = 64, and below Theorem 1's base" *
          doctest::test_suite("long")) {
    GrowthSweepPlan plan;
    for (const double variance : {1.0, 2.0, 4.0, 16.0}) plan.settings.push_back(hardTanh(64, variance));
    plan.draws = 40;
    GrowthSweep sweep(plan);
    while (sweep.advance(1e8)) {
    }
    const double listed[] = {0.975, 1.151, 1.336, 1.787};
    for (std::size_t i = 0; i < 4; ++i) {
        const SampledLength growth = sweep.growth(i);
        CAPTURE(growth.value);
        CAPTURE(growth.standardError);
        CHECK(growth.value == doctest::Approx(listed[i]).epsilon(0.03 / listed[i]));
        CHECK(growth.standardError < 0.01);
        CHECK(growth.value < theoremOneBase(plan.settings[i]));
        CHECK(sweep.draws(i) == 40);
    }
}

TEST_CASE("Measured ReLU growth is the exact factor to 4 standard errors of 300 networks, with and without bias") {
    GrowthSweepPlan plan;
    plan.settings = {{Activation::Relu, 0, 16, 2, 0}, {Activation::Relu, 0, 16, 4, 1}, {Activation::Abs, 0, 16, 1, 0}};
    plan.first = 0;
    plan.last = 4;
    plan.draws = 300;
    GrowthSweep sweep(plan);
    while (sweep.advance(1e8)) {
    }
    const double exact[] = {reluGrowth(16, 2), reluGrowth(16, 4), absGrowth(16, 1)};
    for (std::size_t i = 0; i < 3; ++i) {
        const SampledLength growth = sweep.growth(i);
        CAPTURE(growth.value);
        CHECK(std::abs(growth.value - exact[i]) < 4 * growth.standardError);
        CHECK(growth.standardError < 0.01);
    }
}

TEST_CASE("A ratio of mean lengths is no mean of ratios, and its error is that of repeated experiments") {
    GrowthMean mean;
    CHECK(std::isnan(mean.growth(1).value));
    mean.add(1, 2);
    CHECK(mean.growth(1).value == 2);
    CHECK(std::isinf(mean.growth(1).standardError));
    mean.add(3, 1);
    CHECK(mean.growth(1).value == 0.75);
    // 2000 experiments of 40 pairs each: their spread beside the mean of the stated errors.
    Rng rng(1, Purpose::Data);
    double sum = 0, square = 0, stated = 0;
    for (int experiment = 0; experiment < 2000; ++experiment) {
        GrowthMean pairs;
        for (int i = 0; i < 40; ++i) {
            const double common = rng.uniform();
            pairs.add(1 + common, 8 * (1 + common) + rng.uniform());
        }
        const SampledLength growth = pairs.growth(3);
        sum += growth.value;
        square += growth.value * growth.value;
        stated += growth.standardError;
    }
    const double spread = std::sqrt(square / 2000 - sum / 2000 * (sum / 2000));
    CHECK(stated / 2000 == doctest::Approx(spread).epsilon(0.1));
}

TEST_CASE("A sweep over growth is the same however it is cut into slices, and refuses what it cannot do") {
    GrowthSweepPlan plan;
    plan.settings = {hardTanh(8, 4), hardTanh(12, 1, 0.5)};
    plan.draws = 5;
    GrowthSweep fine(plan), coarse(plan);
    double before = 0;
    while (fine.advance(1)) {
        CHECK(fine.progress() >= before);
        before = fine.progress();
    }
    while (coarse.advance(1e9)) {
    }
    CHECK(fine.progress() == 1);
    for (std::size_t i = 0; i < 2; ++i) CHECK(fine.growth(i).value == coarse.growth(i).value);
    plan.first = plan.last;
    CHECK(isOneSentence(refusal([&] { GrowthSweep{plan}; })));
    CHECK(isOneSentence(refusal([] { randomLayers(hardTanh(0, 1), 1, 1); })));
    CHECK(isOneSentence(refusal([] { randomLayers(hardTanh(4, -1), 1, 1); })));
    CHECK(isOneSentence(refusal([] { randomLayers(hardTanh(4, 1, std::numeric_limits<double>::quiet_NaN()), 1, 1); })));
}

TEST_CASE("Draw 0 of a random trajectory's network is what the initialiser draws") {
    Network network;
    network.input = {1, 1, 5};
    for (int l = 0; l < 3; ++l) {
        Layer dense, act;
        dense.in = dense.out = act.in = act.out = {1, 1, 5};
        act.op = Pointwise{};
        act.as<Pointwise>().activation = Activation::HardTanh;
        network.layers.push_back(dense);
        network.layers.push_back(act);
    }
    initialise(network, {Initialiser::Gaussian, 3, 0.5}, 17);
    const auto lowered = curveLayers(network), drawn = randomLayers(hardTanh(5, 3, 0.5), 3, 17);
    for (std::size_t l = 0; l < 3; ++l) {
        CHECK(lowered[l].weights == drawn[l].weights);
        CHECK(lowered[l].bias == drawn[l].bias);
        CHECK(lowered[l].kind == drawn[l].kind);
    }
    network.layers[1].op = BatchNorm{};
    network.layers[1].as<Weights>().weights = network.layers[1].as<Weights>().bias = network.layers[1].as<BatchNorm>().mean =
        network.layers[1].as<BatchNorm>().variance = Vector(1, 1);
    CHECK(isOneSentence(refusal([&] { curveLayers(network); })));
}

namespace {

SampledLength growthOf(const GrowthSetting& setting, std::size_t draws) {
    GrowthSweepPlan plan;
    plan.settings = {setting};
    plan.draws = draws;
    GrowthSweep sweep(plan);
    while (sweep.advance(1e9)) {
    }
    return sweep.growth(0);
}

struct Followed {
    std::vector<SampledLength> lengths;
    std::size_t exactLayers;
};
Followed followed(const std::vector<CurveLayer>& layers, const CurvePieces& start, const LengthPlan& plan, std::uint64_t stream) {
    FollowedCurve curve(layers, start, plan, Rng(1, Purpose::MonteCarlo, stream));
    while (curve.advance(1e9)) {
    }
    return {curve.lengths(), curve.exactLayers()};
}

}  // namespace

TEST_CASE("Narrow layers with large weights keep their length in few places, and it is found: growth against exact sweeps" *
          doctest::test_suite("long")) {
    // References: every draw exact to the last layer, 4000 draws or (k = 16) pieces in the ten thousands; even sampling has 0 to 1.46.
    const struct {
        double width, variance, growth, error;
        std::size_t draws;
    } listed[] = {{4, 16, 1.223, 0.006, 400}, {4, 64, 1.279, 0.003, 400}, {7, 100, 1.591, 0.01, 150}, {16, 64, 1.987, 0.01, 60}};
    for (const auto& c : listed) {
        const SampledLength growth = growthOf(hardTanh(c.width, c.variance), c.draws);
        CAPTURE(c.width);
        CAPTURE(growth.value);
        CAPTURE(growth.standardError);
        CHECK(std::abs(growth.value - c.growth) < 4 * std::hypot(growth.standardError, c.error));
        CHECK(growth.standardError < 0.06);
    }
}

TEST_CASE("A curve followed exactly for some layers has, behind them, the exact lengths on average: 960 samples to 4 standard errors" *
          doctest::test_suite("long")) {
    for (const double width : {4.0, 7.0, 16.0}) {
        double sum = 0, square = 0, count = 0;
        for (std::uint64_t draw = 0; draw < 24; ++draw) {
            const auto layers = randomLayers(hardTanh(width, 16), 6, 3, draw);
            const RandomEnds ends = randomEnds(static_cast<std::size_t>(width), 3, draw);
            const CurvePieces start = arcCurve(ends.x0, ends.x1, 0, 1.5);
            const auto exact = sweepTrajectory(layers, start, {1e6, 1e9, 1e15});
            for (std::uint64_t stream = 0; stream < 40; ++stream) {
                const Followed curve = followed(layers, start, {{40, 1e9, 1e15}, {0, 16, 16}}, 100 * draw + stream);
                for (std::size_t l = 0; l <= curve.exactLayers; ++l) {
                    CHECK(curve.lengths[l].value == exact[l].length);
                    CHECK(curve.lengths[l].standardError == 0);
                }
                if (curve.exactLayers == 6) break;
                const SampledLength last = curve.lengths[6];
                CHECK((last.value > 0 ? last.standardError > 0 : std::isnan(last.standardError)));
                sum += last.value / exact[6].length;
                square += last.value * last.value / (exact[6].length * exact[6].length);
                ++count;
            }
        }
        CAPTURE(width);
        const double mean = sum / count, error = std::sqrt((square / count - mean * mean) / count);
        CAPTURE(mean);
        CAPTURE(error);
        CHECK(count >= 100);
        CHECK(std::abs(mean - 1) < 4 * error);
        CHECK(error < 0.03);
    }
}

TEST_CASE("The length of a tanh network that nearly stands still is found where it is: refinement against a fine grid" *
          doctest::test_suite("long")) {
    const GrowthSetting setting{Activation::Tanh, 0, 4, 64, 0};
    for (std::uint64_t draw = 0; draw < 3; ++draw) {
        const auto layers = randomLayers(setting, 4, 2, draw);
        const RandomEnds ends = randomEnds(4, 2, draw);
        const CurvePieces start = arcCurve(ends.x0, ends.x1, 0, 1.5);
        const SlowTrajectory slow(layers, start, 100000, 1.0);
        const Followed curve = followed(layers, start, {{}, {0, 64, 64}}, draw);
        CHECK(curve.exactLayers == 0);
        for (std::size_t l = 1; l <= 4; ++l) {
            const SampledLength length = curve.lengths[l];
            CAPTURE(draw);
            CAPTURE(l);
            CAPTURE(length.standardError);
            CHECK(std::abs(length.value - slow.layers()[l - 1].length) <= 5 * length.standardError + 1e-4 * length.value);
            CHECK(length.standardError < 0.2 * length.value);
        }
    }
}

TEST_CASE("Where no draw has any length left growth is not a number, never 0 without an error") {
    GrowthMean mean;
    for (int i = 0; i < 5; ++i) mean.add(1, 0);
    CHECK(std::isnan(mean.growth(8).value));
    CHECK(std::isnan(mean.growth(8).standardError));
    const SampledLength growth = growthOf(hardTanh(1, 100), 12);
    CHECK((std::isnan(growth.value) || growth.standardError > 0));
}

TEST_CASE("mean lengths of draws and their ratios have the standard errors of the draws' residuals") {
    LengthMeans means(3);
    means.add({{2, 0}, {3, 0.1}, {0, 0}, {0, 0}});
    CHECK(means.mean(1).standardError == 0.1);
    CHECK(means.growth(1).value == 1.5);
    means.add({{4, 0}, {9, 0.2}, {1, 0}, {0, 0}});
    CHECK(means.mean(0).value == 3);
    CHECK(means.mean(0).standardError == doctest::Approx(1));
    CHECK(means.mean(1).standardError == doctest::Approx(3));
    // 3/6 − 2/3 and 9/6 − 4/3: ±1/6 about 0, so a standard error of 1/6 of the ratio.
    CHECK(means.growth(1).value == 2);
    CHECK(means.growth(1).standardError == doctest::Approx(2.0 / 6));
    CHECK(means.lost() == 2);
    CHECK(std::isnan(means.mean(3).standardError));
    CHECK(means.growth(3).value == 0);
    CHECK(std::isnan(means.growth(3).standardError));
}
