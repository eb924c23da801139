#pragma once
#include <cstdint>
#include <vector>

#include "core/linalg/matrix.h"

namespace kappaflow {

/// A dilated network with one output, no bias, all layers learned: layer l = 1 … L has taps[l−1] taps of dilation
/// n_1 ⋯ n_{l−1}, hidden layers `channels` channels, input and output one. Lags τ = 0 … Π n_l − 1 (0 = newest). The inputs' covariance
/// is c_|τ − τ′| = (1 + |τ − τ′|)^{−alpha} (P2 Eq 30).
struct PathTree {
    std::vector<int> taps{2, 2, 2};
    int channels = 1;
    double alpha = 0.5;
    std::vector<double> weights;  ///< W_l[tap][out][in], layer 1 first
};

/// Gaussian weights, stream (seed, Weights, layer).
PathTree randomPathTree(std::vector<int> taps, int channels, double alpha, std::uint64_t seed);

/// Number of lags, of paths Π n_l · channels^(L−1) and of weights, in double.
struct PathTreeSize {
    double lags = 0, paths = 0, parameters = 0;
};
PathTreeSize pathTreeSize(const PathTree&);
inline constexpr double kMaxTreePaths = 4096, kMaxTreeParameters = 512;

/// ∂(path coefficient)/∂W, [paths][parameters]: path τ through channels (o_1 … o_{L−1}) has the coefficient Π_l W_l[k_l][o_l][o_{l−1}],
/// k_l = ⌊τ/d_l⌋ mod n_l. Paths are numbered lag-major, then by channels, layer 1 fastest. Throws InputError for sizes past the limits
/// above, weights of the wrong number or not finite.
Matrix pathTreeJacobian(const PathTree&);

/// Capacity by lag when all layers are learned: Σ̃ = c_|τ−τ′| ν^h, h = number of hidden layers in which two paths use different units
/// (unit of layer l: ⌊τ/(n_1 ⋯ n_l)⌋ and channel), K = orth(Σ̃ J), κ_τ = squared rows of K summed over the lag's paths.
/// The rank decision falls on J and again on Σ̃ times an orthonormal basis of its span (ν = 1 makes Σ̃ singular); both gaps are given.
/// Total: parameters − hidden channels for ν < 1, the tensor train's dimension at ν = 1. Cost: paths²·rank.
struct PathTreeCapacity {
    std::vector<double> capacity;  ///< [lag], newest first
    std::size_t total = 0;
    double jacobianGap = 0, gap = 0;  ///< last kept over first dropped singular value
};
PathTreeCapacity pathTreeCapacity(const PathTree&, double nu);
/// The same for a Jacobian at hand: what a slider of ν asks for.
PathTreeCapacity pathTreeCapacity(const PathTree&, const Matrix& jacobian, double nu);

/// The same model without activations: K = orth(Σ da/dW), a(τ) the sum of the lag's path coefficients (P2 Eq 20). Equals ν = 1.
PathTreeCapacity linearTreeCapacity(const PathTree&);

}  // namespace kappaflow
