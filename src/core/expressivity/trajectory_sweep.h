#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/rng.h"
#include "core/expressivity/curve_layer.h"

namespace kappaflow {

/// A curve's image in one layer. Layer 0 is the input curve itself.
struct CurvePassage {
    std::size_t pieces = 1;      ///< activation patterns along the curve, of all layers up to this one: 1 + places where one changes
    double transitions = 0;      ///< this layer's units changing their linear piece; for hard-tanh the paper's saturation transitions
    double signTransitions = 0;  ///< this layer's pre-activations changing their sign
    double length = 0;           ///< ∫ |dz/dt| dt of the activations
};

/// How far an exact sweep may go: pieces of one layer's image, their coefficients (pieces × units × 3, doubles), and multiply-adds of the
/// products of all layers together.
struct SweepLimits {
    double pieces = 2e5, coefficients = 6e6, operations = 1e12;
};

/// Runs a curve through layers exactly, one after another. `start` may be the input curve, or the activations behind any layer with
/// `layers` the remaining ones. Stops at a layer border: when the next image would go over a limit, `exactLayers()` stays where it is
/// and `stopped()` is true; limits of 0 compute nothing beyond the start.
class TrajectorySweep {
public:
    /// `layers` must outlive the sweep. Throws InputError when a layer does not fit or has no linear pieces.
    TrajectorySweep(const std::vector<CurveLayer>& layers, CurvePieces start, SweepLimits);

    /// Does about `operations` multiply-adds of work; false when nothing is left.
    bool advance(double operations = 1e6);
    double progress() const;
    bool stopped() const { return stopped_; }
    std::size_t exactLayers() const { return passages_.size() - 1; }
    /// Layers finished so far, layer 0 first.
    const std::vector<CurvePassage>& passages() const { return passages_; }
    /// Places of the changes in layer l >= 1, at index l − 1.
    const std::vector<CurveCrossings>& crossings() const { return crossings_; }
    /// The curve in the last finished layer.
    const CurvePieces& image() const { return image_; }

private:
    bool done() const;
    bool begin();
    void finishLayer();

    const std::vector<CurveLayer>& layers_;
    SweepLimits limits_;
    CurvePieces image_;
    std::vector<CurvePassage> passages_;
    std::vector<CurveCrossings> crossings_;
    std::unique_ptr<CurveLayerStep> step_;
    bool stopped_ = false;
};

/// A sweep that takes some milliseconds.
inline constexpr SweepLimits kFirstLook{2000, 1e6, 4e6};
/// The whole sweep on the spot: fewer passages than layers and the input where it stopped at a limit.
std::vector<CurvePassage> sweepTrajectory(const std::vector<CurveLayer>&, CurvePieces start, SweepLimits = {});

/// How many points a sampled length takes: two in each of `pilot` strata decide how many strata meet the relative standard error `target`
/// in the last layer, between `pilot` and `most`; the pilot's points are then left out, so that the means stay unbiased.
/// target 0: `most` strata at once, without a pilot.
struct SamplingPlan {
    double target = 0.01;
    std::size_t pilot = 32, most = 1024;
};

/// Rows [point][unit]: values z(t) first, as many tangents dz/dt behind them.
std::vector<double> valuesAndTangents(const CurvePieces&, const std::vector<double>& at);
/// Carries rows of values and tangents through a layer. Cost: 4·in·out multiply-adds a point.
void valuesAndTangentsThrough(const CurveLayer&, std::vector<double>& rows);
/// Values alone, [place][unit].
void valuesThrough(const CurveLayer&, std::vector<double>& rows);

struct SampledLength {
    double value = 0, standardError = 0;
};

/// How densely points are drawn along t: part i, from ends[i] to ends[i + 1], takes a share of them in proportion to mass[i], evenly over
/// its own t. Any positive masses leave means unbiased; a part of mass 0 must have no length behind any layer. Empty: evenly in t.
struct CurveMeasure {
    std::vector<double> ends, mass;
};
/// Where a share of the whole measure lies, and dt over d(measure) there.
class MeasuredPlaces {
public:
    /// Of an empty measure, or one without any mass, t itself from `from` to `to`.
    MeasuredPlaces(const CurveMeasure&, double from, double to);
    double whole() const { return until_.back(); }
    struct Place {
        double t, slope;
    };
    /// 0 <= measure <= whole.
    Place at(double measure) const;

private:
    CurveMeasure measure_;
    std::vector<double> until_;  ///< measure up to each part's end; parts of mass 0 behind the last that has some are left out
};

/// Lengths behind every layer as means of |dz/dt| at stratified t, tangents carried beside the values: two points drawn in each of the
/// strata of equal measure, so that the mean is unbiased at any depth, with any activation, and their difference gives the standard error.
/// Cost: 2·in·out multiply-adds a point and layer, in batches; sums run in one order on every platform.
class TangentSampler {
public:
    /// `layers` must outlive the sampler; `start` is a curve before the first of them. Throws InputError when they do not fit.
    TangentSampler(const std::vector<CurveLayer>& layers, CurvePieces start, Rng, SamplingPlan, const CurveMeasure& = {});

    /// Does at least one stratum and about `operations` multiply-adds; false when nothing is left.
    bool advance(double operations = 1e6);
    bool finished() const { return sampled_ == strata_ && !piloting_; }
    double progress() const;
    /// Of the start and behind each layer; only once finished.
    std::vector<SampledLength> lengths() const;
    double points() const { return 2 * static_cast<double>(strata_); }
    /// Length in each of kBins equal parts of t, layer after layer (means over the points there): where a drawing needs its points.
    static constexpr std::size_t kBins = 64;
    std::vector<double> lengthByBin() const;

private:
    void begin(std::size_t strata);
    void sample(std::size_t count);
    void record(std::size_t layer, const double* tangents, std::size_t count);
    void plan();

    const std::vector<CurveLayer>& layers_;
    CurvePieces start_;
    Rng rng_;
    SamplingPlan plan_;
    std::size_t strata_ = 0, sampled_ = 0;
    bool piloting_ = true;
    std::vector<double> sum_, difference_;  ///< of speeds, and of squared differences within strata, by layer
    std::vector<double> bins_, binPoints_;
    MeasuredPlaces places_;
    std::vector<double> at_, weight_;  ///< of the points of a batch: t, and dt over d(measure)
};

/// Layers that a curve goes through, the first apart: its pre-activations on an arc are an arc again, known from two products.
struct ArcLayers {
    CurveLayer first;
    std::vector<CurveLayer> rest;
};
/// Hidden layers of a dense network, without the output layer; throws what `curveLayers` throws, and when there is no hidden layer.
ArcLayers arcLayers(const Network&);

/// How an arc is sampled: in each of `strata` equal parts of t one window, halved (either half at random) until its image has no more
/// than `pieces` pieces in any layer.
struct ArcSampling {
    std::size_t strata = 16;
    double pieces = 40;
};

/// Layer 0 is the arc itself, exact.
struct ArcImages {
    std::vector<double> length;       ///< ∫ |dz/dt| dt of the activations
    std::vector<double> transitions;  ///< units of the layer changing their linear piece; of layer 0 none
};

/// Length and transitions of the images of cos t·x0 + sin t·x1, t from 0 to π/2. What is in a window is exact, and counts 2ʰ times where
/// h halvings led to it, so that both are unbiased at any depth; an arc of few pieces is exact altogether. The same Rng puts windows at
/// the same places, so that networks of neighbouring training steps are compared along the same stretches.
/// `tick` is called after each stratum; x0 and x1 have as many entries as the layers have inputs (asserted).
/// Cost: strata × (1 … 2) × Σ_l pieces of a window × 3·in·out multiply-adds, and 2·in·out for the first layer.
ArcImages sampleArc(
    const ArcLayers& layers, const std::vector<double>& x0, const std::vector<double>& x1, ArcSampling, Rng,
    const std::function<void()>& tick = [] {});

}  // namespace kappaflow
