#include "scenes/linear_models/subspace.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::subspace {
namespace {

constexpr std::size_t kShortSteps = 11;
constexpr double kShare = 0.33;          ///< of a Newton step, while it is watched
constexpr double kLeastCurvature = 0.1;  ///< relative: below it the second derivatives are shifted up to this
constexpr std::size_t kSteps = 100, kHalvings = 40;
constexpr double kRounding = 1e-12;  ///< of the loss: a step that raises it by less is a step of Newton's at rest

/// A symmetric 2×2 matrix; of one parameter only `a` counts.
struct Square {
    double a = 0, b = 0, c = 1;
    double determinant() const { return a * c - b * b; }
    Square plus(const Square& other, double scale) const { return {a + scale * other.a, b + scale * other.b, c + scale * other.c}; }
};

/// Half the loss about a point: slope, JᵀΣJ and second derivatives.
struct Local {
    Point slope{};
    Square metric, second;
};

Local localOf(const Task& task, const Point& w) {
    const Manifold& m = task.manifold;
    const Point weighted = task.times(task.errorAt(w));
    const auto metric = [&](std::size_t j, std::size_t k) { return dotOf(m.tangent(w, j), task.times(m.tangent(w, k))); };
    const auto bent = [&](std::size_t j, std::size_t k) { return metric(j, k) + dotOf(m.second(w, j, k), weighted); };
    Local local;
    for (std::size_t j = 0; j < m.parameters(); ++j) local.slope[j] = dotOf(m.tangent(w, j), weighted);
    local.metric.a = metric(0, 0), local.second.a = bent(0, 0);
    if (m.parameters() == 1) return local;
    local.metric = {metric(0, 0), metric(0, 1), metric(1, 1)};
    local.second = {bent(0, 0), bent(0, 1), bent(1, 1)};
    return local;
}

/// Least λ of H v = λ G v.
double leastCurvature(const Local& local, std::size_t parameters) {
    const Square &G = local.metric, &H = local.second;
    if (parameters == 1) return H.a / G.a;
    const double trace = (H.a * G.c - 2 * H.b * G.b + H.c * G.a) / G.determinant(), product = H.determinant() / G.determinant();
    return trace / 2 - std::sqrt(std::max(0.0, trace * trace / 4 - product));
}

Point newtonStep(const Local& local, std::size_t parameters) {
    const double shift = std::max(0.0, kLeastCurvature - leastCurvature(local, parameters));
    const Square A = local.second.plus(local.metric, shift);
    const Point& g = local.slope;
    if (parameters == 1) return {g[0] / A.a, 0, 0};
    const double d = A.determinant();
    return {(A.c * g[0] - A.b * g[1]) / d, (A.a * g[1] - A.b * g[0]) / d, 0};
}

}  // namespace

Descent descend(const Task& task, const Point& start) {
    Descent descent{{start}, 1};
    const std::size_t parameters = task.manifold.parameters();
    Point w = start;
    for (std::size_t step = 0; step < kSteps; ++step) {
        const Point full = newtonStep(localOf(task, w), parameters);
        const double loss = task.lossOf(task.errorAt(w));
        double share = step < kShortSteps ? kShare : 1;
        std::size_t halvings = 0;
        while (task.lossOf(task.errorAt(plus(w, full, -share))) > loss * (1 + kRounding) && ++halvings < kHalvings) share /= 2;
        const Point next = halvings < kHalvings ? plus(w, full, -share) : w;
        const bool watched = step < kShortSteps;
        if (watched) descent.weights.push_back(next);
        if (next == w && !watched) break;
        w = next;
    }
    descent.weights.push_back(w);
    descent.curvature = leastCurvature(localOf(task, w), parameters);
    return descent;
}

}  // namespace kappaflow::subspace
