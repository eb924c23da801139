#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/expressivity/curve_plane.h"
#include "core/expressivity/tangent_length.h"
#include "core/expressivity/trajectory_sweep.h"
#include "scenes/one_network/network_lens/model_lens.h"

namespace kappaflow::lens {

/// Points of a curve's images at the most.
inline constexpr std::size_t kMostCurvePoints = 400;

/// The curve from sample A to sample B through the layers: a first sample of lengths, images, exact lengths as deep as the work allows, and
/// sampled ones behind.
class TrajectoryLens final : public Lens {
public:
    void start(const Setup&, const Network&, double work) override;
    bool step() override;
    void addTo(FilledReport&) const override;

private:
    void beginImages();
    void beginDeep();
    void addLengths(FilledReport&) const;
    void addImages(FilledReport&) const;
    std::vector<SampledLength> lengths() const;
    std::size_t exactLayers() const { return sweep_ ? sweep_->exactLayers() : 0; }

    bool applies_ = false;
    std::uint64_t seed_ = 1;
    double work_ = 0;
    std::vector<CurveLayer> layers_, deeper_;
    CurvePieces curve_;
    std::vector<Vec2> inPlane_;  ///< the curve's points where it lies in the slice
    std::optional<TangentSampler> pilot_, deep_;
    std::vector<SampledLength> pilotLengths_;
    std::optional<CurvePlanes> planes_;
    std::optional<TrajectorySweep> sweep_;
    std::vector<double> places_;
};

}  // namespace kappaflow::lens
