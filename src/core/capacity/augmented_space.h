#pragma once
#include "core/base/rng.h"
#include "core/linalg/matrix.h"

namespace kappaflow {

// One layer φ(Y) = Aᵀ f(Pᵀ Y) with features P, [inputs][m], whose last linear map A is learned in the span of `free`, [m][k]
// (U = orth(∂A/∂W), as P1 2.5 takes it).

/// P with columns of norm 1, the norms moved into U: U := orth(diag(|p_j|) U) (P1 footnote 4 [FIX: its sum is over i]). A feature
/// without weights stays 0 and takes its row of U with it.
struct UnitFeatures {
    Matrix features;            ///< [inputs][m]
    Matrix free;                ///< [m][rank], orthonormal columns
    std::vector<double> norms;  ///< [m] of the given columns
};
UnitFeatures unitFeatures(const Matrix& features, const Matrix& free);

/// Squared norm of every row: of K = orth(…) the capacities, of U the diagonal of U Uᵀ, κ^φ.
std::vector<double> squaredRows(const Matrix&);

/// Capacity in the augmented input space: K̃ = orth(Σ̃ P̃ U) (P1 Eq 9), P̃ block-diagonal with the columns p_j (Eq 6), κ̃ of copy j of
/// input i = squared norm of row j·n + i of K̃, κ_i = Σ_j (P1 Eqs 17, 23).
struct AugmentedCapacity {
    Matrix constraints;            ///< K̃, [m·inputs][total]
    Matrix copies;                 ///< [m][inputs]
    std::vector<double> capacity;  ///< [inputs]
    std::size_t total = 0;         ///< rank, an integer: singular values of Σ̃ P̃ U above 1e-9 of the largest
};
/// By whatever Σ̃ stands for the activation. Norms of P's columns are moved into U first. Throws InputError when sizes disagree.
/// Cost: (m·inputs)²·k + 2·m·inputs·k².
AugmentedCapacity augmentedCapacity(const Matrix& sigmaTilde, const Matrix& features, const Matrix& free);

/// The linear layer without augmentation: K = orth(Σ P U), κ_i = squared norm of row i (P2 Eqs 4–5).
struct DirectCapacity {
    Matrix constraints;  ///< K, [inputs][total]
    std::vector<double> capacity;
    std::size_t total = 0;
};
DirectCapacity directCapacity(const Matrix& sigma, const Matrix& features, const Matrix& free);

enum class Covariance { Identity, Ar1, Random };
/// Σ with ones on the diagonal: I; 0.6^|i−j|; or the correlations of 2n Gaussian draws of n variables (stream (seed, Data, 0)).
Matrix covarianceMatrix(Covariance, std::size_t inputs, std::uint64_t seed);
/// Gaussian entries, stream (seed, Weights, layer); columns scaled to norm 1 when asked.
Matrix randomFeatures(std::size_t inputs, std::size_t features, bool normalised, std::uint64_t seed, std::uint64_t layer = 0);
/// Orthonormal basis of `dimension` Gaussian directions among m, stream (seed, Signs, 0); the identity when dimension = m.
/// Throws InputError when dimension > m.
Matrix randomFreeDirections(std::size_t m, std::size_t dimension, std::uint64_t seed);

}  // namespace kappaflow
