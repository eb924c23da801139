#pragma once
#include <functional>
#include <span>
#include <vector>

#include "core/expressivity/growth_theory.h"
#include "core/expressivity/trajectory_sweep.h"

namespace kappaflow {

/// Pre-activations of a layer whose weights turn on a great circle, W cos t + W' sin t, t in [0, 2π], for one input z of the layer:
/// (W z) cos t + (W' z) sin t + b, one arc. `second` is W', [in][out] as the layer keeps its own. Throws InputError when sizes differ or
/// an entry is not finite. Cost: 2·in·out multiply-adds.
CurvePieces weightCircle(const CurveLayer& layer, std::span<const double> second, std::span<const double> z);

/// The label of one sample along a sweep: the sign of the readout (0 counts as negative), and where it changes.
struct LabelTrack {
    bool positive = false;      ///< at the start
    std::vector<double> flips;  ///< ascending, each changes the label
};
/// Label of a readout v·z, whose weights are [unit], along a curve of z. Exact: zeros of p cos t + q sin t + r in closed form.
LabelTrack labelsAlong(const CurvePieces& curve, std::span<const double> readout);

/// The labels of one sample under a sweep of one layer (arXiv 1606.05336; survey 2.1), for every number of layers that may remain after
/// it: with r of them the label is the sign of readouts[r]·z, z the activations r layers after the swept one.
struct SweptLayers {
    LinearPieces activation;                    ///< of the swept layer
    std::vector<CurveLayer> remaining;          ///< hidden layers after it
    std::vector<std::vector<double>> readouts;  ///< [r][unit], r = 0 … remaining.size(); an empty one is not read
};
struct SweptLabels {
    std::vector<LabelTrack> tracks;  ///< [r], as far as the sweep came; empty readouts have empty tracks
    std::vector<double> meanFlips;   ///< [r] of a random readout N(0, I), mean over it: angular length of z over π (Crofton)
    std::vector<double> patterns;    ///< [r] activation patterns of all units from the swept layer to the r-th after it
    bool stopped = false;            ///< the next layer would have gone over the limits: the tracks end before it
};
/// Starts from the pre-activations of the swept layer. `tick` is told how far it is, every few milliseconds. Throws InputError when sizes
/// do not fit.
SweptLabels sweepLabels(
    const SweptLayers&, const CurvePieces& preactivations, SweepLimits = {}, const std::function<void(double)>& tick = [](double) {});

/// What s samples' labels do together.
struct DichotomyCount {
    double flips = 0;              ///< of all samples; where the circle closes nothing is counted
    double dichotomies = 1;        ///< distinct label vectors on the whole circle
    std::vector<double> changes;   ///< where the label vector changes, ascending: flips nearer than kSimultaneous are one change
    std::vector<double> distinct;  ///< distinct label vectors from the start to just after each change
};
/// Samples whose labels are bound to flip together (±x without biases) do so up to rounding only.
inline constexpr double kSimultaneous = 1e-11;
/// Exact count: flips merged over samples, label vectors in a set. 1 <= dichotomies <= min(2^s, 1 + flips). Throws InputError for more
/// than 64 samples. Cost: flips · log flips.
DichotomyCount countDichotomies(std::span<const LabelTrack> samples);

/// Mean field (k → ∞, inputs N(0, I)) of the flips of one sample on the full circle when W turns in a layer whose inputs have
/// `inputSquare` per unit: the swept pre-activations have variance q₁ = σ_w²·inputSquare + σ_b² and speed s₁ = σ_w²·inputSquare, each
/// layer multiplies s by χ and maps q, and a random readout flips 2√(s/q) times on average, s and q those of the layer it would be
/// (readouts: σ_b = 0). [r], r = 0 … remaining.
std::vector<double> meanFieldFlips(const GrowthSetting&, double inputSquare, std::size_t remaining);
/// Mean-field crossings of the same sweep: how often one unit passes a threshold of its activation, Σ_τ 2√(s/q) e^(−τ²/2q), in each of
/// `layers` layers from the swept one on. Throws InputError unless the activation is piecewise linear.
std::vector<double> meanFieldCrossings(const GrowthSetting&, double inputSquare, std::size_t layers);

}  // namespace kappaflow
