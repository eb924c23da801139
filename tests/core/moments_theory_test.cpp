#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/moments/moment_data.h"
#include "core/moments/moment_fits.h"
#include "core/moments/moment_theory.h"
#include "support/moment_cases.h"
#include "support/sentence.h"

using namespace kappaflow;
using doctest::Approx;

namespace {

/// E_û[λ̄/Σ λ_i û_i²]^{1/2} over drawn directions, with its standard error.
std::pair<double, double> drawnFirstStep(const std::vector<double>& lambda, std::size_t draws) {
    Rng rng(3, Purpose::MonteCarlo);
    double mean = 0, sum = 0, squares = 0;
    for (const double value : lambda) mean += value / static_cast<double>(lambda.size());
    for (std::size_t i = 0; i < draws; ++i) {
        double weighted = 0, norm = 0;
        for (const double value : lambda) {
            const double g = rng.gaussian();
            weighted += value * g * g, norm += g * g;
        }
        const double term = mean * norm / weighted;
        sum += term, squares += term * term;
    }
    const double n = static_cast<double>(draws), average = sum / n, error = std::sqrt((squares / n - average * average) / n);
    return {std::sqrt(average), error / (2 * std::sqrt(average))};
}

}  // namespace

TEST_CASE("moments: the first step's quadrature is the closed form for equal eigenvalues, 1 when all are, infinite for two of more") {
    for (const std::size_t R : {3, 8, 64, 300})
        for (const std::size_t r : {3, 4, 8, 64, 300}) {
            if (r > R) continue;
            std::vector<double> lambda(R);
            for (std::size_t i = 0; i < r; ++i) lambda[i] = 0.37;
            const double some = static_cast<double>(r), all = static_cast<double>(R);
            CHECK(firstBatchNormStep(lambda) == Approx(std::sqrt(some * (all - 2) / (all * (some - 2)))).epsilon(1e-10));
        }
    CHECK(firstBatchNormStep(std::vector<double>{5}) == 1);
    // Two eigenvalues: the mean of 1/(a cos² + b sin²) is 1/√(ab).
    CHECK(firstBatchNormStep(std::vector<double>{1, 4}) == Approx(std::sqrt(2.5 / 2)).epsilon(1e-14));
    for (const std::vector<double>& flat : {std::vector<double>{1, 2, 0, 0}, {1, 0}}) CHECK(std::isinf(firstBatchNormStep(flat)));
}

TEST_CASE("moments: the first step of any spectrum agrees with drawn directions, and is the larger the worse the conditioning") {
    const std::vector<double> flat{1, 1, 1, 1, 1, 1, 1, 1.2}, steep{8, 4, 2, 1, 0.5, 0.25, 0.1, 0.05};
    for (const auto& lambda : {flat, steep}) {
        const auto [drawn, error] = drawnFirstStep(lambda, 400000);
        CHECK(std::abs(firstBatchNormStep(lambda) - drawn) < 4 * error);
    }
    CHECK(firstBatchNormStep(flat) > 1);
    CHECK(firstBatchNormStep(steep) > firstBatchNormStep(flat));
    for (const std::vector<double>& bad : {std::vector<double>{}, {0, 0}, {1, -1, 1}})
        CHECK(isOneSentence(refusal([&] { firstBatchNormStep(bad); })));
}

TEST_CASE("moments: the measured first batch-norm increment averages to the first step of its data's receptive fields") {
    MomentNet net;
    net.kind = MomentKind::BatchNorm, net.dimensions = 1, net.extent = 8, net.taps = 3, net.inputs = 3, net.width = 64;
    net.layers = 1, net.epsilon = 0;
    SignalAndNoise input = gaussianInput(net, 40, 1);
    for (std::size_t p = 0; p < input.signal.points(); ++p) input.signal.values(p, 0) *= 4;
    const std::vector<double> lambda = receptiveFieldEigenvalues(net, input.signal);
    REQUIRE(lambda.size() == 9);
    // The theorem's noise has its expectation; a drawn one differs by what M n draws leave.
    std::vector<double> squares;
    for (std::uint64_t draw = 0; draw < 60; ++draw) {
        SignalAndNoise own = input;
        own.noise = gaussianInput(net, 40, 100 + draw).noise;
        const double delta = propagated(net, own, 5, draw).layers()[1].deltaBatchNorm;
        squares.push_back(delta * delta);
    }
    const DrawBand a = drawBand(squares);
    const double theory = firstBatchNormStep(lambda);
    CHECK(theory > 1.02);
    CHECK(std::abs(a.mean - theory * theory) < 4 * a.standardError);
    net.taps = 1, net.dimensions = 0, net.extent = 1, net.inputs = 2000;
    CHECK(isOneSentence(refusal([&] { receptiveFieldEigenvalues(net, gaussianInput(net, 2, 1).signal); })));
}

TEST_CASE("moments: Theorem 4's bounds are what the formulas say") {
    const PowerLawBounds b = powerLawBounds(1.1, 1.3, 2, 0.6, 0.8);
    CHECK(b.etaLow == Approx((std::pow(1.1, 4) - 1) * 0.75));
    CHECK(b.etaHigh == Approx((std::pow(1.3, 4) - 1) * 0.8 / 0.6));
    CHECK(b.tauHigh() == Approx(b.etaHigh / 2));
    CHECK(b.incrementLow(9) == Approx(std::sqrt(1 + b.etaLow / 10)));
    CHECK(powerLawBounds(0.9, 1, 1, 1, 2).etaLow == Approx((0.81 - 1) * 2));
    CHECK(powerLawBounds(0.5, 0.9, 1, 1, 2).etaHigh == Approx((0.81 - 1) / 2));
    CHECK(isOneSentence(refusal([] { powerLawBounds(1.3, 1.1, 2, 0.6, 0.8); })));
    CHECK(isOneSentence(refusal([] { powerLawBounds(1, 1.1, 2, 0, 0.8); })));
    CHECK(isOneSentence(refusal([] { kurtosisCeiling(1); })));
}

TEST_CASE("moments: theorems from fresh weights agree with those of drawn channels within four standard errors, layer by layer") {
    for (const MomentKind kind : {MomentKind::Vanilla, MomentKind::BatchNorm}) {
        MomentNet net;
        net.kind = kind, net.width = net.inputs = 64, net.layers = 6;
        // Channels of one drawn layer are a sample of the same expectation: their spread bounds both errors.
        MomentPropagation run(net, gaussianInput(net, 128, 1), [&](std::size_t l) { return drawMomentWeights(net, l, 2, 0); });
        for (std::size_t l = 1; l <= net.layers; ++l) {
            CAPTURE(l);
            const FreshTheorems fresh = freshTheorems(net, run.state(), l, 16, 2);
            const FreshTheorems one = freshTheorems(net, run.state(), l, 1, 3);
            run.advance();
            const LayerMoments& own = run.layers().back();
            CHECK(fresh.draws == 16);
            const double error = std::hypot(fresh.increment.standardError, one.increment.standardError);
            CHECK(std::abs(own.theorem - fresh.increment.value) < 4 * error);
            CHECK(std::abs(one.increment.value - fresh.increment.value) < 4 * error);
            CHECK(fresh.increment.standardError < 0.5 * one.increment.standardError);
            if (kind == MomentKind::Vanilla) {
                CHECK(fresh.increment.value > kLeastIncrement);
                CHECK(fresh.increment.value < kMostIncrement);
                continue;
            }
            CHECK(std::abs(own.batchNormTheorem - fresh.batchNorm.value) <
                  4 * std::hypot(fresh.batchNorm.standardError, one.batchNorm.standardError));
            CHECK(std::abs(own.activationTheorem - fresh.activation.value) <
                  4 * std::hypot(fresh.activation.standardError, one.activation.standardError));
        }
    }
}

TEST_CASE("moments: the increment of a wide first layer on white data is Theorem 2's 1.2112 from fresh weights") {
    MomentNet net;
    net.width = net.inputs = 256;
    const FreshTheorems fresh = freshTheorems(net, gaussianInput(net, 512, 1), 1, 8, 1);
    CHECK(fresh.increment.value == Approx(kGaussianIncrement).epsilon(0.002));
    CHECK(fresh.increment.standardError < 0.002);
    net.kind = MomentKind::BatchNorm;
    const FreshTheorems normalised = freshTheorems(net, gaussianInput(net, 512, 1), 1, 8, 1);
    CHECK(normalised.activation.value == Approx(kGaussianIncrement).epsilon(0.002));
    net.activation = Activation::Tanh;
    CHECK(std::isnan(freshTheorems(net, gaussianInput(net, 8, 1), 1, 1, 1).activation.value));
    CHECK(freshTheorems(net, gaussianInput(net, 8, 1), 1, 1, 1).batchNorm.value > 0);
    net.kind = MomentKind::Vanilla;
    CHECK(std::isnan(freshTheorems(net, gaussianInput(net, 8, 1), 1, 1, 1).increment.value));
}

TEST_CASE("moments: the dilution law from fresh branches predicts a unit's mean increment over weights") {
    MomentNet net;
    net.kind = MomentKind::Resnet, net.width = net.inputs = 64, net.layers = 4;
    const SignalAndNoise input = gaussianInput(net, 128, 1);
    MomentPropagation run(net, input, [&](std::size_t l) { return drawMomentWeights(net, l, 2, 0); });
    while (run.layers().size() < 4) run.advance();
    const FreshTheorems fresh = freshTheorems(net, run.state(), 4, 40, 9);
    MomentNet last = net;
    last.layers = 1;
    std::vector<double> increments;
    for (std::uint64_t draw = 0; draw < 40; ++draw) increments.push_back(propagated(last, run.state(), 77, draw).layers()[1].deltaChi);
    const DrawBand a = drawBand(increments);
    CHECK(std::abs(fresh.increment.value - a.mean) < 4 * std::hypot(fresh.increment.standardError, a.standardError));
    CHECK(fresh.increment.value == Approx(a.mean).epsilon(0.01));
    CHECK(std::isnan(freshTheorems(net, run.state(), 4, 1, 9).increment.standardError));
    CHECK(isOneSentence(refusal([&] { freshTheorems(net, input, 5, 1, 1); })));
    CHECK(isOneSentence(refusal([&] { freshTheorems(net, input, 1, 0, 1); })));
}

TEST_CASE("Units' shares average to what the theorems say of the drawn channels") {
    for (const MomentKind kind : {MomentKind::Vanilla, MomentKind::BatchNorm, MomentKind::Resnet}) {
        const MomentNet net = denseMomentNet(12, 3, kind);
        const auto weights = [&](std::size_t layer) { return drawMomentWeights(net, layer, 5, 0); };
        MomentPropagation run(net, drawMomentInput(net, MomentData::Contrast, 20, 5, 0), weights, {false, true});
        for (std::size_t layer = 1; layer <= 3; ++layer) {
            const SignalAndNoise before = run.state();
            for (std::size_t h = 0; h < net.innerLayers(); ++h) run.advance();
            REQUIRE(run.layers().size() == layer + 1);
            const UnitSwitching found = unitSwitching(net, before, weights((layer - 1) * net.innerLayers()));
            const auto& shares = found.shares;
            const Matrix& u = found.preactivations;
            REQUIRE(shares.size() == 12);
            for (std::size_t c = 0; c < 12; ++c) {
                double positive = 0, negative = 0;
                for (std::size_t p = 0; p < u.rows; ++p) positive += std::max(u(p, c), 0.0), negative += std::max(-u(p, c), 0.0);
                const double points = static_cast<double>(u.rows);
                CHECK(shares[c] >= 0);
                CHECK(shares[c] == Approx(2 * positive * negative / (points * points * found.variance)).epsilon(1e-10));
            }
            const LayerMoments& m = run.layers().back();
            const double theorem = kind == MomentKind::Vanilla ? m.theorem : m.activationTheorem;
            CHECK(1 / std::sqrt(1 - meanOf(shares)) == Approx(theorem).epsilon(1e-10));
        }
    }
}

TEST_CASE("Theorem 2's expectation in closed form is the limit of many fresh weights") {
    const MomentNet net = denseMomentNet(24);
    for (const MomentData data : {MomentData::White, MomentData::LowRank, MomentData::Contrast}) {
        const SignalAndNoise input = drawMomentInput(net, data, 15, 3, 1);
        const FreshTheorems fresh = freshTheorems(net, input, 1, 400, 9);
        const double exact = exactIncrement(input.signal);
        CAPTURE(exact);
        CHECK(std::abs(fresh.increment.value - exact) < 4 * fresh.increment.standardError);
        CHECK(fresh.increment.standardError < 2e-3);
        CHECK(exact >= 1);
        CHECK(exact <= std::sqrt(2.0));
    }
}

TEST_CASE("Two opposite inputs reach √2, inputs on one half-line 1, wide white data 1.2112") {
    PointValues opposite{2, 0, 1, Matrix(2, 3, {1, 2, -1, -1, -2, 1})};
    CHECK(exactIncrement(opposite) == Approx(std::sqrt(2.0)).epsilon(1e-12));
    PointValues line{3, 0, 1, Matrix(3, 2, {1, 2, 2, 4, 0.5, 1})};
    CHECK(exactIncrement(line) == Approx(1).epsilon(1e-12));
    const MomentNet wide = denseMomentNet(512);
    CHECK(exactIncrement(drawMomentInput(wide, MomentData::White, 200, 1, 0).signal) == Approx(1.21117).epsilon(2e-3));
    CHECK(isOneSentence(refusal([] { exactIncrement({2, 0, 1, Matrix(2, 2, {1, 1, 1, 1})}); })));
    PointValues small = drawMomentInput(denseMomentNet(9), MomentData::White, 6, 2, 0).signal;
    const double increment = exactIncrement(small);
    for (const double scale : {0x1p-260, 0x1p520}) {
        for (double& value : small.values.values) value *= scale;
        CHECK(exactIncrement(small) == Approx(increment).epsilon(1e-14));
    }
}

TEST_CASE(
    "Theorems from fresh weights are undefined where a fresh unit leaves the range of numbers, and a dead branch without a skip counts") {
    MomentNet net = denseMomentNet(8, 3, MomentKind::ResnetPlain);
    net.weightScale = 4;
    SignalAndNoise input = drawMomentInput(net, MomentData::White, 6, 1, 0);
    CHECK(std::isfinite(freshTheorems(net, input, 1, 2, 3).increment.value));
    for (double& value : input.signal.values.values) value *= 1e74;
    CHECK(std::isnan(freshTheorems(net, input, 1, 2, 3).increment.value));
    // One unit on two half-lines: some of the branches die, and the mean over weights has their zeros in it.
    MomentNet narrow = denseMomentNet(1, 3, MomentKind::ResnetPlain);
    narrow.skipScale = 0;
    const FreshTheorems fresh = freshTheorems(narrow, drawMomentInput(narrow, MomentData::White, 6, 1, 0), 1, 40, 3);
    CHECK(std::isfinite(fresh.increment.value));
}

TEST_CASE("Without a skip a fresh branch beyond the range of numbers is not taken for a dead one") {
    MomentNet net = denseMomentNet(8, 3, MomentKind::ResnetPlain);
    net.skipScale = 0, net.weightScale = 4;
    SignalAndNoise input = drawMomentInput(net, MomentData::White, 6, 1, 0);
    CHECK(std::isfinite(freshTheorems(net, input, 1, 40, 3).increment.value));
    for (double& value : input.signal.values.values) value *= 1e74;
    int inRange = 0;
    for (std::uint64_t draw = 0; draw < 40; ++draw) inRange += std::isfinite(freshTheorems(net, input, 1, 1, 3, draw).increment.value);
    REQUIRE(inRange > 0);
    REQUIRE(inRange < 40);
    CHECK(std::isnan(freshTheorems(net, input, 1, 40, 3).increment.value));
}
