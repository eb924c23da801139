#include "core/capacity/path_tree.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/linalg/decompositions.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

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

PathTreeCapacity capacityOf(const SpanBasis& jacobian, const Matrix& constraints, Size lags) {
    const auto K = spanBasis(constraints);
    PathTreeCapacity result{std::vector<double>(lags), K.rank(), numericalRank(jacobian.singularValues).gap,
                            numericalRank(K.singularValues).gap};
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

PathTreeCapacity pathTreeCapacity(const PathTree& tree, const Matrix& jacobian, double nu) {
    if (!(nu >= 0 && nu <= 1)) throw InputError("A decoupling coefficient lies between 0 and 1.");
    const auto span = spanBasis(jacobian);
    return capacityOf(span, timesSigmaTilde(tree, span.basis, nu), static_cast<Size>(pathTreeSize(tree).lags));
}

PathTreeCapacity pathTreeCapacity(const PathTree& tree, double nu) { return pathTreeCapacity(tree, pathTreeJacobian(tree), nu); }

PathTreeCapacity linearTreeCapacity(const PathTree& tree) {
    const auto paths = pathTreeJacobian(tree);
    const Size lags = static_cast<Size>(pathTreeSize(tree).lags), channelPaths = paths.rows / lags;
    Matrix jacobian(lags, paths.columns), sigma(lags, lags);
    for (Size p = 0; p < paths.rows; ++p)
        for (Size w = 0; w < paths.columns; ++w) jacobian(p / channelPaths, w) += paths(p, w);
    const auto c = autocovariance(tree);
    for (Size i = 0; i < lags; ++i)
        for (Size j = 0; j < lags; ++j) sigma(i, j) = c[i > j ? i - j : j - i];
    const auto span = spanBasis(jacobian);
    return capacityOf(span, product(sigma, span.basis), lags);
}

}  // namespace kappaflow
