#pragma once
#include <string>
#include <vector>

#include "core/linalg/matrix.h"

namespace kappaflow {

// Capacity of subspaces of the input space R^N under constraints K, [N][κ] with orthonormal columns (P2 Section 3). Inputs are
// position-major, component-minor (index = position·components + component), positions oldest first.

/// κ(S) = ‖KᵀS‖² (Frobenius, squared: the prose of P2 says norm) for S with orthonormal columns, [N][n_S]. Between 0 and min(κ, n_S).
/// Throws InputError when the rows disagree. Cost: N·κ·n_S.
double capacityOfSubspace(const Matrix& constraints, const Matrix& subspace);

/// κ of every input, [N]: the squared norms of K's rows, the diagonal of the projector K Kᵀ. Each in [0, 1]; they sum to κ.
std::vector<double> capacityPerInput(const Matrix& constraints);

/// κ of every column of an orthonormal basis, [basis.columns]. Cost: N·κ·basis.columns.
std::vector<double> capacityInBasis(const Matrix& constraints, const Matrix& basis);

/// Real Fourier basis of R^length, [length][length]: constant 1/√n, then √(2/n) cos and sin of frequency 1, 2, …, last the
/// alternating 1/√n when n is even.
Matrix fourierBasis(std::size_t length);

/// κ of every frequency 0 … ⌊n/2⌋, cosine and sine together: at most 2, and 1 at frequency 0 and at ½ a sample (n even). Cost: N²·κ.
std::vector<double> capacityPerFrequency(const Matrix& constraints);

/// Singular values of what a block adds to a span are sines of principal angles between the two: up to this one counts as nothing.
inline constexpr double kSineThreshold = 1e-5;

/// One block's part of a chain: κ_{K_l}(· | K_1 + … + K_{l−1}), the capacity of what it adds orthogonally to the blocks before.
struct ChainLink {
    std::size_t rank = 0;          ///< dimensions added, its capacity of all of R^N
    std::vector<double> capacity;  ///< [N] per input, in [0, 1], summing to `rank`
    double smallestSine = 0;       ///< smallest sine kept (0: nothing added)
    double largestDropped = 0;     ///< largest sine taken for nothing
};

/// Constraint spaces added one after another (P2 Property 6, Appendix C). The parts depend on the order, their sum does not.
class CapacityChain {
public:
    explicit CapacityChain(std::size_t inputs);
    /// Adds the span of the block's columns, [N][any]; they need be neither orthonormal nor independent (a column counts while more
    /// than `rankThreshold` of the longest is left of it). Throws InputError when rows disagree or entries are not finite.
    /// Cost: 4·N·columns·k + 50·k³ + 4·N·k·rank so far, k the block's rank; no k³ for the first block.
    ChainLink add(const Matrix& block, double rankThreshold = 1e-9);
    /// Orthonormal basis of the sum of all blocks so far, [N][rank]; the first blocks' columns come first.
    const Matrix& constraints() const { return constraints_; }

private:
    Matrix constraints_;
};

/// Expected share of the squared error in a subspace, (n_S − κ_S)/(n − κ) (P2 Eq 6): exact without expectation when κ = n − 1 (Eq 7),
/// in expectation when the error is isotropic in the complement of K, as it is for Σ = I; a trend otherwise. 0 when κ = n.
double expectedErrorShare(double dimension, double capacity, double inputs, double total);
/// The same for every input, [N].
std::vector<double> expectedErrorShares(const std::vector<double>& perInput, double total);

}  // namespace kappaflow
