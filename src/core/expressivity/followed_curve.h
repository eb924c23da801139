#pragma once
#include <optional>
#include <vector>

#include "core/expressivity/trajectory_sweep.h"

namespace kappaflow {

/// Each piece counts as it is long. Where the curve stands still, so does its image behind every further layer.
CurveMeasure measureByLength(const CurvePieces&);
/// Parts of t cut into three, layer after layer, until each holds a small share of every layer's length by the speed in its middle: narrow
/// layers with large weights leave the length to stretches of t that no even sampling would meet. At first `parts` of them, in the end at
/// most eight times as many. Cost: some 6·parts·2·in·out multiply-adds a layer.
CurveMeasure measureByRefinement(const std::vector<CurveLayer>&, const CurvePieces& start, std::size_t parts);

/// Lengths of one curve behind every layer: exact as far as the limits let it be followed, sampled behind that by the last exact image's
/// length. Where there are too few pieces for that, as of smooth activations, refinement finds where the length is. A sampled length of 0
/// has no standard error: it is not a number.
struct LengthPlan {
    SweepLimits exact;
    SamplingPlan sampling;
};
class FollowedCurve {
public:
    /// `layers` must outlive it. Throws InputError when a layer does not fit.
    FollowedCurve(const std::vector<CurveLayer>& layers, CurvePieces start, const LengthPlan&, Rng);
    FollowedCurve(const FollowedCurve&) = delete;
    FollowedCurve& operator=(const FollowedCurve&) = delete;

    /// Does about `operations` multiply-adds; false when nothing is left.
    bool advance(double operations = 1e6);
    double progress() const;
    bool finished() const { return finished_; }
    std::size_t exactLayers() const { return passages().size() - 1; }
    /// Of the layers followed exactly so far, layer 0 first.
    const std::vector<CurvePassage>& passages() const { return sweep_ ? sweep_->passages() : start_; }
    /// Of layer 0 … n once finished; of those followed so far before.
    std::vector<SampledLength> lengths() const;
    double points() const { return sampler_ ? sampler_->points() : 0; }

private:
    void beginSampling();

    const std::vector<CurveLayer>& layers_;
    LengthPlan plan_;
    Rng rng_;
    std::vector<CurvePassage> start_;
    std::optional<CurvePieces> curve_;  ///< of smooth activations
    std::optional<TrajectorySweep> sweep_;
    std::vector<CurveLayer> deeper_;  ///< what the sampler goes through
    std::optional<TangentSampler> sampler_;
    bool finished_ = false;
};

}  // namespace kappaflow
