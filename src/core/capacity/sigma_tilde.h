#pragma once
#include <vector>

#include "core/base/rng.h"
#include "core/capacity/decoupling.h"
#include "core/linalg/matrix.h"

namespace kappaflow {

// Σ̃ = E[Ỹ Ỹᵀ], [copies·inputs][copies·inputs], of the augmented inputs Ỹ = (η_1 Y; …; η_m Y) (P1 Eqs 6 and 8), row j·n + i being copy
// j of input i. η is scaled to E η_j² = 1, as P1 Eq 12 does, so that the diagonal blocks are Σ.

/// C(ν) ⊗ Σ with C = ν J + (1 − ν) I (P1 Eqs 10, 11, 14). Cost: (copies·inputs)².
Matrix approximateSigmaTilde(double nu, std::size_t copies, const Matrix& sigma);

/// The exact blocks for two slopes and Gaussian Y, of which P1 Eq 14 is a part: with q_i = Σ p_i/√(p_iᵀ Σ p_i), ρ = q_iᵀ Σ⁻¹ q_j,
/// Σ̃_ij = ν Σ + (1 − ν)(2/π)[asin(ρ) Σ + (q_i q_jᵀ + q_j q_iᵀ − ρ (q_i q_iᵀ + q_j q_jᵀ))/√(1 − ρ²)] for i ≠ j.
/// Eq 14 drops the second bracket: right on average for orthogonal features, but blind to the mean of |z|. `features`: [inputs][m].
Matrix exactSigmaTilde(TwoSlopes, const Matrix& features, const Matrix& sigma);

/// ‖a − b‖_F/‖b‖_F.
double relativeDifference(const Matrix& a, const Matrix& b);

/// Σ̃ by Monte Carlo over Gaussian Y ~ N(0, Σ), a slice of draws at a time: whatever the slices, the draws are those of the stream
/// (seed, MonteCarlo, 0). η_j is divided by √(E η²) at its own standard deviation √(p_jᵀ Σ p_j); where that diverges (sigmoid) by
/// √(E f²/E z²) instead, and the diagonal blocks converge to nothing. The pseudo-random η has a seed of its own for every unit.
class SigmaTildeMeasurement {
public:
    /// Throws InputError when Σ is not positive definite or the sizes disagree.
    SigmaTildeMeasurement(Matrix features, const Matrix& sigma, Activation, double slope, std::uint64_t seed);

    /// Cost: (copies·inputs)²/2 multiply-adds a draw.
    void add(std::size_t draws);
    double draws() const { return draws_; }
    Matrix mean() const;
    /// Standard deviation between draws over √draws, entry by entry; zeros for fewer than two draws.
    Matrix standardError() const;
    double largestStandardError() const;

private:
    std::vector<double> draw();
    Matrix features_, factor_;
    Activation activation_;
    double slope_;
    std::vector<double> etaScale_;
    Rng rng_;
    double draws_ = 0;
    Matrix sums_, squares_;  ///< on and above the diagonal
};

}  // namespace kappaflow
