#pragma once
#include <span>
#include <vector>

#include "core/linalg/matrix.h"

namespace kappaflow {

/// A dense network whose layers have features P_l, [units of layer l−1][units of layer l], l = 1 … L, unit columns, and whose last
/// linear map is learned in the span of `free`, [units of layer L][k] with orthonormal columns. Input covariance `sigma`.
struct ContinuumNetwork {
    Matrix sigma;
    std::vector<Matrix> features;
    Matrix free;
};
/// Columns of every P scaled to 1, the last layer's norms moved into `free` (P1 footnote 4), `free` made orthonormal. Norms of lower
/// layers drop out where activations are homogeneous; elsewhere they belong to the activation's width. Throws InputError when sizes
/// do not follow one another or there is no layer.
ContinuumNetwork normalised(ContinuumNetwork);

/// Eigenvalues of Uᵀ Q U below this share of the largest are dropped when every ν < 1, where Q is non-singular and only rounding
/// makes eigenvalues vanish: near ν = 1 true ones fall as (1 − ν)²/m.
inline constexpr double kContinuumThreshold = 1e-14;

struct ContinuumCapacity {
    std::vector<double> capacity;  ///< [inputs]
    std::size_t total = 0;         ///< rank of Uᵀ Q U
    Matrix density;                ///< M_0, [inputs][inputs]: κ_i = (Σ M_0 Σ)_ii (ν < 1 somewhere)
};

/// Capacity of the inputs when layer l has decoupling ν_l (between P1 2.4 and 2.5: the path covariance C(ν_L) ⊗ … ⊗ C(ν_1) ⊗ Σ, every copy
/// counted). With g = m ν² + 2ν(1 − ν), h = (1 − ν)² of layer l with m units:
///   up    Q_0 = Σ²,  R = P_lᵀ Q_{l−1} P_l,  Q_l = g R + h diag R;
///   down  M_L = U (Uᵀ Q_L U)⁺ Uᵀ,  M_{l−1} = P_l (g M_l + h diag M_l) P_lᵀ,  κ_i = (Σ M_0 Σ)_ii.
/// Each Q_l is divided by its trace over its size, M_{l−1} alike, so that depth does not overflow. When every ν is 1: the span of
/// Σ P_1 … P_L U itself, whose dimension may be lower (never the limit ν → 1, which keeps the rank of U).
/// `nu`: one value a layer, in [0, 1]. Cost: about 6 m³ operations a layer; 64 units × 16 layers take 5 ms, 8 ms as wasm.
ContinuumCapacity continuumCapacity(const ContinuumNetwork&, std::span<const double> nu);
ContinuumCapacity continuumCapacity(const ContinuumNetwork&, double nu);

/// Capacity of every layer's units, [layer 0 … L][unit]: of layer l the formulas applied to layers l+1 … L with layer
/// l's outputs as independent inputs, Σ_l = I; of layer 0 with Σ. Layer L: diag of U Uᵀ. One learned direction takes one pass,
/// diag(M_l)/tr M_l; several take a pass for each layer.
std::vector<std::vector<double>> layerCapacities(const ContinuumNetwork&, std::span<const double> nu);

/// Share of the way from ν = 0 to ν = 1 that the distribution of capacity over inputs has gone: with π = κ/Σκ,
/// (π(ν) − π(0))·(π(1) − π(0))/|π(1) − π(0)|². The end is taken just below 1, at ν = 0.999, where the total jumps at 1.
/// `crossover`: the smallest ν where it reaches one half, by bisection to 1e-6 after a scan over log-spaced ν; NaN when the two ends
/// are the same distribution. About 1/√m for dense layers. Cost: 60 evaluations.
struct Crossover {
    double nu = 0;
    std::vector<double> start, end;  ///< π(0), π(1)
};
Crossover continuumCrossover(const ContinuumNetwork&);
double changedShare(const std::vector<double>& capacity, const Crossover&);

}  // namespace kappaflow
