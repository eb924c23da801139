#include "core/linear/input_covariance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/base/errors.h"
#include "core/linalg/decompositions.h"
#include "core/linalg/ordered_product.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

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

Vector column(const CovarianceEigenvectors& eigen, Size j) {
    Vector v(eigen.vectors.rows);
    for (Size i = 0; i < v.size(); ++i) v[i] = eigen.vectors(i, j);
    return v;
}

/// Eigenvectors of one matrix over all components, or of one component's block: `first` and `stride` place its rows among the inputs.
void appendEigenvectors(const Matrix& sigma, Size inputs, Size first, Size stride, CovarianceEigenvectors& all, Size& next) {
    const auto eigen = symmetricEigen(sigma);
    if (all.vectors.values.empty()) all.vectors = Matrix(inputs, inputs);
    for (Size k = sigma.rows; k-- > 0; ++next) {
        all.values.push_back(eigen.values[k]);
        Size largest = 0;
        for (Size i = 1; i < sigma.rows; ++i)
            if (std::abs(eigen.vectors(i, k)) > std::abs(eigen.vectors(largest, k))) largest = i;
        const double sign = eigen.vectors(largest, k) < 0 ? -1 : 1;
        for (Size i = 0; i < sigma.rows; ++i) all.vectors(first + i * stride, next) = sign * eigen.vectors(i, k);
    }
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
    const Size n = covariance.length(), d = covariance.components(), inputs = covariance.inputs();
    CovarianceEigenvectors all;
    Size next = 0;
    if (covariance.independent()) {
        for (Size k = 0; k < d; ++k) {
            Vector c(n);
            for (Size lag = 0; lag < n; ++lag) c[lag] = covariance.at(k, k, lag);
            appendEigenvectors(toeplitz(c, n), inputs, k, d, all, next);
        }
    } else {
        appendEigenvectors(covariance.dense(), inputs, 0, 1, all, next);
    }
    std::vector<Size> order(inputs);
    std::iota(order.begin(), order.end(), Size{0});
    std::stable_sort(order.begin(), order.end(), [&](Size a, Size b) { return all.values[a] > all.values[b]; });
    CovarianceEigenvectors sorted{{}, Matrix(inputs, inputs)};
    for (Size j = 0; j < inputs; ++j) {
        sorted.values.push_back(all.values[order[j]]);
        const Vector v = column(all, order[j]);
        for (Size i = 0; i < inputs; ++i) sorted.vectors(i, j) = v[i];
    }
    return sorted;
}

}  // namespace kappaflow
