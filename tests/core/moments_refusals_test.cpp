#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "core/moments/moment_propagation.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

SignalAndNoise randomInput(const MomentNet& net, std::size_t samples) {
    SignalAndNoise input;
    Rng rng(1, Purpose::Inputs);
    for (PointValues* t : {&input.signal, &input.noise}) {
        *t = {samples, net.dimensions, net.extent, Matrix(samples * net.positions(), net.inputs)};
        for (double& value : t->values.values) value = rng.gaussian();
    }
    return input;
}

MomentNet ofWidth(std::size_t width, std::size_t layers) {
    MomentNet net;
    net.width = net.inputs = width, net.layers = layers;
    return net;
}

MomentPropagation finished(const MomentNet& net, const SignalAndNoise& input, std::uint64_t draw = 0) {
    MomentPropagation run(net, input, [&](std::size_t l) { return drawMomentWeights(net, l, 1, draw); });
    while (run.advance()) continue;
    return run;
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

template <typename Change>
void refuses(const Change& change) {
    MomentNet net;
    change(net);
    CHECK(isOneSentence(refusal([&] { validate(net); })));
}

}  // namespace

TEST_CASE("moments: nets that make no sense are refused in a sentence") {
    refuses([](MomentNet& n) { n.width = 0; });
    refuses([](MomentNet& n) { n.layers = 0; });
    refuses([](MomentNet& n) { n.inner = 0; });
    refuses([](MomentNet& n) { n.taps = 3; });
    refuses([](MomentNet& n) { n.dimensions = 1, n.extent = 8, n.taps = 4; });
    refuses([](MomentNet& n) { n.dimensions = 1, n.extent = 8, n.taps = 0; });
    refuses([](MomentNet& n) { n.dimensions = 3; });
    refuses([](MomentNet& n) { n.dimensions = 1, n.extent = 2, n.taps = 5, n.boundary = Padding::Reflect; });
    refuses([](MomentNet& n) { n.kind = MomentKind::Resnet, n.inputs = 3; });
    refuses([](MomentNet& n) { n.activation = Activation::Sigmoid; });
    refuses([](MomentNet& n) { n.epsilon = -1; });
    refuses([](MomentNet& n) { n.weightScale = 0; });
    refuses([](MomentNet& n) { n.weightScale = kNaN; });
    refuses([](MomentNet& n) { n.biasVariance = -1; });
    refuses([](MomentNet& n) { n.skipScale = kNaN; });
    refuses([](MomentNet& n) { n.width = n.inputs = 1 << 20; });
    refuses([](MomentNet& n) { n.dimensions = 2, n.extent = 1 << 20, n.taps = 3; });
    CHECK(refusal([] { validate(MomentNet{}); }).empty());
}

TEST_CASE("moments: constant data, zero or non-finite numbers and shapes that do not fit are refused in a sentence") {
    const MomentNet net = ofWidth(6, 3);
    const auto start = [&](const SignalAndNoise& in) { finished(net, in); };
    SignalAndNoise input = randomInput(net, 5);
    CHECK(refusal([&] { start(input); }).empty());
    SignalAndNoise constant = input;
    for (std::size_t i = 0; i < 30; ++i) constant.signal.values.values[i] = 0.1 * static_cast<double>(i % 6);
    CHECK(refusal([&] { start(constant); }).find("zero variance") != std::string::npos);
    CHECK(isOneSentence(refusal([&] { start(constant); })));
    CHECK(refusal([&] { start(randomInput(net, 1)); }).find("zero variance") != std::string::npos);
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
    fewer.noise = randomInput(net, 4).noise;
    CHECK(isOneSentence(refusal([&] { start(fewer); })));
    CHECK(isOneSentence(refusal([&] { start(randomInput(ofWidth(7, 3), 5)); })));
    CHECK(isOneSentence(refusal([&] { start({}); })));
    MomentPropagation wrong(net, input, [&](std::size_t) { return drawMomentWeights(ofWidth(5, 3), 0, 1, 0); });
    CHECK(isOneSentence(refusal([&] { wrong.advance(); })));
    MomentWeights even{2, 6, 6, 1, std::vector<double>(72), {}};
    CHECK(isOneSentence(refusal([&] { convolved(even, Padding::Zero, input); })));
    CHECK(isOneSentence(refusal([&] { throughStem(net, input, {1, 6, 5, 1, std::vector<double>(30), {}}); })));
}

TEST_CASE("moments: a dead network is named where it dies, and nothing is drawn beyond") {
    MomentNet net = ofWidth(1, 60);
    std::size_t dead = 0;
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
        const MomentPropagation run = finished(net, randomInput(net, 6), draw);
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
        MomentNet net = ofWidth(1, 12);
        net.kind = kind;
        const MomentPropagation run = finished(net, randomInput(net, 8));
        checkFinite(run);
        if (kind == MomentKind::Resnet) CHECK(run.layers().size() == 13);
    }
    MomentNet plain = ofWidth(1, 1);
    plain.kind = MomentKind::ResnetPlain, plain.inner = 2;
    MomentPropagation run(plain, randomInput(plain, 8), [](std::size_t h) { return MomentWeights{1, 1, 1, 1, {h == 0 ? -1.0 : 1.0}, {}}; });
    while (run.advance()) continue;
    REQUIRE(run.layers().size() == 2);
    CHECK(run.layers()[1].mu2Branch == 0);
    CHECK(run.layers()[1].deltaChi == doctest::Approx(1).epsilon(1e-14));
    CHECK(run.layers()[1].theorem == doctest::Approx(1).epsilon(1e-14));
}

TEST_CASE("moments: samples that fall onto one point, and numbers that leave the doubles, end the propagation with a sentence") {
    MomentNet point = ofWidth(20, 400);
    point.weightScale = 0.3, point.biasVariance = 1;
    const MomentPropagation fallen = finished(point, randomInput(point, 10));
    CHECK(fallen.collapsed().find("zero variance") != std::string::npos);
    checkFinite(fallen);
    MomentNet huge = ofWidth(20, 400);
    huge.weightScale = 20;
    const MomentPropagation left = finished(huge, randomInput(huge, 10));
    CHECK(left.collapsed().find("leaves the range") != std::string::npos);
    checkFinite(left);
    MomentNet faint = ofWidth(20, 400);
    faint.weightScale = 0.05;
    const MomentPropagation shrunk = finished(faint, randomInput(faint, 10));
    CHECK(shrunk.collapsed().find("shrinks") != std::string::npos);
    checkFinite(shrunk);
    MomentNet flat = ofWidth(3, 4);
    flat.activation = Activation::Tanh, flat.weightScale = 1e6;
    const MomentPropagation saturated = finished(flat, randomInput(flat, 4));
    CHECK(saturated.collapsed().find("flat") != std::string::npos);
    checkFinite(saturated);
    for (const auto* run : {&fallen, &left, &shrunk, &saturated}) CHECK(isOneSentence(run->collapsed()));
}

TEST_CASE("moments: batch norm without epsilon names a channel that it cannot divide by") {
    MomentNet net = ofWidth(3, 2);
    net.kind = MomentKind::BatchNorm, net.epsilon = 0;
    MomentPropagation run(net, randomInput(net, 6), [](std::size_t) { return MomentWeights{1, 3, 3, 1, {1, 0, 0, 0, 0, 0, 0, 0, 1}, {}}; });
    CHECK_FALSE(run.advance());
    CHECK(run.collapsed() == "Channel 2 of layer 1 has zero variance, which batch norm cannot divide by.");
    CHECK(run.layers().size() == 1);
}

TEST_CASE("moments: weights hang on seed, draw and layer alone") {
    MomentNet net = ofWidth(8, 5), deeper = ofWidth(8, 50);
    CHECK(drawMomentWeights(net, 3, 7, 2).values == drawMomentWeights(deeper, 3, 7, 2).values);
    CHECK(drawMomentWeights(net, 3, 7, 2).values != drawMomentWeights(net, 3, 7, 3).values);
    CHECK(drawMomentWeights(net, 3, 7, 2).values != drawMomentWeights(net, 2, 7, 2).values);
    net.biasVariance = 4;
    CHECK(drawMomentWeights(net, 3, 7, 2).values == drawMomentWeights(deeper, 3, 7, 2).values);
    CHECK(drawMomentWeights(net, 3, 7, 2).bias.size() == 8);
    for (const double w : drawMomentWeights(net, 0, 1, 0).values) CHECK(static_cast<double>(static_cast<float>(w)) == w);
}
