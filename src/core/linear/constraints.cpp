#include "core/linear/constraints.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/errors.h"
#include "core/linalg/decompositions.h"
#include "core/linear/subspace.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// Beyond this many rows or columns singular values would take seconds, and a pivoted QR decomposition decides.
constexpr Size kLargestSingular = 200;

void requireFit(const LinearModel& model, const InputCovariance& covariance) {
    if (model.length() != covariance.length() || model.components() != covariance.components())
        throw InputError("The model sees " + std::to_string(model.length()) + " positions of " + std::to_string(model.components()) +
                         " components, but the covariance is that of " + std::to_string(covariance.length()) + " of " +
                         std::to_string(covariance.components()) + ".");
}

/// Orthonormal basis of the columns' span.
Matrix spanOf(const Matrix& columns, double threshold) {
    if (columns.columns == 0) return columns;
    if (std::min(columns.rows, columns.columns) > kLargestSingular) return pivotedBasis(columns, threshold);
    return spanBasis(columns, threshold).basis;
}

/// Of all layers at given weights.
Matrix tangentSpan(const LinearModel& model, const Vector& weights) {
    Matrix tangent = model.tangent(weights);
    return model.tangentIsOrthonormal() ? tangent : spanOf(tangent, model.rankThreshold());
}

double norm(const Vector& v) {
    double largest = 0, sum = 0;
    for (double value : v) largest = std::max(largest, std::abs(value));
    if (!(largest > 0)) return 0;
    for (double value : v) sum += value / largest * (value / largest);
    return largest * std::sqrt(sum);
}

}  // namespace

Constraints constraints(const LinearModel& model, const Vector& weights, const InputCovariance& covariance,
                        const std::vector<Size>& freeLayers) {
    requireFit(model, covariance);
    Matrix span;
    if (freeLayers.empty()) {
        span = tangentSpan(model, weights);
    } else {
        const auto all = model.canonicalJacobians(weights);
        std::vector<Matrix> free;
        for (Size layer : freeLayers) {
            if (layer >= all.size())
                throw InputError("There is no layer " + std::to_string(layer + 1) + " in a model of " + std::to_string(all.size()) +
                                 " layers.");
            free.push_back(all[layer]);
        }
        span = spanOf(sideBySide(free), model.rankThreshold());
    }
    const Size rank = span.columns;
    return {rank == covariance.inputs() ? identityMatrix(rank) : orthonormalised(covariance.times(span)), rank};
}

ConstraintSpectrum constraintSpectrum(const LinearModel& model, const Vector& weights, const InputCovariance& covariance, bool raw) {
    requireFit(model, covariance);
    const Matrix J = raw ? model.jacobian(weights) : sideBySide(model.canonicalJacobians(weights));
    ConstraintSpectrum spectrum;
    if (J.columns > 0) spectrum.eigenvalues = singularSpace(covariance.times(J)).values;
    spectrum.eigenvalues.resize(model.inputs());
    for (double& value : spectrum.eigenvalues) value *= value;
    spectrum.rank = tangentSpan(model, weights).columns;
    if (spectrum.rank == 0 || spectrum.rank == model.inputs()) return spectrum;
    const double kept = spectrum.eigenvalues[spectrum.rank - 1];
    // Zeros to the last bit leave the threshold as far below what is kept as rounding would.
    spectrum.threshold = std::sqrt(kept) * std::sqrt(std::max(spectrum.eigenvalues[spectrum.rank], 1e-30 * kept));
    return spectrum;
}

std::vector<Matrix> layerConstraints(const LinearModel& model, const Vector& weights, const InputCovariance& covariance) {
    requireFit(model, covariance);
    std::vector<Matrix> blocks;
    for (const auto& columns : model.canonicalJacobians(weights))
        blocks.push_back(covariance.times(spanOf(columns, model.rankThreshold())));
    return blocks;
}

double optimality(const Constraints& constraints, const LinearTask& task, const Vector& response) {
    const Vector X = taskError(task, response);
    const double length = norm(X);
    if (length <= 1e-13 * norm(task.target)) return 0;
    Matrix column(X.size(), 1);
    column.values = X;
    for (double& value : column.values) value /= length;
    return std::sqrt(capacityOfSubspace(constraints.basis, column));
}

}  // namespace kappaflow
