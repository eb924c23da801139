#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

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

}  // namespace kappaflow
