#pragma once
#include <vector>

namespace kappaflow {

/// Σ_n g(d + n·period), d = 0 … period − 1, for the normal density g of that mean and variance: the density at the integers, wrapped.
/// Narrow ones by the sum itself, wide ones by its Poisson transform; both to rounding. Zero variance: 1 at the integer nearest the mean.
/// Cost: O(period).
std::vector<double> wrappedNormal(double mean, double variance, int period);

/// Σ_y start[y] density[x − scale·y] at the positions x of a ring as long as the density, or (ring = false) of a line half as long
/// that reflects at both ends. Cost: width · non-zero entries of start.
std::vector<double> convolved(const std::vector<double>& start, double scale, const std::vector<double>& density, bool ring);

/// Solution of the diffusion equation (P1 Eq 32) at the positions x = 0 … width − 1 of one layer: start convolved with the normal
/// density of that mean and variance, Σ_y start[y] g(x − scale·y), wrapped on a ring, reflected at both ends of a line. `scale` is
/// how many of the layer's positions one of the start's stands for (product of strides). Cost: width · non-zero entries of start.
std::vector<double> diffused(const std::vector<double>& start, double scale, double mean, double variance, int width, bool ring);

/// ½ Σ |a − b|.
double totalVariation(const std::vector<double>& a, const std::vector<double>& b);

/// A normal density in the plane: mean and covariance, row axis first.
struct PlaneNormal {
    double meanY = 0, meanX = 0, varianceY = 0, varianceX = 0, covariance = 0;
};

/// Values at the positions of a plane, row by row.
struct PlaneProfile {
    int height = 1, width = 1;
    std::vector<double> values;
};

/// Solution of the diffusion equation in two dimensions (P1 Eq 32 per axis) at the positions of one layer: `start` convolved with the
/// normal density, Σ_s start[s] g(r − scale·s), wrapped along both axes of a torus, or reflected at all four edges (periodic = false).
/// Without covariance it is the product of the two axes' solutions (see `diffused`). With it, the density at the integers is summed
/// from its Fourier coefficients exp(−½ kᵀΣk − i k·mean), exact to rounding by Poisson's formula; a density narrower than a tenth of
/// a position in some direction, which integers cannot resolve, is widened to that.
/// Cost: height·width·(start's height + start's width); with covariance 12 p³, p the longer side (reflected: twice that).
PlaneProfile diffusedPlane(const PlaneProfile& start, double scale, const PlaneNormal&, int height, int width, bool periodic);

/// Operations of one such call with a start as large as the layer: what budgets count.
double diffusedPlaneWork(int height, int width, bool periodic, bool correlated);

}  // namespace kappaflow
