#include "core/capacity/augmented_space.h"

#include <cmath>

#include "core/base/errors.h"
#include "core/linalg/decompositions.h"
#include "core/linalg/matrix.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

void requireFit(bool fits) {
    if (!fits) throw InputError("The covariance, the features and the learned directions do not fit together in size.");
}

void scaleColumnsToOne(Matrix& a, std::vector<double>& norms) {
    norms.assign(a.columns, 0);
    for (Size i = 0; i < a.rows; ++i)
        for (Size j = 0; j < a.columns; ++j) norms[j] += a(i, j) * a(i, j);
    for (double& norm : norms) norm = std::sqrt(norm);
    for (Size i = 0; i < a.rows; ++i)
        for (Size j = 0; j < a.columns; ++j) a(i, j) = norms[j] > 0 ? a(i, j) / norms[j] : 0;
}

}  // namespace

UnitFeatures unitFeatures(const Matrix& features, const Matrix& free) {
    requireFit(features.columns == free.rows);
    UnitFeatures unit{features, free, {}};
    scaleColumnsToOne(unit.features, unit.norms);
    for (Size j = 0; j < free.rows; ++j)
        for (Size k = 0; k < free.columns; ++k) unit.free(j, k) *= unit.norms[j];
    unit.free = spanBasis(unit.free).basis;
    return unit;
}

std::vector<double> squaredRows(const Matrix& a) {
    std::vector<double> result(a.rows);
    for (Size i = 0; i < a.rows; ++i)
        for (Size k = 0; k < a.columns; ++k) result[i] += a(i, k) * a(i, k);
    return result;
}

AugmentedCapacity augmentedCapacity(const Matrix& sigmaTilde, const Matrix& features, const Matrix& free) {
    const Size n = features.rows, m = features.columns;
    requireFit(sigmaTilde.rows == n * m && sigmaTilde.columns == n * m);
    const auto unit = unitFeatures(features, free);
    AugmentedCapacity result;
    Matrix weights(m * n, unit.free.columns);  // P̃ U
    for (Size row = 0; row < weights.rows; ++row)
        for (Size k = 0; k < weights.columns; ++k) weights(row, k) = unit.features(row % n, row / n) * unit.free(row / n, k);
    result.constraints = spanBasis(product(sigmaTilde, weights)).basis;
    result.total = result.constraints.columns;
    result.copies = {m, n, squaredRows(result.constraints)};
    result.capacity.assign(n, 0);
    for (Size j = 0; j < m; ++j)
        for (Size i = 0; i < n; ++i) result.capacity[i] += result.copies(j, i);
    return result;
}

DirectCapacity directCapacity(const Matrix& sigma, const Matrix& features, const Matrix& free) {
    requireFit(sigma.rows == sigma.columns && sigma.rows == features.rows && features.columns == free.rows);
    // The rank decision on P U, then again on Σ times its basis, so that Σ's condition does not enter the first.
    const Matrix span = spanBasis(product(features, free)).basis;
    Matrix constraints = spanBasis(product(sigma, span)).basis;
    std::vector<double> capacity = squaredRows(constraints);
    const Size total = constraints.columns;
    return {std::move(constraints), std::move(capacity), total};
}

Matrix covarianceMatrix(Covariance kind, Size n, std::uint64_t seed) {
    Matrix sigma = identityMatrix(n);
    if (kind == Covariance::Identity) return sigma;
    if (kind == Covariance::Ar1) {
        for (Size i = 0; i < n; ++i)
            for (Size j = i + 1; j < n; ++j) sigma(i, j) = sigma(j, i) = 0.6 * sigma(i, j - 1);
        return sigma;
    }
    Rng rng(seed, Purpose::Data);
    Matrix samples(2 * n, n);
    for (double& value : samples.values) value = rng.gaussian();
    std::vector<double> norms;
    scaleColumnsToOne(samples, norms);
    sigma = transposedProduct(samples, samples);
    for (Size i = 0; i < n; ++i) sigma(i, i) = 1;
    return sigma;
}

Matrix randomFeatures(Size inputs, Size features, bool normalised, std::uint64_t seed, std::uint64_t layer) {
    Rng rng(seed, Purpose::Weights, layer);
    Matrix P(inputs, features);
    for (double& value : P.values) value = drawWeight(rng, 1);
    std::vector<double> norms;
    if (normalised) scaleColumnsToOne(P, norms);
    return P;
}

Matrix randomFreeDirections(Size m, Size dimension, std::uint64_t seed) {
    if (dimension > m) throw InputError("At most as many directions can be learned as there are features.");
    if (dimension == m) return identityMatrix(m);
    Rng rng(seed, Purpose::Signs);
    Matrix directions(m, dimension);
    for (double& value : directions.values) value = rng.gaussian();
    directions.values = orthonormalColumns(directions.values, m, dimension);
    return directions;
}

}  // namespace kappaflow
