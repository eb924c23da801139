#include "core/base/rng.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace kappaflow {

std::uint64_t splitmix64(std::uint64_t& x) {
    std::uint64_t z = (x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

Rng::Rng(std::uint64_t seed, Purpose purpose, std::uint64_t index) {
    // The three keys pass through the mixer one after the other, so that neighbouring seeds and indices share nothing.
    std::uint64_t x = seed;
    x = splitmix64(x) ^ static_cast<std::uint64_t>(purpose);
    x = splitmix64(x) ^ index;
    for (auto& word : state_) word = splitmix64(x);
}

std::uint64_t Rng::bits() {
    auto& s = state_;
    const std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = std::rotl(s[3], 45);
    return result;
}

double Rng::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double Rng::gaussian() {
    if (hasSpare_) {
        hasSpare_ = false;
        return spare_;
    }
    double u, v, r2;
    do {
        u = 2 * uniform() - 1;
        v = 2 * uniform() - 1;
        r2 = u * u + v * v;
    } while (r2 >= 1 || r2 == 0);
    const double factor = std::sqrt(-2 * portableLog(r2) / r2);
    spare_ = v * factor;
    hasSpare_ = true;
    return u * factor;
}

std::uint64_t Rng::below(std::uint64_t n) {
    // Rejecting the last incomplete run of multiples keeps every residue equally likely.
    const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % n + 1) % n;
    std::uint64_t x;
    do x = bits();
    while (x > limit);
    return x % n;
}

double portableLog(double x) {
    // x = m 2^e with m in [1/sqrt 2, sqrt 2); log m = 2 atanh(s), s = (m-1)/(m+1), |s| < 0.172: the odd series to s^23 leaves 2e-19.
    int e = 0;
    double m = std::frexp(x, &e);
    if (m < 0.70710678118654752440) {
        m *= 2;
        --e;
    }
    const double s = (m - 1) / (m + 1);
    const double s2 = s * s;
    double sum = 0;
    for (int k = 23; k >= 3; k -= 2) sum = (sum + 1.0 / k) * s2;
    constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
    return e * kLn2High + (2 * s + (2 * s * sum + e * kLn2Low));
}

double drawWeight(Rng& rng, double scale) { return static_cast<double>(static_cast<float>(rng.gaussian() * scale)); }

namespace {

constexpr std::size_t kBlock = 32;  ///< pairs

struct Pairs {
    double u[kBlock], v[kBlock], square[kBlock];
    double mantissa[kBlock], exponent[kBlock];  ///< of the square, the mantissa in [1/√2, √2)
};

/// What std::frexp does to a positive normal number and portableLog then to its mantissa, without branches.
void split(double x, double& mantissa, double& exponent) {
    constexpr std::uint64_t kHalf = 0x3fe0000000000000u, kRootHalf = 0x3fe6a09e667f3bcdu;  ///< the bits of 1/2 and 1/√2
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const std::uint64_t half = (bits & 0xfffffffffffffu) | kHalf, small = half < kRootHalf;
    const std::uint64_t scaled = half + (small << 52);
    std::memcpy(&mantissa, &scaled, sizeof mantissa);
    exponent = static_cast<double>(static_cast<int>(bits >> 52) - 1022 - static_cast<int>(small));
}

/// A rejected pair is written over by the next one, which is quicker than to branch.
void drawPairs(Rng& rng, Pairs& p) {
    for (std::size_t i = 0; i < kBlock;) {
        const double u = 2 * rng.uniform() - 1, v = 2 * rng.uniform() - 1, square = u * u + v * v;
        p.u[i] = u, p.v[i] = v, p.square[i] = square;
        i += static_cast<std::size_t>(square < 1) & static_cast<std::size_t>(square != 0);
    }
    for (std::size_t i = 0; i < kBlock; ++i) split(p.square[i], p.mantissa[i], p.exponent[i]);
}

/// portableLog's series and the polar method's factor; the same operations in the same order. The series is written out and the root
/// taken in a loop of its own, so that compilers take several pairs at once.
void scalePairs(const Pairs& p, double* values) {
    constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
    double factor[kBlock];
    for (std::size_t i = 0; i < kBlock; ++i) {
        const double s = (p.mantissa[i] - 1) / (p.mantissa[i] + 1), s2 = s * s;
        double sum = (1.0 / 23) * s2;
        sum = (sum + 1.0 / 21) * s2;
        sum = (sum + 1.0 / 19) * s2;
        sum = (sum + 1.0 / 17) * s2;
        sum = (sum + 1.0 / 15) * s2;
        sum = (sum + 1.0 / 13) * s2;
        sum = (sum + 1.0 / 11) * s2;
        sum = (sum + 1.0 / 9) * s2;
        sum = (sum + 1.0 / 7) * s2;
        sum = (sum + 1.0 / 5) * s2;
        sum = (sum + 1.0 / 3) * s2;
        const double log = p.exponent[i] * kLn2High + (2 * s + (2 * s * sum + p.exponent[i] * kLn2Low));
        factor[i] = -2 * log / p.square[i];
    }
    for (std::size_t i = 0; i < kBlock; ++i) {
        const double root = std::sqrt(factor[i]);
        values[2 * i] = p.u[i] * root;
        values[2 * i + 1] = p.v[i] * root;
    }
}

}  // namespace

void fillGaussian(Rng& rng, double* values, std::size_t count) {
    Pairs pairs;
    for (; count >= 2 * kBlock; count -= 2 * kBlock, values += 2 * kBlock) {
        drawPairs(rng, pairs);
        scalePairs(pairs, values);
    }
    for (std::size_t i = 0; i < count; ++i) values[i] = rng.gaussian();
}

}  // namespace kappaflow
