#pragma once
#include <functional>
#include <string>
#include <vector>

#include "scenes/linear_models/walk.h"
#include "scenes/panels.h"

namespace kappaflow::linear {

/// What the panels of one model on one task show.
struct WalkView {
    template <class Params, class Result>
    explicit WalkView(const Sight<Params, Result>& s) : WalkView(s.f, s.params, s.asked, s.result) {}
    WalkView(PictureFrame&, const WalkParams& params, const WalkParams& asked, const WalkResult&);

    PictureFrame& f;
    const WalkParams &params, &asked;
    const WalkResult& r;
    double index = 0;  ///< where on the timeline the picture stands
    const char* counted = "channel";

    bool steps() const { return !r.steps.empty(); }
    std::size_t nearest() const { return static_cast<std::size_t>(index + 0.5); }
    bool optimal() const { return r.optimalityAlong[nearest()] <= kOptimal; }
    /// Of a frame of the timeline: "4 channels", "step 12".
    std::string nameOf(std::size_t frame) const;
    std::string placeName() const { return nameOf(nearest()); }
};

/// Where lags stand in the plot of capacities, so that a model can be drawn on top of it.
struct LagScale {
    Rect inner;
    double newest, spacing;  ///< x of lag 0, and how far to the left the next one is
    double x(double lag) const { return newest - spacing * lag; }
};
/// Draws the model into a rectangle above the capacities.
using DrawModel = std::function<void(const LagScale&, Rect)>;

/// The whole picture. `otherName`: of the model compared; `share`: of the height, for the model.
Layout walkLayout(const WalkView&, const WalkParams& before, std::string otherName, double share, DrawModel);

/// Asks for the param with one factor changed; ones at its end are left out.
void changePull(PictureFrame&, std::vector<double> factors, std::size_t place, double factor, const char* param = "pull");

}  // namespace kappaflow::linear
