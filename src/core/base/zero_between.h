#pragma once
#include <cmath>

namespace kappaflow {

/// Zero of f between a and b, where its values fa and fb differ in sign: regula falsi with the Illinois halving (Dowell and Jarratt
/// 1971), to 1e-13 of the function within a dozen values, at most 40.
template <class Function>
double zeroBetween(Function&& f, double a, double fa, double b, double fb) {
    constexpr int kMostAsked = 40;
    int side = 0;
    for (int asked = 1;; ++asked) {
        const double x = fa == fb ? b : (a * fb - b * fa) / (fb - fa), value = f(x);
        const bool upper = (value > 0) == (fb > 0);
        if (upper) {
            b = x, fb = value;
            if (side > 0) fa /= 2;
        } else {
            a = x, fa = value;
            if (side < 0) fb /= 2;
        }
        side = upper ? 1 : -1;
        if (std::abs(value) <= 1e-13 || std::abs(b - a) <= 1e-15 || asked == kMostAsked) return x;
    }
}

}  // namespace kappaflow
