#include "core/linear/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

void require(bool holds, const char* sentence) {
    if (!holds) throw InputError(sentence);
}

Vector exponentials(const Vector& weights, const Vector& times, Size lags) {
    require(!weights.empty() && weights.size() == times.size(), "A mixture of exponentials needs one weight for each time constant.");
    double total = 0;
    for (Size m = 0; m < weights.size(); ++m) {
        require(weights[m] >= 0 && std::isfinite(weights[m]), "The weights of a mixture of exponentials must be finite and not negative.");
        require(times[m] > 0 && std::isfinite(times[m]), "The time constants of a mixture of exponentials must be positive and finite.");
        total += weights[m];
    }
    require(total > 0 && std::isfinite(total), "The weights of a mixture of exponentials must not all be zero.");
    Vector c(lags + 1);
    for (Size k = 0; k <= lags; ++k)
        for (Size m = 0; m < weights.size(); ++m) c[k] += weights[m] / total * portableExp(-static_cast<double>(k) / times[m]);
    c[0] = 1;
    return c;
}

Vector powerLaw(double alpha, Size lags) {
    require(alpha > 0 && std::isfinite(alpha), "The exponent α of the power law must be positive: at 0 all samples would be the same.");
    Vector c(lags + 1, 1.0);
    for (Size k = 1; k <= lags; ++k) c[k] = portableExp(-alpha * portableLog(1 + static_cast<double>(k)));
    return c;
}

Vector arfima(double d, Size lags) {
    require(d > 0 && d < 0.5, "The memory d of ARFIMA(0, d, 0) must lie between 0 and 1/2, both excluded.");
    Vector c(lags + 1, 1.0);
    for (Size k = 1; k <= lags; ++k) c[k] = c[k - 1] * (static_cast<double>(k) - 1 + d) / (static_cast<double>(k) - d);
    return c;
}

Vector autoregression(double phi1, double phi2, Size lags) {
    require(std::isfinite(phi1) && std::isfinite(phi2) && phi1 + phi2 < 1 && phi2 - phi1 < 1 && phi2 > -1,
            "The autoregression is unstable: it needs φ₁ + φ₂ < 1, φ₂ − φ₁ < 1 and |φ₂| < 1.");
    Vector c(lags + 1, 1.0);
    if (lags > 0) c[1] = phi1 / (1 - phi2);
    for (Size k = 2; k <= lags; ++k) c[k] = phi1 * c[k - 1] + phi2 * c[k - 2];
    return c;
}

Vector squaredExponential(double width, Size lags) {
    require(width > 0 && std::isfinite(width), "The width of the squared exponential must be positive.");
    Vector c(lags + 1, 1.0);
    for (Size k = 1; k <= lags; ++k) c[k] = portableExp(-static_cast<double>(k) * static_cast<double>(k) / (2 * width * width));
    return c;
}

/// One order up, a_j ← a_j − k a_{m−j}, a_m = k (Levinson). `a` holds lags 1 … m − 1 at [0 … m − 2].
void raiseOrder(Vector& a, double partial) {
    const Vector lower = a;
    for (Size j = 0; j < lower.size(); ++j) a[j] = lower[j] - partial * lower[lower.size() - 1 - j];
    a.push_back(partial);
}

/// The same backwards; |a_m| < 1.
void lowerOrder(Vector& a) {
    const double partial = a.back();
    a.pop_back();
    const Vector higher = a;
    for (Size j = 0; j < higher.size(); ++j) a[j] = (higher[j] + partial * higher[higher.size() - 1 - j]) / (1 - partial * partial);
}

/// Σ_j a_j c_{m−j} with a's lags 1 … m − 1.
double predicted(const Vector& a, const Vector& c, Size m) {
    double sum = 0;
    for (Size j = 0; j < a.size(); ++j) sum += a[j] * c[m - 1 - j];
    return sum;
}

}  // namespace

Vector autocovariance(const GaussianProcess& process, Size lags) {
    switch (process.kind) {
        case ProcessKind::PowerLaw:
            return powerLaw(process.alpha, lags);
        case ProcessKind::Arfima:
            return arfima(process.memory, lags);
        case ProcessKind::Exponentials:
            return exponentials(process.weights, process.times, lags);
        case ProcessKind::Ar1:
            require(process.phi1 > -1 && process.phi1 < 1, "The autoregression is unstable: it needs |φ₁| < 1.");
            return autoregression(process.phi1, 0, lags);
        case ProcessKind::Ar2:
            return autoregression(process.phi1, process.phi2, lags);
        case ProcessKind::SquaredExponential:
            return squaredExponential(process.width, lags);
    }
    throw InputError("There is no such process.");
}

Prediction predictNext(const Vector& c) {
    require(c.size() >= 2, "A prediction needs at least one sample to start from.");
    for (double value : c) require(std::isfinite(value), "An autocovariance holds a number that is not finite.");
    require(c[0] > 0, "The variance c₀ of an autocovariance must be positive.");
    Prediction result;
    result.error = c[0];
    Vector a;
    for (Size m = 1; m < c.size(); ++m) {
        const double partial = (c[m] - predicted(a, c, m)) / result.error;
        result.partial.push_back(partial);
        result.error *= 1 - partial * partial;
        if (!(result.error > kSingularPrediction * c[0]))
            throw InputError(std::abs(partial) > 1 + 1e-9
                                 ? "The autocovariance is not positive definite: no process of more than " + std::to_string(m) +
                                       " samples has it."
                                 : "The covariance matrix is singular to rounding from " + std::to_string(m + 1) +
                                       " samples on: the process is so smooth that its past determines the next sample.");
        raiseOrder(a, partial);
    }
    result.coefficients.assign(a.rbegin(), a.rend());
    return result;
}

std::optional<Prediction> predictNextInClosedForm(const GaussianProcess& process, Size n) {
    require(n >= 1, "A prediction needs at least one sample to start from.");
    autocovariance(process, 1);
    Prediction result;
    Vector a(n);
    result.partial.assign(n, 0.0);
    if (process.kind == ProcessKind::Arfima) {
        // The quotient of Gamma functions, one factor from each lag to the next.
        const double d = process.memory, length = static_cast<double>(n);
        a[0] = length * d / (length - d);
        for (Size i = 1; i < n; ++i) {
            const double j = static_cast<double>(i);
            a[i] = a[i - 1] * (length - j) / (j + 1) * (j - d) / (length - d - j);
        }
        for (Size i = 0; i < n; ++i) {
            const double k = static_cast<double>(i + 1);
            result.partial[i] = d / (k - d);
            result.error *= k * (k - 2 * d) / ((k - d) * (k - d));
        }
    } else if (process.kind == ProcessKind::Ar1 || process.kind == ProcessKind::Ar2) {
        const double phi1 = process.phi1, phi2 = process.kind == ProcessKind::Ar2 ? process.phi2 : 0, first = phi1 / (1 - phi2);
        result.partial[0] = first;
        a[0] = n == 1 ? first : phi1;
        if (n > 1) result.partial[1] = a[1] = phi2;
        result.error = 1 - first * first;
        if (n > 1) result.error *= 1 - phi2 * phi2;
    } else {
        return std::nullopt;
    }
    result.coefficients.assign(a.rbegin(), a.rend());
    return result;
}

ModelAutocovariance modelAutocovariance(const Vector& coefficients) {
    for (double value : coefficients) require(std::isfinite(value), "A predictor's coefficients must be finite.");
    ModelAutocovariance result;
    Vector a(coefficients.rbegin(), coefficients.rend()), partials(a.size());
    while (!a.empty()) {
        const double partial = a.back();
        result.largestPartial = std::max(result.largestPartial, std::abs(partial));
        if (!(std::abs(partial) < 1)) return result;
        partials[a.size() - 1] = partial;
        lowerOrder(a);
    }
    result.stable = true;
    result.innovation = 1;
    result.autocovariance = {1};
    for (Size m = 1; m <= partials.size(); ++m) {
        result.autocovariance.push_back(predicted(a, result.autocovariance, m) + partials[m - 1] * result.innovation);
        result.innovation *= 1 - partials[m - 1] * partials[m - 1];
        raiseOrder(a, partials[m - 1]);
    }
    return result;
}

}  // namespace kappaflow
