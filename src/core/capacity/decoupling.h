#pragma once
#include <optional>
#include <vector>

#include "core/base/rng.h"
#include "core/linalg/matrix.h"
#include "core/net/network.h"

namespace kappaflow {

/// η(z) = f(z)/z (P1 Eq 4). At z = 0 the left derivative where f(0) = 0, infinite where it is not (sigmoid).
double decouplingFactor(Activation, double z, double slope, std::uint64_t seed = 0);

/// Moments of an activation under z ~ N(0, σ²), and the three decoupling coefficients made of them (P1 Eq 15; the paper defines
/// ν for two slopes only). Its Fig 3 prints ν = E η, which holds for the identity but not for a ReLU: ν = (E η)²/E η² [FIX].
struct DecouplingScale {
    double meanEta = 0;        ///< E η; a principal value where f(0) ≠ 0
    double etaSquare = 0;      ///< E η²; infinite where f(0) ≠ 0
    double energy = 0;         ///< E f²/E z²
    double nuIndependent = 0;  ///< (E η)²/E η², the paper's assumption that inputs and η are independent; 0 where E η² diverges
    double nuEnergy = 0;       ///< (E z f)²/(E z² E f²); equals nuIndependent for two slopes
    double nuCorrelation = 0;  ///< corr(f(z), z)²: the mean of f removed
    bool etaSquareDiverges = false;  ///< f(0) ≠ 0: no Monte Carlo mean of η² converges
};

/// Composite Gauss–Legendre quadrature, panels split at every kink and at 0, over twelve standard deviations (beyond: 1e-31); errors
/// about 1e-14. Pseudo-random: η is a fair sign, exactly. Throws InputError unless 0 < sigma < 1e6. Cost: below 5000 evaluations of f.
DecouplingScale decouplingScale(Activation, double slope, double sigma);

/// f(z) = negative·z for z <= 0, positive·z for z > 0 (P1 Eq 12, not normalised). Identity, ReLU, leaky ReLU and |z| are; others: none.
struct TwoSlopes {
    double negative = 1, positive = 1;
};
std::optional<TwoSlopes> twoSlopes(Activation, double slope);

/// ν = (α + β)²/(2 (α² + β²)) (P1 Eq 13). Throws InputError when both slopes are 0.
double twoSlopeNu(TwoSlopes);
/// ν_c = ν/(1 − (2/π)(1 − ν)): corr(f, z)² of two slopes.
double twoSlopeNuCorrelation(double nu);
/// decouplingScale, of two slopes by their closed forms: 0 and 1 to the last bit where the quadrature is so to 1e-16.
DecouplingScale exactDecouplingScale(Activation, double slope, double sigma);

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
