#pragma once
#include <cassert>
#include <cstddef>
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

// Every entry is summed over the inner index from the first to the last, from + and * alone, so that every platform gives the same
// bits. Cost: one multiply-add for each entry and inner index.

/// A·B.
Matrix product(const Matrix& a, const Matrix& b);
/// Aᵀ·B.
Matrix transposedProduct(const Matrix& a, const Matrix& b);
/// Aᵀ·S·A for symmetric S, computed once and mirrored, so that the result is symmetric to the bit.
Matrix congruence(const Matrix& a, const Matrix& s);

}  // namespace kappaflow
