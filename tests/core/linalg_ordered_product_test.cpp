#include <doctest/doctest.h>

#include "core/linalg/matrix.h"
#include "support/matrices.h"

using namespace kappaflow;

namespace {

Matrix ordered(MatrixView a, MatrixView b) {
    Matrix c(a.rows, b.columns);
    for (double& value : c.values) value = 1e9;  // is overwritten
    orderedProduct(a, b, c.values.data());
    return c;
}

}  // namespace

TEST_CASE("an ordered product is the definition's to the bit, for every size around the blocks") {
    for (std::size_t rows = 1; rows <= 9; ++rows)
        for (std::size_t inner : {1, 2, 3, 7, 16})
            for (std::size_t columns = 1; columns <= 9; ++columns) {
                CAPTURE(rows * 10000 + inner * 100 + columns);
                const Matrix a = gaussianMatrix(rows, inner, rows), b = gaussianMatrix(inner, columns, columns);
                const Matrix c = slowProduct(a, b);
                CHECK(ordered(a, b).values == c.values);
                const Matrix at = transposed(a), bt = transposed(b);
                CHECK(ordered(MatrixView(at).transposed(), b).values == c.values);
                CHECK(ordered(a, MatrixView(bt).transposed()).values == c.values);
                CHECK(ordered(MatrixView(at).transposed(), MatrixView(bt).transposed()).values == c.values);
            }
}

TEST_CASE("an ordered product of large matrices agrees with the library's") {
    const Matrix a = gaussianMatrix(101, 784, 1), b = gaussianMatrix(784, 99, 2);
    Matrix c(101, 99);
    matrixProduct(a.values, b.values, 784, c.values);
    CHECK(largestDifference(ordered(a, b), c) < 1e-11);
}
