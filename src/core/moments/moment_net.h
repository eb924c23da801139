#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/linalg/matrix.h"
#include "core/net/network.h"

namespace kappaflow {

/// The four random networks of P3:
///   Vanilla      x^l = φ(ω^l * x^{l−1} + β^l)                                               Eqs 1–2
///   BatchNorm    x^l = φ(BN(ω^l * x^{l−1} + β^l))                                           Eqs 9–11
///   Resnet       y^l = s·y^{l−1} + branch, the branch `inner` times BN, φ, convolution      Eqs 12–13 (s = 1)
///   ResnetPlain  the same without batch norm                                               Appendix F.4
enum class MomentKind { Vanilla, BatchNorm, Resnet, ResnetPlain };

/// What a random network of P3 is, without its weights. A dense network has no dimensions and extent 1.
struct MomentNet {
    MomentKind kind = MomentKind::Vanilla;
    int dimensions = 0;        ///< 0 dense, 1 or 2: convolution over `extent` positions a dimension
    std::size_t extent = 1;    ///< n
    std::size_t inputs = 128;  ///< channels of what goes into layer 1; a resnet's equal its width
    std::size_t width = 128;   ///< N, channels of every layer
    std::size_t layers = 100;  ///< L; residual units of a resnet
    std::size_t inner = 2;     ///< H; 1 in effect for the other kinds
    std::size_t taps = 1;      ///< K, odd; 1 when dense
    Padding boundary = Padding::Periodic;
    Activation activation = Activation::Relu;  ///< Relu or Tanh (Identity serves tests)
    double epsilon = 1e-3;                     ///< under the root of batch norm
    double skipScale = 1;                      ///< s of a resnet: 0 switches the skip off
    double weightScale = 1;                    ///< weights ~ N(0, weightScale² · 2/(K^d·in)); 1 is He's
    double biasVariance = 0;                   ///< of every layer's bias, one a channel

    std::size_t positions() const;  ///< n^d
    std::size_t innerLayers() const { return residual() ? inner : 1; }
    std::size_t linearLayers() const;  ///< layers × inner layers
    bool residual() const { return kind == MomentKind::Resnet || kind == MomentKind::ResnetPlain; }
    bool normalised() const { return kind == MomentKind::BatchNorm || kind == MomentKind::Resnet; }
};

/// Throws InputError in one sentence when sizes do not fit: even taps, a resnet whose inputs differ from its width, an activation that
/// is neither, zero sizes, a non-finite scale, more weights than kMaxNetworkWeights in one layer.
void validate(const MomentNet&);

/// Weights of one convolution [tap…][in][out], y[α,out] = Σ x[s·α + k − (K−1)/2, in]·W[k,in,out] + bias (cross-correlation, centred).
struct MomentWeights {
    std::size_t taps = 1, in = 0, out = 0, stride = 1;
    std::vector<double> values;
    std::vector<double> bias;  ///< [out], or empty
};

/// Linear layer `index` (unit-major, from 0) of draw `draw` < 2³²: streams (seed, Weights | Biases, draw·2³² + index), so that no draw
/// hangs on the number of layers or draws. Rounded once to float, as every weight of the house. Expects a net that `validate` accepts.
MomentWeights drawMomentWeights(const MomentNet&, std::size_t index, std::uint64_t seed, std::uint64_t draw);

/// A tensor of feature vectors f(x, α): one row a point (sample-major, then positions row-major), one column a channel.
struct PointValues {
    std::size_t samples = 0;
    int dimensions = 0;
    std::size_t extent = 1;  ///< positions a dimension
    Matrix values;           ///< [samples·extent^dimensions][channels]

    std::size_t points() const { return values.rows; }
    std::size_t channels() const { return values.columns; }
};

/// A signal and the noise that goes through the same layers to first order (P3 Eqs 1–2): the noise is `noise`·exp(logScale), so that its
/// size never leaves the range of a double.
struct SignalAndNoise {
    PointValues signal, noise;
    double logScale = 0;
};

/// Per-channel moments of a tensor over its points (P3 Sec. 3), then the mean over channels.
struct ChannelMoments {
    double nu1 = 0, nu2 = 0, nu4 = 0;    ///< E_c E[f_c^p]
    double mu2 = 0, mu4 = 0;             ///< centred per channel
    double nu1Absolute = 0;              ///< E_c E|f_c|
    double mu1Absolute = 0;              ///< E_c E|f_c − E f_c|
    double splitProduct = 0;             ///< E_c[E f_c⁺ · E f_c⁻]: what Theorems 2 and 3 read
    std::vector<double> mean, variance;  ///< of every channel
    double kurtosis() const { return mu4 / mu2 / mu2; }
};
ChannelMoments channelMoments(const PointValues&);
/// ν₁, ν₂, μ₂ and the channels' means and variances alone, the rest 0: a third of the work.
ChannelMoments channelVariances(const PointValues&);

/// Mean of the squares of all entries: μ₂ of a noise, whose expectation is 0 (P3 Sec. 3).
double meanSquare(const PointValues&);

/// Tr C / ‖C‖₂ of the covariance C of the feature vectors; between 1 and min(channels, points). 0 for a constant tensor.
/// Relative error below 1e-12. Cost: points·channels·min(points, channels) for C, then a Lanczos iteration.
double effectiveRank(const PointValues&);

/// First two principal coordinates of some of the signal's feature vectors, and the noise in the same plane: the cloud that a scene shows.
/// The plane is that of all points; every axis points to where its largest component is positive.
struct PrincipalCloud {
    std::vector<double> signal, noise;  ///< [point][2]; signal centred, noise without its log scale
    double share = 0;                   ///< of the variance that the plane holds
};
PrincipalCloud principalCloud(const SignalAndNoise&, const std::vector<std::size_t>& shown);
/// Points at even distances when there are more than `mostPoints`.
PrincipalCloud principalCloud(const SignalAndNoise&, std::size_t mostPoints);

/// z = (y − ν₁)/√(μ₂ + ε) channel by channel, dz = dy/√(μ₂ + ε): the statistics, over samples and positions, are constants (P3 Eq. 10).
/// `moments` are the signal's.
void batchNormalise(SignalAndNoise&, const ChannelMoments& moments, double epsilon);

/// x = φ(y), dx = φ'(y)·dy, φ'(0) = 0 for the ReLU (P3 Eqs 1–2).
void activatePoints(SignalAndNoise&, Activation);

/// Scales the noise to mean square 1 and carries the logarithm, as the paper's program does; `square` is its mean square.
void renormaliseNoise(SignalAndNoise&, double square);

/// Share of (channel, point) pairs whose sign is the one that most points have in that channel, positive or not: 1 when every ReLU is
/// always on or always off (Theorem 2's coactivation).
double coactivation(const PointValues& preactivations);

/// μ_{2,c}(dy)/μ_{2,c}(y) of every channel: their mean over μ₂(dy)/μ₂(y) is the square of Theorem 3's first term.
std::vector<double> normalisedNoise(const PointValues& noise, const ChannelMoments& signal);

}  // namespace kappaflow
