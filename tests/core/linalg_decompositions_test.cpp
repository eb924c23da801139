#include "core/linalg/decompositions.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/base/errors.h"
#include "support/bits.h"
#include "support/matrices.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

/// V diag(values) Vᵀ.
Matrix recomposed(const SymmetricEigen& e) {
    Matrix scaled = e.vectors;
    for (Size i = 0; i < scaled.rows; ++i)
        for (Size j = 0; j < scaled.columns; ++j) scaled(i, j) *= e.values[j];
    return slowProduct(scaled, transposed(e.vectors));
}

Matrix symmetricFrom(Size n, std::uint64_t seed) {
    const auto a = gaussianMatrix(n, n, seed);
    Matrix s(n, n);
    for (Size i = 0; i < n; ++i)
        for (Size j = 0; j < n; ++j) s(i, j) = a(i, j) + a(j, i);
    return s;
}

/// A rank-deficient matrix with the given singular values.
Matrix withSingularValues(Size rows, Size columns, const std::vector<double>& values) {
    const auto left = spanBasis(gaussianMatrix(rows, values.size(), 5)).basis,
               right = spanBasis(gaussianMatrix(columns, values.size(), 6)).basis;
    Matrix scaled = left;
    for (Size i = 0; i < rows; ++i)
        for (Size k = 0; k < values.size(); ++k) scaled(i, k) *= values[k];
    return slowProduct(scaled, transposed(right));
}

}  // namespace

TEST_CASE("products are the triple loop to the last bit") {
    for (auto [n, k, m] : {std::array<Size, 3>{1, 1, 1}, {3, 9, 5}, {8, 64, 7}, {33, 20, 41}}) {
        const auto a = gaussianMatrix(n, k, 1), b = gaussianMatrix(k, m, 2);
        CHECK(product(a, b).values == slowProduct(a, b).values);
        CHECK(transposedProduct(transposed(a), b).values == slowProduct(a, b).values);
        const auto s = symmetricFrom(k, 3), c = congruence(b, s);
        CHECK(largestDifference(c, slowProduct(transposed(b), slowProduct(s, b))) < 1e-11);
        CHECK(c.values == transposed(c).values);
    }
}

TEST_CASE("eigenvalues ascend, eigenvectors are orthonormal and both give the matrix back") {
    for (const Size n : {1u, 2u, 3u, 17u, 64u}) {
        const auto a = symmetricFrom(n, n);
        const auto e = symmetricEigen(a);
        CHECK(std::is_sorted(e.values.begin(), e.values.end()));
        CHECK(largestDifference(slowProduct(transposed(e.vectors), e.vectors), identityMatrix(n)) < 1e-13);
        CHECK(largestDifference(recomposed(e), a) < 1e-12);
    }
}

TEST_CASE("degenerate, diagonal and zero matrices have the eigenvalues that can be read off") {
    const auto values = [](const Matrix& a) { return symmetricEigen(a).values; };
    CHECK(values(Matrix(3, 3)) == std::vector<double>{0, 0, 0});
    CHECK(values(Matrix(3, 3, {4, 0, 0, 0, -1, 0, 0, 0, 4})) == std::vector<double>{-1, 4, 4});
    CHECK(largestDifference(values(Matrix(2, 2, {2, 1, 1, 2})), {1, 3}) < 1e-15);
    // J = all ones: n − 1 zeros and n.
    const auto ones = values(Matrix(20, 20, std::vector<double>(400, 1.0)));
    CHECK(std::abs(ones[18]) < 1e-14);
    CHECK(ones[19] == doctest::Approx(20));
    // The second difference on a path: 2 − 2 cos(kπ/(n + 1)).
    Matrix path(12, 12);
    for (Size i = 0; i < 12; ++i) {
        path(i, i) = 2;
        if (i > 0) path(i, i - 1) = path(i - 1, i) = -1;
    }
    for (int k = 1; k <= 12; ++k)
        CHECK(values(path)[static_cast<Size>(k - 1)] == doctest::Approx(2 - 2 * std::cos(k * std::acos(-1.0) / 13)).epsilon(1e-13));
}

TEST_CASE("eigenvalues twelve orders apart keep an error at the rounding level of the largest") {
    const auto q = spanBasis(gaussianMatrix(6, 6, 9)).basis;
    const std::vector<double> chosen{1e-12, 1e-9, 1e-6, 1e-3, 1, 100};
    SymmetricEigen e{chosen, q};
    const auto found = symmetricEigen(recomposed(e)).values;
    for (Size k = 0; k < 6; ++k) CHECK(std::abs(found[k] - chosen[k]) < 1e-13);
}

TEST_CASE("singular values of tall, wide and square matrices are those they were made with, the smallest ones too") {
    const std::vector<double> chosen{5, 2, 2, 1e-3, 1e-7};
    for (auto [rows, columns] : {std::pair<Size, Size>{40, 7}, {7, 40}, {9, 9}, {5, 5}}) {
        const auto space = singularSpace(withSingularValues(rows, columns, chosen));
        REQUIRE(space.values.size() == std::min(rows, columns));
        for (Size k = 0; k < 5; ++k) CHECK(std::abs(space.values[k] - chosen[k]) < 1e-14);
        for (Size k = 5; k < space.values.size(); ++k) CHECK(space.values[k] < 1e-14);
    }
}

TEST_CASE("a span's basis is orthonormal, spans the columns and counts them above the threshold only") {
    for (auto [rows, columns] : {std::pair<Size, Size>{40, 7}, {7, 40}, {9, 9}}) {
        const auto a = withSingularValues(rows, columns, {3, 1, 1e-6, 1e-11});
        const auto span = spanBasis(a);
        REQUIRE(span.rank() == 3);
        CHECK(spanBasis(a, 1e-13).rank() == 4);
        CHECK(spanBasis(a, 1e-3).rank() == 2);
        const auto& q = span.basis;
        CHECK(largestDifference(slowProduct(transposed(q), q), identityMatrix(3)) < 1e-13);
        CHECK(largestDifference(slowProduct(q, slowProduct(transposed(q), a)), a) < 1e-10);
    }
    CHECK(spanBasis(Matrix(4, 3)).rank() == 0);
    CHECK(pivotedBasis(Matrix(4, 3)).columns == 0);
    CHECK(pivotedBasis(Matrix(4, 0)).columns == 0);
    CHECK(spanBasis(Matrix(4, 0)).rank() == 0);
}

TEST_CASE("a pivoted basis spans the same space") {
    for (auto [rows, columns] : {std::pair<Size, Size>{40, 7}, {7, 40}, {9, 9}}) {
        for (const std::vector<double>& values : {std::vector<double>{3, 1, 1e-6}, {1, 1, 1, 1, 1, 1, 1}}) {
            const auto a = withSingularValues(rows, columns, values);
            const auto q = pivotedBasis(a), svd = spanBasis(a).basis;
            REQUIRE(q.columns == values.size());
            CHECK(largestDifference(slowProduct(transposed(q), q), identityMatrix(values.size())) < 1e-13);
            CHECK(largestDifference(slowProduct(q, transposed(q)), slowProduct(svd, transposed(svd))) < 1e-8);
        }
    }
}

TEST_CASE("a rank decision names its gap") {
    CHECK(numericalRank({4, 1, 1e-3, 1e-16}).rank == 3);
    CHECK(numericalRank({4, 1, 1e-3, 1e-16}).gap == doctest::Approx(1e13));
    CHECK(numericalRank({4, 1}).rank == 2);
    CHECK(std::isinf(numericalRank({4, 1}).gap));
    CHECK(numericalRank({0, 0}).rank == 0);
    CHECK(numericalRank({}).rank == 0);
}

TEST_CASE("the pseudo-inverse satisfies the four Penrose equations at full and at lower rank") {
    for (const Size rank : {6u, 4u, 1u}) {
        const auto b = gaussianMatrix(6, rank, 3);
        const auto a = slowProduct(b, transposed(b));
        const auto p = pseudoInverse(a);
        CHECK(p.rank == rank);
        const auto ap = slowProduct(a, p.inverse);
        CHECK(largestDifference(slowProduct(ap, a), a) < 1e-10);
        CHECK(largestDifference(slowProduct(p.inverse, ap), p.inverse) < 1e-10 * (1 + largestDifference(p.inverse, Matrix(6, 6))));
        CHECK(largestDifference(ap, transposed(ap)) < 1e-10);
        CHECK(p.inverse.values == transposed(p.inverse).values);
    }
    CHECK(pseudoInverse(Matrix(2, 2)).rank == 0);
    CHECK(pseudoInverse(Matrix(2, 2)).inverse.values == std::vector<double>(4, 0.0));
    CHECK(pseudoInverse(Matrix(2, 2, {1, 0, 0, 1e-13})).rank == 1);
    CHECK(pseudoInverse(Matrix(2, 2, {1, 0, 0, 1e-11})).rank == 2);
}

TEST_CASE("the Cholesky factor is triangular, gives the matrix back and refuses what is not positive definite") {
    const auto b = gaussianMatrix(7, 9, 3);
    const auto a = slowProduct(b, transposed(b)), c = choleskyFactor(a);
    CHECK(largestDifference(slowProduct(c, transposed(c)), a) < 1e-12);
    for (Size i = 0; i < 7; ++i)
        for (Size j = i + 1; j < 7; ++j) CHECK(c(i, j) == 0);
    CHECK(isOneSentence(refusal([] { choleskyFactor(Matrix(2, 2, {1, 2, 2, 1})); })));
}

TEST_CASE("triangular factors of slices, stacked, have the singular values of the whole") {
    const auto a = gaussianMatrix(50, 6, 3);
    Matrix stacked(12, 6);
    for (Size half = 0; half < 2; ++half) {
        const Matrix slice(25, 6, {a.row(25 * half), a.row(25 * half) + 150});
        const auto r = triangularFactor(slice);
        REQUIRE(r.rows == 6);
        std::copy(r.values.begin(), r.values.end(), stacked.row(6 * half));
    }
    CHECK(largestDifference(singularSpace(stacked).values, singularSpace(a).values) < 1e-13);
}

TEST_CASE("what is not finite is refused in a sentence") {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        const Matrix a(2, 2, {1, bad, bad, 1});
        CHECK(isOneSentence(refusal([&] { symmetricEigen(a); })));
        CHECK(isOneSentence(refusal([&] { singularSpace(a); })));
        CHECK(isOneSentence(refusal([&] { choleskyFactor(a); })));
    }
}

TEST_CASE("decompositions give the bits that were recorded, here as in wasm") {
    const auto a = symmetricFrom(9, 4);
    const auto e = symmetricEigen(a);
    const auto s = singularSpace(gaussianMatrix(9, 5, 4));
    CHECK(bitsOf(e.values[0]) == 0xc01adf227965d340u);
    CHECK(bitsOf(e.vectors(3, 4)) == 0xbfb68cc3d655d10cu);
    CHECK(bitsOf(s.values[4]) == 0x3ff0f0129c2d8fb4u);
    CHECK(bitsOf(s.vectors(8, 2)) == 0x3fcd272405b0ed7cu);
}

TEST_CASE("the rank modulo a prime is that of integer matrices whose rank is known") {
    // Vandermonde matrices of distinct nodes have full rank, a repeated node loses one.
    const auto vandermonde = [](std::vector<std::uint32_t> nodes) {
        std::vector<std::uint32_t> a;
        for (std::uint64_t node : nodes)
            for (std::uint64_t power = 1, j = 0; j < 6; ++j, power = power * node % kModularPrime)
                a.push_back(static_cast<std::uint32_t>(power));
        return modularRank(a, nodes.size(), 6);
    };
    CHECK(vandermonde({1, 2, 3, 4, 5, 6}) == 6);
    CHECK(vandermonde({1, 2, 3, 3, 5, 6}) == 5);
    CHECK(vandermonde({7, 7, 7, 7}) == 1);
    CHECK(vandermonde({1, 2, 3, 4, 5, 6, 7, 8, 9}) == 6);
    CHECK(modularRank({0, 0, 0, 0, 0, 0}, 2, 3) == 0);
    CHECK(modularRank({}, 0, 3) == 0);
    // The prime itself is zero, and p − 1 is −1.
    CHECK(modularRank({2147483647u, 1, 0, 5}, 2, 2) == 1);
    CHECK(modularRank({1, 2147483646u, 2147483646u, 1}, 2, 2) == 1);
}
