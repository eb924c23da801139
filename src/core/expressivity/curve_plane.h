#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/expressivity/curve_layer.h"

namespace kappaflow {

/// Points in the plane in which they spread most, about their mean.
struct PlaneImage {
    std::vector<std::array<double, 2>> at;  ///< [point]
    double share = 1;                       ///< of the points' variance that lies in the plane; 1 when they have none
};

/// Principal plane of points [point][unit], by subspace iteration on their covariance and a Ritz step: good for drawing (the plane is
/// exact up to directions of nearly equal spread), and the same bits on every platform. The axes are the principal ones, the largest entry
/// of each positive; with `before`, as many points, they are turned and mirrored so that the points lie nearest to those: layer after
/// layer, a curve then moves instead of jumping. `weights`, one a point and not negative, count points more or less often (none: all
/// alike). Throws InputError when sizes differ or an entry is not finite.
/// Cost: workOfPlane. Of fewer points than units the directions come from the points' own products, as combinations of them.
PlaneImage principalPlane(std::span<const double> points, std::size_t units, std::span<const std::array<double, 2>> before = {},
                          std::span<const double> weights = {});
/// Multiply-adds of it, of n the smaller and m the larger number of points with a weight and units: n²·m, and 240·n² of the iterations.
double workOfPlane(std::size_t points, std::size_t units);

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
