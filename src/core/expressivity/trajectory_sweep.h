#pragma once
#include <memory>
#include <vector>

#include "core/expressivity/curve_layer.h"

namespace kappaflow {

/// A curve's image in one layer. Layer 0 is the input curve itself.
struct CurvePassage {
    std::size_t pieces = 1;            ///< activation patterns of all layers up to this one
    double transitions = 0;            ///< changes of state of this layer's units
    double signTransitions = 0;        ///< changes of the sign of this layer's pre-activations
    double saturationTransitions = 0;  ///< hard-tanh: the changes of state themselves, as the paper tells them from sign changes
    double length = 0;                 ///< ∫ |dz/dt| dt of the activations
};

struct SweepLimits {
    double pieces = 2e5;          ///< of one layer's image
    double coefficients = 1.2e7;  ///< doubles of one layer's image: pieces × units × 3
};

/// Runs a curve through layers exactly, one after another. `start` may be the input curve, or the activations behind any layer with
/// `layers` the remaining ones. Stops at a layer border: when the next image would go over a limit, `exactLayers()` stays where it is
/// and `stopped()` is true; a limit of 0 computes nothing beyond the start.
class TrajectorySweep {
public:
    /// `layers` must outlive the sweep. Throws InputError when the first layer does not fit the curve.
    TrajectorySweep(const std::vector<CurveLayer>& layers, CurvePieces start, SweepLimits);
    ~TrajectorySweep();

    /// Does about `operations` multiply-adds of work; false when nothing is left.
    bool advance(double operations = 1e6);
    double progress() const;
    bool stopped() const { return stopped_; }
    std::size_t exactLayers() const { return passages_.size() - 1; }
    /// Layers finished so far, layer 0 first.
    const std::vector<CurvePassage>& passages() const { return passages_; }
    /// Places of the changes in layer l >= 1 (index l − 1).
    const std::vector<CurveCrossings>& crossings() const { return crossings_; }
    /// Image in the last finished layer.
    const CurvePieces& image() const { return image_; }

private:
    void finishLayer();

    const std::vector<CurveLayer>& layers_;
    SweepLimits limits_;
    CurvePieces image_;
    std::vector<CurvePassage> passages_;
    std::vector<CurveCrossings> crossings_;
    std::unique_ptr<CurveLayerStep> step_;
    bool stopped_ = false;
};

/// The whole sweep on the spot.
std::vector<CurvePassage> sweepTrajectory(const std::vector<CurveLayer>&, CurvePieces start, SweepLimits = {});

}  // namespace kappaflow
