#include "core/linalg/matrix.h"

#include <Eigen/Core>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/linalg/householder.h"

namespace kappaflow {
namespace {

using Row = Eigen::Map<Eigen::ArrayXd>;
using ConstRow = Eigen::Map<const Eigen::ArrayXd>;
using Four = Eigen::Array4d;

// out += Σ_k a[k·stride]·b.row(k) over columns from `first` on. Four rows a pass spare three of four loads of `out`; entry by entry
// the order of summation is still that of k.
void addRows(const double* a, std::size_t stride, const Matrix& b, std::size_t first, double* out) {
    const auto n = static_cast<Eigen::Index>(b.columns - first);
    Row y(out + first, n);
    const auto row = [&](std::size_t k) { return ConstRow(b.row(k) + first, n); };
    std::size_t k = 0;
    for (; k + 4 <= b.rows; k += 4) {
        const double a0 = a[k * stride], a1 = a[(k + 1) * stride], a2 = a[(k + 2) * stride], a3 = a[(k + 3) * stride];
        y = (((y + a0 * row(k)) + a1 * row(k + 1)) + a2 * row(k + 2)) + a3 * row(k + 3);
    }
    for (; k < b.rows; ++k) y += a[k * stride] * row(k);
}

}  // namespace

Matrix identityMatrix(std::size_t size) {
    Matrix identity(size, size);
    for (std::size_t i = 0; i < size; ++i) identity(i, i) = 1;
    return identity;
}

Matrix transposed(const Matrix& a) {
    Matrix t(a.columns, a.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < a.columns; ++j) t(j, i) = a(i, j);
    return t;
}

Matrix sideBySide(const std::vector<Matrix>& parts) {
    std::size_t columns = 0, first = 0;
    for (const Matrix& part : parts) columns += part.columns;
    Matrix all(parts.at(0).rows, columns);
    for (const Matrix& part : parts) {
        assert(part.rows == all.rows);
        for (std::size_t i = 0; i < all.rows; ++i) std::copy_n(part.row(i), part.columns, all.row(i) + first);
        first += part.columns;
    }
    return all;
}

Matrix columnRange(const Matrix& a, std::size_t first, std::size_t count) {
    Matrix part(a.rows, count);
    for (std::size_t i = 0; i < a.rows; ++i) std::copy_n(a.row(i) + first, count, part.row(i));
    return part;
}

Matrix product(const Matrix& a, const Matrix& b) {
    assert(a.columns == b.rows);
    Matrix c(a.rows, b.columns);
    for (std::size_t i = 0; i < a.rows; ++i) addRows(a.row(i), 1, b, 0, c.row(i));
    return c;
}

Matrix transposedProduct(const Matrix& a, const Matrix& b) {
    assert(a.rows == b.rows);
    Matrix c(a.columns, b.columns);
    for (std::size_t i = 0; i < a.columns; ++i) addRows(a.values.data() + i, a.columns, b, 0, c.row(i));
    return c;
}

Matrix congruence(const Matrix& a, const Matrix& s) {
    assert(a.rows == s.rows && s.rows == s.columns);
    const Matrix sa = product(s, a);
    Matrix c(a.columns, a.columns);
    for (std::size_t i = 0; i < a.columns; ++i) {
        addRows(a.values.data() + i, a.columns, sa, i, c.row(i));
        for (std::size_t j = 0; j < i; ++j) c(i, j) = c(j, i);
    }
    return c;
}

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;

Eigen::Map<const RowMajor> matrixOf(std::span<const double> a, std::size_t rows, std::size_t columns) {
    assert(a.size() == rows * columns);
    return {a.data(), static_cast<Index>(rows), static_cast<Index>(columns)};
}

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

    // Some columns at a time, which stay in the cache while the reflections pass: at 1024 rows twice as fast as one reflection after the
    // other.
    constexpr std::size_t kTogether = 16;
    std::vector<double> squaredNorm(columns), sign(columns, 1.0);
    const auto becomeReflection = [&](std::size_t k) {
        const double norm = std::sqrt(orderedDot(&v[k][k], &v[k][k], rows - k));
        // R's diagonal takes the sign opposite to the pivot's, so that the subtraction below never cancels.
        const double diagonal = v[k][k] > 0 ? -norm : norm;
        if (diagonal < 0) sign[k] = -1;
        v[k][k] -= diagonal;
        squaredNorm[k] = orderedDot(&v[k][k], &v[k][k], rows - k);
    };
    for (std::size_t from = 0; from < columns; from += kTogether) {
        const std::size_t to = std::min(from + kTogether, columns);
        for (std::size_t k = 0; k < to; ++k) {
            if (k >= from) becomeReflection(k);
            for (std::size_t j = std::max(k + 1, from); j < to; ++j) reflect(v[k], squaredNorm[k], k, v[j]);
        }
    }
    for (std::size_t from = 0; from < columns; from += kTogether) {
        const std::size_t to = std::min(from + kTogether, columns);
        for (std::size_t k = to; k-- > 0;) {
            if (k >= from) q[k][k] = 1;
            for (std::size_t j = std::max(k, from); j < to; ++j) reflect(v[k], squaredNorm[k], k, q[j]);
        }
    }

    std::vector<double> result(rows * columns);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) result[i * columns + j] = sign[j] * q[j][i];
    return result;
}

namespace {

constexpr std::size_t kWide = 4, kHigh = 4;

/// Two doubles in one register. The compilers' own vectors: Eigen's do not exist for wasm, where sums in arrays would live in memory.
typedef double Two __attribute__((vector_size(16)));

Two load(const double* p) {
    Two two;
    std::memcpy(&two, p, sizeof two);
    return two;
}

void store(double* p, Two two) { std::memcpy(p, &two, sizeof two); }

/// Columns x … x + 3 of B one inner index after the other, zeros beyond the last column.
void pack(MatrixView B, std::size_t x, double* panel) {
    const std::size_t width = B.columns - x < kWide ? B.columns - x : kWide;
    for (std::size_t k = 0; k < B.rows; ++k, panel += kWide) {
        const double* row = B.data + k * B.rowStride + x * B.columnStride;
        for (std::size_t j = 0; j < kWide; ++j) panel[j] = j < width ? row[j * B.columnStride] : 0;
    }
}

/// Sums of four rows of A with a panel.
void fourRows(const double* a, std::size_t rowStride, std::size_t innerStride, const double* panel, std::size_t inner, double* sums) {
    Two s00{}, s01{}, s10{}, s11{}, s20{}, s21{}, s30{}, s31{};
    for (std::size_t k = 0; k < inner; ++k, panel += kWide, a += innerStride) {
        const Two b0 = load(panel), b1 = load(panel + 2);
        const double a0 = a[0], a1 = a[rowStride], a2 = a[2 * rowStride], a3 = a[3 * rowStride];
        s00 += a0 * b0, s01 += a0 * b1;
        s10 += a1 * b0, s11 += a1 * b1;
        s20 += a2 * b0, s21 += a2 * b1;
        s30 += a3 * b0, s31 += a3 * b1;
    }
    const Two all[] = {s00, s01, s10, s11, s20, s21, s30, s31};
    for (std::size_t i = 0; i < 8; ++i) store(sums + 2 * i, all[i]);
}

void oneRow(const double* a, std::size_t innerStride, const double* panel, std::size_t inner, double* sums) {
    Two s0{}, s1{};
    for (std::size_t k = 0; k < inner; ++k, panel += kWide, a += innerStride) s0 += *a * load(panel), s1 += *a * load(panel + 2);
    store(sums, s0);
    store(sums + 2, s1);
}

}  // namespace

void orderedProduct(MatrixView A, MatrixView B, double* C) {
    assert(A.columns == B.rows);
    std::vector<double> panel(kWide * B.rows);
    double sums[kHigh * kWide];
    for (std::size_t x = 0; x < B.columns; x += kWide) {
        pack(B, x, panel.data());
        const std::size_t width = B.columns - x < kWide ? B.columns - x : kWide;
        for (std::size_t r = 0; r < A.rows;) {
            const std::size_t high = A.rows - r < kHigh ? 1 : kHigh;
            const double* a = A.data + r * A.rowStride;
            if (high == kHigh)
                fourRows(a, A.rowStride, A.columnStride, panel.data(), B.rows, sums);
            else
                oneRow(a, A.columnStride, panel.data(), B.rows, sums);
            for (std::size_t i = 0; i < high; ++i, ++r) std::memcpy(C + r * B.columns + x, sums + i * kWide, width * sizeof(double));
        }
    }
}

}  // namespace kappaflow
