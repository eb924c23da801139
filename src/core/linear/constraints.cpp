#include "core/linear/constraints.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

struct Span {
    Matrix basis;
    double gap;
};

Span spanOf(const Matrix& columns, double threshold) {
    if (columns.columns == 0) return {columns, std::numeric_limits<double>::infinity()};
    if (std::min(columns.rows, columns.columns) > kLargestSingular) {
        auto pivoted = pivotedSpan(columns, threshold);
        return {std::move(pivoted.basis), pivoted.gap};
    }
    auto span = spanBasis(columns, threshold);
    return {std::move(span.basis), numericalRank(span.singularValues, threshold).gap};
}

Constraints constraintsOf(const Span& span, const InputCovariance& covariance) {
    Constraints result;
    result.rank = span.basis.columns;
    result.gap = span.gap;
    result.full = result.rank == covariance.inputs();
    if (result.full) {
        result.basis = identityMatrix(result.rank);
        return result;
    }
    result.basis = orthonormalised(covariance.times(span.basis));
    return result;
}

Matrix sideBySide(const Matrix& a, const Matrix& b) {
    Matrix both(b.rows, a.columns + b.columns);
    for (Size i = 0; i < b.rows; ++i) {
        if (a.columns > 0) std::copy_n(a.row(i), a.columns, both.row(i));
        std::copy_n(b.row(i), b.columns, both.row(i) + a.columns);
    }
    return both;
}

Matrix canonicalOf(const LinearModel& model, const Vector& weights, const std::vector<Size>& layers) {
    const auto all = model.canonicalJacobians(weights);
    Matrix columns(model.inputs(), 0);
    for (Size layer : layers) {
        if (layer >= all.size())
            throw InputError("There is no layer " + std::to_string(layer + 1) + " in a model of " + std::to_string(all.size()) +
                             " layers.");
        columns = sideBySide(columns, all[layer]);
    }
    return columns;
}

std::vector<Size> everyLayer(const LinearModel& model) {
    std::vector<Size> layers;
    for (Size l = 0; l < model.layers().size(); ++l) layers.push_back(l);
    return layers;
}

double norm(const Vector& v) {
    double largest = 0, sum = 0;
    for (double value : v) largest = std::max(largest, std::abs(value));
    if (!(largest > 0)) return 0;
    for (double value : v) sum += value / largest * (value / largest);
    return largest * std::sqrt(sum);
}

}  // namespace

Constraints constraints(const LinearModel& model, const Vector& weights, const InputCovariance& covariance) {
    requireFit(model, covariance);
    const Matrix tangent = model.tangent(weights);
    if (model.tangentIsOrthonormal()) return constraintsOf({tangent, std::numeric_limits<double>::infinity()}, covariance);
    return constraintsOf(spanOf(tangent, model.rankThreshold()), covariance);
}

Constraints constraints(const LinearModel& model, const Vector& weights, const InputCovariance& covariance,
                        const std::vector<Size>& freeLayers) {
    requireFit(model, covariance);
    return constraintsOf(spanOf(canonicalOf(model, weights, freeLayers), model.rankThreshold()), covariance);
}

ConstraintSpectrum constraintSpectrum(const LinearModel& model, const Vector& weights, const InputCovariance& covariance, bool raw) {
    requireFit(model, covariance);
    const Matrix J = raw ? model.jacobian(weights) : canonicalOf(model, weights, everyLayer(model));
    ConstraintSpectrum spectrum;
    if (J.columns > 0) spectrum.eigenvalues = singularSpace(covariance.times(J)).values;
    spectrum.eigenvalues.resize(model.inputs());
    for (double& value : spectrum.eigenvalues) value *= value;
    spectrum.rank =
        model.tangentIsOrthonormal() ? model.tangent(weights).columns : spanOf(model.tangent(weights), model.rankThreshold()).basis.columns;
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
        blocks.push_back(covariance.times(spanOf(columns, model.rankThreshold()).basis));
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
