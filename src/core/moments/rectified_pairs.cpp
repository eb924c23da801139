#include "core/moments/rectified_pairs.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kappaflow {
namespace {

constexpr double kPi = std::numbers::pi;

struct Angle {
    double theta, cosine, sine;
};
Angle angleOf(double cosine) {
    const double c = std::clamp(cosine, -1.0, 1.0);
    return {std::acos(c), c, std::sqrt((1 - c) * (1 + c))};
}

}  // namespace

double bothPositive(double cosine) { return (kPi - angleOf(cosine).theta) / (2 * kPi); }

double rectifiedSquares(double cosine) {
    const Angle a = angleOf(cosine);
    return (3 * a.sine * a.cosine + (kPi - a.theta) * (1 + 2 * a.cosine * a.cosine)) / (2 * kPi);
}

double oppositeParts(double cosine) {
    const Angle a = angleOf(cosine);
    // The difference of two nearly equal numbers where θ is small: θ³/3 is the first term that stays.
    if (a.theta < 1e-2) return a.theta * a.theta * a.theta * (1 - a.theta * a.theta / 10) / (6 * kPi);
    return (a.sine - a.theta * a.cosine) / (2 * kPi);
}

}  // namespace kappaflow
