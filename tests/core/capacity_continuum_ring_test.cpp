#include "core/capacity/nu_continuum.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "support/sentence.h"
#include "support/slow_continuum.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

ContinuumRing uniform(int extent, Size layers) { return {extent, std::vector<Vector>(layers, Vector{1, 1, 1})}; }

}  // namespace

TEST_CASE("eight uniform layers have the spec's variances on every ring: diffusion turns into interference") {
    const double nus[] = {0, 0.05, 0.1, 0.25, 0.5, 1}, variances[] = {5.333, 4.674, 4.141, 3.112, 2.473, 2.799};
    for (int k = 0; k < 6; ++k)
        for (const int extent : {33, 34, 65, 257}) {
            INFO("ν = " << nus[k] << ", " << extent << " positions");
            const auto result = continuumRing(uniform(extent, 8), nus[k])[0];
            CHECK(std::abs(result.variance - variances[k]) < 1e-3);
            CHECK(std::abs(result.mean) < 1e-12);
            CHECK(std::accumulate(result.capacity.begin(), result.capacity.end(), 0.0) == doctest::Approx(1));
        }
}

TEST_CASE("rings past four reaches agree to rounding, position by position") {
    const ContinuumRing small{21, {{1, -2, 0.5}, {0.3, 1, 1}, {1, 1, -1}, {0.2, 1, 0.4}, {1, 0.5, 2}}};
    ContinuumRing large = small;
    large.extent = 64;
    const auto a = continuumRing(small, 0.3)[0].capacity, b = continuumRing(large, 0.3)[0].capacity;
    for (int offset = -10; offset <= 10; ++offset)
        CHECK(a[static_cast<Size>(10 + offset)] == doctest::Approx(b[static_cast<Size>(32 + offset)]).epsilon(1e-12));
}

TEST_CASE("stepping three walkers down gives what all existing paths in pairs give, on rings that wrap and do not") {
    struct Shape {
        int extent;
        std::vector<Vector> kernels;
    };
    const std::vector<Shape> shapes{{5, {{1, 2, -1}}},
                                    {7, {{1, 2, -1}, {0.5, 1, 1}}},
                                    {9, {{1, 1, 1}, {0.5, 1, -2}}},
                                    {4, {{1, 2, -1}, {0.5, 1, 1}}},
                                    {3, {{1, 2, 3}, {1, -1, 1}, {2, 1, 1}}},
                                    {7, {{1, 2, -1}, {0.5, 1, 1}, {1, 0.3, 1}}},
                                    {7, {{1, 1, 1, 1, 2}, {1}, {1, -1, 0.4}}},
                                    {6, {{1, 1, 1, 1, 2}, {1, -1, 0.4}}}};
    for (const auto& shape : shapes)
        for (const double nu : {0.0, 0.2, 0.7, 1.0}) {
            const auto n = static_cast<Size>(shape.extent);
            std::vector<Matrix> features;
            for (const auto& kernel : shape.kernels) features.push_back(slow::ringFeatures(shape.extent, kernel));
            Matrix top(n, 1);
            top(n / 2, 0) = 1;
            INFO(n << " positions, " << features.size() << " layers, ν = " << nu);
            const auto slowly = slow::continuumCapacity(identityMatrix(n), features, top, Vector(features.size(), nu), true);
            CHECK(largestDifference(continuumRing({shape.extent, shape.kernels}, nu)[0].capacity, slowly) < 1e-9);
        }
}

TEST_CASE("the ends are the two walks that can be written down: squares convolved, and convolutions squared") {
    for (const Vector& kernel : {Vector{1, 1, 1}, Vector{0.2, 1, 0.2}})
        for (const int extent : {9, 33, 256}) {
            const ContinuumRing ring{extent, std::vector<Vector>(8, kernel)};
            CHECK(largestDifference(continuumRing(ring, 0)[0].capacity, diffusedCapacity(ring)) < 1e-14);
            CHECK(largestDifference(continuumRing(ring, 1)[0].capacity, linearNetworkCapacity(ring)) < 1e-14);
        }
}

TEST_CASE("capacities of layers start at the top unit and end at the inputs") {
    const ContinuumRing ring{15, {{1, 2, 1}, {1, 1, 0.5}, {0.1, 1, 1}}};
    const auto layers = continuumRing(ring, 0.4);
    REQUIRE(layers.size() == 4);
    Vector dirac(15);
    dirac[7] = 1;
    CHECK(layers[3].capacity == dirac);
    // One layer spreads as the squares of its kernel whatever ν: every input it reads is read by as many units.
    CHECK(layers[2].capacity[6] == doctest::Approx(0.01 / 2.01));
    CHECK(layers[2].capacity[8] == doctest::Approx(1 / 2.01));
}

TEST_CASE("one pass gives every layer what the layers above it alone give, on rings that wrap and do not") {
    for (const int extent : {5, 9, 64}) {
        const ContinuumRing ring{extent, {{1, -2, 0.5}, {0.3, 1, 1, 0.5, 0.1}, {1}, {0.2, 1, 0.4}, {1, 0.5, 2}}};
        const auto layers = continuumRing(ring, 0.3);
        REQUIRE(layers.size() == 6);
        for (Size l = 0; l < 5; ++l) {
            INFO(extent << " positions, layer " << l);
            const ContinuumRing above{extent, {ring.kernels.begin() + static_cast<std::ptrdiff_t>(l), ring.kernels.end()}};
            const auto alone = continuumRing(above, 0.3)[0];
            CHECK(layers[l].variance == doctest::Approx(alone.variance).epsilon(1e-12));
            for (Size i = 0; i < alone.capacity.size(); ++i) CHECK(std::abs(layers[l].capacity[i] - alone.capacity[i]) < 1e-14);
        }
    }
}

TEST_CASE("rings that cannot be are refused, those too large to follow by their cost") {
    CHECK(isOneSentence(refusal([] { continuumRing({9, {{1, 1}}}, 0.5); })));
    CHECK(isOneSentence(refusal([] { continuumRing({0, {{1}}}, 0.5); })));
    CHECK(isOneSentence(refusal([] { continuumRing({3, {{1, 1, 1, 1, 1}}}, 0.5); })));
    CHECK(isOneSentence(refusal([] { continuumRing(uniform(9, 2), 1.5); })));
    CHECK(isOneSentence(refusal([] { continuumRing(uniform(100000, 2000), 0.5); })));
    CHECK(continuumRingOperations(uniform(257, 64)) < kMaxRingOperations);
}
