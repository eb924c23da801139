#include <cmath>

#include "core/expressivity/curve_pieces.h"

namespace kappaflow {
namespace {

struct SineCosine {
    double sine, cosine;
};

/// On |x| <= π/4: the minimax polynomials of fdlibm (Sun Microsystems, 1993), errors below an ulp.
SineCosine nearZero(double x) {
    const double z = x * x;
    const double s = -1.66666666666666324348e-01 +
                     z * (8.33333333332248946124e-03 +
                          z * (-1.98412698298579493134e-04 +
                               z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));
    const double c = 4.16666666666666019037e-02 +
                     z * (-1.38888888888741095749e-03 +
                          z * (2.48015872894767294178e-05 +
                               z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
    return {x + x * z * s, 1 - (0.5 * z - z * z * c)};
}

/// sin and cos from + − * and rounding alone, so that native code and wasm see the same curve to the bit; |t| up to some thousands.
SineCosine sineCosine(double t) {
    // π/2 in two parts: the first has 33 bits, so that quarters·first is exact.
    constexpr double kFirst = 1.57079632673412561417, kSecond = 6.07710050650619224932e-11;
    const double quarters = std::nearbyint(t * 0.636619772367581343076);
    const SineCosine at = nearZero((t - quarters * kFirst) - quarters * kSecond);
    switch (static_cast<long long>(quarters) & 3) {
        case 0:
            return at;
        case 1:
            return {at.cosine, -at.sine};
        case 2:
            return {-at.sine, -at.cosine};
        default:
            return {-at.cosine, at.sine};
    }
}

}  // namespace

void basisAt(CurveForm form, double t, double* basis) {
    if (form == CurveForm::Segment) {
        basis[0] = t;
        basis[1] = 1;
        return;
    }
    const SineCosine at = sineCosine(t);
    basis[0] = at.cosine;
    basis[1] = at.sine;
    basis[2] = 1;
}

void basisSlopeAt(CurveForm form, double t, double* basis) {
    if (form == CurveForm::Segment) {
        basis[0] = 1;
        basis[1] = 0;
        return;
    }
    const SineCosine at = sineCosine(t);
    basis[0] = -at.sine;
    basis[1] = at.cosine;
    basis[2] = 0;
}

}  // namespace kappaflow
