#include "core/base/gaussians.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace kappaflow {
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
