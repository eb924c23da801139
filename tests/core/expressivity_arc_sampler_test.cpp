#include <doctest/doctest.h>

#include <cmath>

#include "core/expressivity/growth_theory.h"
#include "core/expressivity/trajectory_sweep.h"
#include "support/digit_learning.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

struct SampledArc {
    ArcLayers layers;
    RandomEnds ends;
    std::vector<CurvePassage> exact;
};

SampledArc sampledArc(const std::vector<int>& widths, double weightVariance, std::uint64_t seed) {
    const Network network = denseNet(widths, Activation::HardTanh, weightVariance, seed);
    std::vector<CurveLayer> all = curveLayers(network);
    all.pop_back();
    SampledArc arc{arcLayers(network), randomEnds(static_cast<std::size_t>(widths[0]), seed), {}};
    arc.exact = sweepTrajectory(all, arcCurve(arc.ends.x0, arc.ends.x1, 0, std::acos(0.0)));
    return arc;
}

ArcImages sampled(const SampledArc& arc, ArcSampling sampling, std::uint64_t seed) {
    return sampleArc(arc.layers, arc.ends.x0, arc.ends.x1, sampling, Rng(seed, Purpose::MonteCarlo));
}

}  // namespace

TEST_CASE("an arc of few pieces is followed exactly, however it is parted") {
    const SampledArc arc = sampledArc({9, 6, 6, 6, 2}, 3, 4);
    for (const std::size_t strata : {1, 3, 16}) {
        const ArcImages images = sampled(arc, {strata, 1e4}, 7);
        REQUIRE(images.length.size() == 4);
        for (std::size_t l = 0; l < 4; ++l) {
            CHECK(images.length[l] == doctest::Approx(arc.exact[l].length).epsilon(1e-9));
            CHECK(images.transitions[l] == arc.exact[l].transitions);
        }
    }
}

TEST_CASE("windows halved at random keep lengths and transitions unbiased") {
    const SampledArc arc = sampledArc({9, 10, 10, 10, 10, 2}, 16, 5);
    constexpr int kDraws = 400;
    std::vector<double> sum(10), squares(10);
    bool halved = false;
    for (int draw = 0; draw < kDraws; ++draw) {
        const ArcImages images = sampled(arc, {5, 6}, static_cast<std::uint64_t>(draw));
        for (std::size_t l = 0; l < 5; ++l) {
            const double x[] = {images.length[l], images.transitions[l]};
            for (std::size_t k = 0; k < 2; ++k) sum[2 * l + k] += x[k], squares[2 * l + k] += x[k] * x[k];
        }
        halved = halved || images.transitions[4] != arc.exact[4].transitions;
    }
    CHECK(halved);
    for (std::size_t l = 0; l < 5; ++l) {
        const double exact[] = {arc.exact[l].length, arc.exact[l].transitions};
        for (std::size_t k = 0; k < 2; ++k) {
            const double mean = sum[2 * l + k] / kDraws, variance = squares[2 * l + k] / kDraws - mean * mean;
            CAPTURE(l);
            CAPTURE(k);
            CHECK(std::abs(mean - exact[k]) <= 4 * std::sqrt(std::max(variance, 0.0) / kDraws) + 1e-9 * exact[k]);
        }
    }
}

TEST_CASE("a network without hidden layers has no images to measure") {
    CHECK(isOneSentence(refusal([] { arcLayers(denseNet({4, 2}, Activation::HardTanh, 1, 1)); })));
}
