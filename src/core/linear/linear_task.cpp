#include <cmath>
#include <numeric>
#include <string>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "core/linear/input_covariance.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// r, [n·d]: covariance of the inputs with (1/√d) Σ_m y_m(n + 1).
Vector covarianceWithTarget(const InputCovariance& covariance) {
    const Size n = covariance.length(), d = covariance.components();
    Vector r(n * d);
    for (Size i = 0; i < n; ++i)
        for (Size k = 0; k < d; ++k) {
            for (Size m = 0; m < d; ++m) r[i * d + k] += covariance.at(k, m, n - i);
            r[i * d + k] /= std::sqrt(static_cast<double>(d));
        }
    return r;
}

double targetVariance(const InputCovariance& covariance) {
    double sum = 0;
    const Size d = covariance.components();
    for (Size k = 0; k < d; ++k)
        for (Size m = 0; m < d; ++m) sum += covariance.at(k, m, 0);
    return sum / static_cast<double>(d);
}

LinearTask independentTask(const InputCovariance& covariance) {
    const Size n = covariance.length(), d = covariance.components();
    LinearTask task{covariance, Vector(n * d), targetVariance(covariance), 0};
    for (Size k = 0; k < d; ++k) {
        Vector c(n + 1);
        for (Size lag = 0; lag <= n; ++lag) c[lag] = covariance.at(k, k, lag);
        const auto prediction = predictNext(c);
        for (Size i = 0; i < n; ++i) task.target[i * d + k] = prediction.coefficients[i] / std::sqrt(static_cast<double>(d));
        task.lowerBound += prediction.error / static_cast<double>(d);
    }
    return task;
}

/// The diagonal of the Cholesky factor holds each input's standard deviation given those before it.
void requireRegular(const Matrix& factor, const Matrix& dense) {
    for (Size i = 0; i < factor.rows; ++i)
        if (!(factor(i, i) * factor(i, i) > kSingularPrediction * dense(i, i)))
            throw InputError("The covariance matrix is singular to rounding: input " + std::to_string(i + 1) +
                             " follows from those before it.");
}

Vector solve(const Matrix& factor, Vector x) {
    const Size n = x.size();
    for (Size i = 0; i < n; ++i) {
        for (Size j = 0; j < i; ++j) x[i] -= factor(i, j) * x[j];
        x[i] /= factor(i, i);
    }
    for (Size i = n; i-- > 0;) {
        x[i] /= factor(i, i);
        for (Size j = 0; j < i; ++j) x[j] -= factor(i, j) * x[i];
    }
    return x;
}

}  // namespace

LinearTask predictionTask(const InputCovariance& covariance) {
    if (covariance.independent()) return independentTask(covariance);
    const Matrix dense = covariance.dense(), factor = choleskyFactor(dense);
    requireRegular(factor, dense);
    const Vector r = covarianceWithTarget(covariance);
    LinearTask task{covariance, solve(factor, r), targetVariance(covariance), 0};
    task.lowerBound = task.variance - std::inner_product(r.begin(), r.end(), task.target.begin(), 0.0);
    return task;
}

LinearTask predictionTask(const GaussianProcess& process, Size length) {
    return predictionTask(InputCovariance(autocovariance(process, length)));
}

LinearTask predictionTask(const Vector& exponents, Size length) {
    std::vector<Vector> autocovariances;
    for (double alpha : exponents) autocovariances.push_back(autocovariance({.alpha = alpha}, length));
    if (autocovariances.empty()) throw InputError("A task needs at least one component.");
    return predictionTask(InputCovariance(autocovariances));
}

Vector componentExponents(Size components) {
    if (components == 1) return {0.5};
    Vector exponents;
    for (Size k = 0; k < components; ++k) exponents.push_back(0.3 + 0.4 * static_cast<double>(k) / static_cast<double>(components - 1));
    return exponents;
}

LinearTask withTarget(LinearTask task, Vector target) {
    if (target.size() != task.target.size())
        throw InputError("The target has " + std::to_string(target.size()) + " coefficients, but there are " +
                         std::to_string(task.target.size()) + " inputs.");
    for (Size i = 0; i < target.size(); ++i)
        if (!std::isfinite(target[i])) throw InputError("Coefficient " + std::to_string(i + 1) + " of the target is not a finite number.");
    task.target = std::move(target);
    return task;
}

Vector randomTarget(Size inputs, std::uint64_t seed, std::uint64_t draw) {
    Rng rng(seed, Purpose::Data, draw);
    Vector target(inputs);
    for (double& value : target) value = rng.gaussian();
    return target;
}

Vector taskError(const LinearTask& task, const Vector& response) {
    if (response.size() != task.target.size())
        throw InputError("A model of " + std::to_string(response.size()) + " inputs does not fit a task of " +
                         std::to_string(task.target.size()) + ".");
    Vector error = response;
    for (Size i = 0; i < error.size(); ++i) error[i] -= task.target[i];
    return error;
}

double taskLoss(const LinearTask& task, const Vector& response) { return task.covariance.quadratic(taskError(task, response)); }

Vector taskSlope(const LinearTask& task, const Vector& response) {
    Vector slope = task.covariance.times(taskError(task, response));
    for (double& value : slope) value *= 2;
    return slope;
}

}  // namespace kappaflow
