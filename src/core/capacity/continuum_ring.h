#pragma once
#include <vector>

namespace kappaflow {

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

/// Capacity of the inputs when one top unit's map is learned and every layer has decoupling ν, counting the paths that exist (specs
/// 7.2 [I]): Σ̃ over paths (j_L … j_1; i) of the network is Π C(j_l, j_l′) δ_ii′. With B_L[j,k,k′] = 1 at k = k′ = top for every j,
///   B_{l−1}[i,·,·] = Σ_{j reads i} P_l (C_jk C_jk′ B_l[j,k,k′]) P_lᵀ,   κ_i = B_0[i,i,i] up to a factor,
/// j being a unit on the path, k and k′ those of its two replicas. The same for any ring of more than 4·Σ reach positions; the
/// formulas of nu_continuum.h, which count every copy, would depend on the ring's size. Only what can meet again at an input is
/// kept: |j − k|, |k − k′| within twice the reach of the layers below.
/// Throws InputError for kernels that are even or longer than the ring, ν outside [0, 1] or more than kMaxRingOperations. Cost: see
/// continuumRingOperations.
RingCapacity continuumRing(const ContinuumRing&, double nu);
/// Operations of one continuumRing, about 1e9 a second.
double continuumRingOperations(const ContinuumRing&);
inline constexpr double kMaxRingOperations = 2e10;

/// Every layer's capacity, [layer 0 … L]: layers l + 1 … L with layer l's outputs as independent inputs. Cost: the sum over them.
std::vector<RingCapacity> continuumRingLayers(const ContinuumRing&, double nu);

}  // namespace kappaflow
