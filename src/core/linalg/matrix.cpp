#include "core/linalg/matrix.h"

#include <Eigen/Core>

namespace kappaflow {
namespace {

using Row = Eigen::Map<Eigen::ArrayXd>;
using ConstRow = Eigen::Map<const Eigen::ArrayXd>;

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

}  // namespace kappaflow
