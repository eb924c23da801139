#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "core/moments/moment_diffusion.h"
#include "core/moments/moment_propagation.h"
#include "core/moments/moment_theory.h"
#include "support/complete_set.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

using Size = std::size_t;

MomentNet netOf(const WalkPlan& plan) {
    MomentNet net;
    net.inputs = net.width = plan.width;
    net.layers = plan.layers;
    return net;
}

/// Q = X·R⁻¹ for an upper triangular R: orthonormal columns that span X's.
Matrix orthonormal(const Matrix& X, const Matrix& R) {
    Matrix Q = X;
    for (Size c = 0; c < X.rows; ++c)
        for (Size j = 0; j < X.columns; ++j) {
            for (Size k = 0; k < j; ++k) Q(c, j) -= Q(c, k) * R(k, j);
            Q(c, j) /= R(j, j);
        }
    return Q;
}

/// A weight matrix [in][out] that gives the walk's next rows: √(2/N)·Q·gᵀ where the walk drew g for a triangular factor, else √(2/N)·gᵀ.
MomentWeights lifted(const LogMomentWalk& walk, const Matrix& before) {
    const Size N = before.rows, rows = walk.basis().rows;
    const double scale = std::sqrt(2 / static_cast<double>(N));
    Matrix Q = identityMatrix(N);
    if (before.columns < N) {
        Matrix R = walk.basis();
        for (double& value : R.values) value /= scale;
        Q = orthonormal(before, R);
    }
    MomentWeights weights{1, N, N, 1, std::vector<double>(N * N), {}};
    for (Size in = 0; in < N; ++in)
        for (Size out = 0; out < N; ++out)
            for (Size k = 0; k < rows; ++k) weights.values[in * N + out] += scale * Q(in, k) * walk.gaussians()[out * rows + k];
    return weights;
}

MomentDiffusion drawn(const WalkPlan& plan, Size draws) {
    MomentDiffusion networks(plan);
    while (networks.draws() < draws) networks.addDraw();
    return networks;
}

void checkWithin(double value, double expected, double error) {
    CAPTURE(value);
    CAPTURE(expected);
    CAPTURE(error);
    CHECK(std::abs(value - expected) < 4 * error);
}

}  // namespace

TEST_CASE("Pairs of rectified gaussians: values at 0, right and straight angles, and a plain double sum in between") {
    const double pi = std::numbers::pi;
    CHECK(bothPositive(1) == 0.5);
    CHECK(bothPositive(-1) == 0);
    CHECK(rectifiedSquares(1) == doctest::Approx(1.5).epsilon(1e-15));
    CHECK(rectifiedSquares(0) == doctest::Approx(0.25).epsilon(1e-15));
    CHECK(std::abs(rectifiedSquares(-1)) < 1e-15);
    CHECK(oppositeParts(1) == 0);
    CHECK(oppositeParts(0) == doctest::Approx(1 / (2 * pi)).epsilon(1e-15));
    CHECK(oppositeParts(-1) == doctest::Approx(0.5).epsilon(1e-15));
    CHECK(rectifiedSquares(1.0000001) == rectifiedSquares(1));
    for (const double cosine : {-0.7, 0.2, 0.93}) {
        double both = 0, squares = 0, opposite = 0;
        const double h = 0.01, sine = std::sqrt(1 - cosine * cosine);
        for (double a = -8 + h / 2; a < 8; a += h)
            for (double b = -8 + h / 2; b < 8; b += h) {
                const double u = a, v = cosine * a + sine * b, weight = std::exp(-(a * a + b * b) / 2) / (2 * pi) * h * h;
                if (u > 0 && v > 0) both += weight, squares += weight * u * u * v * v;
                if (u > 0 && v < 0) opposite -= weight * u * v;
            }
        CHECK(bothPositive(cosine) == doctest::Approx(both).epsilon(2e-3));
        CHECK(rectifiedSquares(cosine) == doctest::Approx(squares).epsilon(1e-4));
        CHECK(oppositeParts(cosine) == doctest::Approx(opposite).epsilon(1e-4));
    }
    // The series at small angles meets the closed form.
    const double theta = 0.0101;
    CHECK(oppositeParts(std::cos(theta)) == doctest::Approx(theta * theta * theta / (6 * pi)).epsilon(1e-4));
    CHECK(oppositeParts(std::cos(0.0099)) == doctest::Approx(0.0099 * 0.0099 * 0.0099 / (6 * pi)).epsilon(1e-4));
}

TEST_CASE("The law of one half-line: closed forms of narrow layers, −5/2N and 5/N of wide ones") {
    const double euler = 0.57721566490153286, pi = std::numbers::pi;
    // One unit: χ²_1, given that it is on.
    const OneDimensionalLaw one = oneDimensionalLaw(1);
    CHECK(one.drift == doctest::Approx(-euler).epsilon(1e-14));
    CHECK(one.variance == doctest::Approx(pi * pi / 2).epsilon(1e-14));
    CHECK(one.collapse == 0.5);
    CHECK(collapseBy(one, 3) == doctest::Approx(7.0 / 8).epsilon(1e-15));
    // Two: k = 1 with probability 2/3, k = 2 with 1/3 of what is alive.
    const OneDimensionalLaw two = oneDimensionalLaw(2);
    CHECK(two.drift == doctest::Approx((2 * (-euler - std::log(2.0)) + (-euler + std::log(2.0))) / 3).epsilon(1e-14));
    for (const Size width : {Size{128}, Size{1000}}) {
        const double N = static_cast<double>(width);
        const OneDimensionalLaw law = oneDimensionalLaw(width);
        CHECK(law.drift == doctest::Approx(-2.5 / N).epsilon(4 / N));
        CHECK(law.variance == doctest::Approx(5 / N).epsilon(5 / N));
        CHECK(law.increments[2] == 1 + 5 / N);
    }
    CHECK(isOneSentence(refusal([] { oneDimensionalLaw(0); })));
    CHECK(isOneSentence(refusal([] { oneDimensionalLaw(1001); })));
}

TEST_CASE("Moments of an increment at a single input are those of sums of squared rectified gaussians") {
    const Size width = 3, draws = 400000;
    const OneDimensionalLaw law = oneDimensionalLaw(width);
    Rng rng(5, Purpose::MonteCarlo);
    DrawMean powers[5], logs;
    for (Size draw = 0; draw < draws; ++draw) {
        double sum = 0;
        for (Size c = 0; c < width; ++c) {
            const double g = rng.gaussian();
            sum += g > 0 ? 2 * g * g / 3 : 0;
        }
        for (int p = 0; p < 5; ++p) powers[p].add(std::pow(sum, p));
        if (sum > 0) logs.add(std::log(sum));
    }
    for (int p = 1; p < 5; ++p) checkWithin(powers[p].mean(), law.increments[p], powers[p].standardError());
    checkWithin(logs.mean(), law.drift, logs.standardError());
    CHECK(logs.variance() == doctest::Approx(law.variance).epsilon(0.01));
    CHECK(1 - logs.count / draws == doctest::Approx(1.0 / 8).epsilon(0.02));
}

TEST_CASE("A walk without weights is a network with weights: the same moments to rounding, narrow or wide") {
    for (const Size width : {Size{24}, Size{5}}) {
        const WalkPlan plan{width, 6, 4, MomentData::Contrast, 3};
        LogMomentWalk walk(plan, 2, true);
        std::vector<MomentWeights> weights;
        std::vector<double> signal, noise;
        for (Matrix before = walk.state(); walk.advance(); before = walk.state()) {
            weights.push_back(lifted(walk, before));
            signal.push_back(walk.logNu2());
            noise.push_back(walk.logMu2Noise());
        }
        REQUIRE(std::isfinite(signal.back()));
        MomentPropagation network(netOf(plan), drawMomentInput(netOf(plan), plan.data, plan.samples, plan.seed, 2),
                                  [&](Size layer) { return weights[layer]; }, {false, false});
        while (network.advance()) continue;
        REQUIRE(network.layers().size() == 7);
        const LayerMoments& input = network.layers()[0];
        for (Size l = 1; l <= 6; ++l) {
            CHECK(network.layers()[l].logNu2 - input.logNu2 == doctest::Approx(signal[l - 1]).epsilon(1e-9));
            CHECK(network.layers()[l].logMu2Noise - input.logMu2Noise == doctest::Approx(noise[l - 1]).epsilon(1e-9));
        }
    }
}

TEST_CASE("Weights drawn and not drawn give the same distribution of log-moments" * doctest::test_suite("long")) {
    const WalkPlan plan{12, 5, 3, MomentData::White, 8};
    const MomentDiffusion networks = drawn(plan, 4000);
    std::vector<double> signal, noise;
    for (Size draw = 0; draw < 2000; ++draw) {
        MomentPropagation network(netOf(plan), drawMomentInput(netOf(plan), plan.data, plan.samples, 77, draw),
                                  [&](Size layer) { return drawMomentWeights(netOf(plan), layer, 77, draw); }, {false, false});
        while (network.advance()) continue;
        if (network.layers().size() < 6) continue;
        signal.push_back(network.layers()[5].logNu2 - network.layers()[0].logNu2);
        noise.push_back(network.layers()[5].logMu2Noise - network.layers()[0].logMu2Noise);
    }
    for (const bool ofNoise : {false, true}) {
        const Spread direct = spreadOf(ofNoise ? noise : signal), lean = spreadOf(networks.logsAt(5, ofNoise));
        checkWithin(lean.mean, direct.mean, std::hypot(lean.meanError, direct.meanError));
        checkWithin(lean.variance, direct.variance, std::hypot(lean.varianceError, direct.varianceError));
    }
}

TEST_CASE("A convolution's walk reads the inner products of the taps, and has the moments of networks with weights" *
          doctest::test_suite("long")) {
    for (const int dimensions : {1, 2}) {
        CAPTURE(dimensions);
        WalkPlan plan{6, 8, 2, MomentData::White, 3};
        plan.dimensions = dimensions, plan.extent = 4, plan.taps = 3;
        REQUIRE(plan.points() == (dimensions == 1 ? 8 : 32));
        CHECK(plan.fanIn() == (dimensions == 1 ? 18 : 54));
        LogMomentWalk walk(plan, 0, false);
        REQUIRE(walk.advance());
        const Matrix before = walk.state();
        REQUIRE(walk.advance());
        const Matrix& basis = walk.basis();
        const int n = 4, up = dimensions == 1 ? 1 : n, taps = dimensions == 1 ? 3 : 9;
        // Columns: signal, then noise; of each the samples, of each the positions.
        const auto moved = [&](int column, int tap) {
            const int place = column % (n * up), x = (place % n + tap % 3 - 1 + n) % n,
                      y = (place / n + tap / 3 - (up > 1 ? 1 : 0) + n) % n;
            return static_cast<Size>(column - place + x + n * (up > 1 ? y : 0));
        };
        for (int i = 0; i < static_cast<int>(before.columns); ++i)
            for (int j = 0; j <= i; ++j) {
                double read = 0, made = 0;
                for (int tap = 0; tap < taps; ++tap)
                    for (Size c = 0; c < 6; ++c) read += before(c, moved(i, tap)) * before(c, moved(j, tap)) * 2 / (6.0 * taps);
                for (Size k = 0; k < basis.rows; ++k) made += basis(k, static_cast<Size>(i)) * basis(k, static_cast<Size>(j));
                CHECK(made == doctest::Approx(read).epsilon(1e-6).scale(1));
            }
        // The same spread as that of networks whose weights are drawn.
        const MomentDiffusion networks = drawn(plan, 1500);
        MomentNet net = netOf(plan);
        net.dimensions = dimensions, net.extent = 4, net.taps = 3;
        std::vector<double> signal, noise;
        for (std::uint64_t draw = 0; draw < 1500; ++draw) {
            MomentPropagation run(net, drawMomentInput(net, plan.data, plan.samples, 77, draw),
                                  [&](Size layer) { return drawMomentWeights(net, layer, 77, draw); }, {false, false});
            while (run.advance()) {
            }
            if (run.layers().size() <= plan.layers) continue;
            signal.push_back(run.layers()[8].logNu2 - run.layers()[0].logNu2);
            noise.push_back(run.layers()[8].logMu2Noise - run.layers()[0].logMu2Noise);
        }
        for (const bool ofNoise : {false, true}) {
            const Spread walked = spreadOf(networks.logsAt(8, ofNoise)), propagated = spreadOf(ofNoise ? noise : signal);
            checkWithin(walked.mean, propagated.mean, std::hypot(walked.meanError, propagated.meanError));
            checkWithin(walked.variance, propagated.variance, std::hypot(walked.varianceError, propagated.varianceError));
        }
    }
}

TEST_CASE("Increments are 1 in expectation, and their variance is what the angles of the layer below say, within 2/N² and 5/N" *
          doctest::test_suite("long")) {
    const WalkPlan plan{16, 12, 6, MomentData::White, 4};
    const MomentDiffusion networks = drawn(plan, 6000);
    for (Size l = 0; l < plan.layers; ++l) {
        CAPTURE(l);
        for (const IncrementMeans* part : {&networks.layers()[l].signal, &networks.layers()[l].noise}) {
            checkWithin(part->increment.mean(), 1, part->increment.standardError());
            // The kurtosis of an increment is near 3.5: relative error √(2.5/6000).
            CHECK(part->increment.variance() == doctest::Approx(part->predicted.mean()).epsilon(4 * 0.025));
            CHECK(part->predicted.mean() > 2.0 / 256);
            CHECK(part->predicted.mean() < 5.0 / 16);
        }
        CHECK(networks.layers()[l].signal.predicted.mean() > networks.layers()[l].noise.predicted.mean());
    }
}

TEST_CASE("At one input drift, diffusion and the log-moment have the exact law") {
    const WalkPlan plan{6, 10, 1, MomentData::White, 9};
    const MomentDiffusion networks = drawn(plan, 20000);
    const OneDimensionalLaw law = oneDimensionalLaw(6);
    const Spread last = spreadOf(networks.logsAt(10, false));
    checkWithin(last.mean, 10 * law.drift, last.meanError);
    checkWithin(last.variance, 10 * law.variance, last.varianceError);
    for (const DiffusionLayer& layer : networks.layers()) {
        checkWithin(layer.signal.drift.mean(), law.drift, layer.signal.drift.standardError());
        checkWithin(layer.signal.diffusion.mean(), law.variance, layer.signal.diffusion.standardError());
        CHECK(layer.signal.predicted.mean() == doctest::Approx(5.0 / 6).epsilon(1e-9));
    }
    for (Size l = 1; l <= 10; ++l) {
        const DiffusionLayer& layer = networks.layers()[l - 1];
        checkWithin(layer.collapsed.mean(), collapseBy(law, static_cast<double>(l)), layer.collapsed.standardError());
        CHECK(layer.dead.mean() == layer.collapsed.mean());
    }
}

TEST_CASE("Several inputs die one after the other as each alone would, and together less often than the bound") {
    const WalkPlan plan{4, 20, 5, MomentData::White, 2};
    const MomentDiffusion networks = drawn(plan, 8000);
    const OneDimensionalLaw law = oneDimensionalLaw(4);
    for (Size l = 1; l <= 20; ++l) {
        const DiffusionLayer& layer = networks.layers()[l - 1];
        const double bound = collapseBy(law, static_cast<double>(l));
        checkWithin(layer.dead.mean(), bound, layer.dead.standardError());
        CHECK(layer.collapsed.mean() < bound + 4 * layer.collapsed.standardError());
    }
    CHECK(networks.layers()[0].collapsed.mean() < 0.25 * networks.layers()[0].dead.mean());
    CHECK(networks.logsAt(20, false).size() == static_cast<Size>(std::lround(8000 * (1 - networks.layers()[19].collapsed.mean()))));
}

TEST_CASE("Pre-activations at a fixed input: kurtosis 3(1 + 5/N)^{l−1}, its error as stated, and the tails of a log-normal norm" *
          doctest::test_suite("long")) {
    const WalkPlan plan{32, 12, 2, MomentData::White, 6};
    const MomentDiffusion networks = drawn(plan, 8000);
    const OneDimensionalLaw law = oneDimensionalLaw(32);
    CHECK(preactivationKurtosis(law, 1) == 3);
    CHECK(preactivationKurtosis(law, 3) == doctest::Approx(3 * (1 + 5.0 / 32) * (1 + 5.0 / 32)).epsilon(1e-14));
    for (Size l = 1; l <= 8; ++l) {
        const auto measured = networks.kurtosis(l);
        const double depth = static_cast<double>(l);
        checkWithin(measured.value, preactivationKurtosis(law, depth), measured.standardError);
        checkWithin(networks.layers()[l - 1].square.mean(), 1, networks.layers()[l - 1].square.standardError());
        if (l <= 4)
            CHECK(networks.layers()[l - 1].fourth.standardError() / preactivationKurtosis(law, depth) ==
                  doctest::Approx(relativeKurtosisError(law, 32, depth, 8000)).epsilon(0.3));
    }
    CHECK(preactivationTail(law, 1, 1) == doctest::Approx(std::erfc(1 / std::sqrt(2.0))).epsilon(1e-12));
    const auto& tails = networks.layers()[11].tailsOver;
    for (int j = MomentDiffusion::kLeastTail; j <= 4; ++j) {
        const double share = tails[static_cast<Size>(j - MomentDiffusion::kLeastTail)] / (8000.0 * 32);
        CHECK(share == doctest::Approx(preactivationTail(law, 12, std::exp2(0.5 * j))).epsilon(0.08));
    }
}

TEST_CASE("Spread: moments of known numbers") {
    const Spread s = spreadOf({1, 2, 3, 6});
    CHECK(s.mean == 3);
    CHECK(s.variance == doctest::Approx(14.0 / 3));
    CHECK(s.skewness == doctest::Approx(18.0 / 4 / std::pow(3.5, 1.5)));
    CHECK(s.meanError == doctest::Approx(std::sqrt(14.0 / 12)));
    CHECK(spreadOf({}).count == 0);
    CHECK(spreadOf({2}).variance == 0);
}

TEST_CASE("Plans without a width or of thousands of layers are refused in a sentence") {
    CHECK(isOneSentence(refusal([] { MomentDiffusion({0, 1, 1}); })));
    CHECK(isOneSentence(refusal([] { MomentDiffusion({4, 4000, 4}); })));
}

TEST_CASE("Width 128, 200 layers, low-rank data: the reference's spread of log ν₂ and log μ₂(dx)" * doctest::test_suite("long")) {
    const std::size_t draws = completeSet() ? 100 : 30;
    const MomentDiffusion networks = drawn({128, 200, 32, MomentData::LowRank, 1}, draws);
    // 600 reference networks: −3.85 ± 2.79 and −2.19 ± 1.97.
    const Spread signal = spreadOf(networks.logsAt(200, false)), noise = spreadOf(networks.logsAt(200, true));
    checkWithin(signal.mean, -3.85, std::hypot(signal.meanError, 2.79 / std::sqrt(600.0)));
    checkWithin(noise.mean, -2.19, std::hypot(noise.meanError, 1.97 / std::sqrt(600.0)));
    checkWithin(std::sqrt(signal.variance), 2.79, 2.79 * std::sqrt(0.5 / static_cast<double>(draws) + 0.5 / 600));
    checkWithin(std::sqrt(noise.variance), 1.97, 1.97 * std::sqrt(0.5 / static_cast<double>(draws) + 0.5 / 600));
    const OneDimensionalLaw law = oneDimensionalLaw(128);
    checkWithin(signal.mean, 200 * law.drift, signal.meanError);
}
