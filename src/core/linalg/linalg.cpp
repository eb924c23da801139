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

using Four = Eigen::Array4d;

/// Four rows of a product. Written out: at -O2 sums in an array would live in memory, half as quick.
void fourRows(const double* a, const double* b, std::size_t inner, std::size_t columns, double* c) {
    const double *a1 = a + inner, *a2 = a1 + inner, *a3 = a2 + inner;
    for (std::size_t x = 0; x + 4 <= columns; x += 4) {
        Four c0 = Four::Zero(), c1 = c0, c2 = c0, c3 = c0;
        for (std::size_t k = 0; k < inner; ++k) {
            const Four four = Eigen::Map<const Four>(b + k * columns + x);
            c0 += a[k] * four;
            c1 += a1[k] * four;
            c2 += a2[k] * four;
            c3 += a3[k] * four;
        }
        Eigen::Map<Four>{c + x} = c0;
        Eigen::Map<Four>{c + columns + x} = c1;
        Eigen::Map<Four>{c + 2 * columns + x} = c2;
        Eigen::Map<Four>{c + 3 * columns + x} = c3;
    }
}

/// One row from column x on.
void oneRow(const double* a, const double* b, std::size_t inner, std::size_t columns, double* c, std::size_t x) {
    for (; x + 4 <= columns; x += 4) {
        Four sum = Four::Zero();
        for (std::size_t k = 0; k < inner; ++k) sum += a[k] * Eigen::Map<const Four>(b + k * columns + x);
        Eigen::Map<Four>{c + x} = sum;
    }
    for (; x < columns; ++x) {
        double sum = 0;
        for (std::size_t k = 0; k < inner; ++k) sum += a[k] * b[k * columns + x];
        c[x] = sum;
    }
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

void smallProduct(std::span<const double> A, std::span<const double> B, std::size_t inner, std::span<double> C) {
    const std::size_t rows = A.size() / inner, columns = B.size() / inner;
    assert(C.size() == rows * columns);
    std::size_t r = 0;
    for (; r + 4 <= rows; r += 4) {
        fourRows(&A[r * inner], B.data(), inner, columns, &C[r * columns]);
        for (std::size_t i = r; i < r + 4; ++i) oneRow(&A[i * inner], B.data(), inner, columns, &C[i * columns], columns & ~std::size_t{3});
    }
    for (; r < rows; ++r) oneRow(&A[r * inner], B.data(), inner, columns, &C[r * columns], 0);
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
