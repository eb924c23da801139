#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "core/linalg/householder.h"
#include "core/linalg/matrix.h"
#include "core/linear/damped_steps.h"
#include "core/linear/hierarchical_model.h"
#include "core/linear/optimum.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

Vector times(const Matrix& a, const Vector& x) {
    Vector y(a.rows);
    for (Size i = 0; i < a.rows; ++i) y[i] = orderedDot(a.row(i), x.data(), x.size());
    return y;
}

Vector transposedTimes(const Matrix& a, const Vector& y) {
    Vector x(a.columns);
    for (Size i = 0; i < a.rows; ++i)
        for (Size j = 0; j < a.columns; ++j) x[j] += a(i, j) * y[i];
    return x;
}

Vector plus(const Vector& a, const Vector& b, double scale) {
    Vector sum(a.size());
    for (Size i = 0; i < a.size(); ++i) sum[i] = a[i] + scale * b[i];
    return sum;
}

/// The response as a tensor, the tap of the last layer first: entry ((k_L n_{L−1} + k_{L−1}) … + k_1)·d + m.
Vector asTensor(const HierarchicalModel& model, const Vector& response) {
    const HierarchicalShape& shape = model.shape();
    const auto digits = lagDigits(shape);
    const Size d = model.components(), n = model.length();
    Size size = d;
    for (int taps : shape.taps) size *= static_cast<Size>(taps);
    Vector tensor(size);
    for (Size lag = 0; lag < n; ++lag) {
        if (digits[lag].empty()) continue;
        Size entry = 0;
        for (Size l = shape.layers(); l-- > 0;) entry = entry * static_cast<Size>(shape.taps[l]) + static_cast<Size>(digits[lag][l]);
        for (Size m = 0; m < d; ++m) tensor[entry * d + m] = response[(n - 1 - lag) * d + m];
    }
    return tensor;
}

/// The first `count` left singular vectors; orthonormal also where singular values are zero.
Matrix leadingVectors(const Matrix& a, Size count) {
    Matrix leading = columnRange(singularSpace(a).vectors, 0, count);
    leading.values = orthonormalColumns(leading.values, leading.rows, leading.columns);
    return leading;
}

/// Gives all layers the same norm by factors whose product is 1. The last one makes up for what rounding leaves.
void balance(const HierarchicalModel& model, Vector& weights) {
    const auto& layers = model.layers();
    const double count = static_cast<double>(layers.size());
    Vector norms;
    for (const WeightBlock& block : layers)
        norms.push_back(std::sqrt(orderedDot(&weights[block.first], &weights[block.first], block.count)));
    double logarithm = 0, left = 1;
    for (double norm : norms) {
        if (!(norm > 1e-300)) return;
        logarithm += portableLog(norm) / count;
    }
    const double common = portableExp(logarithm);
    for (Size l = 0; l < layers.size(); ++l) {
        const double factor = l + 1 < layers.size() ? common / norms[l] : 1 / left;
        left *= factor;
        for (Size i = 0; i < layers[l].count; ++i) weights[layers[l].first + i] *= factor;
    }
}

void requireTrain(const HierarchicalModel& model) {
    if (!isTensorTrain(model.shape()))
        throw InputError("A train decomposition needs a dilation that is the product of the taps below it, layer by layer.");
}

class TrainDescent final : public Descent {
public:
    TrainDescent(const HierarchicalModel& model, const LinearTask& task) : model_(model), task_(task), floor_(roundingLoss(task)) {
        moveTo(trainWeights(model, task.target));
    }
    bool step() override {
        if (!(loss_ > floor_)) return false;
        const Matrix tangent = model_.tangent(weights_);
        const Vector slope = task_.covariance.times(taskError(task_, response_)), along = transposedTimes(tangent, slope);
        // Steps that leave the loss as it is, to rounding, still bring the gradient down; both at rest is an end.
        const double reach = orderedDot(along, along) / orderedDot(slope, slope);
        if (reach < 0.5 * leastReach_) stalls_ = 0;
        leastReach_ = std::min(leastReach_, reach);
        if (stalls_ >= 8 || !(reach > 1e-22)) return false;
        const Vector change = times(tangent, newtonStep(tangent, along));
        for (int halvings = 0; halvings < 10; ++halvings)
            if (tryResponse(plus(response_, change, std::ldexp(1.0, -halvings)))) return true;
        return false;
    }
    const Vector& weights() const override { return weights_; }
    double loss() const override { return loss_; }

private:
    void moveTo(Vector weights) {
        weights_ = std::move(weights);
        response_ = model_.response(weights_);
        loss_ = taskLoss(task_, response_);
    }
    /// Takes it over unless the loss rises.
    bool tryResponse(const Vector& wanted) {
        Vector weights = trainWeights(model_, wanted);
        const double before = loss_, after = taskLoss(task_, model_.response(weights));
        if (!(after <= before + lossNoise(before, floor_))) return false;
        stalls_ = after < before * (1 - 1e-12) ? 0 : stalls_ + 1;
        moveTo(std::move(weights));
        return true;
    }
    /// ξ of (TᵀΣT)ξ = −r, r = TᵀΣX, by conjugate gradients; Σ's condition number is T's as well, T being orthonormal.
    Vector newtonStep(const Matrix& tangent, Vector r) const {
        const auto apply = [&](const Vector& xi) { return transposedTimes(tangent, task_.covariance.times(times(tangent, xi))); };
        for (double& entry : r) entry = -entry;
        Vector xi(r.size()), p = r;
        double rr = orderedDot(r, r);
        const double enough = 1e-22 * rr;
        for (Size k = 0; k < 2 * r.size() + 20 && rr > enough; ++k) {
            const Vector ap = apply(p);
            const double curvature = orderedDot(p, ap);
            if (!(curvature > 0)) break;
            xi = plus(xi, p, rr / curvature);
            r = plus(r, ap, -rr / curvature);
            const double next = orderedDot(r, r);
            p = plus(r, p, next / rr);
            rr = next;
        }
        return xi;
    }

    const HierarchicalModel& model_;
    const LinearTask& task_;
    Vector weights_, response_;
    double loss_ = 0, floor_ = 0, leastReach_ = 1e300;
    int stalls_ = 0;
};

}  // namespace

Vector trainWeights(const HierarchicalModel& model, const Vector& response) {
    requireTrain(model);
    const HierarchicalShape& shape = model.shape();
    const auto bonds = bondDimensions(shape);
    Vector tensor = asTensor(model, response), weights(model.parameters());
    for (Size l = 1; l <= shape.layers(); ++l) {
        const Size taps = static_cast<Size>(shape.taps[l - 1]), in = bonds[l - 1], out = bonds[l];
        const Size rest = tensor.size() / (taps * in);
        const Matrix unfolded(rest, taps * in, std::exchange(tensor, {}));
        // The last layer holds what is left; the others the leading directions of what their taps and inputs span.
        const Matrix core = l < shape.layers() ? leadingVectors(transposed(unfolded), out) : transposed(unfolded);
        for (Size k = 0; k < taps; ++k)
            for (Size o = 0; o < out; ++o)
                for (Size i = 0; i < in; ++i) weights[model.weightIndex(l, k, o, i)] = core(k * in + i, o);
        if (l < shape.layers()) tensor = product(unfolded, core).values;
    }
    balance(model, weights);
    return weights;
}

std::unique_ptr<Descent> trainDescent(const HierarchicalModel& model, const LinearTask& task) {
    requireTrain(model);
    return std::make_unique<TrainDescent>(model, task);
}

}  // namespace kappaflow
