#include "draw/axis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kappaflow {
namespace {

constexpr double kLargest = 1e300;
constexpr double kLeastPositive = 1e-300;

void widenLinear(AxisSpec& axis) {
    const double size = std::max(std::abs(axis.lo), std::abs(axis.hi));
    if (axis.hi - axis.lo > 1e-12 * size && axis.hi - axis.lo > 1e-305) return;
    const double middle = 0.5 * axis.lo + 0.5 * axis.hi;
    const double half = axis.whole || size < 1e-290 ? 0.5 : 0.1 * size;
    axis.lo = std::max(middle - half, -kLargest), axis.hi = std::min(middle + half, kLargest);
}

void makePositive(AxisSpec& axis) {
    if (!(axis.hi > 0)) axis.lo = 0.1, axis.hi = 1;
    axis.hi = std::max(axis.hi, kLeastPositive * 10);
    // Nothing at or below zero has a place: three decades show what there is.
    if (!(axis.lo > 0)) axis.lo = axis.hi * 1e-3;
    axis.lo = std::max(axis.lo, kLeastPositive);
    if (axis.hi / axis.lo > 1 + 1e-9) return;
    axis.lo /= 3, axis.hi *= 3;
}

double transform(const AxisSpec& axis, double value) {
    if (axis.scale == Scale::Asinh) return std::asinh(value / kAsinhUnit);
    return axis.scale == Scale::Log ? std::log10(value) : value;
}

}  // namespace

AxisSpec usableAxis(AxisSpec axis) {
    if (std::isnan(axis.lo)) axis.lo = std::isnan(axis.hi) ? 0 : axis.hi;
    if (std::isnan(axis.hi)) axis.hi = axis.lo;
    if (axis.lo > axis.hi) std::swap(axis.lo, axis.hi);
    axis.lo = std::clamp(axis.lo, -kLargest, kLargest), axis.hi = std::clamp(axis.hi, -kLargest, kLargest);
    if (axis.scale == Scale::Log)
        makePositive(axis);
    else
        widenLinear(axis);
    return axis;
}

double axisPlace(const AxisSpec& axis, double value) {
    if (axis.scale == Scale::Log && !(value > 0)) return std::numeric_limits<double>::quiet_NaN();
    const double lo = transform(axis, axis.lo), hi = transform(axis, axis.hi);
    const double place = (transform(axis, value) - lo) / (hi - lo);
    return axis.reversed ? 1 - place : place;
}

double axisValue(const AxisSpec& axis, double place) {
    const double lo = transform(axis, axis.lo), hi = transform(axis, axis.hi), t = axis.reversed ? 1 - place : place;
    // The ends exactly: log10 and back would miss them by an ulp.
    if (t == 0) return axis.lo;
    if (t == 1) return axis.hi;
    const double value = lo + t * (hi - lo);
    if (axis.scale == Scale::Asinh) return kAsinhUnit * std::sinh(value);
    return axis.scale == Scale::Log ? std::pow(10, value) : value;
}

}  // namespace kappaflow
