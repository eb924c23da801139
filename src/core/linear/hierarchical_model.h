#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/linear/linear_model.h"

namespace kappaflow {

/// Layers of dilated convolutions without bias or activation (P2 5.1, Appendix C; WaveNet's stacks). Layer l = 1 … L has taps[l−1] taps,
/// tap k reads k·dilations[l−1] positions back; channels[l] after layer l, channels[0] components of the input, channels[L] = 1.
struct HierarchicalShape {
    std::vector<int> taps, dilations;  ///< [L]
    std::vector<int> channels;         ///< [L + 1]

    std::size_t layers() const { return taps.size(); }
};

/// Limits: layers, taps, channels, dilation, positions times components, and weights.
inline constexpr int kMaxModelLayers = 64, kMaxModelTaps = 16, kMaxModelChannels = 256, kMaxModelDilation = 4096;
inline constexpr double kMaxModelInputs = 4096, kMaxModelParameters = 1e6;

/// d_l = n^{l−1}: `layers` layers of `taps` taps and `channels` hidden channels on `components` inputs (P2 Fig 3).
HierarchicalShape dilatedTree(int layers, int taps, int channels, int components = 1);
/// The block of dilations, times over: 1, 2, 4, 1, 2, 4, … (tiled) or each dilation times over: 1, 1, 2, 2, 4, 4, … (repeated) (P2 Fig 15).
HierarchicalShape tiledStack(const std::vector<int>& block, int times, int taps, int channels, int components = 1);
HierarchicalShape repeatedStack(const std::vector<int>& block, int times, int taps, int channels, int components = 1);

/// Receptive field n = 1 + Σ (n_l − 1) d_l and number of weights Σ c_{l−1} n_l c_l, in double. (Shapes may be anything.)
double receptiveField(const HierarchicalShape&);
double parameterCount(const HierarchicalShape&);
/// Throws InputError, one sentence that names the layer and the limit: lists of different lengths, no layers, taps or dilations below 1,
/// an output of more than one channel, anything over the limits above.
void checkShape(const HierarchicalShape&);

/// True when every lag is reached by one combination of taps at most, as when d_l = n_1 ⋯ n_{l−1}: then the digits of a lag are modes of a
/// tensor and the model is a tensor train with bond dimensions c_l.
bool isTensorTrain(const HierarchicalShape&);

struct DilatedPlan;

/// The dilated model A(lag τ, component) (P2 Eq 20). Weights in the order layer, tap, out channel, in channel.
class HierarchicalModel : public LinearModel {
public:
    /// Throws as checkShape does.
    explicit HierarchicalModel(HierarchicalShape);
    ~HierarchicalModel() override;
    HierarchicalModel(const HierarchicalModel&) = delete;
    HierarchicalModel& operator=(const HierarchicalModel&) = delete;

    const HierarchicalShape& shape() const;
    /// Index among all weights of W^l[tap][out][in], l = 1 … L.
    std::size_t weightIndex(std::size_t l, std::size_t tap, std::size_t out, std::size_t in) const;

    /// By the impulse responses of the layers above: E^L = δ, E^{l−1}[i](τ) = Σ_{k,o} W^l[k][o][i] E^l[o](τ − k d_l), A = E^0.
    /// Cost: Σ_l c_{l−1} n_l c_l · (lags that the layers above l reach).
    std::vector<double> response(const std::vector<double>& weights) const override;
    std::vector<double> gradient(const std::vector<double>& weights, const std::vector<double>& slope) const override;
    /// ∂A(τ, m)/∂W^l[k][o][i] = Σ_s E^l[o](s) H^{l−1}[i, m](τ − k d_l − s), H the impulse responses of the layers below.
    Matrix jacobian(const std::vector<double>& weights) const override;

    /// E_o ⋆ shift_{k d_l} ⋆ H_i over orthonormal bases of span{E^l[o]} and span{H^{l−1}[i]}, [inputs][r_l n_l r_{l−1}] with r at most
    /// bondDimensions. With one channel the eigenvalues of all layers' J Jᵀ together are exactly L, 1, 1, … in a tree.
    std::vector<Matrix> canonicalJacobians(const std::vector<double>& weights) const override;
    /// Of layer l < L only combinations of (k, i) orthogonal to the next bond's basis: E_o ⋆ H^l_j is already in layer l + 1's span. In
    /// all Σ r_{l−1} n_l r_l − Σ r_l² columns, orthonormal when the model is a tensor train.
    Matrix tangent(const std::vector<double>& weights) const override;
    bool tangentIsOrthonormal() const override;

    /// Tensor trains in closed form; otherwise modulo 2³¹ − 1 with channels cut to bondDimensions, which reach the same responses.
    std::size_t exactRank() const override;
    std::size_t exactRank(const std::vector<std::size_t>& freeLayers) const override;

    /// N(0, 1/(n_l c_{l−1})) in layer l.
    std::vector<double> randomWeights(std::uint64_t seed, std::uint64_t draw = 0) const override;

private:
    std::unique_ptr<const DilatedPlan> plan_;
};

/// r_0 = d, r_l = min(c_l, r_{l−1} n_l, n_{l+1} r_{l+1}), r_L = 1, [L + 1]: the channels that any stack of these sizes can make use of,
/// for its impulse responses below and above each layer span no more.
std::vector<std::size_t> bondDimensions(const HierarchicalShape&);

/// Dimension of the set of tensor trains, κ = Σ_l r_{l−1} n_l r_l − Σ_{0<l<L} r_l². The capacity of a stack that
/// isTensorTrain; an upper bound for others, whose shifted responses overlap. d inputs stand as a first mode that no gauge acts on.
std::size_t tensorTrainDimension(const HierarchicalShape&);

/// Taps (k_1 … k_L) through which a tensor train reaches each lag, [lag][L], newest first; an empty row where no combination does.
/// Throws InputError unless isTensorTrain.
std::vector<std::vector<int>> lagDigits(const HierarchicalShape&);

/// Rank of ∂A/∂w of the columns of these layers (0-based; all when empty) for weights in general position: the layers' canonical columns
/// over the integers modulo 2³¹ − 1 at residues from the stream (seed, Weights), then elimination. No threshold; wrong
/// with probability of about degree·rank/2³¹. Channels are cut to bondDimensions first when all layers are free. Throws InputError for
/// shapes over the limits, layers that do not exist and more work than kMaxGenericRankWork.
std::size_t genericRank(const HierarchicalShape&, const std::vector<std::size_t>& freeLayers, std::uint64_t seed);

/// Modular multiplications of one such elimination at most, about 5e8 a second: inputs · columns · rank. It ends when the rank is full.
double genericRankWork(const HierarchicalShape&, const std::vector<std::size_t>& freeLayers);
inline constexpr double kMaxGenericRankWork = 1e10;

/// Of the recurrent model: layers 0 in, 1 rec, 2 out.
std::size_t genericRecurrentRank(std::size_t length, std::size_t channels, const std::vector<std::size_t>& freeLayers, std::uint64_t seed);

}  // namespace kappaflow
