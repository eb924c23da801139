#pragma once
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/base/portable_math.h"
#include "scene/table.h"

namespace kappaflow::subspace {

/// Coordinates of coefficients, errors and directions; in two dimensions the third is 0.
using Point = std::array<double, 3>;

inline Point plus(Point a, const Point& b, double scale) {
    for (std::size_t i = 0; i < 3; ++i) a[i] += scale * b[i];
    return a;
}
inline double dotOf(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Point crossOf(const Point& a, const Point& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline double normOf(const Point& x) { return std::sqrt(dotOf(x, x)); }
/// Of length 1; what is as short as rounding stays.
inline Point unit(const Point& x) { return normOf(x) > 1e-9 ? plus({}, x, 1 / normOf(x)) : x; }
/// Of rows of so many coordinates.
inline Point pointIn(const std::vector<double>& rows, std::size_t index, std::size_t dimension) {
    Point x{};
    for (std::size_t i = 0; i < dimension; ++i) x[i] = rows[index * dimension + i];
    return x;
}

enum class Dimension { Two, Three };
enum class Shape { Parabola, Wave, Surface };
enum class Subspace { Line, Plane };

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

struct Params {
    Dimension dimension = Dimension::Two;
    Shape curve = Shape::Parabola;
    double w = -0.85, w2 = 1.1, correlation = 0;
    Subspace subspace = Subspace::Line;
    double angle = 20, height = -35, apart = 45, bend = 1;
    double target1 = 0.9, target2 = -1.1, target3 = -0.7;
    double at = 0;
    bool play = true;
    double orbit = -35, tilt = 22;

    bool spatial() const { return dimension == Dimension::Three; }
    Manifold manifold() const { return {curve, spatial(), bend}; }
    Point target() const { return {target1, target2, spatial() ? target3 : 0}; }
    bool planeIsS() const { return spatial() && subspace == Subspace::Plane; }
    /// The unit vector that S is drawn by, from its angle in the plane of the first two axes and its height above it, in degrees.
    Point arrow() const {
        constexpr double kDegree = 0.017453292519943295;
        const SineCosine turn = portableSineCosine(angle * kDegree), rise = portableSineCosine((spatial() ? height : 0) * kDegree);
        return {turn.cosine * rise.cosine, turn.sine * rise.cosine, rise.sine};
    }
};

/// Σ_ij = ρ^|i−j| times a vector.
inline Point covarianceTimes(double rho, const Point& x, bool spatial) {
    const double far = spatial ? x[2] : 0;
    return {x[0] + rho * x[1] + rho * rho * far, rho * x[0] + x[1] + rho * far, spatial ? rho * rho * x[0] + rho * x[1] + far : 0};
}

/// The least squares task L = XᵀΣX over the models of a manifold, X = A_w − A* (P2 Eqs 13–15).
struct Task {
    Manifold manifold;
    Point target{};
    double rho = 0;

    Point errorAt(const Point& weights) const { return plus(manifold.at(weights), target, -1); }
    Point times(const Point& x) const { return covarianceTimes(rho, x, manifold.spatial); }
    double lossOf(const Point& x) const { return dotOf(x, times(x)); }
};

/// Weights from the start to a stationary point. Newton's method in the metric JᵀΣJ, shifted where the loss is not convex; the first
/// eleven steps go a third of the way, to be watched, and the last entry is where the method comes to rest.
struct Descent {
    std::vector<Point> weights;
    /// Least second derivative of L/2 along the manifold at rest, relative to JᵀΣJ: 1 on flat manifolds, not positive where the point
    /// is no strict minimum.
    double curvature = 1;
};
Descent descend(const Task&, const Point& start);

/// A surface's points are a square grid of so many on a side.
inline constexpr std::size_t kSurfacePoints = 15;

/// Parts are the axes, then S.
struct Result : Findings {
    std::vector<double> points, axisNumbers, steps, weights, constraintNumbers, setNumbers, directions;  ///< axes
    std::vector<std::string> parts;                                                                      ///< axis

    std::vector<double> errors, path, parameters, constraints;      ///< [point][axis], [step][axis | parameter | constraint, axis]
    std::vector<double> residual;                                   ///< [step]
    std::vector<double> capacity;                                   ///< [axis] at rest
    std::vector<double> capacityByStep, errorShare, expectedShare;  ///< [step][part]
    std::vector<double> sets, separate, joint;                      ///< [step][set][axis], [step][set][part], [step][part]
    std::vector<double> errorByDirection;                           ///< of three inputs under one constraint
    double angleBetween = 0, largestExcess = 0, totalCapacity = 0, capacityOfSubspace = 0, capacityOtherBases = 0;
    double squaredError = 0, errorOfSubspace = 0, errorBound = 0, loss = 0, optimality = 0, curvature = 0;
};

extern const SceneTable kScene;

}  // namespace kappaflow::subspace
