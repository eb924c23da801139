#include "core/capacity/nu_continuum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/errors.h"
#include "core/base/rng.h"
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
    const Matrix span = linearSpan(network);
    return {squaredRows(span), span.columns};
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
    Matrix density;
    result.total = densityDownwards(network, nu, [&](Size l, const Matrix& M) {
        if (l == 0) density = M;
    });
    const Matrix allocated = congruence(network.sigma, density);
    for (Size i = 0; i < allocated.rows; ++i) result.capacity.push_back(allocated(i, i));
    return result;
}

ContinuumCapacity continuumCapacity(const ContinuumNetwork& network, double nu) {
    return continuumCapacity(network, Vector(network.features.size(), nu));
}

std::vector<Vector> layerCapacities(const ContinuumNetwork& network, double nu, Vector inputs, const std::function<void()>& tick) {
    const Size layers = network.features.size();
    std::vector<Vector> result(layers + 1);
    result[0] = std::move(inputs);
    if (network.free.columns == 1 && layers > 1 && nu != 1) {
        densityDownwards(network, Vector(layers, nu), [&](Size l, const Matrix& M) {
            for (Size i = 0; i < M.rows && l > 0; ++i) result[l].push_back(M(i, i));
        });
        for (Size l = 1; l <= layers; ++l) result[l] = distribution(result[l]);
        tick();
        return result;
    }
    for (Size l = 1; l < layers; ++l) {
        result[l] = continuumCapacity(above(network, l), nu).capacity;
        tick();
    }
    result[layers] = squaredRows(network.free);
    return result;
}

double changedShare(const Vector& capacity, const Vector& start, const Vector& end) {
    const Vector at = distribution(capacity), from = distribution(start), to = distribution(end);
    double along = 0, length = 0;
    for (Size i = 0; i < at.size(); ++i) {
        const double change = to[i] - from[i];
        along += (at[i] - from[i]) * change;
        length += change * change;
    }
    return length > 1e-20 ? along / length : std::numeric_limits<double>::quiet_NaN();
}

namespace {

Size channelsAt(const PathTree& tree, Size l) { return l == 0 || l == tree.taps.size() ? 1 : static_cast<Size>(tree.channels); }

Size layerWeights(const PathTree& tree, Size l) {
    return static_cast<Size>(tree.taps[l - 1]) * channelsAt(tree, l - 1) * channelsAt(tree, l);
}

/// One path: its lag, the index of the weight it takes in every layer, and the unit it passes after every hidden layer.
struct TreePath {
    Size lag;
    std::vector<Size> weights, units;
};

TreePath pathAt(const PathTree& tree, Size index, Size channelPaths) {
    const Size layers = tree.taps.size();
    TreePath path{index / channelPaths, {}, {}};
    Size rest = index % channelPaths, position = path.lag, channel = 0, offset = 0;
    for (Size l = 1; l <= layers; ++l) {
        const Size taps = static_cast<Size>(tree.taps[l - 1]), outs = channelsAt(tree, l), ins = channelsAt(tree, l - 1);
        const Size tap = position % taps, out = rest % outs;
        path.weights.push_back(offset + (tap * outs + out) * ins + channel);
        position /= taps;
        rest /= outs;
        channel = out;
        offset += layerWeights(tree, l);
        if (l < layers) path.units.push_back(position * outs + channel);
    }
    return path;
}

Size channelPathsOf(const PathTree& tree) {
    Size count = 1;
    for (Size l = 1; l < tree.taps.size(); ++l) count *= static_cast<Size>(tree.channels);
    return count;
}

std::vector<TreePath> allPaths(const PathTree& tree) {
    const Size channelPaths = channelPathsOf(tree), count = static_cast<Size>(pathTreeSize(tree).paths);
    std::vector<TreePath> paths;
    for (Size p = 0; p < count; ++p) paths.push_back(pathAt(tree, p, channelPaths));
    return paths;
}

std::vector<double> autocovariance(const PathTree& tree) {
    std::vector<double> c(static_cast<Size>(pathTreeSize(tree).lags));
    for (Size k = 0; k < c.size(); ++k) c[k] = std::pow(1 + static_cast<double>(k), -tree.alpha);
    return c;
}

// Σ̃·T without Σ̃, whose square of paths would not fit in a small memory.
Matrix timesSigmaTilde(const PathTree& tree, const Matrix& T, double nu) {
    const auto paths = allPaths(tree);
    const auto c = autocovariance(tree);
    const Size hidden = tree.taps.size() - 1;
    std::vector<double> powers(hidden + 1, 1.0);
    for (Size h = 1; h <= hidden; ++h) powers[h] = powers[h - 1] * nu;
    Matrix row(1, paths.size()), result(T.rows, T.columns);
    for (Size p = 0; p < paths.size(); ++p) {
        for (Size q = 0; q < paths.size(); ++q) {
            Size different = 0;
            for (Size l = 0; l < hidden; ++l) different += paths[p].units[l] != paths[q].units[l];
            const Size lags = paths[p].lag > paths[q].lag ? paths[p].lag - paths[q].lag : paths[q].lag - paths[p].lag;
            row(0, q) = c[lags] * powers[different];
        }
        const auto line = product(row, T);
        std::copy(line.values.begin(), line.values.end(), result.row(p));
    }
    return result;
}

ContinuumCapacity capacityOf(const Matrix& constraints, Size lags) {
    const auto K = spanBasis(constraints);
    ContinuumCapacity result{std::vector<double>(lags), K.rank()};
    for (Size p = 0; p < K.basis.rows; ++p)
        for (Size k = 0; k < K.basis.columns; ++k) result.capacity[p / (K.basis.rows / lags)] += K.basis(p, k) * K.basis(p, k);
    return result;
}

void requireTree(const PathTree& tree) {
    bool sound = !tree.taps.empty() && tree.channels >= 1 && std::isfinite(tree.alpha) && tree.alpha >= 0;
    for (int taps : tree.taps) sound = sound && taps >= 1;
    if (!sound) throw InputError("A tree needs layers of at least one tap, at least one channel and an exponent of at least 0.");
    const auto size = pathTreeSize(tree);
    if (size.paths > kMaxTreePaths || size.parameters > kMaxTreeParameters)
        throw InputError("This tree has more than 4096 paths or 512 weights; use fewer layers, taps or channels.");
    if (static_cast<double>(tree.weights.size()) != size.parameters) throw InputError("The tree's weights are not of the right number.");
    for (double w : tree.weights)
        if (!std::isfinite(w)) throw InputError("The tree's weights are not all finite.");
}

}  // namespace

PathTreeSize pathTreeSize(const PathTree& tree) {
    PathTreeSize size{1, 1, 0};
    const Size layers = tree.taps.size();
    for (Size l = 1; l <= layers; ++l) {
        const double taps = tree.taps[l - 1], out = static_cast<double>(channelsAt(tree, l));
        size.lags *= taps;
        size.paths *= taps * out;
        size.parameters += taps * out * static_cast<double>(channelsAt(tree, l - 1));
    }
    return size;
}

PathTree randomPathTree(std::vector<int> taps, int channels, double alpha, std::uint64_t seed) {
    PathTree tree{std::move(taps), channels, alpha, {}};
    if (pathTreeSize(tree).parameters > kMaxTreeParameters) requireTree(tree);
    for (Size l = 1; l <= tree.taps.size(); ++l) {
        Rng rng(seed, Purpose::Weights, l);
        for (Size w = 0; w < layerWeights(tree, l); ++w) tree.weights.push_back(drawWeight(rng, 1));
    }
    requireTree(tree);
    return tree;
}

Matrix pathTreeJacobian(const PathTree& tree) {
    requireTree(tree);
    const auto paths = allPaths(tree);
    Matrix jacobian(paths.size(), tree.weights.size());
    for (Size p = 0; p < paths.size(); ++p)
        for (Size w : paths[p].weights) {
            double others = 1;
            for (Size other : paths[p].weights)
                if (other != w) others *= tree.weights[other];
            jacobian(p, w) = others;
        }
    return jacobian;
}

ContinuumCapacity pathTreeCapacity(const PathTree& tree, const Matrix& jacobian, double nu) {
    if (!(nu >= 0 && nu <= 1)) throw InputError("A decoupling coefficient lies between 0 and 1.");
    return capacityOf(timesSigmaTilde(tree, spanBasis(jacobian).basis, nu), static_cast<Size>(pathTreeSize(tree).lags));
}

ContinuumCapacity linearTreeCapacity(const PathTree& tree) {
    const auto paths = pathTreeJacobian(tree);
    const Size lags = static_cast<Size>(pathTreeSize(tree).lags), channelPaths = paths.rows / lags;
    Matrix jacobian(lags, paths.columns), sigma(lags, lags);
    for (Size p = 0; p < paths.rows; ++p)
        for (Size w = 0; w < paths.columns; ++w) jacobian(p / channelPaths, w) += paths(p, w);
    const auto c = autocovariance(tree);
    for (Size i = 0; i < lags; ++i)
        for (Size j = 0; j < lags; ++j) sigma(i, j) = c[i > j ? i - j : j - i];
    return capacityOf(product(sigma, spanBasis(jacobian).basis), lags);
}

}  // namespace kappaflow
