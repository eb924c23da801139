#include "scenes/capacity_flow/nu_continuum/model.h"

#include <algorithm>
#include <cmath>

#include "core/base/rng.h"
#include "core/capacity/augmented_space.h"
#include "core/linalg/decompositions.h"

namespace kappaflow::continuum {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

Vector squaresOverSum(Vector v) {
    double sum = 0;
    for (double& x : v) sum += x *= x;
    for (double& x : v) x = sum > 0 ? x / sum : 0;
    return v;
}

Vector projectorDiagonal(const Matrix& U) {
    Vector kappa(U.rows);
    for (Size j = 0; j < U.rows; ++j)
        for (Size k = 0; k < U.columns; ++k) kappa[j] += U(j, k) * U(j, k);
    return kappa;
}

class DenseFamily final : public Family {
public:
    explicit DenseFamily(ContinuumNetwork network) : network_(std::move(network)) {}

    bool step(Row& row) override {
        auto result = continuumCapacity(network_, nu_);
        row.capacity = std::move(result.capacity);
        row.total = static_cast<double>(result.total);
        return false;
    }
    bool layersApart() const override { return true; }
    bool stepLayers(Row& row) override {
        const Size layers = network_.features.size();
        if (network_.free.columns == 1 && layers > 1) {
            row.layers = layerCapacities(network_, Vector(layers, nu_));
            return false;
        }
        if (slice_ == 0) {
            row.layers.assign(layers + 1, {});
            row.layers.front() = row.capacity;
            row.layers.back() = projectorDiagonal(network_.free);
        }
        if (++slice_ >= layers) return false;
        const ContinuumNetwork above{identityMatrix(network_.features[slice_].rows),
                                     {network_.features.begin() + static_cast<std::ptrdiff_t>(slice_), network_.features.end()},
                                     network_.free};
        row.layers[slice_] = continuumCapacity(above, nu_).capacity;
        return slice_ + 1 < layers;
    }

    Vector diffused() const override {
        Vector kappa = projectorDiagonal(network_.free);
        for (Size l = network_.features.size(); l-- > 0;) {
            const Matrix& P = network_.features[l];
            Vector below(P.rows);
            for (Size i = 0; i < P.rows; ++i)
                for (Size j = 0; j < P.columns; ++j) below[i] += P(i, j) * P(i, j) * kappa[j];
            kappa = std::move(below);
        }
        return kappa;
    }
    Vector linear() const override {
        if (network_.features.size() == 1) return directCapacity(network_.sigma, network_.features[0], network_.free).capacity;
        if (network_.free.columns != 1) return {};
        Matrix v = network_.free;
        for (Size l = network_.features.size(); l-- > 0;) {
            v = product(network_.features[l], v);
            double largest = 0;
            for (const double x : v.values) largest = std::max(largest, std::abs(x));
            for (double& x : v.values) x = largest > 0 ? x / largest : 0;
        }
        return squaresOverSum(product(network_.sigma, v).values);
    }
    Matrix amplitudes() const override {
        if (network_.features.size() != 1 || network_.free.columns != 1) return {};
        Matrix a = product(network_.sigma, network_.features[0]);
        for (Size i = 0; i < a.rows; ++i)
            for (Size j = 0; j < a.columns; ++j) a(i, j) *= network_.free(j, 0);
        return a;
    }

private:
    ContinuumNetwork network_;
};

class RingFamily final : public Family {
public:
    explicit RingFamily(ContinuumRing ring) : ring_(std::move(ring)) {}

    bool step(Row& row) override {
        if (pass_->step()) return true;
        const auto& layers = pass_->layers();
        row.capacity = layers.back().capacity;
        row.total = 1;
        row.variance = layers.back().variance;
        row.layers.clear();
        for (Size l = layers.size(); l-- > 0;) row.layers.push_back(layers[l].capacity);
        return false;
    }
    double firstInput() const override {
        const int left = ring_.extent / 2;
        return -left;
    }
    Vector diffused() const override { return walk(true); }
    Vector linear() const override { return squaresOverSum(walk(false)); }

private:
    void restart() override { pass_ = std::make_unique<ContinuumRingPass>(ring_, nu_); }
    /// The top unit's Dirac through every kernel, or through its squares over their sum.
    Vector walk(bool squares) const {
        const auto n = static_cast<Size>(ring_.extent);
        Vector at(n);
        at[n / 2] = 1;
        for (Size l = ring_.kernels.size(); l-- > 0;) {
            const Vector kernel = squares ? squaresOverSum(ring_.kernels[l]) : ring_.kernels[l];
            Vector below(n);
            for (Size x = 0; x < n; ++x)
                for (Size t = 0; t < kernel.size(); ++t) below[(x + t + n - kernel.size() / 2) % n] += kernel[t] * at[x];
            at = std::move(below);
            double largest = 0;
            for (const double value : at) largest = std::max(largest, std::abs(value));
            for (double& value : at) value /= squares || largest == 0 ? 1 : largest;
        }
        return at;
    }

    ContinuumRing ring_;
    std::unique_ptr<ContinuumRingPass> pass_;
};

class TreeFamily final : public Family {
public:
    explicit TreeFamily(PathTree tree) : tree_(std::move(tree)), jacobian_(pathTreeJacobian(tree_)) {}

    bool step(Row& row) override {
        auto result = pathTreeCapacity(tree_, jacobian_, nu_);
        row.capacity = std::move(result.capacity);
        row.total = static_cast<double>(result.total);
        return false;
    }
    Vector linear() const override { return linearTreeCapacity(tree_).capacity; }

private:
    PathTree tree_;
    Matrix jacobian_;
};

std::vector<double> filterOf(const Values& v, Size layer) {
    if (v.is("filter", "uniform")) return {1, 1, 1};
    if (v.is("filter", "centred")) return {0.2, 1, 0.2};
    Rng rng(v.seed(), Purpose::Weights, layer);
    std::vector<double> kernel(3);
    for (double& w : kernel) w = drawWeight(rng, 1);
    return kernel;
}

ContinuumNetwork denseOf(const Values& v) {
    const auto n = static_cast<Size>(v.integer("inputs")), m = static_cast<Size>(v.integer("features"));
    const auto covariance = v.is("covariance", "ar1")      ? Covariance::Ar1
                            : v.is("covariance", "random") ? Covariance::Random
                                                           : Covariance::Identity;
    ContinuumNetwork network{covarianceMatrix(covariance, n, v.seed()),
                             {},
                             randomFreeDirections(m, std::min(m, static_cast<Size>(v.integer("free"))), v.seed())};
    for (Size l = 1; l <= static_cast<Size>(v.integer("layers")); ++l)
        network.features.push_back(randomFeatures(l == 1 ? n : m, m, true, v.seed(), l));
    return network;
}

}  // namespace

std::unique_ptr<Family> denseFamily(ContinuumNetwork network) { return std::make_unique<DenseFamily>(std::move(network)); }
std::unique_ptr<Family> ringFamily(ContinuumRing ring) { return std::make_unique<RingFamily>(std::move(ring)); }
std::unique_ptr<Family> treeFamily(PathTree tree) { return std::make_unique<TreeFamily>(std::move(tree)); }

ContinuumRing ringOf(const Values& v) {
    ContinuumRing ring{v.integer("extent"), {}};
    for (Size l = 1; l <= static_cast<Size>(v.integer("layers")); ++l) ring.kernels.push_back(filterOf(v, l));
    return ring;
}

PathTree treeOf(const Values& v) {
    return randomPathTree(std::vector<int>(static_cast<Size>(v.integer("layers")), 2), v.integer("channels"), v.number("alpha"), v.seed());
}

std::unique_ptr<Family> familyOf(const Values& v) {
    if (v.is("kernel", "ring3")) return ringFamily(ringOf(v));
    if (v.is("kernel", "tree")) return treeFamily(treeOf(v));
    return denseFamily(normalised(denseOf(v)));
}

std::vector<double> nuGrid(Size points) {
    constexpr double kUnit = 0.05, kBelowOne = 0.999;
    std::vector<double> grid;
    for (Size k = 0; k + 1 < points; ++k) {
        const double place = static_cast<double>(k) / static_cast<double>(points - 2);
        // Rounded, so that no platform's sinh is seen in an axis.
        grid.push_back(std::round(1e4 * kUnit * std::sinh(place * std::asinh(kBelowOne / kUnit))) / 1e4);
    }
    grid.push_back(1);
    return grid;
}

std::vector<Size> coarseToFine(Size points) {
    std::vector<Size> order{0, points - 1};
    std::vector<bool> taken(points);
    taken.front() = taken.back() = true;
    for (Size stride = points; stride > 0; stride /= 2)
        for (Size i = stride; i < points; i += stride)
            if (!taken[i]) {
                taken[i] = true;
                order.push_back(i);
            }
    return order;
}

}  // namespace kappaflow::continuum
