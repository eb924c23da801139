#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/expressivity/random_trajectory.h"
#include "core/expressivity/tangent_length.h"

namespace kappaflow {

/// Sums of pairs of lengths (first layer, last layer) over networks, and what follows for the growth of a layer: the ratio of the MEAN
/// lengths to the power 1/(layers between), which means of ratios are not. The standard error is to first order in the spread of both
/// lengths.
class GrowthMean {
public:
    void add(double first, double last);
    double draws() const { return draws_; }
    /// value 0 while there are no draws or no length is left; the standard error is infinite for a single draw.
    SampledLength growth(std::size_t layersBetween) const;

private:
    double draws_ = 0, first_ = 0, last_ = 0, firstSquare_ = 0, lastSquare_ = 0, product_ = 0;
};

/// Growth of quarter circles between random ends, draw after draw, over many settings at once: each draw is a new network and new ends in
/// every setting, its lengths sampled by tangents (unbiased). The ratio is taken between layers `first` and `last`.
struct GrowthSweepPlan {
    std::vector<GrowthSetting> settings;
    std::size_t first = 4, last = 12;
    std::size_t strata = 16;  ///< pairs of points on each curve
    std::size_t draws = 16;
    std::uint64_t seed = 1;
};
class GrowthSweep {
public:
    /// Throws InputError unless first < last.
    explicit GrowthSweep(GrowthSweepPlan);
    /// Some work on the setting whose turn it is; false when all draws are done.
    bool advance(double operations = 1e6);
    double progress() const;
    /// Of settings[i]: the growth so far, over `draws(i)` networks.
    SampledLength growth(std::size_t setting) const { return means_[setting].growth(plan_.last - plan_.first); }
    double draws(std::size_t setting) const { return means_[setting].draws(); }
    /// Multiply-adds of the whole.
    static double operations(const GrowthSweepPlan&);

private:
    void begin();

    GrowthSweepPlan plan_;
    std::vector<GrowthMean> means_;
    std::vector<CurveLayer> layers_;
    std::optional<TangentSampler> sampler_;
    std::size_t draw_ = 0, setting_ = 0;
};

}  // namespace kappaflow
