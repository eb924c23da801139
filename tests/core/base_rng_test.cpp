#include "core/base/rng.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/bits.h"

using namespace kappaflow;

// Known answers: tests/reference/rng_vectors.py, a second implementation. This program also runs as wasm, so equality here is equality of
// platforms.

TEST_CASE("every key has its own bits, the same on every platform") {
    struct Known {
        std::uint64_t seed, purpose, index, bits[4];
    };
    const Known known[] = {
        {0, 1, 0, {0xbbffa8ffe929e2d3u, 0xefd6cff7897fb2beu, 0x303aded65023e025u, 0xd0f3ce571e859591u}},
        {1, 1, 0, {0xc68bb811f588f93fu, 0xb63172321142685du, 0xafcb9fac2362c358u, 0x1352bc2257b4be5fu}},
        {0, 2, 0, {0x4792cda21248fdb0u, 0x6f3ad52830d15403u, 0x859b2ad2c98f49efu, 0x561e0b48cda7ae2du}},
        {0, 1, 1, {0xc62e3712f701cef0u, 0x1660571d826ab204u, 0xd25fedb1f4d8399eu, 0xdc2eae140ec90bafu}},
        {~std::uint64_t{0},
         7,
         std::uint64_t{1} << 63,
         {0xa2b71fdd8f55e86cu, 0x4cc07d57f5fa9c40u, 0xcf609253860912e8u, 0x43d469a0f645f1afu}},
    };
    for (const Known& k : known) {
        Rng rng(k.seed, static_cast<Purpose>(k.purpose), k.index);
        for (std::uint64_t bits : k.bits) CHECK(rng.bits() == bits);
    }
}

TEST_CASE("splitmix64 gives the published sequence of seed 0") {
    std::uint64_t x = 0;
    CHECK(splitmix64(x) == 0xe220a8397b1dcdafu);
    CHECK(splitmix64(x) == 0x6e789e6aa1b965f4u);
    CHECK(splitmix64(x) == 0x06c45d188009454fu);
}

TEST_CASE("uniform numbers, gaussians and weights are the same doubles on every platform") {
    Rng uniform(42, Purpose::Inputs, 3);
    for (double known : {0x1.7aaefb272546ap-1, 0x1.02fe39c51879cp-2, 0x1.39b4b92fd1f20p-4, 0x1.2f278b0c6c99ap-1})
        CHECK(uniform.uniform() == known);
    Rng gaussian(42, Purpose::Weights, 3);
    for (double known : {0x1.29914c4de292bp-2, -0x1.6337bdb3d5e25p-3, 0x1.4261f2bbef9e3p-2, -0x1.5b2bd6a2d20f6p+1, 0x1.6b7a2fc71e00fp-1,
                         0x1.45c53d4ee93d9p-1, 0x1.f449911dd2921p-5, 0x1.6f43fec45d04ep-1})
        CHECK(gaussian.gaussian() == known);
    Rng weights(42, Purpose::Weights, 3);
    for (double known : {0x1.29914c0000000p-5, -0x1.6337be0000000p-6, 0x1.4261f20000000p-5, -0x1.5b2bd60000000p-2})
        CHECK(drawWeight(weights, 0.125) == known);
}

TEST_CASE("100000 gaussians agree bit for bit") {
    Rng rng(42, Purpose::Weights, 3);
    std::uint64_t checksum = 0;
    for (int i = 0; i < 100000; ++i) checksum = checksum * 31 + bitsOf(rng.gaussian());
    CHECK(checksum == 0x5e7ae74ac7306714u);
}

TEST_CASE("the portable logarithm gives known bits and stays within 2 ulp of the library's") {
    CHECK(portableLog(0.1) == -0x1.26bb1bbb55515p+1);
    CHECK(portableLog(0x1.6a09e667f3bccp-1) == -0x1.62e42fefa39f1p-2);
    CHECK(portableLog(3.0) == 0x1.193ea7aad030bp+0);
    CHECK(portableLog(0x1.e42d130773b76p+1023) == 0x1.62dd08fdc6f88p+9);
    CHECK(portableLog(1.0) == 0);

    Rng rng(1, Purpose::MonteCarlo);
    const auto ulps = [](double x) {
        const double exact = std::log(x);
        return std::abs(portableLog(x) - exact) / (std::nextafter(std::abs(exact), INFINITY) - std::abs(exact));
    };
    double worst = 0;
    for (int i = 0; i < 200000; ++i) {
        worst = std::max(worst, ulps(1 - rng.uniform()));                 // (0, 1]
        worst = std::max(worst, ulps(1 + (rng.uniform() - 0.5) * 1e-3));  // about 1, where the result is small
        worst = std::max(worst, ulps(std::ldexp(1 + rng.uniform(), static_cast<int>(rng.below(2000)) - 1000)));  // every exponent
    }
    CHECK(worst <= 2);
}

TEST_CASE("a stream does not depend on what others drew, or when") {
    Rng a(7, Purpose::Weights, 0), b(7, Purpose::Weights, 1);
    std::vector<double> together;
    for (int i = 0; i < 50; ++i) {
        together.push_back(a.gaussian());
        b.gaussian();
    }
    Rng alone(7, Purpose::Weights, 0);
    for (double value : together) CHECK(alone.gaussian() == value);
}

TEST_CASE("streams of neighbouring seeds, purposes and indices are uncorrelated") {
    constexpr int kDraws = 20000;
    const auto correlation = [](Rng a, Rng b) {
        double sum = 0;
        for (int i = 0; i < kDraws; ++i) sum += a.gaussian() * b.gaussian();
        return sum / kDraws;
    };
    // The mean of 20000 products of independent gaussians has standard deviation 1/√20000 = 0.0071; the bound is 5 of them.
    const double bound = 5 / std::sqrt(static_cast<double>(kDraws));
    for (std::uint64_t k = 0; k < 8; ++k) {
        CHECK(std::abs(correlation(Rng(k, Purpose::Weights, 5), Rng(k + 1, Purpose::Weights, 5))) < bound);
        CHECK(std::abs(correlation(Rng(5, Purpose::Weights, k), Rng(5, Purpose::Weights, k + 1))) < bound);
        CHECK(std::abs(correlation(Rng(5, Purpose::Weights, k), Rng(5, Purpose::Biases, k))) < bound);
    }
}

TEST_CASE("gaussians have the moments of N(0, 1)") {
    constexpr int kDraws = 400000;
    Rng rng(3, Purpose::MonteCarlo);
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0, lag = 0, previous = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double z = rng.gaussian();
        m1 += z, m2 += z * z, m3 += z * z * z, m4 += z * z * z * z, lag += z * previous;
        previous = z;
    }
    // Standard deviations of the means over 400000 draws: √(1, 2, 15, 96, 1)/√n; bounds are 4 of them.
    const double unit = 4 / std::sqrt(static_cast<double>(kDraws));
    CHECK(std::abs(m1 / kDraws) < unit);
    CHECK(std::abs(m2 / kDraws - 1) < unit * std::sqrt(2.0));
    CHECK(std::abs(m3 / kDraws) < unit * std::sqrt(15.0));
    CHECK(std::abs(m4 / kDraws - 3) < unit * std::sqrt(96.0));
    CHECK(std::abs(lag / kDraws) < unit);
}

TEST_CASE("uniform numbers lie in [0, 1) with mean 1/2 and variance 1/12") {
    constexpr int kDraws = 200000;
    Rng rng(4, Purpose::MonteCarlo);
    double sum = 0, squares = 0;
    bool inside = true;
    for (int i = 0; i < kDraws; ++i) {
        const double u = rng.uniform();
        inside = inside && u >= 0 && u < 1;
        sum += u, squares += (u - 0.5) * (u - 0.5);
    }
    CHECK(inside);
    // Deviations √(1/12) and √(1/180) over √200000; bounds are 4 of them.
    CHECK(std::abs(sum / kDraws - 0.5) < 4 * std::sqrt(1 / 12.0 / kDraws));
    CHECK(std::abs(squares / kDraws - 1 / 12.0) < 4 * std::sqrt(1 / 180.0 / kDraws));
}

TEST_CASE("below(n) gives every residue equally often and never n") {
    constexpr int kDraws = 60000;
    for (std::uint64_t n : {1u, 2u, 3u, 7u, 10u}) {
        Rng rng(n, Purpose::MonteCarlo);
        std::vector<int> counts(n, 0);
        for (int i = 0; i < kDraws; ++i) ++counts.at(rng.below(n));
        const double p = 1.0 / static_cast<double>(n);
        // A count is binomial; the bound is 5 standard deviations.
        for (int count : counts) CHECK(std::abs(count - kDraws * p) <= 5 * std::sqrt(kDraws * p * (1 - p)));
    }
    // For n = 3·2^62 the remainder alone would make the lowest third of the residues twice as likely as the others.
    Rng rng(9, Purpose::MonteCarlo);
    const std::uint64_t n = (std::uint64_t{1} << 63) + (std::uint64_t{1} << 62);
    int low = 0;
    for (int i = 0; i < kDraws; ++i) low += rng.below(n) < n / 3;
    CHECK(std::abs(low - kDraws / 3.0) < 5 * std::sqrt(kDraws * 2 / 9.0));
}

TEST_CASE("signs are fair") {
    Rng rng(2, Purpose::Signs);
    double sum = 0;
    for (int i = 0; i < 40000; ++i) sum += rng.sign();
    CHECK(std::abs(sum) < 4 * std::sqrt(40000.0));
}
