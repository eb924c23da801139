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

}  // namespace kappaflow
