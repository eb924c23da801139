#pragma once
#include <vector>

namespace kappaflow {

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
