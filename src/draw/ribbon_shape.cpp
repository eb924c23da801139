#include "draw/ribbon_shape.h"

#include <algorithm>
#include <cmath>

namespace kappaflow {

RibbonShape shapeOf(const Ribbon& ribbon, Vec2 axis, int segments) {
    constexpr double kSteepest = 0.35;  // as in the shader
    const Vec2 span = ribbon.to - ribbon.from, across{-axis.y, axis.x};
    const Vec2 reach = axis * (0.5 * (span.x * axis.x + span.y * axis.y));
    const Vec2 first = ribbon.from + reach, second = ribbon.to - reach;
    RibbonShape shape;
    for (int i = 0; i <= segments; ++i) {
        const double t = static_cast<double>(i) / segments, s = 1 - t;
        const Vec2 at = ribbon.from * (s * s * s) + first * (3 * s * s * t) + second * (3 * s * t * t) + ribbon.to * (t * t * t);
        const Vec2 slope = (first - ribbon.from) * (s * s) + (second - first) * (2 * s * t) + (ribbon.to - second) * (t * t);
        const double along = std::abs(slope.x * axis.x + slope.y * axis.y) / std::max(std::hypot(slope.x, slope.y), 1e-6);
        const Vec2 half = across * (0.5 * (ribbon.widthFrom * s + ribbon.widthTo * t) / std::max(along, kSteepest));
        shape.upper.push_back(at - half);
        shape.middle.push_back(at);
        shape.lower.push_back(at + half);
    }
    return shape;
}

}  // namespace kappaflow
