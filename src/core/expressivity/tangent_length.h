#pragma once
#include <cstdint>
#include <vector>

#include "core/base/rng.h"
#include "core/expressivity/curve_layer.h"

namespace kappaflow {

/// How many points a sampled length takes: two in each of `pilot` strata decide how many strata meet the relative standard error `target`
/// in the last layer, between `pilot` and `most`; the pilot's points are then left out, so that the means stay unbiased.
/// target 0: `most` strata at once, without a pilot.
struct SamplingPlan {
    double target = 0.01;
    std::size_t pilot = 32, most = 1024;
};

struct SampledLength {
    double value = 0, standardError = 0;
};

/// Lengths behind every layer as means of |dz/dt| at stratified t, tangents carried beside the values: two points drawn evenly in each of
/// equal strata of t, so that the mean is unbiased at any depth, with any activation, and their difference gives the standard error.
/// Cost: 2·in·out multiply-adds a point and layer, in batches; sums run in one order on every platform.
class TangentSampler {
public:
    /// `layers` must outlive the sampler; `start` is a curve before the first of them. Throws InputError when they do not fit.
    TangentSampler(const std::vector<CurveLayer>& layers, CurvePieces start, Rng, SamplingPlan);

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
    std::vector<double> at_;  ///< t of the points of a batch
};

}  // namespace kappaflow
