#pragma once
#include <vector>

#include "core/linalg/matrix.h"
#include "scenes/linear_models/subspace.h"

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
/// eleven steps go a third of the way, to be watched, and the last entry is where the method comes to rest.
struct Descent {
    std::vector<Point> weights;
    /// Least second derivative of L/2 along the manifold at rest, relative to JᵀΣJ: 1 on flat manifolds, not positive where the point
    /// is no strict minimum.
    double curvature = 1;
};
Descent descend(const Task&, const Point& start);

}  // namespace kappaflow::subspace
