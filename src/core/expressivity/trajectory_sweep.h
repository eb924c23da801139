#pragma once
#include <memory>
#include <vector>

#include "core/expressivity/curve_layer.h"

namespace kappaflow {

/// A curve's image in one layer. Layer 0 is the input curve itself.
struct CurvePassage {
    std::size_t pieces = 1;      ///< activation patterns along the curve, of all layers up to this one: 1 + places where one changes
    double transitions = 0;      ///< this layer's units changing their linear piece; for hard-tanh the paper's saturation transitions
    double signTransitions = 0;  ///< this layer's pre-activations changing their sign
    double length = 0;           ///< ∫ |dz/dt| dt of the activations
};

/// Of one layer's image with the crossings that made it.
CurvePassage passageOf(const CurveImage&);

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

/// The whole sweep on the spot.
std::vector<CurvePassage> sweepTrajectory(const std::vector<CurveLayer>&, CurvePieces start, SweepLimits = {});

}  // namespace kappaflow
