#pragma once
#include <vector>

#include "scene/declare.h"

namespace kappaflow::moments {

/// Curves over layers, each reported as its mean over draws and, with `Low` and `High` behind its name, its 16–84 % band.
enum class Curve {
    Chi,
    DeltaChi,
    DeltaInner,
    DeltaBatchNorm,
    DeltaActivation,
    RankSignal,
    RankNoise,
    RankSignalInner,
    RankNoiseInner,
    Kurtosis,
    Nu1,
    VarianceRatio,
    Coactivation,
    LogNu2,
    LogMu2Noise,
};
struct CurveField {
    Curve curve;
    const char *name, *symbol, *about;
    bool compared;  ///< also reported for all four networks, as `…Compared`
};
inline constexpr CurveField kCurves[] = {
    {Curve::Chi, "chi", "χ^l", "Normalised sensitivity (Eq 3), of y^l in a ResNet; 1 at the input.", true},
    {Curve::DeltaChi, "deltaChi", "δχ^l", "Increment χ^l/χ^(l−1).", true},
    {Curve::DeltaInner, "deltaChiInner", "δχ^{l,1}", "Increment of the first layer of a branch: what the paper's exponent is made of.",
     false},
    {Curve::DeltaBatchNorm, "deltaBatchNorm", "δ_BN χ^l",
     "Weights and batch norm's part of it; in a ResNet of the first layer of a branch.", false},
    {Curve::DeltaActivation, "deltaActivation", "δ_φ χ^l", "The activation's part of it; in a ResNet with the convolution behind it.",
     false},
    {Curve::RankSignal, "rankSignal", "r_eff(x^l)", "Effective rank of the signal, of y^l in a ResNet; 1 is a one-dimensional signal.",
     true},
    {Curve::RankNoise, "rankNoise", "r_eff(dx^l)", "Effective rank of the noise.", true},
    {Curve::RankSignalInner, "rankSignalInner", "r_eff(x^{l,1})", "Effective rank of the signal after the first activation of a branch.",
     false},
    {Curve::RankNoiseInner, "rankNoiseInner", "r_eff(dx^{l,1})", "Effective rank of the noise there.", false},
    {Curve::Kurtosis, "kurtosis", "μ₄(z^l)", "Fourth moment of what the activation reads, of unit variance; 3 is Gaussian.", false},
    {Curve::Nu1, "nu1", "ν₁(|z^l|)", "Mean absolute value of the same; √(2/π) is Gaussian.", false},
    {Curve::VarianceRatio, "varianceRatio", "μ₂/ν₂", "Variance of the signal over its mean square; towards 0 it is zero-dimensional.",
     true},
    {Curve::Coactivation, "coactivation", "",
     "Share of pairs of a unit and a point where the unit is on or off as it is for most points; 1 is pseudo-linear.", false},
    {Curve::LogNu2, "logNu2Signal", "log ν₂(x^l)", "Logarithm of the signal's mean square.", false},
    {Curve::LogMu2Noise, "logMu2Noise", "log μ₂(dx^l)", "Logarithm of the noise's variance.", false},
};
inline constexpr std::size_t kCurveCount = sizeof kCurves / sizeof *kCurves;

/// What Theorems 2–4 say of the networks drawn; means over draws.
inline constexpr const char* kTheory[][3] = {
    {"chiTheory", "χ^l", "Product of the increments that Theorems 2–4 give, layer by layer."},
    {"deltaChiTheory", "δχ^l",
     "Theorem 2 (vanilla), 3 (batch norm) or 4's dilution (ResNet) from the moments of the layer, averaged over its channels."},
    {"deltaBatchNormTheory", "δ_BN χ^l", "Theorem 3's batch-norm term, averaged over the channels drawn."},
    {"deltaActivationTheory", "δ_φ χ^l", "Theorem 3's activation term, averaged over the channels drawn."},
};
inline constexpr std::size_t kTheoryCount = sizeof kTheory / sizeof *kTheory;

/// Key of a reader's network on the axis `net`.
inline constexpr const char* kGivenNet = "given";
/// Codes of `layerKind`.
inline constexpr const char* kLayerKinds[] = {"input", "dense", "convolution", "activation", "batch norm", "pool", "flatten", "residual"};
inline constexpr double kActivationKind = 3;

/// Params that say how networks are drawn, which a given one leaves without meaning.
inline constexpr const char* kDrawnParams[] = {"net",      "compare",    "width",  "layers",    "space",       "extent",       "taps",
                                               "boundary", "activation", "branch", "skipScale", "weightScale", "biasVariance", "epsilon"};

/// Codes of the scalar `pathology`.
inline constexpr const char* kPathologies[] = {"well-behaved", "zero-dimensional signal", "one-dimensional signal", "exploding sensitivity",
                                               "undecided at this width"};
inline constexpr int kCannotTell = 4;

std::vector<Field> momentFields();

}  // namespace kappaflow::moments
