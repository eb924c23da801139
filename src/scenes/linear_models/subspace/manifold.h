#pragma once
#include <array>
#include <cstddef>

#include "core/base/portable_math.h"
#include "scene/param.h"

namespace kappaflow::subspace {

/// Coordinates of coefficients, errors and directions; in two dimensions the third is 0.
using Point = std::array<double, 3>;

inline Point plus(Point a, const Point& b, double scale) {
    for (std::size_t i = 0; i < 3; ++i) a[i] += scale * b[i];
    return a;
}
inline double dotOf(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

enum class Shape { Parabola, Wave, Surface };

/// The models A_w in two or three dimensions, in closed form: what the model descends on and the picture draws.
///   parabola  (w, b(w² − ½))       (w, b(w² − ½), bw³/2)
///   wave      (w, b(w³ − w))       (w, b(w³ − w), b(w² − ½))
///   surface   (w₁, w₂)             (w₁, w₂, b w₁w₂)
struct Manifold {
    Shape shape = Shape::Parabola;
    bool spatial = false;
    double bend = 1;

    std::size_t dimension() const { return spatial ? 3 : 2; }
    std::size_t parameters() const { return shape == Shape::Surface ? 2 : 1; }

    Point at(const Point& w) const {
        const double u = w[0], depth = spatial ? bend : 0;
        if (shape == Shape::Surface) return {u, w[1], depth * u * w[1]};
        const double bowl = u * u - 0.5, swing = u * u * u - u;
        if (shape == Shape::Wave) return {u, bend * swing, depth * bowl};
        return {u, bend * bowl, depth * u * u * u / 2};
    }
    /// ∂A/∂w_j.
    Point tangent(const Point& w, std::size_t j) const {
        const double u = w[0], depth = spatial ? bend : 0;
        if (shape == Shape::Surface) return j == 0 ? Point{1, 0, depth * w[1]} : Point{0, 1, depth * u};
        if (shape == Shape::Wave) return {1, bend * (3 * u * u - 1), depth * 2 * u};
        return {1, bend * 2 * u, depth * 1.5 * u * u};
    }
    /// ∂²A/∂w_j∂w_k.
    Point second(const Point& w, std::size_t j, std::size_t k) const {
        const double u = w[0], depth = spatial ? bend : 0;
        if (shape == Shape::Surface) return {0, 0, j == k ? 0 : depth};
        if (shape == Shape::Wave) return {0, bend * 6 * u, depth * 2};
        return {0, bend * 2, depth * 3 * u};
    }
};

inline Manifold manifoldOf(const Values& v) {
    const Shape shape = v.is("curve", "surface") ? Shape::Surface : v.is("curve", "wave") ? Shape::Wave : Shape::Parabola;
    return {shape, v.is("dimension", "3"), v.number("bend")};
}

inline Point targetOf(const Values& v) {
    return {v.number("target1"), v.number("target2"), v.is("dimension", "3") ? v.number("target3") : 0};
}

/// Σ_ij = ρ^|i−j| times a vector.
inline Point covarianceTimes(double rho, const Point& x, bool spatial) {
    const double far = spatial ? x[2] : 0;
    return {x[0] + rho * x[1] + rho * rho * far, rho * x[0] + x[1] + rho * far, spatial ? rho * rho * x[0] + rho * x[1] + far : 0};
}

/// The unit vector that S is drawn by, from its angle in the plane of the first two axes and its height above it, in degrees.
inline Point directionOf(double angle, double height) {
    constexpr double kDegree = 0.017453292519943295;
    const SineCosine turn = portableSineCosine(angle * kDegree), rise = portableSineCosine(height * kDegree);
    return {turn.cosine * rise.cosine, turn.sine * rise.cosine, rise.sine};
}
inline Point directionOf(const Values& v) { return directionOf(v.number("angle"), v.is("dimension", "3") ? v.number("height") : 0); }

/// The curve is drawn for parameters up to this, and the surface up to the other.
inline constexpr double kCurveReach = 2, kSurfaceReach = 1.4;
inline constexpr std::size_t kCurvePoints = 161, kSurfacePoints = 15;  ///< [kSurfacePoints]² for a surface
inline constexpr double kTargetReach = 2, kBendReach = 2, kStartReach = 1.6;

}  // namespace kappaflow::subspace
