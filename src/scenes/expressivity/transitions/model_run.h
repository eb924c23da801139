#pragma once
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "core/expressivity/curve_plane.h"
#include "scenes/expressivity/transitions/model_setup.h"

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
struct Drawing {
    std::vector<double> places;  ///< t of the points, closer where the layers' images are long
    std::vector<LayerDrawing> layers;
};

/// One network and trajectory of one curve, followed layer by layer.
class CurveRun {
public:
    CurveRun(const Setup&, std::size_t curve, std::size_t draw);
    /// Does about `operations` multiply-adds; false when the trajectory is through, or at its limit.
    bool advance(double operations);
    double progress() const;
    const std::vector<LayerCounts>& layers() const { return counts_; }
    /// Of the first draw of the first curve, once all is done; empty for others.
    const Drawing& drawing() const { return drawing_; }

private:
    void record();
    void findCrossings();
    void placePoints();
    bool drawLayer();
    const CurveLayer& readerOf(std::size_t layer) const { return layer < layers_.size() ? layers_[layer] : next_; }

    const Setup& setup_;
    std::size_t curve_;
    bool drawn_;
    std::vector<CurveLayer> layers_;  ///< those gone through
    CurveLayer next_;                 ///< reads the last layer's image in the drawing
    CurvePieces start_;
    std::unique_ptr<TrajectorySweep> sweep_;
    double predicted_ = 0, saturationsPredicted_ = 0;  ///< of the layer after the last one recorded
    std::vector<LayerCounts> counts_;
    std::vector<double> lengths_;  ///< [layer][bin] of the drawn curve's t
    std::optional<CurvePlanes> planes_;
    std::size_t layersDrawn_ = 0;
    Drawing drawing_;
};

}  // namespace kappaflow::transitions
