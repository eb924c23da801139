#include "core/capacity/augmented_space.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/capacity/decoupling.h"
#include "core/linalg/decompositions.h"
#include "support/matrices.h"
#include "support/reference.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

Vector linearByAugmentation(const Matrix& sigma, const Matrix& P, const Matrix& U) {
    return augmentedCapacity(approximateSigmaTilde(1, P.columns, sigma), P, U).capacity;
}

/// κ = D κ^φ, D = P∘P with unit columns, κ^φ_j = squared norm of row j of an orthonormal basis of diag(|p_j|) U (P1 Eq 25).
Vector pseudoRandomByEq25(const Matrix& P, const Matrix& U) {
    const auto unit = unitFeatures(P, U);
    Vector kappa(P.rows);
    for (Size i = 0; i < P.rows; ++i)
        for (Size j = 0; j < P.columns; ++j)
            for (Size k = 0; k < unit.free.columns; ++k)
                kappa[i] += unit.features(i, j) * unit.features(i, j) * unit.free(j, k) * unit.free(j, k);
    return kappa;
}

}  // namespace

TEST_CASE("for linear layers the augmented route gives the direct capacities, whatever P, Σ and U") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Rng rng(seed, Purpose::Data, 1);
        const Size n = 1 + rng.below(6), m = 1 + rng.below(8), k = 1 + rng.below(m);
        const auto kind = static_cast<Covariance>(rng.below(3));
        INFO("n " << n << " m " << m << " k " << k << " seed " << seed);
        const Matrix sigma = covarianceMatrix(kind, n, seed), U = gaussianMatrix(m, k, seed);
        const Matrix P = randomFeatures(n, m, seed % 2 == 0, seed);
        const auto direct = directCapacity(sigma, P, U);
        const auto augmented = augmentedCapacity(approximateSigmaTilde(1, m, sigma), P, U);
        CHECK(direct.total == augmented.total);
        CHECK(direct.total == std::min(n, k));
        CHECK(largestDifference(direct.capacity, augmented.capacity) <= 1e-12);
        // Eq 16: K̃ is K repeated, over √m; spans are compared by their projectors.
        Matrix repeated(n * m, direct.total);
        for (Size r = 0; r < n * m; ++r)
            for (Size c = 0; c < direct.total; ++c) repeated(r, c) = direct.constraints(r % n, c) / std::sqrt(static_cast<double>(m));
        CHECK(largestDifference(slowProduct(repeated, transposed(repeated)),
                                slowProduct(augmented.constraints, transposed(augmented.constraints))) < 1e-11);
    }
}

TEST_CASE("columns far from unit norm change neither route's agreement") {
    const Matrix sigma = covarianceMatrix(Covariance::Ar1, 4, 1), U = gaussianMatrix(5, 2, 3);
    Matrix P = gaussianMatrix(4, 5, 2);
    for (Size i = 0; i < 4; ++i) {
        P(i, 0) *= 1e3;
        P(i, 3) *= 1e-3;
        P(i, 4) = 0;
    }
    CHECK(largestDifference(linearByAugmentation(sigma, P, U), directCapacity(sigma, P, U).capacity) <= 1e-12);
}

TEST_CASE("for a pseudo-random layer with independent inputs capacity is D κ^φ") {
    for (const bool normalised : {true, false}) {
        const Matrix P = randomFeatures(4, 6, normalised, 3), U = gaussianMatrix(6, 3, 4);
        const auto augmented = augmentedCapacity(approximateSigmaTilde(0, 6, identityMatrix(4)), P, U);
        CHECK(augmented.total == 3);
        CHECK(largestDifference(augmented.capacity, pseudoRandomByEq25(P, U)) < 1e-13);
    }
}

TEST_CASE("exact two-slope blocks give the reference's capacities") {
    const auto cases = reference("case_11_nu_continuum.json");
    for (const auto& c : cases["cases"]) {
        const Matrix P = matrixFrom(c["P"]), U = matrixFrom(c["U"]), sigma = matrixFrom(c["Sigma"]);
        const auto check = [&](const char* name, TwoSlopes slopes) {
            INFO(name);
            const auto kappa = augmentedCapacity(exactSigmaTilde(slopes, P, sigma), P, U).capacity;
            CHECK(largestDifference(kappa, c["exact_two_slope"][name].get<Vector>()) < 1e-9);
        };
        check("relu", {0, 1});
        check("abs", {-1, 1});
        check("leaky0.2", {0.2, 1});
        CHECK(largestDifference(directCapacity(sigma, P, U).capacity, c["linear"].get<Vector>()) < 1e-9);
        CHECK(largestDifference(pseudoRandomByEq25(P, U), c["D_kappa_phi"].get<Vector>()) < 1e-9);
        for (const auto& row : c["by_nu"])
            CHECK(largestDifference(augmentedCapacity(approximateSigmaTilde(row["nu"], P.columns, sigma), P, U).capacity,
                                    row["kappa"].get<Vector>()) < 1e-9);
    }
}

TEST_CASE("copies add up to inputs, inputs to the rank; K̃ is orthonormal and K̃ K̃ᵀ holds the constraints") {
    const Matrix sigma = covarianceMatrix(Covariance::Random, 4, 9), P = gaussianMatrix(4, 6, 1), U = gaussianMatrix(6, 2, 2);
    const auto tilde = exactSigmaTilde({0.2, 1}, P, sigma);
    const auto a = augmentedCapacity(tilde, P, U);
    CHECK(total(a.copies.values) == doctest::Approx(2).epsilon(1e-13));
    CHECK(total(a.capacity) == doctest::Approx(2).epsilon(1e-13));
    CHECK(largestDifference(slowProduct(transposed(a.constraints), a.constraints), identityMatrix(2)) < 1e-13);
    Matrix blocks(24, 6);
    for (Size row = 0; row < 24; ++row) blocks(row, row / 4) = P(row % 4, row / 4);
    const auto constraints = slowProduct(tilde, slowProduct(blocks, U));
    const auto projected = slowProduct(a.constraints, slowProduct(transposed(a.constraints), constraints));
    CHECK(largestDifference(projected, constraints) < 1e-11);
    for (double copy : a.copies.values) CHECK((copy >= 0 && copy <= 1));
}

TEST_CASE("covariances have ones on the diagonal and are positive definite; features and directions are keyed") {
    for (const auto kind : {Covariance::Identity, Covariance::Ar1, Covariance::Random}) {
        const auto sigma = covarianceMatrix(kind, 7, 5);
        for (Size i = 0; i < 7; ++i) CHECK(sigma(i, i) == 1);
        CHECK(sigma.values == transposed(sigma).values);
        CHECK(symmetricEigen(sigma).values[0] > 0.01);
    }
    CHECK(covarianceMatrix(Covariance::Ar1, 3, 0)(0, 2) == doctest::Approx(0.36));
    CHECK(randomFeatures(3, 4, false, 1, 0).values == randomFeatures(3, 4, false, 1, 0).values);
    CHECK(randomFeatures(3, 4, false, 1, 0).values != randomFeatures(3, 4, false, 1, 1).values);
    const auto U = randomFreeDirections(6, 4, 2);
    CHECK(largestDifference(slowProduct(transposed(U), U), identityMatrix(4)) < 1e-14);
    CHECK(randomFreeDirections(3, 3, 2).values == identityMatrix(3).values);
}

TEST_CASE("sizes that do not fit are refused") {
    CHECK(isOneSentence(refusal([] { augmentedCapacity(identityMatrix(5), Matrix(2, 2), identityMatrix(2)); })));
    CHECK(isOneSentence(refusal([] { augmentedCapacity(identityMatrix(4), Matrix(2, 2), identityMatrix(3)); })));
    CHECK(isOneSentence(refusal([] { directCapacity(identityMatrix(3), Matrix(2, 2), identityMatrix(2)); })));
    CHECK(isOneSentence(refusal([] { randomFreeDirections(2, 3, 1); })));
}
