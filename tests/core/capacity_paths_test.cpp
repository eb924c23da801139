#include "core/capacity/capacity_network.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "core/base/rng.h"
#include "core/capacity/capacity_kernel.h"
#include "support/reference.h"

using namespace kappaflow;

namespace {

CapacityLayer ring(int n, std::vector<double> shares, double stay) {
    CapacityKernel K;
    K.inWidth = K.outWidth = n;
    K.taps = rowTaps(static_cast<int>(shares.size()));
    K.mixes = stay > 0;
    K.stay = stay;
    K.shares = std::move(shares);
    return explicitLayer(K);
}

CapacityLayer randomLayer(int n, std::uint64_t seed) {
    Rng rng(seed, Purpose::Weights);
    Layer layer;
    layer.in = layer.out = {1, 1, n};
    for (int w = 0; w < n * n; ++w) layer.as<Weights>().weights.push_back(rng.gaussian());
    return capacityLayer(layer);
}

}  // namespace

TEST_CASE("largest weight and entropy of residual and uniform paths are those of the reference") {
    const auto cases = reference("case_15_shattering.json");
    for (const auto& row : cases["rows"]) {
        const int layers = row["L"];
        PathStatistics residual(65, 32), uniform(65, 32);
        for (int l = 0; l < layers; ++l) {
            residual.descend(ring(65, {0.5, 0, 0.5}, 1 - 1.0 / layers));
            uniform.descend(ring(65, {1.0 / 3, 1.0 / 3, 1.0 / 3}, 0));
        }
        CHECK(std::exp(residual.logMaxWeight()) == doctest::Approx(row["resnet_max"].get<double>()).epsilon(1e-9));
        CHECK(residual.entropy() == doctest::Approx(row["entropy_resnet_nats"].get<double>()).epsilon(1e-9));
        CHECK(uniform.logMaxWeight() / std::numbers::ln10 == doctest::Approx(row["uniform_r3_log10_max"].get<double>()).epsilon(1e-9));
        CHECK(uniform.entropy() == doctest::Approx(row["entropy_uniform_nats"].get<double>()).epsilon(1e-9));
    }
}

TEST_CASE("the recursions agree with walking every path of a small network") {
    std::vector<CapacityLayer> layers;
    for (std::uint64_t l = 0; l < 4; ++l) layers.push_back(randomLayer(4, l));
    PathStatistics statistics(4, 1);
    for (const auto& D : layers) statistics.descend(D);
    double heaviest = 0, entropy = 0;
    const std::function<void(std::size_t, std::size_t, double)> walk = [&](std::size_t l, std::size_t unit, double weight) {
        if (l == layers.size()) {
            heaviest = std::max(heaviest, weight);
            entropy -= weight * std::log(weight);
            return;
        }
        for (std::size_t e = layers[l].start[unit]; e < layers[l].start[unit + 1]; ++e)
            walk(l + 1, layers[l].entries[e].input, weight * layers[l].entries[e].share);
    };
    walk(0, 1, 1);
    CHECK(std::exp(statistics.logMaxWeight()) == doctest::Approx(heaviest).epsilon(1e-12));
    CHECK(statistics.entropy() == doctest::Approx(entropy).epsilon(1e-12));
    SUBCASE("the way back spells out the heaviest path") {
        double product = 1;
        std::size_t unit = 1, l = 0;
        for (const auto step : statistics.heaviestPath()) {
            const auto& entry = layers[l].entries[layers[l].start[unit] + step];
            product *= entry.share;
            unit = entry.input;
            ++l;
        }
        CHECK(product == doctest::Approx(heaviest).epsilon(1e-12));
    }
}

TEST_CASE("of equally heavy paths the one that wanders least is taken") {
    PathStatistics statistics(9, 4);
    const auto D = ring(9, {1.0 / 3, 1.0 / 3, 1.0 / 3}, 0);
    for (int l = 0; l < 6; ++l) statistics.descend(D);
    for (const auto step : statistics.heaviestPath()) CHECK(D.entries[step].offset == 0);
}
