#pragma once
#include <vector>

#include "core/capacity/capacity_network.h"

namespace kappaflow {

/// Where a unit reads relative to the centre of its window, in steps of the dilation.
struct Tap {
    int y = 0, x = 0;
    friend bool operator==(const Tap&, const Tap&) = default;
};
/// The taps of a filter of odd size r, row by row: r in one row; all r·r of a square; the 2r − 1 of them on its two axes.
std::vector<Tap> rowTaps(int size);
std::vector<Tap> squareTaps(int size);
std::vector<Tap> crossTaps(int size);

/// D of a layer as its kernel, for networks where building D column by column would cost more than using it:
/// D = stay·I + (1 − stay)·kernel, where output (y, x) reads, by a tap, input (y, x)·stride + tap·dilation. Signals have height 1.
/// Periodic layers (ring, torus) wrap: taps that meet on one unit stay separate paths. In others (line, zero padding) taps beyond
/// the edges drop out and the column's rest is renormalised. Units are numbered channel-major, as in Layer.
struct CapacityKernel {
    int inHeight = 1, inWidth = 1, outHeight = 1, outWidth = 1, inChannels = 1, outChannels = 1, stride = 1, dilation = 1;
    std::vector<Tap> taps;
    bool periodic = true;
    bool shared = true;  ///< one kernel for all output positions
    bool mixes = false;  ///< the identity connection exists: `stay` counts, and a column without kernel entries keeps everything
    double stay = 0;
    std::vector<double> shares;  ///< [position, unless shared][tap][in][out]; sums to 1 over tap and in, or to 0 (dead unit)

    std::size_t inPositions() const { return static_cast<std::size_t>(inHeight) * static_cast<std::size_t>(inWidth); }
    std::size_t outPositions() const { return static_cast<std::size_t>(outHeight) * static_cast<std::size_t>(outWidth); }
    /// In input positions.
    Tap displacement(std::size_t tap) const { return {taps[tap].y * dilation, taps[tap].x * dilation}; }
    /// Input position that a tap of output `position` reads, −1 beyond the edges.
    int inputAt(std::size_t position, std::size_t tap) const;
    const double* tapShares(std::size_t position, std::size_t tap) const;
};

/// Capacity of every unit with the first two moments of its offset u from the top, unwrapped and in the layer's own positions:
/// mass = κ, first = Σ u_x, second = Σ u_x² over the capacity that has come to the unit, and in two dimensions Σ u_y, Σ u_y²,
/// Σ u_y u_x (empty: not asked for).
struct OffsetMoments {
    std::vector<double> mass, first, second;
    std::vector<double> firstY{}, secondY{}, product{};
};

/// One step down, κ → D κ. Dead units add to `unattributed`.
/// Cost: one multiply-add for each output position, tap and pair of channels, less where rows of positions hold nothing.
std::vector<double> propagate(const CapacityKernel&, const std::vector<double>& above, double& unattributed);
/// The same with moments, u_in = stride·u_out + displacement. Cost: as much for each moment.
OffsetMoments propagate(const CapacityKernel&, const OffsetMoments& above, double& unattributed);
/// The same on explicit columns, along x; offsets mean nothing for layers without positions.
OffsetMoments propagate(const CapacityLayer&, const OffsetMoments& above, double& unattributed);

/// The kernel on a single position. Where all columns of a layer are alike (shared and periodic, asserted), the moments summed over
/// positions, [channel], move as this kernel moves them: offsets are unwrapped, so they do not know how large the layer is.
CapacityKernel collapsed(const CapacityKernel&);

/// What one step moves along each tap, summed over channels, and along the identity: [tap][position], [position].
struct KernelTransfers {
    std::vector<double> byTap, stayed;
};
KernelTransfers transfers(const CapacityKernel&, const std::vector<double>& above);

/// The same D by its columns: the slow obvious version, and what path statistics walk on. Offsets are those along x.
CapacityLayer explicitLayer(const CapacityKernel&);

/// Share of a column that goes to each tap, [tap], without the identity: summed over input channels, averaged over output
/// channels and positions (P1 4.1: the mean network).
std::vector<double> kernelShares(const CapacityKernel&);

/// Drift and diffusion coefficients of the limit π' = −v·∇π + ∇·𝒟∇π (P1 Eq 31, and its form in two dimensions) from a kernel's
/// shares, in positions, and the time one layer takes: its mean step is time·v, the covariance it adds 2·time·𝒟.
struct KernelDiffusion {
    double time = 1, drift = 0, diffusion = 0;           ///< v_x, 𝒟_xx
    double driftY = 0, diffusionY = 0, diffusionYX = 0;  ///< v_y, 𝒟_yy, 𝒟_yx
};
/// v = Σ k Δ_k and, for layers near the identity, 𝒟 = ½ Σ k kᵀ Δ_k with time = 1 − stay (P1 Eqs 28, 31). A plain layer is no small step:
/// its 𝒟 is that of the step's own covariance, ½ (Σ k kᵀ D_k − v vᵀ), equal when v = 0.
/// Uniform filters of size r, per axis: variance (r² − 1)/12 for a square; r (r² − 1)/(12 (2r − 1)) for a cross, whose taps on the
/// other axis do not move along this one.
KernelDiffusion kernelDiffusion(const std::vector<double>& shares, const std::vector<Tap>& taps, int dilation, bool mixes, double stay);

}  // namespace kappaflow
