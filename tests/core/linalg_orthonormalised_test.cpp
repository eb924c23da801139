#include "core/linalg/decompositions.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/matrices.h"

using namespace kappaflow;
using Size = std::size_t;

TEST_CASE("columns become orthonormal and keep their span, column by column, in one panel and in several") {
    for (const auto& [rows, columns] : {std::pair<Size, Size>{1, 1}, {5, 5}, {40, 31}, {40, 32}, {40, 33}, {130, 100}, {7, 0}}) {
        auto a = gaussianMatrix(rows, columns, rows + columns);
        // Condition 1e6 and more: columns lean on one another.
        for (Size i = 0; i < rows; ++i)
            for (Size j = 1; j < columns; ++j) a(i, j) = a(i, j - 1) + 1e-3 * a(i, j);
        const auto q = orthonormalised(a);
        CHECK(largestDifference(slowProduct(transposed(q), q), identityMatrix(columns)) < 1e-13);
        // Column j lies in the span of the first j columns of Q.
        const auto r = slowProduct(transposed(q), a);
        CHECK(largestDifference(slowProduct(q, r), a) < 1e-12);
        for (Size i = 0; i < columns; ++i)
            for (Size j = 0; j < i; ++j) CHECK(std::abs(r(i, j)) < 1e-12);
    }
}
