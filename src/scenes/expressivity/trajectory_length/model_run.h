#pragma once
#include <optional>
#include <vector>

#include "core/expressivity/curve_plane.h"
#include "core/expressivity/tangent_length.h"
#include "scenes/expressivity/trajectory_length/model_setup.h"

namespace kappaflow::trajectory_length {

/// The drawn network and its trajectory: a first sample of lengths, the images, exact lengths as deep as the limits let them, and
/// sampled ones behind these.
class DrawnRun {
public:
    explicit DrawnRun(const Setup&);
    bool advance();
    double progress() const;

    /// Lengths known by now, of all layers; exact ones have no error.
    std::vector<SampledLength> lengths() const;
    const std::vector<PlaneImage>& images() const { return images_; }
    const std::vector<double>& places() const { return places_; }
    const std::vector<CurvePassage>& passages() const { return passages_; }
    std::size_t exactLayers() const { return passages_.size() - 1; }
    double sampledPoints() const { return sampled_ ? sampled_->points() : 0; }

private:
    void finishPilot();
    void followExactly();
    void beginSampling();

    const Setup& setup_;
    std::vector<CurveLayer> layers_, deeper_;
    CurvePieces start_;
    TangentSampler pilot_;
    std::vector<SampledLength> pilotLengths_;
    std::optional<CurvePlanes> planes_;
    std::vector<PlaneImage> images_;
    std::vector<double> places_;
    std::optional<TrajectorySweep> sweep_;
    std::vector<CurvePassage> passages_;
    std::optional<TangentSampler> sampled_;
};

/// Lengths of all draws: sums, and what follows for their means and ratios.
class LengthMeans {
public:
    explicit LengthMeans(std::size_t layers) : sum_(layers + 1), square_(layers + 1), product_(layers + 1) {}
    void add(const std::vector<SampledLength>&);
    double draws() const { return draws_; }
    /// Mean length and its standard error over draws (of one draw: that of its sampling).
    SampledLength mean(std::size_t layer) const;
    /// Ratio of the means of `layer` and the one before.
    SampledLength growth(std::size_t layer) const;

private:
    double draws_ = 0;
    std::vector<double> sum_, square_, product_;  ///< product: with the layer before
    std::vector<SampledLength> first_;
};

/// Everything that is known of a request so far.
struct Progress {
    explicit Progress(const Setup&);
    /// A few milliseconds of the next thing to do; false when all is done.
    bool advance();
    double share() const;
    /// Means over the draws that are through: the drawn network alone until then.
    LengthMeans means() const;

    const Setup& setup;
    DrawnRun drawn;
    LengthMeans further;
    GrowthSweep sweep;

private:
    void advanceDraw();

    std::size_t draw_ = 1;
    bool drawnDone_ = false, sweepDone_ = false;
    std::vector<CurveLayer> layers_;
    std::optional<TangentSampler> sampler_;
};

}  // namespace kappaflow::trajectory_length
