#include "core/linear/linear_task.h"

#include <cmath>
#include <numeric>
#include <string>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/linalg/decompositions.h"

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

Vector componentExponents(Size components, double low, double high) {
    if (components == 1) return {0.5 * (low + high)};
    Vector exponents;
    for (Size k = 0; k < components; ++k)
        exponents.push_back(low + (high - low) * static_cast<double>(k) / static_cast<double>(components - 1));
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

namespace {

double hyperbolicSine(double x) { return (portableExp(x) - portableExp(-x)) / 2; }
double coshMinusOne(double x) { return 2 * hyperbolicSine(x / 2) * hyperbolicSine(x / 2); }

/// He_0 … He_degree by He_{j+1} = y He_j − j He_{j−1}.
Vector hermite(Size degree, double y) {
    Vector he{1, y};
    for (Size j = 1; j < degree; ++j) he.push_back(y * he[j] - static_cast<double>(j) * he[j - 1]);
    return he;
}

double rootFactorial(Size j) {
    double factorial = 1;
    for (Size k = 2; k <= j; ++k) factorial *= static_cast<double>(k);
    return std::sqrt(factorial);
}

bool isCosine(Size j) { return j % 2 == 1; }
Size frequencyIndex(Size j) { return j / 2 + 1; }
double frequency(Size j) { return static_cast<double>(frequencyIndex(j)); }

/// e^{(a²+b²)/2} times the covariance of two sines, or of two cosines, at correlation c.
double fourierMoment(bool cosine, double ab, double c) { return cosine ? coshMinusOne(ab * c) : hyperbolicSine(ab * c); }

double fourierCovariance(Size k, Size m, double c) {
    const double a = frequency(k), b = frequency(m);
    return fourierMoment(isCosine(k), a * b, c) /
           (std::sqrt(fourierMoment(isCosine(k), a * a, 1)) * std::sqrt(fourierMoment(isCosine(k), b * b, 1)));
}

/// c_km of two functions; empty where they do not depend on each other.
Vector block(FeatureFamily family, Size k, Size m, const Vector& autocovariance) {
    const bool hermite = family == FeatureFamily::Hermite;
    if (hermite ? k != m : isCosine(k) != isCosine(m)) return {};
    Vector values;
    for (double c : autocovariance) {
        double power = 1;
        for (Size j = 0; j <= k; ++j) power *= c;
        values.push_back(hermite ? power : fourierCovariance(k, m, c));
    }
    if (k == m) values[0] = 1;
    return values;
}

void checkDegree(int degree) {
    if (degree < 1 || degree > kMaxFeatureDegree)
        throw InputError("The degree of a feature map must lie between 1 and " + std::to_string(kMaxFeatureDegree) + ", not be " +
                         std::to_string(degree) + ".");
}

}  // namespace

Size featureCount(FeatureFamily family, int degree) {
    checkDegree(degree);
    return static_cast<Size>(degree) * (family == FeatureFamily::Hermite ? 1 : 2);
}

std::vector<std::string> featureNames(FeatureFamily family, int degree) {
    static const char* const kHermite[kMaxFeatureDegree] = {
        "y", "(y² − 1)/√2", "(y³ − 3y)/√6", "(y⁴ − 6y² + 3)/√24", "(y⁵ − 10y³ + 15y)/√120", "He₆(y)/√720", "He₇(y)/√5040", "He₈(y)/√40320"};
    std::vector<std::string> names;
    for (Size j = 0; j < featureCount(family, degree); ++j) {
        const auto times = frequencyIndex(j) > 1 ? std::to_string(frequencyIndex(j)) : "";
        names.push_back(family == FeatureFamily::Hermite ? kHermite[j] : (isCosine(j) ? "cos " : "sin ") + times + "y");
    }
    return names;
}

double featureValue(FeatureFamily family, Size j, double y) {
    if (family == FeatureFamily::Hermite) return hermite(j + 1, y)[j + 1] / rootFactorial(j + 1);
    const double a = frequency(j), damping = portableExp(-a * a / 2);
    const auto wave = portableSineCosine(a * y);
    return isCosine(j) ? (wave.cosine - damping) / (damping * std::sqrt(coshMinusOne(a * a)))
                       : wave.sine / (damping * std::sqrt(hyperbolicSine(a * a)));
}

InputCovariance featureCovariance(FeatureFamily family, int degree, const Vector& autocovariance) {
    const Size count = featureCount(family, degree);
    if (autocovariance.size() < 2 || autocovariance[0] != 1)
        throw InputError("Features are made for samples of variance 1: the autocovariance must start with 1.");
    std::vector<Vector> blocks;
    for (Size k = 0; k < count; ++k)
        for (Size m = 0; m < count; ++m) blocks.push_back(block(family, k, m, autocovariance));
    return {count, std::move(blocks)};
}

}  // namespace kappaflow
