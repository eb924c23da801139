#include "core/linalg/decompositions.h"

#include <cmath>
#include <limits>

#include "core/base/errors.h"

namespace kappaflow {

NumericalRank numericalRank(const std::vector<double>& values, double threshold) {
    NumericalRank result{0, std::numeric_limits<double>::infinity()};
    if (values.empty()) return result;
    while (result.rank < values.size() && values[result.rank] > threshold * values[0]) ++result.rank;
    if (result.rank > 0 && result.rank < values.size() && values[result.rank] > 0)
        result.gap = values[result.rank - 1] / values[result.rank];
    return result;
}

SpanBasis spanBasis(const Matrix& a, double threshold) {
    auto space = singularSpace(a);
    const std::size_t rank = numericalRank(space.values, threshold).rank;
    SpanBasis result{Matrix(a.rows, rank), std::move(space.values)};
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < rank; ++k) result.basis(i, k) = space.vectors(i, k);
    return result;
}

PseudoInverse pseudoInverse(const Matrix& a, double threshold) {
    const auto eigen = symmetricEigen(a);
    const std::size_t n = a.rows;
    Matrix scaled(n, n);
    PseudoInverse result;
    for (std::size_t k = 0; k < n; ++k) {
        if (!(eigen.values[k] > 0 && eigen.values[k] > threshold * eigen.values[n - 1])) continue;
        const double root = 1 / std::sqrt(eigen.values[k]);
        for (std::size_t i = 0; i < n; ++i) scaled(result.rank, i) = root * eigen.vectors(i, k);
        ++result.rank;
    }
    result.inverse = transposedProduct(scaled, scaled);
    return result;
}

Matrix choleskyFactor(const Matrix& a) {
    assert(a.rows == a.columns);
    Matrix c(a.rows, a.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = a(i, j);
            for (std::size_t k = 0; k < j; ++k) sum -= c(i, k) * c(j, k);
            if (i != j) {
                c(i, j) = sum / c(j, j);
                continue;
            }
            if (!(sum > 0) || !std::isfinite(sum)) throw InputError("The covariance matrix is not positive definite.");
            c(i, i) = std::sqrt(sum);
        }
    return c;
}

}  // namespace kappaflow
