#pragma once
#include <cstddef>

#include "core/linalg/matrix.h"

namespace kappaflow {

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
