#pragma once
#include <memory>
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

/// Capacity of the inputs when one top unit's map is learned and every layer has decoupling ν, counting the paths that
/// exist: Σ̃ over paths (j_L … j_1; i) of the network is Π C(j_l, j_l′) δ_ii′. With B_L[j,k,k′] = 1 at k = k′ = top for every j,
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

/// The same pass a layer at a time, for results on the way. κ^l, the capacity of layer l's units when layers l + 1 … L stand on them
/// as independent inputs, is B_l[i,i,i] of the one pass.
class ContinuumRingPass {
public:
    ContinuumRingPass(const ContinuumRing&, double nu);
    ~ContinuumRingPass();
    /// One layer down; false when the inputs are reached.
    bool step();
    /// From layer L (all at the top unit) down to where the pass has come.
    const std::vector<RingCapacity>& layers() const { return layers_; }

private:
    struct Descent;
    std::unique_ptr<Descent> descent_;
    std::vector<RingCapacity> layers_;
};

/// Every layer's capacity, [layer 0 … L]. Cost: one continuumRing.
std::vector<RingCapacity> continuumRingLayers(const ContinuumRing&, double nu);

}  // namespace kappaflow
