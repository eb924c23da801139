#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

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

}  // namespace kappaflow
