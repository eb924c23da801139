#include "core/capacity/nu_continuum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/errors.h"
#include "core/capacity/augmented_space.h"
#include "core/linalg/decompositions.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

bool isLinear(std::span<const double> nu) {
    return std::all_of(nu.begin(), nu.end(), [](double value) { return value == 1; });
}

// A ← (g A + h diag A)/scale with g, h of a layer of m = A.rows units.
void mixAndScale(Matrix& a, double nu, double scale) {
    const double g = static_cast<double>(a.rows) * nu * nu + 2 * nu * (1 - nu), h = (1 - nu) * (1 - nu);
    for (Size i = 0; i < a.rows; ++i) {
        const double diagonal = a(i, i);
        for (Size j = 0; j < a.columns; ++j) a(i, j) *= g / scale;
        a(i, i) += h / scale * diagonal;
    }
}

double traceOf(const Matrix& a) {
    double sum = 0;
    for (Size i = 0; i < a.rows; ++i) sum += a(i, i);
    return sum;
}

/// Q_L of the way up, scaled, and the scales of each layer.
struct Metric {
    Matrix top;
    Vector scales;
};

Metric metricUpwards(const ContinuumNetwork& network, std::span<const double> nu) {
    Metric metric{product(network.sigma, network.sigma), {}};
    for (Size l = 0; l < network.features.size(); ++l) {
        metric.top = congruence(network.features[l], metric.top);
        mixAndScale(metric.top, nu[l], 1);
        const double trace = traceOf(metric.top), scale = trace > 0 ? trace / static_cast<double>(metric.top.rows) : 1;
        for (double& value : metric.top.values) value /= scale;
        metric.scales.push_back(scale);
    }
    return metric;
}

/// M_L, then M_{L−1} … M_0: visit(l, M_l).
template <typename Visit>
Size densityDownwards(const ContinuumNetwork& network, std::span<const double> nu, Visit visit) {
    const auto metric = metricUpwards(network, nu);
    const bool belowOne = std::all_of(nu.begin(), nu.end(), [](double value) { return value < 1; });
    const auto inverse = pseudoInverse(congruence(network.free, metric.top), belowOne ? kContinuumThreshold : kInverseThreshold);
    Matrix density = congruence(transposed(network.free), inverse.inverse);
    visit(network.features.size(), density);
    for (Size l = network.features.size(); l-- > 0;) {
        mixAndScale(density, nu[l], metric.scales[l]);
        density = congruence(transposed(network.features[l]), density);
        visit(l, density);
    }
    return inverse.rank;
}

/// Span of Σ P_1 … P_L U, made orthonormal after every layer: a product of many matrices has singular values too far apart for any
/// threshold, the steps have not.
Matrix linearSpan(const ContinuumNetwork& network) {
    Matrix span = network.free;
    for (Size l = network.features.size(); l-- > 0;) span = pivotedBasis(product(network.features[l], span));
    return pivotedBasis(product(network.sigma, span));
}

ContinuumCapacity linearCapacity(const ContinuumNetwork& network) {
    ContinuumCapacity result;
    const Matrix span = linearSpan(network);
    result.total = span.columns;
    result.capacity.assign(span.rows, 0);
    for (Size i = 0; i < span.rows; ++i)
        for (Size k = 0; k < span.columns; ++k) result.capacity[i] += span(i, k) * span(i, k);
    return result;
}

ContinuumNetwork above(const ContinuumNetwork& network, Size layer) {
    return {identityMatrix(network.features[layer].rows),
            {network.features.begin() + static_cast<std::ptrdiff_t>(layer), network.features.end()},
            network.free};
}

Vector distribution(Vector capacity) {
    double sum = 0;
    for (double value : capacity) sum += value;
    for (double& value : capacity) value = sum > 0 ? value / sum : 0;
    return capacity;
}

void requireNu(const ContinuumNetwork& network, std::span<const double> nu) {
    if (nu.size() != network.features.size()) throw InputError("Give one decoupling coefficient for each layer.");
    for (double value : nu)
        if (!(value >= 0 && value <= 1)) throw InputError("A decoupling coefficient lies between 0 and 1.");
}

Vector everywhere(const ContinuumNetwork& network, double nu) { return Vector(network.features.size(), nu); }

}  // namespace

ContinuumNetwork normalised(ContinuumNetwork network) {
    if (network.features.empty()) throw InputError("A network needs at least one layer.");
    bool fits = network.sigma.rows == network.sigma.columns && network.features.back().columns == network.free.rows;
    for (Size l = 0; l < network.features.size(); ++l)
        fits = fits && network.features[l].columns > 0 &&
               network.features[l].rows == (l == 0 ? network.sigma.rows : network.features[l - 1].columns);
    if (!fits) throw InputError("The layers' sizes do not follow one another.");
    for (Size l = 0; l + 1 < network.features.size(); ++l)
        network.features[l] = unitFeatures(network.features[l], Matrix(network.features[l].columns, 0)).features;
    auto last = unitFeatures(network.features.back(), network.free);
    network.features.back() = std::move(last.features);
    network.free = std::move(last.free);
    return network;
}

ContinuumCapacity continuumCapacity(const ContinuumNetwork& network, std::span<const double> nu) {
    requireNu(network, nu);
    if (isLinear(nu)) return linearCapacity(network);
    ContinuumCapacity result;
    result.total = densityDownwards(network, nu, [&](Size l, const Matrix& M) {
        if (l == 0) result.density = M;
    });
    const Matrix allocated = congruence(network.sigma, result.density);
    for (Size i = 0; i < allocated.rows; ++i) result.capacity.push_back(allocated(i, i));
    return result;
}

ContinuumCapacity continuumCapacity(const ContinuumNetwork& network, double nu) {
    return continuumCapacity(network, everywhere(network, nu));
}

std::vector<Vector> layerCapacities(const ContinuumNetwork& network, std::span<const double> nu) {
    requireNu(network, nu);
    const Size layers = network.features.size();
    std::vector<Vector> result(layers + 1);
    result[0] = continuumCapacity(network, nu).capacity;
    if (network.free.columns == 1 && !isLinear(nu)) {
        densityDownwards(network, nu, [&](Size l, const Matrix& M) {
            for (Size i = 0; i < M.rows && l > 0; ++i) result[l].push_back(M(i, i));
        });
        for (Size l = 1; l <= layers; ++l) result[l] = distribution(result[l]);
        return result;
    }
    for (Size l = 1; l < layers; ++l) result[l] = continuumCapacity(above(network, l), nu.subspan(l)).capacity;
    for (Size j = 0; j < network.free.rows; ++j) {
        result[layers].push_back(0);
        for (Size k = 0; k < network.free.columns; ++k) result[layers][j] += network.free(j, k) * network.free(j, k);
    }
    return result;
}

double changedShare(const Vector& capacity, const Crossover& ends) {
    const Vector at = distribution(capacity);
    double along = 0, length = 0;
    for (Size i = 0; i < at.size(); ++i) {
        const double change = ends.end[i] - ends.start[i];
        along += (at[i] - ends.start[i]) * change;
        length += change * change;
    }
    return length > 1e-20 ? along / length : std::numeric_limits<double>::quiet_NaN();
}

Crossover continuumCrossover(const ContinuumNetwork& network) {
    const auto at = [&](double nu) { return continuumCapacity(network, nu); };
    const auto start = at(0), linear = at(1);
    Crossover result{std::numeric_limits<double>::quiet_NaN(), distribution(start.capacity),
                     distribution((linear.total == start.total ? linear : at(0.999)).capacity)};
    const auto passed = [&](double nu) { return changedShare(at(nu).capacity, result) >= 0.5; };
    constexpr int kScan = 40;
    double low = 0, high = -1;
    for (int k = 0; k <= kScan && high < 0; ++k) {
        const double nu = 0.999 * std::pow(10, -4.0 * (kScan - k) / kScan);
        (passed(nu) ? high : low) = nu;
    }
    if (high < 0) return result;
    while (high - low > 1e-6) {
        const double middle = 0.5 * (low + high);
        (passed(middle) ? high : low) = middle;
    }
    result.nu = high;
    return result;
}

}  // namespace kappaflow
