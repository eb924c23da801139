#pragma once
#include <cmath>
#include <limits>
#include <vector>

namespace kappaflow {

/// A quantity that a kind of net, a layer or what was wanted does not define.
inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

/// One inner layer h of a residual unit: y^{l,h−1} → BN → φ → convolution → y^{l,h}. Without batch norm z^{l,h} is y^{l,h−1}.
struct InnerMoments {
    double chi = 0, deltaChi = 0;          ///< χ^{l,h}, normalised by layer 0, and χ^{l,h}/χ^{l,h−1}
    double deltaBatchNorm = kUndefined;    ///< from y^{l,h−1} to z^{l,h}
    double deltaActivation = 0;            ///< from z^{l,h} to y^{l,h}, the convolution included (P3 Fig 5)
    double deltaActivationOnly = 0;        ///< φ alone
    double batchNormTheorem = kUndefined;  ///< Theorem 3's terms, means over channels; the second one for the ReLU
    double activationTheorem = kUndefined;
    double mu4 = 0, nu1Absolute = 0, mu2Normalised = 0;  ///< of z^{l,h}
    double mu2X = 0, mu2Y = 0, logMu2Dy = 0;  ///< of x^{l,h}, y^{l,h}, dy^{l,h}, the last one's scale included (−∞ of a dead branch)
    double rankSignal = kUndefined, rankNoise = kUndefined;  ///< of x^{l,h}, dx^{l,h} (centred)
};

/// What P3 asks of one layer of one drawn network; of a residual unit, of y^l and its inner layers. Layer 0 is the input. χ is normalised
/// by layer 0 (P3 Eq. 3). Undefined quantities are NaN.
struct LayerMoments {
    double nu1 = 0, nu2 = 0, nu4 = 0, mu2 = 0, mu4 = 0, nu1Absolute = 0, mu1Absolute = 0;  ///< of x^l (y^l of a resnet)
    double logNu2 = 0, logMu2 = 0, logMu2Noise = 0;          ///< natural logarithms, the noise's scale included
    double logChi = 0, logChiRaw = 0;                        ///< raw: not divided by layer 0's
    double rankSignal = kUndefined, rankNoise = kUndefined;  ///< both centred
    double deltaChi = kUndefined, deltaLogNu2 = kUndefined, deltaLogMu2Noise = kUndefined;  ///< against the layer before
    double coactivation = kUndefined;                                  ///< of y^l, z^l or a resnet's z^{l,1}: see `coactivation`
    double deltaBatchNorm = kUndefined, deltaActivation = kUndefined;  ///< inner layer 1's of a resnet
    /// Theorem 2 (vanilla, ReLU), Theorem 3 (batch norm, ReLU: both terms), (*) of Theorem 4 (resnets); expectations over channels and
    /// weights replaced by the mean over the drawn channels. Written for periodic boundaries, and measured beside any.
    double theorem = kUndefined;
    double batchNormTheorem = kUndefined, activationTheorem = kUndefined;  ///< Theorem 3's terms; inner layer 1's of a resnet
    double mu4Normalised = kUndefined, nu1AbsoluteNormalised = kUndefined, mu2Normalised = kUndefined;  ///< of z^l, y^l or z^{l,1}
    double logChiNormalised = kUndefined;  ///< χ of (z^l, dz^l), or of y^l or z^{l,1}
    double mu2Branch = kUndefined;         ///< resnet: μ₂(y^{l,H})
    std::vector<InnerMoments> inner;

    double chi() const { return std::exp(logChi); }
    double varianceRatio() const { return mu2 / nu2; }  ///< → 0: zero-dimensional signal
    double kurtosis() const { return mu4 / mu2 / mu2; }
};

}  // namespace kappaflow
