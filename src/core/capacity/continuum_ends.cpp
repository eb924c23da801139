// The two ends of the ν continuum by ways of their own, which share nothing with continuumCapacity and continuumRing.
#include <algorithm>
#include <cmath>

#include "core/capacity/augmented_space.h"
#include "core/capacity/nu_continuum.h"
#include "core/linalg/decompositions.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

Vector squaresOverSum(Vector v) {
    double sum = 0;
    for (double& x : v) sum += x *= x;
    for (double& x : v) x = sum > 0 ? x / sum : 0;
    return v;
}

void divideByLargest(Vector& v) {
    double largest = 0;
    for (const double x : v) largest = std::max(largest, std::abs(x));
    for (double& x : v) x = largest > 0 ? x / largest : 0;
}

/// One layer down a ring.
Vector throughKernel(const Vector& at, const Vector& kernel) {
    const Size n = at.size();
    Vector below(n);
    for (Size x = 0; x < n; ++x)
        for (Size t = 0; t < kernel.size(); ++t) below[(x + t + n - kernel.size() / 2) % n] += kernel[t] * at[x];
    return below;
}

Vector diracOf(const ContinuumRing& ring) {
    Vector at(static_cast<Size>(ring.extent));
    at[at.size() / 2] = 1;
    return at;
}

}  // namespace

std::vector<double> diffusedCapacity(const ContinuumNetwork& network) {
    Vector kappa = squaredRows(network.free);
    for (Size l = network.features.size(); l-- > 0;) {
        const Matrix& P = network.features[l];
        Vector below(P.rows);
        for (Size i = 0; i < P.rows; ++i)
            for (Size j = 0; j < P.columns; ++j) below[i] += P(i, j) * P(i, j) * kappa[j];
        kappa = std::move(below);
    }
    return kappa;
}

std::vector<double> diffusedCapacity(const ContinuumRing& ring) {
    Vector at = diracOf(ring);
    for (Size l = ring.kernels.size(); l-- > 0;) at = throughKernel(at, squaresOverSum(ring.kernels[l]));
    return at;
}

std::vector<double> linearNetworkCapacity(const ContinuumNetwork& network) {
    if (network.features.size() == 1) return directCapacity(network.sigma, network.features[0], network.free).capacity;
    if (network.free.columns != 1) return {};
    Matrix v = network.free;
    for (Size l = network.features.size(); l-- > 0;) {
        v = product(network.features[l], v);
        divideByLargest(v.values);
    }
    return squaresOverSum(product(network.sigma, v).values);
}

std::vector<double> linearNetworkCapacity(const ContinuumRing& ring) {
    Vector at = diracOf(ring);
    for (Size l = ring.kernels.size(); l-- > 0;) {
        at = throughKernel(at, ring.kernels[l]);
        divideByLargest(at);
    }
    return squaresOverSum(std::move(at));
}

}  // namespace kappaflow
