#pragma once
#include <cmath>
#include <limits>
#include <vector>

namespace kappaflow {

/// What P3 asks of one layer of one drawn network; of a residual unit, of y^l and its inner layers. NaN where a quantity is not defined for
/// the kind. Layer 0 is the input. χ is normalised by layer 0 (specs 4).
struct InnerMoments {              ///< one inner layer h of a residual unit: y^{l,h−1} → BN → φ → conv → y^{l,h}
    double chi = 0, deltaChi = 0;  ///< χ^{l,h} and its increment
    double deltaBatchNorm = 0, deltaActivation = 0;      ///< the second one includes the convolution (specs 4)
    double deltaActivationOnly = 0;                      ///< φ alone
    double batchNormTheorem = 0, activationTheorem = 0;  ///< Theorem 3's terms, mean over channels
    double mu4 = 0, nu1Absolute = 0, mu2Normalised = 0;  ///< of z^{l,h}
    double mu2X = 0, mu2Y = 0, mu2Dy = 0;                ///< the last one without the noise's log scale
    double rankSignal = 0, rankNoise = 0;                ///< of x^{l,h}, dx^{l,h} (centred)
};

struct LayerMoments {
    double nu1 = 0, nu2 = 0, nu4 = 0, mu2 = 0, mu4 = 0, nu1Absolute = 0, mu1Absolute = 0;  ///< of x^l (y^l of a resnet)
    double logNu2 = 0, logMu2 = 0, logMu2Noise = 0;  ///< natural logarithms, the noise's scale included
    double logChi = 0, logChiRaw = 0;                ///< raw: not divided by layer 0's
    double rankSignal = 0, rankNoise = 0, rankNoiseUncentred = 0;
    double deltaChi = 0, deltaLogNu2 = 0, deltaLogMu2Noise = 0;
    double coactivation = 0;  ///< share of (channel, point) pairs where the unit does what it does for most points: 1 is pseudo-linear
    double deltaBatchNorm = 0, deltaActivation = 0;  ///< inner layer 1's of a resnet
    double theorem = 0;                              ///< Theorem 2 (vanilla), Theorem 3 (batch norm: product), (*) of Theorem 4 (resnet)
    double batchNormTheorem = 0, activationTheorem = 0;                      ///< Theorem 3's terms
    double mu4Normalised = 0, nu1AbsoluteNormalised = 0, mu2Normalised = 0;  ///< of z^l (y^l of a vanilla net), inner layer 1's of a resnet
    double logChiNormalised = 0;                                             ///< χ of (z^l, dz^l)
    double dilution = 0, crossSignal = 0, crossNoise = 0, mu2Branch = 0;     ///< resnet (specs 9)
    std::vector<InnerMoments> inner;

    double chi() const { return std::exp(logChi); }
    double varianceRatio() const { return mu2 / nu2; }  ///< → 0: zero-dimensional signal
};

}  // namespace kappaflow
