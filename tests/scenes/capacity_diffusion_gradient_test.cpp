
#include "support/scene_runs.h"

using namespace kappaflow;

TEST_CASE("the gradient's standard error is that of a share: it measures how far the pseudo-random network is from its capacity" *
          doctest::test_suite("long")) {
    // Where the activation is pseudo-random the capacity is the gradient's expected value; the input positions farthest from the top are
    // reached by one path, whose gradient never varies, but its share does.
    double squares[7] = {};
    constexpr int kSeeds = 60, kLayers = 3;
    for (int seed = 1; seed <= kSeeds; ++seed) {
        const auto report = runDiffusion({{"extent", "7"},
                                          {"layers", std::to_string(kLayers)},
                                          {"gradient", "true"},
                                          {"activation", "pseudo-random"},
                                          {"gradientSamples", "400"},
                                          {"seed", std::to_string(seed)}});
        const auto &gradient = arrayOf(report, "gradient"), &capacity = arrayOf(report, "capacity");
        for (std::size_t x = 0; x < 7; ++x) {
            REQUIRE(gradient.standardError[x] > 0);
            const double z = (gradient.values[x] - capacity.values[x]) / gradient.standardError[x];
            squares[x] += z * z / kSeeds;
        }
        // Nothing varies in the top layer, and its one unit's share is 1.
        CHECK(gradient.standardError[kLayers * 7 + 3] == 0);
    }
    // χ² with 60 degrees of freedom over 60: standard deviation 0.18.
    for (const double mean : squares) {
        CHECK(mean > 0.4);
        CHECK(mean < 1.8);
    }
}

TEST_CASE("a share that cannot vary has no error, however much the gradient varies") {
    const auto report = runDiffusion({{"extent", "1"}, {"layers", "3"}, {"gradient", "true"}, {"activation", "tanh"}});
    const auto& gradient = arrayOf(report, "gradient");
    CHECK(gradient.values == std::vector<double>(4, 1.0));
    CHECK(gradient.standardError == std::vector<double>(4, 0.0));
}
