#pragma once
#include <cstdint>
#include <functional>
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
    std::size_t total = 0;         ///< a rank, that of Uᵀ Q U
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

/// Capacity of every layer's units, [layer 0 … L][unit], all layers at one ν: of layer l the formulas applied to layers l+1 … L with
/// layer l's outputs as independent inputs, Σ_l = I; of layer 0 as given. Layer L: diag of U Uᵀ. One learned direction takes one pass,
/// diag(M_l)/tr M_l; several take a pass for each layer. `tick` is called after each pass.
std::vector<std::vector<double>> layerCapacities(
    const ContinuumNetwork&, double nu, std::vector<double> inputs, const std::function<void()>& tick = [] {});

/// Share of the way from one distribution of capacity over inputs to another that a third has gone: with π = κ/Σκ,
/// (π − π_start)·(π_end − π_start)/|π_end − π_start|²; NaN where the two ends are the same distribution.
double changedShare(const std::vector<double>& capacity, const std::vector<double>& start, const std::vector<double>& end);

/// Layers of one channel on a ring, kernels shared over positions: kernels[l][tap] of layer l + 1 from the input up, an odd number of
/// taps, tap t of output x reads input x + t − (taps − 1)/2. Their norms do not matter.
struct ContinuumRing {
    int extent = 33;
    std::vector<std::vector<double>> kernels;
};

struct RingCapacity {
    std::vector<double> capacity;   ///< [position]; the top unit stands at extent/2; sums to 1
    double mean = 0, variance = 0;  ///< of the offset from the top, within half a ring
};

/// Capacity of every layer's units, [layer 0 … L], when one top unit's map is learned and every layer has decoupling ν, counting the
/// paths that exist: Σ̃ over paths (j_L … j_1; i) of the network is Π C(j_l, j_l′) δ_ii′. With B_L[j,k,k′] = 1 at k = k′ = top for every j,
///   B_{l−1}[i,·,·] = Σ_{j reads i} P_l (C_jk C_jk′ B_l[j,k,k′]) P_lᵀ,   κ^l_i = B_l[i,i,i] up to a factor,
/// j being a unit on the path, k and k′ those of its two replicas; κ^l has layers l + 1 … L stand on layer l as on independent inputs.
/// The same for any ring of more than 4·Σ reach positions; the formulas above, which count every copy, would depend on the ring's size.
/// Only what can meet again at an input is kept: |j − k|, |k − k′| within twice the reach of the layers below.
/// `tick` is called after each layer. Throws InputError for kernels that are even or longer than the ring, ν outside [0, 1] or more than
/// kMaxRingOperations. Cost: see continuumRingOperations.
std::vector<RingCapacity> continuumRing(
    const ContinuumRing&, double nu, const std::function<void()>& tick = [] {});
/// Operations of one continuumRing, about 1e9 a second.
double continuumRingOperations(const ContinuumRing&);
inline constexpr double kMaxRingOperations = 2e10;

/// Capacity of independent inputs at ν = 0, D_1 ⋯ D_L κ^φ (P1 Eqs 25, 28): layer by layer through the squares of the weights.
std::vector<double> diffusedCapacity(const ContinuumNetwork&);
std::vector<double> diffusedCapacity(const ContinuumRing&);
/// Capacity at ν = 1, squared rows of orth(Σ P_1 ⋯ P_L U) (P1 2.4; P2 Eqs 4–5); empty for several layers under several directions.
std::vector<double> linearNetworkCapacity(const ContinuumNetwork&);
std::vector<double> linearNetworkCapacity(const ContinuumRing&);

/// A dilated network with one output, no bias, all layers learned: layer l = 1 … L has taps[l−1] taps of dilation
/// n_1 ⋯ n_{l−1}, hidden layers `channels` channels, input and output one. Lags τ = 0 … Π n_l − 1 (0 = newest). The inputs' covariance
/// is c_|τ − τ′| = (1 + |τ − τ′|)^{−alpha} (P2 Eq 30).
struct PathTree {
    std::vector<int> taps{2, 2, 2};
    int channels = 1;
    double alpha = 0.5;
    std::vector<double> weights;  ///< W_l[tap][out][in], layer 1 first
};

/// Gaussian weights, stream (seed, Weights, layer).
PathTree randomPathTree(std::vector<int> taps, int channels, double alpha, std::uint64_t seed);

/// Number of lags, of paths Π n_l · channels^(L−1) and of weights, in double.
struct PathTreeSize {
    double lags = 0, paths = 0, parameters = 0;
};
PathTreeSize pathTreeSize(const PathTree&);
inline constexpr double kMaxTreePaths = 4096, kMaxTreeParameters = 512;

/// ∂(path coefficient)/∂W, [paths][parameters]: path τ through channels (o_1 … o_{L−1}) has the coefficient Π_l W_l[k_l][o_l][o_{l−1}],
/// k_l = ⌊τ/d_l⌋ mod n_l. Paths are numbered lag-major, then by channels, layer 1 fastest. Throws InputError for sizes past the limits
/// above, weights of the wrong number or not finite.
Matrix pathTreeJacobian(const PathTree&);

/// Capacity by lag when all layers are learned: Σ̃ = c_|τ−τ′| ν^h, h = number of hidden layers in which two paths use different units
/// (unit of layer l: ⌊τ/(n_1 ⋯ n_l)⌋ and channel), K = orth(Σ̃ J), κ_τ = squared rows of K summed over the lag's paths.
/// The rank decision falls on J and again on Σ̃ times an orthonormal basis of its span (ν = 1 makes Σ̃ singular).
/// Total: parameters − hidden channels for ν < 1, the tensor train's dimension at ν = 1. By lag, newest first. Cost: paths²·rank.
/// `jacobian`: pathTreeJacobian of the tree.
ContinuumCapacity pathTreeCapacity(const PathTree&, const Matrix& jacobian, double nu);

/// The same model without activations: K = orth(Σ da/dW), a(τ) the sum of the lag's path coefficients (P2 Eq 20). Equals ν = 1.
ContinuumCapacity linearTreeCapacity(const PathTree&);

}  // namespace kappaflow
