#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "core/linalg/matrix.h"
#include "core/linear/linear_task.h"

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
    result.autocovariance = {1};
    double innovation = 1;
    for (Size m = 1; m <= partials.size(); ++m) {
        result.autocovariance.push_back(predicted(a, result.autocovariance, m) + partials[m - 1] * innovation);
        innovation *= 1 - partials[m - 1] * partials[m - 1];
        raiseOrder(a, partials[m - 1]);
    }
    return result;
}

namespace {

std::vector<Vector> diagonalBlocks(const std::vector<Vector>& autocovariances) {
    const Size d = autocovariances.size();
    std::vector<Vector> blocks(d * d);
    for (Size k = 0; k < d; ++k) blocks[k * d + k] = autocovariances[k];
    return blocks;
}

Matrix toeplitz(const Vector& c, Size n) {
    Matrix block(n, n);
    for (Size i = 0; i < n; ++i)
        for (Size j = 0; j < n; ++j) block(i, j) = c[i > j ? i - j : j - i];
    return block;
}

/// Rows of one component of a matrix over all inputs.
MatrixView componentRows(const Matrix& m, Size component, Size components) {
    MatrixView view(m);
    view.data += component * m.columns;
    view.rows = m.rows / components;
    view.rowStride = components * m.columns;
    return view;
}

}  // namespace

InputCovariance::InputCovariance(Vector autocovariance) : InputCovariance(1, {std::move(autocovariance)}) {}

InputCovariance::InputCovariance(const std::vector<Vector>& autocovariances)
    : InputCovariance(autocovariances.size(), diagonalBlocks(autocovariances)) {}

InputCovariance::InputCovariance(Size components, std::vector<Vector> blocks) : components_(components), blocks_(std::move(blocks)) {
    if (components_ == 0 || blocks_.size() != components_ * components_ || blocks_[0].size() < 2)
        throw InputError("A covariance of inputs needs at least one component and, for each, its values at lags 0 and 1.");
    length_ = blocks_[0].size() - 1;
    for (Size k = 0; k < components_; ++k)
        for (Size m = 0; m < components_; ++m) {
            const auto& block = blocks_[k * components_ + m];
            if (block.size() != length_ + 1 && (k == m || !block.empty()))
                throw InputError("The autocovariances of all components must have the same number of lags.");
            for (double value : block)
                if (!std::isfinite(value)) throw InputError("An autocovariance holds a number that is not finite.");
        }
}

bool InputCovariance::independent() const {
    for (Size k = 0; k < components_; ++k)
        for (Size m = 0; m < components_; ++m)
            if (k != m && !blocks_[k * components_ + m].empty()) return false;
    return true;
}

double InputCovariance::at(Size k, Size m, Size lag) const {
    const auto& block = blocks_[k * components_ + m];
    return block.empty() ? 0 : block[lag];
}

Matrix InputCovariance::times(const Matrix& x) const {
    if (x.rows != inputs())
        throw InputError("A covariance of " + std::to_string(inputs()) + " inputs does not act on " + std::to_string(x.rows) + ".");
    Matrix result(x.rows, x.columns), part(length_, x.columns);
    if (x.columns == 0) return result;
    for (Size k = 0; k < components_; ++k)
        for (Size m = 0; m < components_; ++m) {
            const auto& block = blocks_[k * components_ + m];
            if (block.empty()) continue;
            orderedProduct(toeplitz(block, length_), componentRows(x, m, components_), part.values.data());
            for (Size i = 0; i < length_; ++i)
                for (Size j = 0; j < x.columns; ++j) result(i * components_ + k, j) += part(i, j);
        }
    return result;
}

Vector InputCovariance::times(const Vector& x) const {
    if (x.size() != inputs())
        throw InputError("A covariance of " + std::to_string(inputs()) + " inputs does not act on " + std::to_string(x.size()) + ".");
    Vector result(x.size());
    const Size d = components_;
    for (Size k = 0; k < d; ++k)
        for (Size m = 0; m < d; ++m) {
            const auto& c = blocks_[k * d + m];
            if (c.empty()) continue;
            for (Size i = 0; i < length_; ++i) {
                double sum = 0;
                for (Size j = 0; j < length_; ++j) sum += c[i > j ? i - j : j - i] * x[j * d + m];
                result[i * d + k] += sum;
            }
        }
    return result;
}

double InputCovariance::quadratic(const Vector& x) const {
    const Vector y = times(x);
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

Matrix InputCovariance::dense() const {
    const Size d = components_;
    Matrix sigma(inputs(), inputs());
    for (Size i = 0; i < sigma.rows; ++i)
        for (Size j = 0; j < sigma.rows; ++j) sigma(i, j) = at(i % d, j % d, i / d > j / d ? i / d - j / d : j / d - i / d);
    return sigma;
}

CovarianceEigenvectors covarianceEigenvectors(const InputCovariance& covariance) {
    const auto ascending = symmetricEigen(covariance.dense());
    const Size n = covariance.inputs();
    CovarianceEigenvectors eigen{{ascending.values.rbegin(), ascending.values.rend()}, Matrix(n, n)};
    for (Size k = 0; k < n; ++k) {
        const auto entry = [&](Size i) { return ascending.vectors(i, n - 1 - k); };
        Size largest = 0;
        for (Size i = 1; i < n; ++i)
            if (std::abs(entry(i)) > std::abs(entry(largest))) largest = i;
        for (Size i = 0; i < n; ++i) eigen.vectors(i, k) = entry(largest) < 0 ? -entry(i) : entry(i);
    }
    return eigen;
}

}  // namespace kappaflow
