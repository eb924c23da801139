#include "core/linear/subspace.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/linalg/decompositions.h"
#include "support/linear_models.h"
#include "support/reference.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

Matrix axis(Size n, Size i) {
    Matrix e(n, 1);
    e(i, 0) = 1;
    return e;
}

Matrix randomSpan(Size n, Size dimension, std::uint64_t seed) { return spanBasis(gaussianMatrix(n, dimension, seed)).basis; }

/// Tr(Sᵀ P S) with the projector P = A (AᵀA)⁺ Aᵀ, no orthonormal basis anywhere.
double slowCapacity(const Matrix& spanning, const Matrix& subspace) {
    const auto inverse = pseudoInverse(slowProduct(transposed(spanning), spanning)).inverse;
    const auto P = slowProduct(slowProduct(spanning, inverse), transposed(spanning));
    const auto inner = slowProduct(slowProduct(transposed(subspace), P), subspace);
    double trace = 0;
    for (Size i = 0; i < inner.rows; ++i) trace += inner(i, i);
    return trace;
}

}  // namespace

TEST_CASE("capacities per input are the reference's rationals, whatever basis the constraints are given in") {
    const auto c = reference("case_01_subspace.json");
    const Vector exact{27.0 / 44, 15.0 / 44, 73.0 / 88, 61.0 / 88, 13.0 / 88, 3.0 / 8};
    for (const char* basis : {"raw", "raw_same_space"}) {
        const auto K = spanBasis(matrixFrom(c[basis])).basis;
        CHECK(K.columns == 3);
        CHECK(largestDifference(capacityPerInput(K), exact) < 1e-14);
        const auto S = spanBasis(matrixFrom(c["S_raw"])).basis;
        CHECK(capacityOfSubspace(K, S) == doctest::Approx(c["kappa_S"].get<double>()).epsilon(1e-14));
        CHECK(2 - capacityOfSubspace(K, S) == doctest::Approx(c["expected_sq_error_S"].get<double>()).epsilon(1e-14));
    }
}

TEST_CASE("with n − 1 constraints every share of the squared error is known without expectation") {
    const auto c = reference("case_01_subspace.json");
    const auto K = spanBasis(matrixFrom(c["n_minus_1"]["raw"])).basis;
    const auto perInput = capacityPerInput(K);
    CHECK(largestDifference(perInput, c["n_minus_1"]["cpi"].get<Vector>()) < 1e-14);
    CHECK(largestDifference(expectedErrorShares(perInput, 4), c["n_minus_1"]["rel_sq_error"].get<Vector>()) < 1e-14);
    const auto X = c["n_minus_1"]["X"].get<Vector>();
    const double squared = std::inner_product(X.begin(), X.end(), X.begin(), 0.0);
    for (Size i = 0; i < X.size(); ++i) CHECK(X[i] * X[i] / squared == doctest::Approx(1 - perInput[i]).epsilon(1e-12));
}

TEST_CASE("a direction has capacity 1 inside the constraints and 0 orthogonal to them") {
    const auto c = reference("case_01_subspace.json");
    const auto K = spanBasis(matrixFrom(c["raw"])).basis;
    Matrix k(6, 1, c["k_in_span"]["k"].get<Vector>());
    CHECK(capacityOfSubspace(K, spanBasis(k).basis) == doctest::Approx(1));
    Matrix outside = axis(6, 4);
    for (int twice = 0; twice < 2; ++twice) {
        const auto inside = slowProduct(K, slowProduct(transposed(K), outside));
        for (Size i = 0; i < 6; ++i) outside(i, 0) -= inside(i, 0);
    }
    CHECK(capacityOfSubspace(K, spanBasis(outside).basis) < 1e-28);
}

TEST_CASE("capacities of subspaces agree with traces of projectors, lie within bounds and add over orthogonal parts") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const Size n = 3 + seed, kappa = 1 + seed % 4, dimension = 1 + seed % 3;
        const auto spanning = gaussianMatrix(n, kappa, seed);
        const auto K = spanBasis(spanning).basis, S = randomSpan(n, dimension, seed + 100);
        const double capacity = capacityOfSubspace(K, S);
        CHECK(capacity == doctest::Approx(slowCapacity(spanning, S)).epsilon(1e-11));
        CHECK(capacity > -1e-14);
        CHECK(capacity < static_cast<double>(std::min(K.columns, dimension)) + 1e-12);
        CHECK(sumOf(capacityPerInput(K)) == doctest::Approx(static_cast<double>(kappa)).epsilon(1e-13));
        CHECK(sumOf(capacityInBasis(K, S)) == doctest::Approx(capacity).epsilon(1e-13));
        const auto all = capacityInBasis(K, randomSpan(n, n, seed + 200));
        CHECK(sumOf(all) == doctest::Approx(static_cast<double>(kappa)).epsilon(1e-13));
        for (Size i = 0; i < n; ++i) CHECK(capacityPerInput(K)[i] == doctest::Approx(capacityOfSubspace(K, axis(n, i))).epsilon(1e-13));
    }
}

TEST_CASE("capacities of a direct sum do not add unless the sum is orthogonal") {
    const auto c = reference("case_02_conditional.json")["counterexample"];
    const auto K1 = matrixFrom(c["K1"]), K2 = matrixFrom(c["K2"]);
    auto separate = capacityPerInput(spanBasis(K1).basis);
    const auto second = capacityPerInput(spanBasis(K2).basis), joint = capacityPerInput(spanBasis(sideBySide({K1, K2})).basis);
    for (Size i = 0; i < 2; ++i) separate[i] += second[i];
    CHECK(largestDifference(separate, c["sum_cpi_separate"].get<Vector>()) < 1e-14);
    CHECK(largestDifference(joint, c["cpi_joint"].get<Vector>()) < 1e-14);
}

TEST_CASE("chains have the reference's ranks and parts in either order, and the same sum") {
    const auto c = reference("case_02_conditional.json");
    std::vector<Matrix> blocks;
    for (const auto& block : c["blocks"]) blocks.push_back(matrixFrom(block));
    for (const bool backward : {false, true}) {
        const auto& expected = c[backward ? "backward" : "forward"];
        // The reference lists the backward chain's parts as they were added.
        const auto links = chainOf(backward ? std::vector<Matrix>(blocks.rbegin(), blocks.rend()) : blocks);
        Vector sum(6);
        for (Size l = 0; l < links.size(); ++l) {
            INFO(backward << " block " << l);
            CHECK(links[l].rank == expected["ranks"][l].get<Size>());
            CHECK(largestDifference(links[l].capacity, expected["cpi"][l].get<Vector>()) < 1e-12);
            for (Size i = 0; i < 6; ++i) sum[i] += links[l].capacity[i];
        }
        CHECK(largestDifference(sum, c["total"].get<Vector>()) < 1e-12);
    }
}

TEST_CASE("a conditional capacity is the difference of joint and given capacity, never negative, an integer in all") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Size n = 9;
        auto given = gaussianMatrix(n, 1 + seed % 4, seed), block = gaussianMatrix(n, 1 + seed % 5, seed + 50);
        // One direction in common.
        for (Size i = 0; i < n; ++i) block(i, 0) = 2 * given(i, 0);
        const auto link = chainOf({given, block})[1];
        CHECK(link.rank == block.columns - 1);
        const auto joint = capacityPerInput(spanBasis(sideBySide({given, block})).basis), before = capacityPerInput(spanBasis(given).basis);
        for (Size i = 0; i < n; ++i) {
            CHECK(link.capacity[i] == doctest::Approx(joint[i] - before[i]).epsilon(1e-10));
            CHECK(link.capacity[i] >= 0);
        }
        CHECK(sumOf(link.capacity) == doctest::Approx(static_cast<double>(link.rank)).epsilon(1e-13));
    }
}

TEST_CASE("what a chain adds stays orthonormal when a block lies almost in the span before it") {
    const Size n = 20;
    CapacityChain chain(n);
    auto block = gaussianMatrix(n, 4, 1);
    CHECK(chain.add(block).rank == 4);
    const auto noise = gaussianMatrix(n, 4, 2);
    for (const double angle : {1e-2, 1e-4, 1e-7}) {
        auto near = block;
        for (Size i = 0; i < near.values.size(); ++i) near.values[i] += angle * noise.values[i];
        auto copy = chain;
        const auto link = copy.add(near);
        CHECK(link.rank == (angle > 1e-5 ? 4 : 0));
        const auto gram = slowProduct(transposed(copy.constraints()), copy.constraints());
        CHECK(largestDifference(gram, identityMatrix(copy.constraints().columns)) < 1e-13);
    }
}

TEST_CASE("the Fourier basis is orthonormal, and frequencies hold at most two dimensions, the two ends one") {
    for (const Size n : {1, 2, 5, 8, 64, 65}) {
        const auto F = fourierBasis(n);
        CHECK(largestDifference(slowProduct(transposed(F), F), identityMatrix(n)) < 1e-13);
        const auto all = capacityPerFrequency(identityMatrix(n));
        for (Size f = 0; f < all.size(); ++f) CHECK(all[f] == doctest::Approx(f == 0 || 2 * f == n ? 1 : 2));
    }
    CHECK(largestDifference(capacityPerFrequency(columnRange(fourierBasis(8), 1, 1)), {0, 1, 0, 0, 0}) < 1e-14);
}

TEST_CASE("spaces of different sizes and numbers that are none are refused in a sentence") {
    CHECK(isOneSentence(refusal([] { capacityOfSubspace(identityMatrix(3), identityMatrix(4)); })));
    CHECK(isOneSentence(refusal([] { CapacityChain(3).add(identityMatrix(4)); })));
    CHECK(isOneSentence(refusal([] { CapacityChain(1).add(Matrix(1, 1, {std::nan("")})); })));
    CHECK(capacityPerInput(Matrix(3, 0)) == Vector(3));
    CHECK(CapacityChain(3).add(Matrix(3, 2)).rank == 0);
    CHECK(expectedErrorShare(1, 1, 5, 5) == 0);
}
