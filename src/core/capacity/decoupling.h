#pragma once
#include <optional>

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

}  // namespace kappaflow
