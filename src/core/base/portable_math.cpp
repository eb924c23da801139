#include "core/base/portable_math.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/base/rng.h"

namespace kappaflow {
namespace {

/// 2^k for −1022 <= k <= 1023.
double powerOfTwo(int k) {
    const std::uint64_t bits = static_cast<std::uint64_t>(k + 1023) << 52;
    double power;
    std::memcpy(&power, &bits, sizeof power);
    return power;
}

}  // namespace

double portableExp(double x) {
    if (std::isnan(x)) return x;
    if (x < -708) return 0;
    if (x > 709) return std::numeric_limits<double>::infinity();
    // x = k ln 2 + r with |r| <= 0.347, where the series to r^13 leaves 4e-18.
    constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10, kPerLn2 = 1.44269504088896340736;
    const double k = std::floor(x * kPerLn2 + 0.5);
    const double r = (x - k * kLn2High) - k * kLn2Low;
    static constexpr double kInverse[] = {1.0,     1.0 / 2, 1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6, 1.0 / 7,
                                          1.0 / 8, 1.0 / 9, 1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13};
    double sum = 1;
    for (int n = 12; n >= 0; --n) sum = 1 + sum * (r * kInverse[n]);
    return sum * powerOfTwo(static_cast<int>(k));
}

double portableSoftplus(double x) { return (x > 0 ? x : 0) + portableLog(1 + portableExp(-std::abs(x))); }

double portableSigmoid(double x) {
    const double e = portableExp(-std::abs(x));
    return (x >= 0 ? 1 : e) / (1 + e);
}

double portableTanh(double x) {
    const double e = portableExp(-2 * std::abs(x));
    const double t = (1 - e) / (1 + e);
    return x < 0 ? -t : t;
}

double portableNormal(double x) {
    if (std::isnan(x)) return x;
    if (std::abs(x) > 9) return x > 0 ? 1 : 0;
    double term = x, sum = x;
    for (double n = 3; std::abs(term) > 1e-17 * std::abs(sum); n += 2) sum += term *= x * x / n;
    return 0.5 + 0.398942280401432677939946 * portableExp(-x * x / 2) * sum;  // 1/√(2π)
}

SineCosine portableSineCosine(double angle) {
    // angle = k π/2 + r with |r| <= π/4, where fdlibm's minimax polynomials (Sun Microsystems, 1993) err by less than an ulp.
    constexpr double kHalfPiHigh = 1.57079632673412561417, kHalfPiLow = 6.07710050650619224932e-11, kPerHalfPi = 0.636619772367581343076;
    const double k = std::floor(angle * kPerHalfPi + 0.5);
    const double r = (angle - k * kHalfPiHigh) - k * kHalfPiLow, r2 = r * r;
    const double s = -1.66666666666666324348e-01 +
                     r2 * (8.33333333332248946124e-03 +
                           r2 * (-1.98412698298579493134e-04 +
                                 r2 * (2.75573137070700676789e-06 + r2 * (-2.50507602534068634195e-08 + r2 * 1.58969099521155010221e-10))));
    const double c = 4.16666666666666019037e-02 +
                     r2 * (-1.38888888888741095749e-03 +
                           r2 * (2.48015872894767294178e-05 + r2 * (-2.75573143513906633035e-07 +
                                                                    r2 * (2.08757232129817482790e-09 + r2 * -1.13596475577881948265e-11))));
    const double sine = r + r * r2 * s, cosine = 1 - (0.5 * r2 - r2 * r2 * c);
    switch (static_cast<long long>(k) & 3) {
        case 1:
            return {cosine, -sine};
        case 2:
            return {-sine, -cosine};
        case 3:
            return {-cosine, sine};
        default:
            return {sine, cosine};
    }
}

Polar portablePolar(double x, double y) {
    const double up = std::abs(y), along = std::abs(x), largest = up > along ? up : along;
    if (!(largest > 0)) return {0, 0};
    // In the first octant to 0.004 (A. Ukil et al., 2011); turned back by that, what is left is its own series to the fifth power.
    const double ratio = (up < along ? up : along) / largest, octant = ratio * (0.7853981633974483 + 0.273 * (1 - ratio));
    double angle = up > along ? 1.5707963267948966 - octant : octant;
    const SineCosine turn = portableSineCosine(angle);
    const double u = up / largest, a = along / largest;
    const double d = (u * turn.cosine - a * turn.sine) / (a * turn.cosine + u * turn.sine), d2 = d * d;
    angle += d * (1 - d2 * (1.0 / 3 - d2 / 5));
    if (x < 0) angle = 3.141592653589793 - angle;
    return {largest * std::sqrt(u * u + a * a), y < 0 ? -angle : angle};
}

}  // namespace kappaflow
