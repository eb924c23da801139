#include <doctest/doctest.h>

#include "core/base/rng.h"
#include "core/moments/moment_theory.h"
#include "support/moment_cases.h"
#include "support/slow_moments.h"

using namespace kappaflow;
using doctest::Approx;

namespace {

std::vector<MomentWeights> allWeights(const MomentNet& net, std::uint64_t seed) {
    std::vector<MomentWeights> weights;
    for (std::size_t l = 0; l < net.linearLayers(); ++l) weights.push_back(drawMomentWeights(net, l, seed, 0));
    return weights;
}

MomentPropagation propagated(const MomentNet& net, const SignalAndNoise& input, const std::vector<MomentWeights>& weights) {
    MomentPropagation run(net, input, [weights](std::size_t l) { return weights[l]; });
    while (run.advance()) continue;
    return run;
}

MomentNet smallNet(MomentKind kind, int dimensions, Padding boundary, Activation activation) {
    MomentNet net;
    net.kind = kind, net.dimensions = dimensions, net.boundary = boundary, net.activation = activation;
    net.extent = dimensions == 0 ? 1 : dimensions == 1 ? 7 : 4;
    net.taps = dimensions == 0 ? 1 : dimensions == 1 ? 5 : 3;
    net.width = 6, net.layers = 3, net.biasVariance = 0.1, net.weightScale = 1.1, net.skipScale = 0.8;
    net.inputs = net.residual() ? 6 : 4;
    return net;
}

void compareLayer(const MomentNet& net, const LayerMoments& own, const SlowMoments::Layer& slow, double chiRaw0) {
    const SlowTensor &x = slow.out.signal, &dx = slow.out.noise;
    CHECK(own.nu1 == Approx(slowNu(x, 1)).epsilon(1e-10));
    CHECK(own.nu2 == Approx(slowNu(x, 2)).epsilon(1e-10));
    CHECK(own.nu4 == Approx(slowNu(x, 4)).epsilon(1e-10));
    CHECK(own.mu2 == Approx(slowMu(x, 2)).epsilon(1e-10));
    CHECK(own.mu4 == Approx(slowMu(x, 4)).epsilon(1e-10));
    CHECK(own.nu1Absolute == Approx(slowNuAbsolute(x)).epsilon(1e-10));
    CHECK(own.mu1Absolute == Approx(slowNuAbsolute(slowCentred(x))).epsilon(1e-10));
    CHECK(std::exp(own.logMu2Noise) == Approx(slowNu(dx, 2)).epsilon(1e-10));
    CHECK(own.chi() == Approx(slow.out.chiRaw() / chiRaw0).epsilon(1e-10));
    CHECK(own.deltaChi == Approx(slow.out.chiRaw() / slow.steps[0].before.chiRaw()).epsilon(1e-10));
    CHECK(own.rankSignal == Approx(slowRank(slowCentred(x))).epsilon(1e-10));
    CHECK(own.rankNoise == Approx(slowRank(slowCentred(dx))).epsilon(1e-10));
    const SlowMoments::State& z = slow.steps[0].normalised;
    CHECK(own.mu4Normalised == Approx(slowMu(z.signal, 4)).epsilon(1e-10));
    CHECK(own.nu1AbsoluteNormalised == Approx(slowNuAbsolute(z.signal)).epsilon(1e-10));
    CHECK(std::exp(own.logChiNormalised) == Approx(z.chiRaw() / chiRaw0).epsilon(1e-10));
    if (net.normalised()) CHECK(own.deltaBatchNorm == Approx(z.chiRaw() / slow.steps[0].before.chiRaw()).epsilon(1e-10));
    for (std::size_t h = 0; h < own.inner.size(); ++h) {
        CAPTURE(h);
        const SlowMoments::Step& step = slow.steps[h];
        CHECK(own.inner[h].chi == Approx(step.after.chiRaw() / chiRaw0).epsilon(1e-10));
        CHECK(own.inner[h].deltaActivationOnly == Approx(step.activated.chiRaw() / step.normalised.chiRaw()).epsilon(1e-10));
        CHECK(own.inner[h].deltaActivation == Approx(step.after.chiRaw() / step.normalised.chiRaw()).epsilon(1e-10));
        CHECK(own.inner[h].rankSignal == Approx(slowRank(slowCentred(step.activated.signal))).epsilon(1e-10));
    }
}

}  // namespace

TEST_CASE("moments: every kind, dimension, boundary and activation agrees with plain loops over the definitions") {
    for (const MomentKind kind : {MomentKind::Vanilla, MomentKind::BatchNorm, MomentKind::Resnet, MomentKind::ResnetPlain})
        for (const int dimensions : {0, 1, 2})
            for (const Padding boundary : {Padding::Periodic, Padding::Reflect, Padding::Zero})
                for (const Activation activation : {Activation::Relu, Activation::Tanh}) {
                    CAPTURE(static_cast<int>(kind));
                    CAPTURE(dimensions);
                    CAPTURE(static_cast<int>(boundary));
                    CAPTURE(static_cast<int>(activation));
                    const MomentNet net = smallNet(kind, dimensions, boundary, activation);
                    const SignalAndNoise input = gaussianInput(net, dimensions == 0 ? 9 : 3, 5);
                    const auto weights = allWeights(net, 6);
                    const MomentPropagation run = propagated(net, input, weights);
                    const SlowMoments slow(net, input, weights);
                    REQUIRE(run.layers().size() == net.layers + 1);
                    for (std::size_t l = 1; l <= net.layers; ++l) {
                        CAPTURE(l);
                        compareLayer(net, run.layers()[l], slow.layers[l - 1], slow.input.chiRaw());
                    }
                }
}

TEST_CASE("moments: theorem values are what the formulas give for the drawn channels") {
    for (const MomentKind kind : {MomentKind::Vanilla, MomentKind::BatchNorm, MomentKind::Resnet, MomentKind::ResnetPlain}) {
        CAPTURE(static_cast<int>(kind));
        const MomentNet net = smallNet(kind, 1, Padding::Periodic, Activation::Relu);
        const SignalAndNoise input = gaussianInput(net, 4, 7);
        const auto weights = allWeights(net, 8);
        const MomentPropagation run = propagated(net, input, weights);
        const SlowMoments slow(net, input, weights);
        for (std::size_t l = 1; l <= net.layers; ++l) {
            const LayerMoments& own = run.layers()[l];
            const auto& steps = slow.layers[l - 1].steps;
            const double split = slowSplit(steps[0].normalised.signal), variance = slowMu(steps[0].before.signal, 2);
            if (net.normalised()) CHECK(own.activationTheorem == Approx(1 / std::sqrt(1 - 2 * split)).epsilon(1e-10));
            if (kind == MomentKind::Vanilla) CHECK(own.theorem == Approx(1 / std::sqrt(1 - split / (1.21 * variance))).epsilon(1e-10));
            if (kind == MomentKind::BatchNorm) CHECK(own.theorem == own.batchNormTheorem * own.activationTheorem);
            if (!net.residual()) continue;
            const double growth = std::pow(steps.back().after.chiRaw() / steps[0].before.chiRaw(), 2);
            const double branch = slowMu(steps.back().after.signal, 2);
            CHECK(own.mu2Branch == Approx(branch).epsilon(1e-10));
            CHECK(own.theorem == Approx(slowDilution(growth, branch, 0.64 * variance)).epsilon(1e-10));
        }
    }
}

TEST_CASE(
    "moments: without epsilon Theorem 3's batch-norm term of the drawn channels is the measured one, and with the skip off (*) is, too") {
    MomentNet net = smallNet(MomentKind::Resnet, 2, Padding::Periodic, Activation::Tanh);
    net.epsilon = 0, net.skipScale = 0;
    const MomentPropagation run = propagated(net, gaussianInput(net, 5, 1), allWeights(net, 2));
    for (std::size_t l = 1; l <= net.layers; ++l) {
        for (const InnerMoments& inner : run.layers()[l].inner)
            CHECK(inner.deltaBatchNorm == Approx(inner.batchNormTheorem).epsilon(1e-12));
        CHECK(run.layers()[l].deltaChi == Approx(run.layers()[l].theorem).epsilon(1e-12));
    }
}

TEST_CASE("moments: noise one input number at a time adds up to its exact expectation in the reference's cases") {
    for (const std::string name : {"fc_vanilla_w8_d5", "fc_bnff_w8_d5_eps1e-3", "fc_bnres_w6_h2_u4", "conv1d_bnres_n8_w4_k3_h2_u4",
                                   "conv1d_vanilla_n8_w4_k3", "conv2d_vanilla_n4_w3_k3", "conv1d_stem_bnff_n8to4"}) {
        CAPTURE(name);
        const auto listed = reference("moments_" + name + ".json");
        const MomentCase c = explicitMomentCase(listed);
        const auto expected = listed["expected"]["exact_noise"]["mu2_d"].get<std::vector<double>>();
        std::vector<double> sum(expected.size());
        const PointValues& raw = c.raw.signal;
        const std::size_t positions = raw.points() / raw.samples, numbers = positions * raw.channels();
        for (std::size_t j = 0; j < numbers; ++j) {
            SignalAndNoise input = c.raw;
            std::fill(input.noise.values.values.begin(), input.noise.values.values.end(), 0.0);
            for (std::size_t m = 0; m < raw.samples; ++m) input.noise.values.values[m * numbers + j] = 1;
            if (!c.stem.values.empty()) input = throughStem(c.net, input, c.stem);
            MomentPropagation run(c.net, input, [&](std::size_t l) { return c.weights[l]; });
            while (run.advance()) continue;
            // Noise of one number may die where no unit that hears of it is on.
            for (std::size_t l = 0; l < run.layers().size(); ++l) sum[l] += std::exp(run.layers()[l].logMu2Noise);
        }
        for (std::size_t l = 0; l < sum.size(); ++l) CHECK(sum[l] == Approx(expected[l]).epsilon(1e-10));
    }
}

TEST_CASE("moments: χ is invariant under scales of signal and noise and under translation, and the product of its increments") {
    MomentNet net = smallNet(MomentKind::Vanilla, 1, Padding::Periodic, Activation::Relu);
    net.biasVariance = 0;
    const SignalAndNoise input = gaussianInput(net, 4, 3);
    const auto weights = allWeights(net, 4);
    SignalAndNoise scaled = input, moved = input;
    for (double& v : scaled.signal.values.values) v *= 3.7;
    for (double& v : scaled.noise.values.values) v *= 1e-5;
    const std::size_t n = net.extent, N = net.inputs;
    for (std::size_t p = 0; p < input.signal.points(); ++p)
        for (std::size_t k = 0; k < N; ++k) {
            const std::size_t to = p / n * n + (p + 2) % n;
            moved.signal.values(to, k) = input.signal.values(p, k), moved.noise.values(to, k) = input.noise.values(p, k);
        }
    const auto run = propagated(net, input, weights), other = propagated(net, scaled, weights), shifted = propagated(net, moved, weights);
    double product = 1;
    for (std::size_t l = 1; l <= net.layers; ++l) {
        CHECK(other.layers()[l].chi() == Approx(run.layers()[l].chi()).epsilon(1e-12));
        CHECK(shifted.layers()[l].chi() == Approx(run.layers()[l].chi()).epsilon(1e-12));
        product *= run.layers()[l].deltaChi;
        CHECK(run.layers()[l].chi() == Approx(product).epsilon(1e-12));
    }
}

TEST_CASE("moments: an orthogonal linear net keeps χ at 1") {
    MomentNet net;
    net.width = net.inputs = 2, net.layers = 6, net.activation = Activation::Identity;
    const double a = 0.6, b = 0.8;
    const auto run = propagated(net, gaussianInput(net, 8, 2), std::vector<MomentWeights>(6, {1, 2, 2, 1, {a, -b, b, a}, {}}));
    CHECK(run.layers()[6].chi() == Approx(1).epsilon(1e-13));
}

TEST_CASE("moments: a stem of stride 2 is the plain convolution of every second position, dense ones read all of a sample") {
    for (const Padding boundary : {Padding::Periodic, Padding::Reflect, Padding::Zero}) {
        MomentNet image;
        image.dimensions = 2, image.extent = 6, image.inputs = 3;
        const SignalAndNoise input = gaussianInput(image, 2, 11);
        MomentNet net = smallNet(MomentKind::Resnet, 2, boundary, Activation::Relu);
        net.extent = 3;
        Rng rng(12, Purpose::Weights);
        MomentWeights stem{3, 3, net.inputs, 2, std::vector<double>(9 * 3 * net.inputs), {}};
        for (double& w : stem.values) w = rng.gaussian();
        const SignalAndNoise out = throughStem(net, input, stem);
        const SlowTensor slow = slowConvolution(stem, boundary, slowTensor(input.signal), false);
        REQUIRE(out.signal.points() == 2 * 9);
        for (std::size_t i = 0; i < slow.values.size(); ++i) CHECK(out.signal.values.values[i] == Approx(slow.values[i]).epsilon(1e-12));
    }
}

TEST_CASE("moments: a deep batch-normalised net, which magnifies rounding, comes out the same to the bit on every platform") {
    MomentNet net = smallNet(MomentKind::BatchNorm, 2, Padding::Periodic, Activation::Tanh);
    net.layers = 60;
    const MomentPropagation run = propagated(net, gaussianInput(net, 8, 1), allWeights(net, 2));
    REQUIRE(run.layers().size() == 61);
    double sum = 0;
    for (const double value : run.state().noise.values.values) sum += value * value * value;
    CHECK(sum == -195.17929680224057);
}
