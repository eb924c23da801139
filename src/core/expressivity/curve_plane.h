#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "core/expressivity/curve_layer.h"
#include "core/expressivity/principal_plane.h"

namespace kappaflow {

/// Length in each of `bins` equal parts of the curve's t; a piece's length counts evenly over its own t. Sums to the whole length.
std::vector<double> lengthByBin(const CurvePieces&, std::size_t bins);

/// `count` values of t from `from` to `to`, ends included, denser where the curve is long: a third of them evenly, the others as the mean
/// over layers of each layer's share of its length, `byBin` [layer][bin]. Layers of no length have no say.
std::vector<double> drawingPoints(double from, double to, std::size_t count, const std::vector<double>& byBin, std::size_t bins);

/// Operations of the images of so many points: their way through the layers, and the planes.
double workOfPlanes(const std::vector<CurveLayer>&, std::size_t points);

/// Images of the same t in the input and behind each layer, one layer at a time, each in its principal plane (weights: the length that a
/// point stands for). Within its plane each image is turned, or mirrored, to lie
/// as near as it can to the one before (orthogonal Procrustes), the first to `reference`, so that nothing flips between layers. Cost of a
/// layer: points·in·out multiply-adds, and those of its principal plane.
class CurvePlanes {
public:
    /// `layers` must outlive it; `start` and `layers` fit (asserted); `reference` has a point for each t.
    CurvePlanes(const std::vector<CurveLayer>& layers, const CurvePieces& start, std::vector<double> at,
                std::vector<std::array<double, 2>> reference);

    /// Makes the next image; false when none is left.
    bool advance();
    const std::vector<double>& at() const { return at_; }
    const std::vector<PlaneImage>& images() const { return images_; }
    /// Activations behind the last image's layer, [point][unit].
    const std::vector<double>& values() const { return values_; }

private:
    void project();

    const std::vector<CurveLayer>& layers_;
    std::vector<double> at_, values_;  ///< [point][unit]
    std::vector<std::array<double, 2>> reference_;
    std::vector<PlaneImage> images_;
};

}  // namespace kappaflow
