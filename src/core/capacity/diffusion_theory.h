#pragma once
#include <vector>

namespace kappaflow {

/// ∫ g from x − 1/2 to x + 1/2 for the normal density g of mean 0 and that variance > 0, the mass in the cell of position x. In the
/// tails too the relative error is some 1e-16·√variance.
double normalOnCell(double x, double variance);

/// Normal density of that mean and variance, integrated over the cell around each of 0 … period − 1 and all its images, so that it sums
/// to 1. Narrow ones by the sum itself, wide ones by its Poisson transform; both to rounding. Zero variance: 1 at the integer nearest the
/// mean. Cost: O(period).
std::vector<double> wrappedNormal(double mean, double variance, int period);

/// Σ_y start[y] density[x − scale·y] at the positions x of a ring as long as the density, or (ring = false) of a line half as long
/// that reflects at both ends. Cost: width · non-zero entries of start.
std::vector<double> convolved(const std::vector<double>& start, double scale, const std::vector<double>& density, bool ring);

/// Solution of the diffusion equation (P1 Eq 32) on the cells of the positions x = 0 … width − 1 of one layer: start convolved with the
/// normal density of that mean and variance, integrated from x − 1/2 to x + 1/2, wrapped on a ring, reflected at both ends of a line. It
/// sums to what the start does. `scale` is how many of the layer's positions one of the start's stands for (product of strides).
/// Cost: width · non-zero entries of start.
std::vector<double> diffused(const std::vector<double>& start, double scale, double mean, double variance, int width, bool ring);

/// ½ Σ |a − b|, without differences that are rounding: up to 1e-14 of the larger.
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

/// Solution of the diffusion equation in two dimensions (P1 Eq 32 per axis) on the unit cells of the positions of one layer: `start`
/// convolved with the normal density, wrapped along both axes of a torus, or reflected at all four edges (periodic = false). Without
/// covariance it is the product of the two axes' solutions (see `diffused`). With it, what the density has on the cells is summed from
/// its Fourier coefficients exp(−½ kᵀΣk − i k·mean) times those of a cell, exact to rounding by Poisson's formula; a density narrower
/// than a tenth of a position in some direction, which takes too many of them, is widened to that.
/// Cost: height·width·(start's height + start's width); with covariance 12 p³, p the longer side (reflected: twice that).
PlaneProfile diffusedPlane(const PlaneProfile& start, double scale, const PlaneNormal&, int height, int width, bool periodic);

/// Operations of one such call with a start as large as the layer: what budgets count.
double diffusedPlaneWork(int height, int width, bool periodic, bool correlated);

}  // namespace kappaflow
