#include "core/linalg/matrix.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "core/base/rng.h"
#include "support/bits.h"

using namespace kappaflow;

namespace {

std::vector<double> gaussians(std::size_t count, std::uint64_t seed) {
    Rng rng(seed, Purpose::Data);
    std::vector<double> values(count);
    for (double& value : values) value = rng.gaussian();
    return values;
}

/// Largest entry of |AᵀB − I| for row-major [rows][columns] A and B.
double distanceFromIdentity(const std::vector<double>& a, const std::vector<double>& b, std::size_t rows, std::size_t columns) {
    double worst = 0;
    for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t k = 0; k < columns; ++k) {
            double sum = 0;
            for (std::size_t i = 0; i < rows; ++i) sum += a[i * columns + j] * b[i * columns + k];
            worst = std::max(worst, std::abs(sum - (j == k ? 1 : 0)));
        }
    return worst;
}

}  // namespace

TEST_CASE("products of matrices are sums over the inner index, whatever their sizes") {
    for (const auto& [rows, inner, columns] :
         {std::array<std::size_t, 3>{1, 1, 1}, {4, 3, 8}, {5, 2, 7}, {9, 16, 65}, {3, 1, 4}, {8, 5, 3}}) {
        Rng rng(rows, Purpose::Data);
        std::vector<double> A(rows * inner), B(inner * columns), C(rows * columns, 7), D = C;
        for (auto* matrix : {&A, &B})
            for (double& x : *matrix) x = rng.gaussian();
        matrixProduct(A, B, inner, C);
        smallProduct(A, B, inner, D);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < columns; ++j) {
                double sum = 0;
                for (std::size_t k = 0; k < inner; ++k) sum += A[i * inner + k] * B[k * columns + j];
                CHECK(C[i * columns + j] == doctest::Approx(sum).epsilon(1e-13));
                CHECK(D[i * columns + j] == doctest::Approx(sum).epsilon(1e-13));
            }
    }
}

TEST_CASE("addScaled adds with any strides and touches nothing between") {
    for (std::ptrdiff_t yStride : {1, 2, 5})
        for (std::ptrdiff_t xStride : {1, 3}) {
            const auto x = gaussians(64, 3), before = gaussians(64, 4);
            auto y = before, slow = before;
            addScaled(y.data(), yStride, x.data(), xStride, 11, 0.5);
            for (std::ptrdiff_t i = 0; i < 11; ++i)
                slow[static_cast<std::size_t>(i * yStride)] += 0.5 * x[static_cast<std::size_t>(i * xStride)];
            CHECK(y == slow);
        }
}

TEST_CASE("orthonormal columns are orthonormal to 1e-12, tall, square, of one column and rank deficient") {
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1}, {2, 2}, {5, 1}, {40, 17}, {120, 120}}) {
        auto a = gaussians(rows * columns, 10 + rows);
        CHECK(distanceFromIdentity(orthonormalColumns(a, rows, columns), orthonormalColumns(a, rows, columns), rows, columns) < 1e-12);
        if (columns > 2)
            for (std::size_t i = 0; i < rows; ++i) a[i * columns + 2] = a[i * columns];  // one column twice
        const auto q = orthonormalColumns(a, rows, columns);
        CHECK(distanceFromIdentity(q, q, rows, columns) < 1e-12);
    }
    const std::vector<double> zeros(12, 0.0);
    const auto q = orthonormalColumns(zeros, 4, 3);
    CHECK(distanceFromIdentity(q, q, 4, 3) < 1e-12);
}

TEST_CASE("QᵀA is upper triangular with a positive diagonal: the decomposition that makes Q Haar distributed") {
    const std::size_t rows = 9, columns = 6;
    const auto a = gaussians(rows * columns, 5), q = orthonormalColumns(a, rows, columns);
    for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t k = 0; k <= j; ++k) {
            double r = 0;
            for (std::size_t i = 0; i < rows; ++i) r += q[i * columns + j] * a[i * columns + k];
            if (k < j)
                CHECK(std::abs(r) < 1e-13);
            else
                CHECK(r > 0);
        }
}

TEST_CASE("a Haar matrix has entries of mean 0 and variance 1/n, and its determinant has either sign") {
    constexpr int kDraws = 4000;
    double trace = 0, square = 0, determinant = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
        const auto q = orthonormalColumns(gaussians(9, 1000 + static_cast<std::uint64_t>(draw)), 3, 3);
        trace += q[0] + q[4] + q[8];
        square += q[0] * q[0];
        determinant += q[0] * (q[4] * q[8] - q[5] * q[7]) - q[1] * (q[3] * q[8] - q[5] * q[6]) + q[2] * (q[3] * q[7] - q[4] * q[6]);
    }
    // Over O(3): E tr = 0, E tr² = 1; q₁₁² has mean 1/3 and variance 4/45; det is ±1 equally. Bounds are 4 standard deviations.
    const double unit = 4 / std::sqrt(static_cast<double>(kDraws));
    CHECK(std::abs(trace / kDraws) < unit);
    CHECK(std::abs(square / kDraws - 1 / 3.0) < unit * std::sqrt(4 / 45.0));
    CHECK(std::abs(determinant / kDraws) < unit);
}

TEST_CASE("the decomposition has the same bits on every platform") {
    const auto q = orthonormalColumns(gaussians(30 * 20, 77), 30, 20);
    std::uint64_t checksum = 0;
    for (double value : q) checksum = checksum * 31 + bitsOf(value);
    CHECK(checksum == 0xd55681bfa87e5bd3u);
}
