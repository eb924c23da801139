#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/moment_cases.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

MomentPropagation finished(const MomentNet& net, const SignalAndNoise& input, std::uint64_t draw = 0) {
    return propagated(net, input, 1, draw);
}

void checkFinite(const MomentPropagation& run) {
    for (const LayerMoments& layer : run.layers()) {
        CHECK(std::isfinite(layer.logChi));
        CHECK(std::isfinite(layer.logNu2));
        CHECK(std::isfinite(layer.logMu2Noise));
        CHECK(layer.rankSignal >= 1);
        CHECK(layer.rankNoise >= 1);
    }
}

}  // namespace

TEST_CASE("moments: nets that make no sense are refused in a sentence") {
    void (*const changes[])(MomentNet&) = {[](MomentNet& n) { n.width = 0; },
                                           [](MomentNet& n) { n.layers = 0; },
                                           [](MomentNet& n) { n.inner = 0; },
                                           [](MomentNet& n) { n.taps = 3; },
                                           [](MomentNet& n) { n.dimensions = 1, n.extent = 8, n.taps = 4; },
                                           [](MomentNet& n) { n.dimensions = 1, n.extent = 8, n.taps = 0; },
                                           [](MomentNet& n) { n.dimensions = 3; },
                                           [](MomentNet& n) { n.dimensions = 1, n.extent = 2, n.taps = 5, n.boundary = Padding::Reflect; },
                                           [](MomentNet& n) { n.kind = MomentKind::Resnet, n.inputs = 3; },
                                           [](MomentNet& n) { n.activation = Activation::Sigmoid; },
                                           [](MomentNet& n) { n.epsilon = -1; },
                                           [](MomentNet& n) { n.weightScale = 0; },
                                           [](MomentNet& n) { n.weightScale = kNaN; },
                                           [](MomentNet& n) { n.biasVariance = -1; },
                                           [](MomentNet& n) { n.skipScale = kNaN; },
                                           [](MomentNet& n) { n.width = n.inputs = 1 << 20; },
                                           [](MomentNet& n) { n.dimensions = 2, n.extent = 1 << 20, n.taps = 3; }};
    for (const auto& change : changes) {
        MomentNet net;
        CHECK(refusal([&] { validate(net); }).empty());
        change(net);
        CAPTURE(&change - changes);
        CHECK(isOneSentence(refusal([&] { validate(net); })));
    }
}

TEST_CASE("moments: constant data, zero or non-finite numbers and shapes that do not fit are refused in a sentence") {
    const MomentNet net = denseMomentNet(6, 3);
    const auto start = [&](const SignalAndNoise& in) { propagated(net, in, 1); };
    SignalAndNoise input = gaussianInput(net, 5, 1);
    CHECK(refusal([&] { start(input); }).empty());
    SignalAndNoise constant = input;
    for (std::size_t i = 0; i < 30; ++i) constant.signal.values.values[i] = 0.1 * static_cast<double>(i % 6);
    CHECK(refusal([&] { start(constant); }).find("zero variance") != std::string::npos);
    CHECK(isOneSentence(refusal([&] { start(constant); })));
    CHECK(refusal([&] { start(gaussianInput(net, 1, 1)); }).find("zero variance") != std::string::npos);
    for (const double bad : {kNaN, std::numeric_limits<double>::infinity(), 1e200}) {
        SignalAndNoise broken = input;
        broken.signal.values.values[7] = bad;
        CHECK(isOneSentence(refusal([&] { start(broken); })));
        std::swap(broken.signal, broken.noise);
        CHECK(isOneSentence(refusal([&] { start(broken); })));
    }
    SignalAndNoise silent = input;
    std::fill(silent.noise.values.values.begin(), silent.noise.values.values.end(), 0.0);
    CHECK(isOneSentence(refusal([&] { start(silent); })));
    SignalAndNoise fewer = input;
    fewer.noise = gaussianInput(net, 4, 1).noise;
    CHECK(isOneSentence(refusal([&] { start(fewer); })));
    CHECK(isOneSentence(refusal([&] { start(gaussianInput(denseMomentNet(7, 3), 5, 1)); })));
    CHECK(isOneSentence(refusal([&] { start({}); })));
    MomentPropagation wrong(net, input, [&](std::size_t) { return drawMomentWeights(denseMomentNet(5, 3), 0, 1, 0); });
    CHECK(isOneSentence(refusal([&] { wrong.advance(); })));
    MomentWeights even{2, 6, 6, 1, std::vector<double>(72), {}};
    CHECK(isOneSentence(refusal([&] { convolved(even, Padding::Zero, input); })));
    CHECK(isOneSentence(refusal([&] { throughStem(net, input, {1, 6, 5, 1, std::vector<double>(30), {}}); })));
}

TEST_CASE("moments: a dead network is named where it dies, and nothing is drawn beyond") {
    MomentNet net = denseMomentNet(1, 60);
    std::size_t dead = 0;
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
        const MomentPropagation run = finished(net, gaussianInput(net, 6, 1), draw);
        checkFinite(run);
        if (run.collapsed().empty()) continue;
        ++dead;
        CHECK(isOneSentence(run.collapsed()));
        CHECK(run.collapsed() == "Every unit of layer " + std::to_string(run.layers().size()) + " is off for every sample.");
        CHECK(run.layers().size() <= net.layers);
    }
    // One unit on two half-lines dies at every other layer.
    CHECK(dead == 20);
}

TEST_CASE("moments: width 1 is fine where it lives: batch norm keeps it so, and a residual unit's dead branch adds nothing") {
    for (const MomentKind kind : {MomentKind::BatchNorm, MomentKind::Resnet, MomentKind::ResnetPlain}) {
        CAPTURE(static_cast<int>(kind));
        MomentNet net = denseMomentNet(1, 12);
        net.kind = kind;
        const MomentPropagation run = finished(net, gaussianInput(net, 8, 1));
        checkFinite(run);
        if (kind == MomentKind::Resnet) CHECK(run.layers().size() == 13);
    }
    MomentNet plain = denseMomentNet(1, 1);
    plain.kind = MomentKind::ResnetPlain, plain.inner = 2;
    MomentPropagation run(plain, gaussianInput(plain, 8, 1),
                          [](std::size_t h) { return MomentWeights{1, 1, 1, 1, {h == 0 ? -1.0 : 1.0}, {}}; });
    while (run.advance()) continue;
    REQUIRE(run.layers().size() == 2);
    CHECK(run.layers()[1].mu2Branch == 0);
    CHECK(run.layers()[1].deltaChi == doctest::Approx(1).epsilon(1e-14));
    CHECK(run.layers()[1].theorem == doctest::Approx(1).epsilon(1e-14));
}

TEST_CASE("moments: samples that fall onto one point, and numbers that leave the doubles, end the propagation with a sentence") {
    struct Case {
        std::size_t width;
        double weightScale, biasVariance;
        Activation activation;
        const char* why;
    };
    for (const Case& c : {Case{20, 0.3, 1, Activation::Relu, "zero variance"},
                          {20, 20, 0, Activation::Relu, "leaves the range"},
                          {20, 0.05, 0, Activation::Relu, "shrinks"},
                          {3, 1e6, 0, Activation::Tanh, "flat"}}) {
        MomentNet net = denseMomentNet(c.width, 400);
        net.weightScale = c.weightScale, net.biasVariance = c.biasVariance, net.activation = c.activation;
        const MomentPropagation run = finished(net, gaussianInput(net, c.width / 2 + 1, 1));
        CHECK(isOneSentence(run.collapsed()));
        CHECK_MESSAGE(run.collapsed().find(c.why) != std::string::npos, run.collapsed());
        checkFinite(run);
    }
}

TEST_CASE("moments: batch norm without epsilon names a channel that it cannot divide by") {
    MomentNet net = denseMomentNet(3, 2);
    net.kind = MomentKind::BatchNorm, net.epsilon = 0;
    MomentPropagation run(net, gaussianInput(net, 6, 1), [](std::size_t) {
        return MomentWeights{1, 3, 3, 1, {1, 0, 0, 0, 0, 0, 0, 0, 1}, {}};
    });
    CHECK_FALSE(run.advance());
    CHECK(run.collapsed() == "Channel 2 of layer 1 has zero variance, which batch norm cannot divide by.");
    CHECK(run.layers().size() == 1);
}

TEST_CASE("moments: weights hang on seed, draw and layer alone") {
    MomentNet net = denseMomentNet(8, 5), deeper = denseMomentNet(8, 50);
    CHECK(drawMomentWeights(net, 3, 7, 2).values == drawMomentWeights(deeper, 3, 7, 2).values);
    CHECK(drawMomentWeights(net, 3, 7, 2).values != drawMomentWeights(net, 3, 7, 3).values);
    CHECK(drawMomentWeights(net, 3, 7, 2).values != drawMomentWeights(net, 2, 7, 2).values);
    net.biasVariance = 4;
    CHECK(drawMomentWeights(net, 3, 7, 2).values == drawMomentWeights(deeper, 3, 7, 2).values);
    CHECK(drawMomentWeights(net, 3, 7, 2).bias.size() == 8);
    for (const double w : drawMomentWeights(net, 0, 1, 0).values) CHECK(static_cast<double>(static_cast<float>(w)) == w);
}
