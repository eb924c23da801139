#include "core/linear/hierarchical_model.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/linear/dilated_responses.h"
#include "core/linear/dilated_spans.h"
#include "core/linear/generic_rank.h"
#include "core/linear/tensor_train.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

std::vector<WeightBlock> blocksOf(const HierarchicalShape& shape) {
    checkShape(shape);
    std::vector<WeightBlock> blocks;
    Size first = 0;
    for (Size l = 0; l < shape.layers(); ++l) {
        const Size count =
            static_cast<Size>(shape.channels[l]) * static_cast<Size>(shape.taps[l]) * static_cast<Size>(shape.channels[l + 1]);
        blocks.push_back({first, count});
        first += count;
    }
    return blocks;
}

Size lengthOf(const HierarchicalShape& shape) {
    checkShape(shape);
    return static_cast<Size>(receptiveField(shape));
}

/// Columns of `from` at the places a tap moves to.
Table<double> gathered(const Table<double>& from, const std::vector<Size>& moved) {
    Table<double> part(from.rows, moved.size());
    for (Size i = 0; i < part.rows; ++i)
        for (Size s = 0; s < part.columns; ++s) part.row(i)[s] = from.row(i)[moved[s]];
    return part;
}

/// The sensitivity of the loss to E^l from that to E^{l−1}, and the gradient of layer l's weights on the way.
Table<double> reverseStep(const DilatedPlan& plan, const Vector& weights, Size l, const Table<double>& E, const Table<double>& F,
                          Vector& gradient) {
    Table<double> result(plan.channels(l), E.columns);
    for (Size k = 0; k < plan.taps(l); ++k) {
        const auto part = gathered(F, plan.above[l].moved[k]);
        const MatrixView partRows(part.values.data(), part.rows, part.columns);
        orderedProduct(MatrixView(E.values.data(), E.rows, E.columns), partRows.transposed(), &gradient[plan.tapWeights(l, k)]);
        const auto up = weightsTimes(&weights[plan.tapWeights(l, k)], plan.channels(l), false, part);
        for (Size i = 0; i < up.values.size(); ++i) result.values[i] += up.values[i];
    }
    return result;
}

Matrix sideBySide(const std::vector<Matrix>& parts) {
    Size columns = 0;
    for (const auto& part : parts) columns += part.columns;
    Matrix all(parts[0].rows, columns);
    Size first = 0;
    for (const auto& part : parts) {
        for (Size i = 0; i < all.rows; ++i) std::copy_n(part.row(i), part.columns, all.row(i) + first);
        first += part.columns;
    }
    return all;
}

}  // namespace

struct HierarchicalModel::Plan : DilatedPlan {
    using DilatedPlan::DilatedPlan;
    Size inputIndex(Size lag, Size component) const { return (length - 1 - lag) * components() + component; }
};

HierarchicalModel::HierarchicalModel(HierarchicalShape shape)
    : LinearModel(lengthOf(shape), static_cast<Size>(shape.channels[0]), blocksOf(shape)),
      plan_(std::make_unique<Plan>(std::move(shape))) {}
HierarchicalModel::~HierarchicalModel() = default;

const HierarchicalShape& HierarchicalModel::shape() const { return plan_->shape; }

Size HierarchicalModel::weightIndex(Size l, Size tap, Size out, Size in) const {
    return plan_->tapWeights(l, tap) + out * plan_->channels(l - 1) + in;
}

Vector HierarchicalModel::response(const Vector& weights) const {
    checkWeights(weights);
    const auto A = responsesAbove<double>(*plan_, weights.data(), 1).front();
    const auto& lags = plan_->above[0].lags;
    Vector response(inputs());
    for (Size m = 0; m < A.rows; ++m)
        for (Size s = 0; s < lags.size(); ++s) response[plan_->inputIndex(lags[s], m)] = A.row(m)[s];
    return response;
}

Vector HierarchicalModel::gradient(const Vector& weights, const Vector& slope) const {
    checkWeights(weights);
    if (slope.size() != inputs())
        throw InputError("A slope of " + std::to_string(slope.size()) + " inputs does not fit a model of " + std::to_string(inputs()) +
                         ".");
    const auto E = responsesAbove<double>(*plan_, weights.data(), 1);
    const auto& lags = plan_->above[0].lags;
    Table<double> F(components(), lags.size());
    for (Size m = 0; m < F.rows; ++m)
        for (Size s = 0; s < lags.size(); ++s) F.row(m)[s] = slope[plan_->inputIndex(lags[s], m)];
    Vector gradient(parameters());
    for (Size l = 1; l <= plan_->layers(); ++l) F = reverseStep(*plan_, weights, l, E[l], F, gradient);
    return gradient;
}

Matrix HierarchicalModel::jacobian(const Vector& weights) const {
    checkWeights(weights);
    if (static_cast<double>(inputs()) * static_cast<double>(parameters()) > kMaxJacobianEntries)
        throw InputError("The Jacobian of " + std::to_string(inputs()) + " coefficients in " + std::to_string(parameters()) +
                         " weights is too large to form.");
    const auto E = responsesAbove<double>(*plan_, weights.data(), 1);
    const auto H = responsesBelow<double>(*plan_, weights.data(), 1, plan_->layers() - 1);
    Matrix J(inputs(), parameters());
    for (Size l = 1; l <= plan_->layers(); ++l) layerColumns(*plan_, l, E[l], H[l - 1], J.values.data() + plan_->offset[l - 1], J.columns);
    return J;
}

Matrix HierarchicalModel::canonicalJacobian(const Vector& weights, Size layer) const {
    checkWeights(weights);
    return canonicalColumns(*plan_, spansBelow(*plan_, weights.data()), spansAbove(*plan_, weights.data()), layer + 1);
}

std::vector<Matrix> HierarchicalModel::canonicalJacobians(const Vector& weights) const {
    checkWeights(weights);
    const auto below = spansBelow(*plan_, weights.data()), above = spansAbove(*plan_, weights.data());
    std::vector<Matrix> all;
    for (Size l = 1; l <= plan_->layers(); ++l) all.push_back(canonicalColumns(*plan_, below, above, l));
    return all;
}

Matrix HierarchicalModel::tangent(const Vector& weights) const {
    checkWeights(weights);
    const auto below = spansBelow(*plan_, weights.data()), above = spansAbove(*plan_, weights.data());
    std::vector<Matrix> parts;
    for (Size l = 1; l <= plan_->layers(); ++l) parts.push_back(tangentColumns(*plan_, below, above, l));
    return sideBySide(parts);
}

bool HierarchicalModel::tangentIsOrthonormal() const { return plan_->tensorTrain; }

Size HierarchicalModel::exactRank() const {
    return plan_->tensorTrain ? tensorTrainDimension(plan_->shape) : genericRank(plan_->shape, {}, 0);
}

Size HierarchicalModel::exactRank(const std::vector<Size>& freeLayers) const {
    return freeLayers.empty() ? 0 : genericRank(plan_->shape, freeLayers, 0);
}

Vector HierarchicalModel::randomWeights(std::uint64_t seed, std::uint64_t draw) const {
    Vector weights(parameters());
    for (Size l = 1; l <= plan_->layers(); ++l) {
        Rng rng(seed, Purpose::Weights, draw * plan_->layers() + l - 1);
        const double scale = 1 / std::sqrt(static_cast<double>(plan_->taps(l) * plan_->channels(l - 1)));
        const auto& block = layers()[l - 1];
        for (Size i = 0; i < block.count; ++i) weights[block.first + i] = scale * rng.gaussian();
    }
    return weights;
}

Matrix HierarchicalModel::impulseResponses(const Vector& weights, Size l) const {
    checkWeights(weights);
    const Size d = components();
    const auto H = responsesBelow<double>(*plan_, weights.data(), 1, l).back();
    const auto& lags = plan_->below[l].lags;
    Matrix dense(H.rows, (lags.back() + 1) * d);
    for (Size o = 0; o < H.rows; ++o)
        for (Size s = 0; s < H.columns; ++s) dense(o, lags[s / d] * d + s % d) = H.row(o)[s];
    return dense;
}

}  // namespace kappaflow
