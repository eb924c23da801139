#pragma once
#include <array>
#include <memory>
#include <vector>

#include "scenes/transitions/model_setup.h"

namespace kappaflow::transitions {

/// What is known of one layer of one network; predictions and counts of layer 0 mean nothing.
struct LayerCounts {
    double length = 0, pieces = 1, transitions = 0, predicted = 0, saturations = 0, saturationsPredicted = 0;
};

/// The drawn network's image of the trajectory in a layer, and two units of the next layer that read it.
struct LayerDrawing {
    std::vector<std::array<double, 2>> image, pair;  ///< [point]
    double share = 1;
    std::vector<std::vector<double>> crossings;  ///< [turn]: t of the sign changes
};

/// One network and trajectory of one curve, followed layer by layer.
class CurveRun {
public:
    CurveRun(const Setup&, std::size_t curve, std::size_t draw);
    /// Does about `operations` multiply-adds; false when the trajectory is through, or at its limit.
    bool advance(double operations);
    double progress() const { return sweep_->progress(); }
    const std::vector<LayerCounts>& layers() const { return counts_; }
    /// Of the first draw of the first curve; empty for others.
    const std::vector<LayerDrawing>& drawings() const { return drawings_; }
    /// t of the drawing's points.
    static std::vector<double> points(const Setup&);

private:
    void record();
    void draw();

    const Setup& setup_;
    GrowthSetting curve_;
    bool drawn_;
    std::vector<CurveLayer> layers_;  ///< those gone through
    CurveLayer next_;                 ///< read by the drawing of the last layer
    std::unique_ptr<TrajectorySweep> sweep_;
    double predicted_ = 0, saturationsPredicted_ = 0;  ///< of the layer after the last one recorded
    std::vector<LayerCounts> counts_;
    std::vector<LayerDrawing> drawings_;
};

}  // namespace kappaflow::transitions
