#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "support/bits.h"

using namespace kappaflow;

namespace {

/// 2000 numbers over the whole range a function is told to be good for, and close to 0.
template <class Check>
void tryNumbers(double reach, Check&& check) {
    Rng rng(5, Purpose::Data);
    for (int i = 0; i < 2000; ++i) check(reach * (2 * rng.uniform() - 1) * (i % 2 ? 1 : 1e-3));
}

}  // namespace

TEST_CASE("the portable exponential agrees with the library's to a few last bits") {
    tryNumbers(700, [](double x) { CHECK(std::abs(portableExp(x) / std::exp(x) - 1) < 1e-15); });
    CHECK(portableExp(0) == 1);
    CHECK(portableExp(-1e308) == 0);
    CHECK(std::isinf(portableExp(1e308)));
    CHECK(std::isnan(portableExp(std::numeric_limits<double>::quiet_NaN())));
    CHECK(std::isinf(portableExp(std::numeric_limits<double>::infinity())));
}

TEST_CASE("sigmoid, softplus and tanh agree with their definitions, large arguments included") {
    tryNumbers(30, [](double x) {
        CHECK(std::abs(portableSigmoid(x) - 1 / (1 + std::exp(-x))) < 1e-15);
        CHECK(std::abs(portableTanh(x) - std::tanh(x)) < 1e-15);
        CHECK(std::abs(portableSoftplus(x) - std::log1p(std::exp(x))) < 1e-15 * (1 + std::abs(x)));
    });
    for (const double x : {1e3, 1e300, std::numeric_limits<double>::infinity()}) {
        CHECK(portableSigmoid(x) == 1);
        CHECK(portableSigmoid(-x) == 0);
        CHECK(portableTanh(-x) == -1);
        CHECK(portableSoftplus(x) == x);
        CHECK(portableSoftplus(-x) == 0);
    }
}

TEST_CASE("sine and cosine agree with the library's for many turns") {
    tryNumbers(1000, [](double x) {
        const SineCosine at = portableSineCosine(x);
        CHECK(std::abs(at.sine - std::sin(x)) < 1e-15);
        CHECK(std::abs(at.cosine - std::cos(x)) < 1e-15);
    });
}

TEST_CASE("length and angle agree with the library's in every direction, at every size") {
    const auto check = [](double x, double y) {
        CAPTURE(x);
        CAPTURE(y);
        const Polar at = portablePolar(x, y);
        CHECK(std::abs(at.radius / std::hypot(x, y) - 1) < 1e-15);
        CHECK(std::abs(at.angle - std::atan2(y, x)) < 1e-15);
    };
    tryNumbers(1000, [&](double x) {
        for (const double size : {1.0, 1e-300, 1e300}) check(size * std::cos(x), size * std::sin(x));
        if (x != 0) check(x, 1), check(1, x), check(-1e-9, x);
    });
    check(1, 0), check(-1, 0), check(0, 1), check(0, -1), check(1, 1), check(-1, -1);
    CHECK(portablePolar(0, 0).radius == 0);
    CHECK(portablePolar(0, 0).angle == 0);
}

// Recorded from one platform: another must not differ in a bit.
TEST_CASE("portable functions give these bits everywhere") {
    std::uint64_t mixed = 0;
    tryNumbers(20, [&](double x) {
        const SineCosine at = portableSineCosine(x);
        for (const double y :
             {portableExp(x), portableSoftplus(x), portableSigmoid(x), portableTanh(x), at.sine, at.cosine, portablePolar(x, 1).angle}) {
            mixed ^= bitsOf(y);
            mixed = splitmix64(mixed);
        }
    });
    CHECK(mixed == 4991119212895189332u);
}
