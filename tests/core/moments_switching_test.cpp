#include <doctest/doctest.h>

#include <cmath>

#include "core/moments/moment_data.h"
#include "core/moments/moment_propagation.h"
#include "core/moments/moment_theory.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

MomentNet switchingNet(MomentKind kind, std::size_t width, std::size_t layers = 3) {
    MomentNet net;
    net.kind = kind;
    net.inputs = net.width = width;
    net.layers = layers;
    return net;
}

double averageShare(const std::vector<double>& shares) {
    double sum = 0;
    for (const double share : shares) sum += share / static_cast<double>(shares.size());
    return sum;
}

}  // namespace

TEST_CASE("Units' shares average to what the theorems say of the drawn channels") {
    for (const MomentKind kind : {MomentKind::Vanilla, MomentKind::BatchNorm, MomentKind::Resnet}) {
        const MomentNet net = switchingNet(kind, 12);
        const auto weights = [&](std::size_t layer) { return drawMomentWeights(net, layer, 5, 0); };
        MomentPropagation run(net, drawMomentInput(net, MomentData::Contrast, 20, 5, 0), weights, {false, true});
        for (std::size_t layer = 1; layer <= 3; ++layer) {
            const SignalAndNoise before = run.state();
            for (std::size_t h = 0; h < net.innerLayers(); ++h) run.advance();
            REQUIRE(run.layers().size() == layer + 1);
            const auto shares = unitSwitching(net, before, weights((layer - 1) * net.innerLayers()));
            REQUIRE(shares.size() == 12);
            for (const double share : shares) CHECK(share >= 0);
            const LayerMoments& m = run.layers().back();
            const double theorem = kind == MomentKind::Vanilla ? m.theorem : m.activationTheorem;
            CHECK(1 / std::sqrt(1 - averageShare(shares)) == doctest::Approx(theorem).epsilon(1e-10));
        }
    }
}

TEST_CASE("Theorem 2's expectation in closed form is the limit of many fresh weights") {
    const MomentNet net = switchingNet(MomentKind::Vanilla, 24);
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
    CHECK(exactIncrement(opposite) == doctest::Approx(std::sqrt(2.0)).epsilon(1e-12));
    PointValues line{3, 0, 1, Matrix(3, 2, {1, 2, 2, 4, 0.5, 1})};
    CHECK(exactIncrement(line) == doctest::Approx(1).epsilon(1e-12));
    const MomentNet wide = switchingNet(MomentKind::Vanilla, 512);
    CHECK(exactIncrement(drawMomentInput(wide, MomentData::White, 200, 1, 0).signal) == doctest::Approx(1.21117).epsilon(2e-3));
    CHECK(isOneSentence(refusal([] { exactIncrement({2, 0, 1, Matrix(2, 2, {1, 1, 1, 1})}); })));
    PointValues small = drawMomentInput(switchingNet(MomentKind::Vanilla, 9), MomentData::White, 6, 2, 0).signal;
    const double increment = exactIncrement(small);
    for (const double scale : {0x1p-260, 0x1p520}) {
        for (double& value : small.values.values) value *= scale;
        CHECK(exactIncrement(small) == doctest::Approx(increment).epsilon(1e-14));
    }
}

TEST_CASE("The closed form is for dense vanilla ReLU layers without biases alone") {
    MomentNet net = switchingNet(MomentKind::Vanilla, 8);
    CHECK(hasExactIncrement(net));
    net.biasVariance = 0.1;
    CHECK_FALSE(hasExactIncrement(net));
    net = switchingNet(MomentKind::Vanilla, 8);
    net.activation = Activation::Tanh;
    CHECK_FALSE(hasExactIncrement(net));
    CHECK_FALSE(hasExactIncrement(switchingNet(MomentKind::BatchNorm, 8)));
}

TEST_CASE(
    "Theorems from fresh weights are undefined where a fresh unit leaves the range of numbers, and a dead branch without a skip counts") {
    MomentNet net = switchingNet(MomentKind::ResnetPlain, 8);
    net.weightScale = 4;
    SignalAndNoise input = drawMomentInput(net, MomentData::White, 6, 1, 0);
    CHECK(std::isfinite(freshTheorems(net, input, 1, 2, 3).increment.value));
    for (double& value : input.signal.values.values) value *= 1e74;
    CHECK(std::isnan(freshTheorems(net, input, 1, 2, 3).increment.value));
    // One unit on two half-lines: some of the branches die, and the mean over weights has their zeros in it.
    MomentNet narrow = switchingNet(MomentKind::ResnetPlain, 1);
    narrow.skipScale = 0;
    const FreshTheorems fresh = freshTheorems(narrow, drawMomentInput(narrow, MomentData::White, 6, 1, 0), 1, 40, 3);
    CHECK(std::isfinite(fresh.increment.value));
}

TEST_CASE("Without a skip a fresh branch beyond the range of numbers is not taken for a dead one") {
    MomentNet net = switchingNet(MomentKind::ResnetPlain, 8);
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
