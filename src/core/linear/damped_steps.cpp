#include "core/linear/damped_steps.h"

#include <algorithm>
#include <cmath>

#include "core/linalg/decompositions.h"
#include "core/linalg/householder.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// Steps in a row that lower neither loss nor gradient before the search ends, and the share of the residual (squared) that counts as
/// none in reach of a step.
constexpr int kPatience = 12;
constexpr double kNoReach = 1e-22;

double squaredNorm(const Vector& x) { return orderedDot(x.data(), x.data(), x.size()); }

/// What a step promises: ‖r‖² − ‖r + Jδ‖².
double promised(const Linearised& at, const Vector& step) {
    Vector after = at.residual;
    for (Size k = 0; k < after.size(); ++k) after[k] += orderedDot(at.jacobian.row(k), step.data(), step.size());
    return squaredNorm(at.residual) - squaredNorm(after);
}

double largestRow(const Matrix& m) {
    double largest = 0;
    for (Size k = 0; k < m.rows; ++k) largest = std::max(largest, orderedDot(m.row(k), m.row(k), m.columns));
    return largest;
}

/// z of RᵀR z = x for upper triangular R.
void solveNormal(const Matrix& R, Vector& x) {
    for (Size k = 0; k < x.size(); ++k) {
        for (Size j = 0; j < k; ++j) x[k] -= R(j, k) * x[j];
        x[k] /= R(k, k);
    }
    for (Size k = x.size(); k-- > 0;) {
        for (Size j = k + 1; j < x.size(); ++j) x[k] -= R(k, j) * x[j];
        x[k] /= R(k, k);
    }
}

}  // namespace

Linearised linearise(const Matrix& jacobian, const Vector& residual) {
    const Matrix basis = pivotedBasis(jacobian, 1e-13);
    return {transposedProduct(basis, jacobian), transposedProduct(basis, Matrix(residual.size(), 1, residual)).values};
}

Vector dampedStep(const Linearised& at, double damping) {
    const Size rank = at.jacobian.rows, count = at.jacobian.columns;
    Matrix stack(count + (damping > 0 ? rank : 0), rank);
    for (Size k = 0; k < rank; ++k) {
        for (Size i = 0; i < count; ++i) stack(i, k) = at.jacobian(k, i);
        if (damping > 0) stack(count + k, k) = std::sqrt(damping);
    }
    Vector z = at.residual, step(count);
    solveNormal(triangularFactor(stack), z);
    for (Size k = 0; k < rank; ++k)
        for (Size i = 0; i < count; ++i) step[i] -= at.jacobian(k, i) * z[k];
    return step;
}

double lossNoise(double loss, double floor) { return 1e-14 * loss + 0.1 * std::sqrt(loss * floor); }

bool DampedSteps::step(LeastSquares& problem, double floor) {
    if (!(problem.loss > floor)) return false;
    const Linearised here = problem.linearised();
    if (here.residual.empty()) return false;
    // Steps that leave the loss as it is, to rounding, still bring the gradient down; both at rest is an end.
    const double reach = squaredNorm(here.residual) / problem.loss;
    if (reach < 0.5 * leastReach_) stalls_ = 0;
    leastReach_ = std::min(leastReach_, reach);
    if (stalls_ >= kPatience || !(reach > kNoReach)) return false;
    largestSlope_ = largestRow(here.jacobian);
    if (damping_ < 0) damping_ = 1e-3 * largestSlope_;
    for (int tries = 0; tries < 30; ++tries)
        if (attempt(problem, here, floor)) return true;
    return false;
}

bool DampedSteps::attempt(LeastSquares& problem, const Linearised& here, double floor) {
    Vector wanted = dampedStep(here, damping_);
    const double gain = promised(here, wanted), before = problem.loss;
    for (Size i = 0; i < wanted.size(); ++i) wanted[i] += problem.values[i];
    const double after = problem.lossAt(wanted);
    if (!(after <= before + lossNoise(before, floor))) {
        damping_ *= growth_;
        growth_ *= 2;
        return false;
    }
    const double ratio = gain > 0 ? std::min((before - after) / gain, 1.0) : 1, bend = 2 * ratio - 1;
    damping_ = std::max(damping_ * std::max(1.0 / 3, 1 - bend * bend * bend), 1e-15 * largestSlope_);
    growth_ = 2;
    stalls_ = after < before * (1 - 1e-11) ? 0 : stalls_ + 1;
    problem.moveTo(std::move(wanted));
    return true;
}

}  // namespace kappaflow
