#include "core/linear/linear_model.h"

#include <cmath>
#include <string>

#include "core/base/errors.h"
#include "core/base/rng.h"

namespace kappaflow {

using Size = std::size_t;
using Vector = std::vector<double>;

LinearModel::LinearModel(Size length, Size components, std::vector<WeightBlock> layers)
    : length_(length), components_(components), layers_(std::move(layers)) {
    for (const auto& layer : layers_) parameters_ += layer.count;
}

void LinearModel::checkWeights(const Vector& weights) const {
    if (weights.size() != parameters())
        throw InputError("The model has " + std::to_string(parameters()) + " weights, not " + std::to_string(weights.size()) + ".");
    for (Size i = 0; i < weights.size(); ++i)
        if (!std::isfinite(weights[i])) throw InputError("Weight " + std::to_string(i + 1) + " of the model is not a finite number.");
}

std::vector<Matrix> LinearModel::canonicalJacobians(const Vector& weights) const {
    std::vector<Matrix> all;
    for (Size l = 0; l < layers_.size(); ++l) all.push_back(canonicalJacobian(weights, l));
    return all;
}

FullModel::FullModel(Size length, Size components) : LinearModel(length, components, {{0, length * components}}) {
    if (length < 1 || components < 1 || static_cast<double>(length) * static_cast<double>(components) > 4096)
        throw InputError("A fully connected model needs between 1 and 4096 inputs.");
}

Vector FullModel::response(const Vector& weights) const {
    checkWeights(weights);
    return weights;
}

Vector FullModel::gradient(const Vector& weights, const Vector& slope) const {
    checkWeights(weights);
    return slope;
}

Matrix FullModel::jacobian(const Vector& weights) const {
    checkWeights(weights);
    if (static_cast<double>(inputs()) * static_cast<double>(inputs()) > kMaxJacobianEntries)
        throw InputError("The Jacobian of a fully connected model of " + std::to_string(inputs()) + " inputs is too large to form.");
    return identityMatrix(inputs());
}

Matrix FullModel::canonicalJacobian(const Vector& weights, Size) const { return jacobian(weights); }
Matrix FullModel::tangent(const Vector& weights) const { return jacobian(weights); }
Size FullModel::exactRank() const { return inputs(); }
Size FullModel::exactRank(const std::vector<Size>& freeLayers) const { return freeLayers.empty() ? 0 : inputs(); }

Vector FullModel::randomWeights(std::uint64_t seed, std::uint64_t draw) const {
    Rng rng(seed, Purpose::Weights, draw);
    Vector weights(parameters());
    for (double& w : weights) w = rng.gaussian() / std::sqrt(static_cast<double>(inputs()));
    return weights;
}

}  // namespace kappaflow
