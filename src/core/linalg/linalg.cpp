#include "core/linalg/linalg.h"

#include <Eigen/Core>
#include <cassert>
#include <cmath>

#include "core/linalg/householder.h"

namespace kappaflow {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;

Eigen::Map<const Eigen::VectorXd> vectorOf(std::span<const double> x) { return {x.data(), static_cast<Index>(x.size())}; }

Eigen::Map<const RowMajor> matrixOf(std::span<const double> a, std::size_t rows, std::size_t columns) {
    assert(a.size() == rows * columns);
    return {a.data(), static_cast<Index>(rows), static_cast<Index>(columns)};
}

}  // namespace

std::vector<double> matrixTimesVector(std::span<const double> matrix, std::span<const double> x) {
    assert(!x.empty() && matrix.size() % x.size() == 0);
    const std::size_t rows = matrix.size() / x.size();
    std::vector<double> y(rows);
    Eigen::Map<Eigen::VectorXd>(y.data(), static_cast<Index>(rows)).noalias() = matrixOf(matrix, rows, x.size()) * vectorOf(x);
    return y;
}

std::vector<double> transposedTimesVector(std::span<const double> matrix, std::span<const double> y, std::size_t columns) {
    std::vector<double> x(columns);
    Eigen::Map<Eigen::VectorXd>(x.data(), static_cast<Index>(columns)).noalias() =
        matrixOf(matrix, y.size(), columns).transpose() * vectorOf(y);
    return x;
}

void addScaled(double* y, std::ptrdiff_t yStride, const double* x, std::ptrdiff_t xStride, std::size_t count, double scale) {
    const Index n = static_cast<Index>(count);
    if (xStride == 1 && yStride == 1) {
        Eigen::Map<Eigen::ArrayXd>(y, n) += scale * Eigen::Map<const Eigen::ArrayXd>(x, n);
        return;
    }
    for (std::size_t i = 0; i < count; ++i, y += yStride, x += xStride) *y += scale * *x;
}

void matrixProduct(std::span<const double> A, std::span<const double> B, std::size_t inner, std::span<double> C) {
    const std::size_t rows = A.size() / inner, columns = B.size() / inner;
    assert(C.size() == rows * columns);
    Eigen::Map<RowMajor>(C.data(), static_cast<Index>(rows), static_cast<Index>(columns)).noalias() =
        matrixOf(A, rows, inner) * matrixOf(B, inner, columns);
}

std::vector<double> orthonormalColumns(std::span<const double> matrix, std::size_t rows, std::size_t columns) {
    assert(rows >= columns && matrix.size() == rows * columns);
    // Columns apart, so that every inner loop is contiguous.
    std::vector<std::vector<double>> v(columns, std::vector<double>(rows)), q = v;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) v[j][i] = matrix[i * columns + j];

    std::vector<double> squaredNorm(columns), sign(columns, 1.0);
    for (std::size_t k = 0; k < columns; ++k) {
        const double norm = std::sqrt(orderedDot(&v[k][k], &v[k][k], rows - k));
        // R's diagonal takes the sign opposite to the pivot's, so that the subtraction below never cancels.
        const double diagonal = v[k][k] > 0 ? -norm : norm;
        if (diagonal < 0) sign[k] = -1;
        v[k][k] -= diagonal;
        squaredNorm[k] = orderedDot(&v[k][k], &v[k][k], rows - k);
        for (std::size_t j = k + 1; j < columns; ++j) reflect(v[k], squaredNorm[k], k, v[j]);
    }
    for (std::size_t k = columns; k-- > 0;) {
        q[k][k] = 1;
        for (std::size_t j = k; j < columns; ++j) reflect(v[k], squaredNorm[k], k, q[j]);
    }

    std::vector<double> result(rows * columns);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) result[i * columns + j] = sign[j] * q[j][i];
    return result;
}

}  // namespace kappaflow
