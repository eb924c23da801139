#pragma once
#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace kappaflow {

/// A dense row-major matrix.
struct Matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<double> values;

    Matrix() = default;
    Matrix(std::size_t rowCount, std::size_t columnCount) : rows(rowCount), columns(columnCount), values(rowCount * columnCount) {}
    Matrix(std::size_t rowCount, std::size_t columnCount, std::vector<double> rowMajor)
        : rows(rowCount), columns(columnCount), values(std::move(rowMajor)) {
        assert(values.size() == rows * columns);
    }

    double& operator()(std::size_t row, std::size_t column) { return values[row * columns + column]; }
    double operator()(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
    double* row(std::size_t i) { return values.data() + i * columns; }
    const double* row(std::size_t i) const { return values.data() + i * columns; }
};

Matrix identityMatrix(std::size_t size);
Matrix transposed(const Matrix&);
/// All columns of matrices with the same rows, one matrix after the other; at least one matrix.
Matrix sideBySide(const std::vector<Matrix>&);
Matrix columnRange(const Matrix&, std::size_t first, std::size_t count);

// Every entry is summed over the inner index from the first to the last, from + and * alone, so that every platform gives the same
// bits. Cost: one multiply-add for each entry and inner index.

/// A·B.
Matrix product(const Matrix& a, const Matrix& b);
/// Aᵀ·B.
Matrix transposedProduct(const Matrix& a, const Matrix& b);
/// Aᵀ·S·A for symmetric S, computed once and mirrored, so that the result is symmetric to the bit.
Matrix congruence(const Matrix& a, const Matrix& s);

/// y[i·yStride] += scale · x[i·xStride] for i < count: the inner loop of every convolution.
void addScaled(double* y, std::ptrdiff_t yStride, const double* x, std::ptrdiff_t xStride, std::size_t count, double scale);

/// C = A·B of row-major matrices: A [rows][inner], B [inner][columns], C [rows][columns], which is overwritten. Sums run in an order of
/// the library's choosing: platforms agree to rounding only.
void matrixProduct(std::span<const double> A, std::span<const double> B, std::size_t inner, std::span<double> C);

/// The same for matrices that fit into the cache together, where preparing them for a general product would cost as much as the
/// product. Sums run in the order of `inner`: every platform gives the same bits.
void smallProduct(std::span<const double> A, std::span<const double> B, std::size_t inner, std::span<double> C);

/// Q of the QR decomposition of a row-major [rows][columns] matrix, rows >= columns, with the diagonal of R made non-negative: the
/// columns of Q are orthonormal to rounding whatever the rank of the input, and Haar distributed when its entries are independent
/// gaussians (Mezzadri, How to generate random matrices from the classical compact groups, Notices AMS 54, 2007).
/// Only + - * / sqrt in a fixed order, so every platform gives the same bits. Cost: about 4·rows·columns² operations.
std::vector<double> orthonormalColumns(std::span<const double> matrix, std::size_t rows, std::size_t columns);

/// A matrix read where it lies: entry (i, k) at data[i·rowStride + k·columnStride].
struct MatrixView {
    const double* data = nullptr;
    std::size_t rows = 0, columns = 0, rowStride = 0, columnStride = 1;

    MatrixView(const Matrix& m) : MatrixView(m.values.data(), m.rows, m.columns) {}
    /// Row-major.
    MatrixView(const double* values, std::size_t rowCount, std::size_t columnCount)
        : data(values), rows(rowCount), columns(columnCount), rowStride(columnCount) {}
    MatrixView transposed() const {
        MatrixView t = *this;
        t.rows = columns, t.columns = rows, t.rowStride = columnStride, t.columnStride = rowStride;
        return t;
    }
};

/// C = A·B into row-major C [A.rows][B.columns], which overlaps neither. Every entry is summed over the inner index from the first to
/// the last, so that every platform gives the same bits; B is copied into panels of four columns that stay in the nearest cache while
/// the rows of A pass: at the sizes of training about as quick as a library's product. Cost: one multiply-add for each entry and inner
/// index.
void orderedProduct(MatrixView A, MatrixView B, double* C);

}  // namespace kappaflow
