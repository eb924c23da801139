#pragma once
#include <vector>

#include "core/capacity/capacity_network.h"

namespace kappaflow {

/// D of a 1-D layer as its kernel, for networks where building D column by column would cost more than using it:
/// D = stay·I + (1 − stay)·kernel, where output x, tap k of the kernel reads input x·stride + (k − (taps − 1)/2)·dilation.
/// On a ring positions wrap (taps that meet on one unit stay separate paths); on a line taps beyond the ends drop out and the
/// column's rest is renormalised. Units are numbered channel-major, as in Layer.
struct CapacityKernel {
    int inWidth = 1, outWidth = 1, inChannels = 1, outChannels = 1, taps = 1, stride = 1, dilation = 1;
    bool ring = true;
    bool shared = true;  ///< one kernel for all output positions
    bool mixes = false;  ///< the identity connection exists: `stay` counts, and a column without kernel entries keeps everything
    double stay = 0;
    std::vector<double> shares;  ///< [position, unless shared][tap][in][out]; sums to 1 over tap and in, or to 0 (dead unit)

    int displacement(int tap) const { return (tap - (taps - 1) / 2) * dilation; }
    /// Input position that tap k of output x reads, −1 beyond the ends.
    int inputAt(int x, int tap) const;
    const double* tapShares(int x, int tap) const;
};

/// Capacity of every unit with the first two moments of its offset u from the top, unwrapped and in the layer's own positions:
/// mass = κ, first = Σ u, second = Σ u² over the capacity that has come to the unit.
struct OffsetMoments {
    std::vector<double> mass, first, second;
};

/// What one step moved along each tap, summed over channels, and along the identity: [tap][x], [x].
struct KernelTransfers {
    std::vector<double> byTap, stayed;
};

/// One step down, u_in = stride·u_out + displacement. Dead units add to `unattributed`.
/// Cost: 3 multiply-adds for each output position, tap and pair of channels.
OffsetMoments propagate(const CapacityKernel&, const OffsetMoments& above, double& unattributed, KernelTransfers* transfers = nullptr);
/// The same on explicit columns; offsets mean nothing for layers without positions.
OffsetMoments propagate(const CapacityLayer&, const OffsetMoments& above, double& unattributed);

/// The same D by its columns: the slow obvious version, and what path statistics walk on.
CapacityLayer explicitLayer(const CapacityKernel&);

/// Share of a column that goes to each tap, [tap], without the identity: summed over input channels, averaged over output
/// channels and positions (P1 4.1: the mean network).
std::vector<double> kernelShares(const CapacityKernel&);

/// Drift and diffusion coefficient of the limit π' = −v π_x + 𝒟 π_xx (P1 Eq 31) from a kernel's shares, in positions, and the time
/// one layer takes: its mean step is time·v, the variance it adds 2·time·𝒟.
struct KernelDiffusion {
    double time = 1, drift = 0, diffusion = 0;
};
/// v = Σ k Δ_k and, for layers near the identity, 𝒟 = ½ Σ k² Δ_k with time = 1 − stay (specs 8). A plain layer is no small step:
/// its 𝒟 is that of the step's own variance, ½ (Σ k² D_k − v²), equal when v = 0.
KernelDiffusion kernelDiffusion(const std::vector<double>& shares, int dilation, bool mixes, double stay);

}  // namespace kappaflow
