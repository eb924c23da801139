#include "core/linalg/orthonormalised.h"

#include <algorithm>

#include "core/linalg/linalg.h"
#include "core/linalg/ordered_product.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

constexpr Size kPanel = 32;

/// Rows of the transpose stand for columns here: what products read then lies together.
MatrixView firstRows(const Matrix& m, Size rows) { return {m.values.data(), rows, m.columns}; }

void subtractProjection(const Matrix& done, Size count, Matrix& panel) {
    if (count == 0) return;
    Matrix shadow(panel.rows, count), inside(panel.rows, panel.columns);
    orderedProduct(panel, firstRows(done, count).transposed(), shadow.values.data());
    orderedProduct(shadow, firstRows(done, count), inside.values.data());
    for (Size i = 0; i < panel.values.size(); ++i) panel.values[i] -= inside.values[i];
}

Matrix orthonormalRows(const Matrix& panel) {
    const auto columns = transposed(panel);
    return transposed({columns.rows, columns.columns, orthonormalColumns(columns.values, columns.rows, columns.columns)});
}

}  // namespace

Matrix orthonormalised(const Matrix& a) {
    Matrix done = transposed(a);
    for (Size first = 0; first < a.columns; first += kPanel) {
        Matrix panel(std::min(kPanel, a.columns - first), a.rows);
        std::copy_n(done.row(first), panel.values.size(), panel.values.data());
        // The second time removes what rounding left of the first.
        for (int twice = 0; twice < (first == 0 ? 1 : 2); ++twice) {
            subtractProjection(done, first, panel);
            panel = orthonormalRows(panel);
        }
        std::copy(panel.values.begin(), panel.values.end(), done.row(first));
    }
    return transposed(done);
}

}  // namespace kappaflow
