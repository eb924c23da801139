#pragma once
#include <vector>

#include "core/linalg/matrix.h"
#include "scene/scene.h"
#include "scenes/linear_models/subspace/manifold.h"

namespace kappaflow::subspace {

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
/// kShortSteps go a third of the way, to be watched, and the last entry is where the method comes to rest.
struct Descent {
    std::vector<Point> weights;
    /// Least second derivative of L/2 along the manifold at rest, relative to JᵀΣJ: 1 on flat manifolds, not positive where the point
    /// is no strict minimum.
    double curvature = 1;
};
inline constexpr std::size_t kShortSteps = 11;
Descent descend(const Task&, const Point& start);

/// What P2 Section 3 says at one point of the descent. Parts are the axes, then S.
struct Reading {
    Point weights{}, error{};
    Matrix constraints;                             ///< K, [n][κ], columns in the direction of the step before
    std::vector<double> capacity, share, expected;  ///< [part]: κ, squared error over ‖X‖² (NaN where X = 0), Eq 6's share
    double residual = 0;                            ///< ‖KᵀX‖/‖X‖, 0 where X = 0
    std::array<Point, 2> sets{};                    ///< unit vectors that span 𝒦₁ and 𝒦₂
    std::array<std::vector<double>, 2> separate;    ///< [part] κ of 𝒦₁ and of 𝒦₂ alone
    std::vector<double> joint;                      ///< [part] κ of 𝒦₁ + 𝒦₂
};

/// Everything beside the weights that a reading needs.
struct Question {
    Task task;
    Matrix subspace;    ///< S, [n][n_S]
    double apart = 45;  ///< degrees from 𝒦₁ to 𝒦₂, for manifolds of one parameter
    double dimensionOf(std::size_t part) const { return part < task.manifold.dimension() ? 1 : static_cast<double>(subspace.columns); }
};
Question questionOf(const Values&);

std::vector<Reading> readingsOf(const Question&, const Descent&);

/// Errors below this are none: their direction would be rounding.
inline constexpr double kNoError = 1e-9;

/// κ(S) once more from other bases of both spaces (Property 1).
double capacityFromOtherBases(const Matrix& constraints, const Matrix& subspace);
/// max over unit vectors s of κ_1(s) + κ_2(s) − κ_{1+2}(s): the cosine of the angle between two lines, 0 only when orthogonal.
double largestExcess(const Reading&, std::size_t dimension);

Report reportOf(const Values&);

}  // namespace kappaflow::subspace
