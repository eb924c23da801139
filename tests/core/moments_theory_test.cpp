#include <doctest/doctest.h>

#include <cmath>

#include "core/base/rng.h"
#include "core/moments/moment_propagation.h"
#include "core/moments/moment_theory.h"
#include "support/sentence.h"

using namespace kappaflow;
using doctest::Approx;

namespace {

SignalAndNoise gaussianInput(const MomentNet& net, std::size_t samples, std::uint64_t seed) {
    SignalAndNoise input;
    Rng rng(seed, Purpose::Inputs);
    for (PointValues* t : {&input.signal, &input.noise}) {
        *t = {samples, net.dimensions, net.extent, Matrix(samples * net.positions(), net.inputs)};
        for (double& value : t->values.values) value = rng.gaussian();
    }
    return input;
}

MomentPropagation through(const MomentNet& net, const SignalAndNoise& input, std::uint64_t seed, std::uint64_t draw) {
    MomentPropagation run(net, input, [&](std::size_t l) { return drawMomentWeights(net, l, seed, draw); });
    while (run.advance()) continue;
    return run;
}

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

struct Averaged {
    double mean = 0, error = 0;
};
Averaged averaged(const std::vector<double>& values) {
    const double n = static_cast<double>(values.size());
    Averaged a;
    for (const double v : values) a.mean += v / n;
    for (const double v : values) a.error += (v - a.mean) * (v - a.mean) / (n * (n - 1));
    a.error = std::sqrt(a.error);
    return a;
}

}  // namespace

TEST_CASE("moments: the first step's quadrature is the closed form for equal eigenvalues, and 1 when all are") {
    for (const std::size_t R : {3, 8, 64, 300})
        for (const std::size_t r : {3, 4, 8, 64, 300}) {
            if (r > R) continue;
            std::vector<double> lambda(R);
            for (std::size_t i = 0; i < r; ++i) lambda[i] = 0.37;
            CHECK(firstBatchNormStep(lambda) == Approx(firstBatchNormStep(r, R)).epsilon(1e-10));
        }
    CHECK(firstBatchNormStep(std::vector<double>{5}) == 1);
    // Two eigenvalues: the mean of 1/(a cos² + b sin²) is 1/√(ab).
    CHECK(firstBatchNormStep(std::vector<double>{1, 4}) == Approx(std::sqrt(2.5 / 2)).epsilon(1e-14));
    CHECK(std::isinf(firstBatchNormStep(2, 8)));
    CHECK(std::isinf(firstBatchNormStep(std::vector<double>{1, 2, 0, 0})));
    CHECK(std::isinf(firstBatchNormStep(std::vector<double>{1, 0})));
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
    CHECK(isOneSentence(refusal([] { firstBatchNormStep(0, 3); })));
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
        const double delta = through(net, own, 5, draw).layers()[1].deltaBatchNorm;
        squares.push_back(delta * delta);
    }
    const Averaged a = averaged(squares);
    const double theory = firstBatchNormStep(lambda);
    CHECK(theory > 1.02);
    CHECK(std::abs(a.mean - theory * theory) < 4 * a.error);
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
    for (std::uint64_t draw = 0; draw < 40; ++draw) increments.push_back(through(last, run.state(), 77, draw).layers()[1].deltaChi);
    const Averaged a = averaged(increments);
    CHECK(std::abs(fresh.increment.value - a.mean) < 4 * std::hypot(fresh.increment.standardError, a.error));
    CHECK(fresh.increment.value == Approx(a.mean).epsilon(0.01));
    CHECK(std::isnan(freshTheorems(net, run.state(), 4, 1, 9).increment.standardError));
    CHECK(isOneSentence(refusal([&] { freshTheorems(net, input, 5, 1, 1); })));
    CHECK(isOneSentence(refusal([&] { freshTheorems(net, input, 1, 0, 1); })));
}

TEST_CASE("moments: He weights keep ν₂ and the noise in expectation, and vary as finite width says") {
    MomentNet net;
    net.width = net.inputs = 32, net.layers = 1;
    const SignalAndNoise input = gaussianInput(net, 64, 4);
    SignalAndNoise halfLine = input;
    for (std::size_t p = 0; p < 64; ++p)
        for (std::size_t c = 0; c < 32; ++c) halfLine.signal.values(p, c) = (1 + 0.1 * static_cast<double>(p)) * input.signal.values(0, c);
    std::vector<double> signal, noise, onLine;
    for (std::uint64_t draw = 0; draw < 1500; ++draw) {
        const auto one = [&](const SignalAndNoise& in) {
            MomentPropagation p(net, in, [&](std::size_t l) { return drawMomentWeights(net, l, 6, draw); }, {false, false});
            p.advance();
            return p.layers()[1];
        };
        const LayerMoments layer = one(input);
        signal.push_back(std::exp(layer.deltaLogNu2)), noise.push_back(std::exp(layer.deltaLogMu2Noise));
        onLine.push_back(std::exp(one(halfLine).deltaLogNu2));
    }
    for (const auto& values : {signal, noise, onLine}) {
        const Averaged a = averaged(values);
        CHECK(std::abs(a.mean - 1) < 4 * a.error);
    }
    const auto variance = [](const std::vector<double>& values) {
        return std::pow(averaged(values).error, 2) * static_cast<double>(values.size());
    };
    CHECK(variance(onLine) == Approx(5.0 / 32).epsilon(0.15));
    CHECK(variance(signal) > 2.0 / (32 * 32));
    CHECK(variance(signal) < 5.0 / 32);
}
