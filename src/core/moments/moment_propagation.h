#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/moments/layer_moments.h"
#include "core/moments/moment_net.h"

namespace kappaflow {

/// y = ω * x + β and dy = ω * dx (Eqs 1–2), centred cross-correlation: output position α, tap k reads input s·α + k − (K−1)/2, which
/// beyond the border is the cell around the ring (Periodic), the mirrored one without the edge twice (Reflect) or zero. Output extent is
/// the input's over the stride, rounded up. Products of blocks of points, signal and noise together, summed in a fixed order: the same
/// bits on every platform. Cost: 4·points·taps^d·in·out operations. Throws InputError when shapes do not fit or reflection needs more cells
/// than there are.
SignalAndNoise convolved(const MomentWeights&, Padding, const SignalAndNoise&);

/// The same into memory that is used again layer after layer: pages fresh from the system cost as much as the products of a small layer.
class PointConvolution {
public:
    /// `out` must not be `in`.
    void apply(
        const MomentWeights&, Padding, const SignalAndNoise& in, SignalAndNoise& out, const std::function<void()>& tick = [] {});

private:
    std::vector<double> rows_, products_;
};

/// The same as the first layer of a net that it leaves with `inputs` channels at `extent` positions a dimension; a dense net's stem takes
/// whole samples as rows. No bias, no activation (P3 Sec. 7). Throws InputError when the result does not fit the net.
SignalAndNoise throughStem(const MomentNet&, const SignalAndNoise&, const MomentWeights&);

/// Propagates signal and noise through one random network, a linear layer at a time, and takes the moments of every layer on the way
/// (P3 Eqs 1–4, 9–13): the mask comes from the signal, batch norm's statistics are constants for the noise, the noise is renormalised after
/// every layer with its logarithm carried. Products sum in a fixed order, so that native code and wasm give the same bits however
/// chaotically a deep batch-normalised net amplifies rounding.
class MomentPropagation {
public:
    using Weights = std::function<MomentWeights(std::size_t linearLayer)>;

    /// What to measure besides what is cheap.
    struct Wanted {
        bool ranks = true;     ///< effective ranks of signal and noise: about as dear as the products when points and channels are alike
        bool theorems = true;  ///< what Theorems 2–4 say of the drawn weights, averaged over channels
    };

    /// Throws InputError when the signal or the noise is zero or constant (“zero variance”), holds a non-finite value, or does not fit the
    /// net.
    MomentPropagation(const MomentNet&, SignalAndNoise input, Weights, Wanted);
    MomentPropagation(const MomentNet& net, SignalAndNoise input, Weights weights)
        : MomentPropagation(net, std::move(input), std::move(weights), Wanted{}) {}

    /// One linear layer; false when the last layer is through or the signal died. Cost: 4·points·taps^d·in·out operations, and ranks.
    /// Calls `tick` every few milliseconds of its products. Throws InputError when the weights do not fit.
    bool advance(const std::function<void()>& tick = [] {});
    std::size_t linearLayersDone() const { return done_; }
    const std::vector<LayerMoments>& layers() const { return layers_; }  ///< [0] is the input; whole layers only
    const SignalAndNoise& state() const { return state_; }               ///< of the last whole layer
    /// Empty, or why there are fewer layers than asked: "Every unit of layer 7 is off for every sample." Propagation also ends where
    /// variance, signal or noise leave what doubles can tell from rounding.
    const std::string& collapsed() const { return collapsed_; }

    /// μ₂ of signal and noise behind the branch of the residual unit begun last, over those in front of it, whether or not the net goes on.
    /// Undefined while the branch is not whole, and where it leaves the range of numbers.
    struct BranchGrowth {
        double signal = kUndefined, noise = kUndefined;
    };
    const BranchGrowth& branchGrowth() const { return branchGrowth_; }

private:
    /// Second moments of a signal and its noise.
    struct Sizes {
        double signal = 1, noise = 1;
    };

    bool inRange(const ChannelMoments&, double noise, const std::string& place);
    bool alive(const ChannelMoments&, double noise, const std::string& place);
    bool divisible(const ChannelMoments&, const std::string& place);
    double logChiRaw(Sizes, double logScale) const;
    std::string place() const;
    void measure(LayerMoments&, const ChannelMoments&, double noise) const;
    void measureRanks(LayerMoments&) const;
    void finishLayer(LayerMoments&&, const ChannelMoments&, double noise);
    /// Batch norm where the net has it, from the moments of `t` before; Theorem 3's terms on the way; m becomes the moments after.
    bool normalise(SignalAndNoise& t, ChannelMoments& m, Sizes before, double& batchNormTheorem, double& activationTheorem);
    double feedforwardTheorem(const LayerMoments&, const ChannelMoments& preactivation) const;
    bool feedforwardLayer(const MomentWeights&, const std::function<void()>& tick);
    bool innerLayer(const MomentWeights&, const std::function<void()>& tick);
    bool finishUnit();

    MomentNet net_;
    Weights weights_;
    Wanted wanted_;
    SignalAndNoise state_;
    ChannelMoments moments_;  ///< of state_
    Sizes sizes_;
    PointConvolution convolution_;
    SignalAndNoise next_;    ///< memory of the layer to come
    SignalAndNoise branch_;  ///< y^{l,h} inside a unit
    ChannelMoments branchMoments_;
    Sizes branchSizes_;
    BranchGrowth branchGrowth_;
    LayerMoments unit_;  ///< what is known of the unit under way
    std::vector<LayerMoments> layers_;
    std::size_t done_ = 0;
    std::string collapsed_;
};

}  // namespace kappaflow
