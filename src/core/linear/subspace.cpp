#include "core/linear/subspace.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/linalg/decompositions.h"
#include "core/linalg/matrix.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
constexpr double kTwoPi = 6.283185307179586;

void sameRows(const Matrix& a, const Matrix& b) {
    if (a.rows != b.rows)
        throw InputError("Constraints on " + std::to_string(a.rows) + " inputs say nothing about a subspace of " + std::to_string(b.rows) +
                         ".");
}

Matrix transposedTimes(const Matrix& a, const Matrix& b) {
    Matrix c(a.columns, b.columns);
    if (!c.values.empty()) orderedProduct(MatrixView(a).transposed(), b, c.values.data());
    return c;
}

void requireFinite(const Matrix& block) {
    for (double value : block.values)
        if (!std::isfinite(value)) throw InputError("A block of constraints holds a number that is not finite.");
}

void subtractProjection(const Matrix& basis, Matrix& block) {
    if (basis.columns == 0 || block.columns == 0) return;
    const Matrix shadow = transposedTimes(basis, block);
    Matrix inside(block.rows, block.columns);
    orderedProduct(basis, shadow, inside.values.data());
    for (Size i = 0; i < block.values.size(); ++i) block.values[i] -= inside.values[i];
}

}  // namespace

double capacityOfSubspace(const Matrix& constraints, const Matrix& subspace) {
    double sum = 0;
    for (double value : capacityInBasis(constraints, subspace)) sum += value;
    return sum;
}

std::vector<double> capacityPerInput(const Matrix& constraints) {
    std::vector<double> capacity(constraints.rows);
    for (Size i = 0; i < constraints.rows; ++i)
        for (Size k = 0; k < constraints.columns; ++k) capacity[i] += constraints(i, k) * constraints(i, k);
    return capacity;
}

std::vector<double> capacityInBasis(const Matrix& constraints, const Matrix& basis) {
    sameRows(constraints, basis);
    const Matrix shadow = transposedTimes(constraints, basis);
    std::vector<double> capacity(basis.columns);
    for (Size k = 0; k < shadow.rows; ++k)
        for (Size j = 0; j < shadow.columns; ++j) capacity[j] += shadow(k, j) * shadow(k, j);
    return capacity;
}

Matrix fourierBasis(Size length) {
    Matrix basis(length, length);
    const double n = static_cast<double>(length);
    for (Size i = 0; i < length; ++i)
        for (Size j = 0; j < length; ++j) {
            const Size frequency = (j + 1) / 2;
            const bool alone = frequency == 0 || 2 * frequency == length;
            // The angle modulo a turn, exactly.
            const auto wave = portableSineCosine(kTwoPi * static_cast<double>(i * frequency % length) / n);
            basis(i, j) = std::sqrt((alone ? 1 : 2) / n) * (j % 2 == 1 || j == 0 ? wave.cosine : wave.sine);
        }
    return basis;
}

std::vector<double> capacityPerFrequency(const Matrix& constraints) {
    const auto perWave = capacityInBasis(constraints, fourierBasis(constraints.rows));
    std::vector<double> capacity(constraints.rows / 2 + 1);
    for (Size j = 0; j < perWave.size(); ++j) capacity[(j + 1) / 2] += perWave[j];
    return capacity;
}

CapacityChain::CapacityChain(Size inputs) : constraints_(inputs, 0) {}

ChainLink CapacityChain::add(const Matrix& block, double rankThreshold) {
    requireFinite(block);
    sameRows(constraints_, block);
    ChainLink link;
    link.capacity.assign(block.rows, 0);
    if (block.columns == 0) return link;
    Matrix rest = pivotedBasis(block, rankThreshold);
    if (constraints_.columns == 0) {
        link.rank = rest.columns;
        link.smallestSine = rest.columns > 0 ? 1 : 0;
        link.capacity = capacityPerInput(rest);
        constraints_ = std::move(rest);
        return link;
    }
    // Twice: the first subtraction leaves rounding of the order of what it removed.
    subtractProjection(constraints_, rest);
    subtractProjection(constraints_, rest);
    const auto space = singularSpace(rest);
    while (link.rank < space.values.size() && space.values[link.rank] > kSineThreshold) ++link.rank;
    if (link.rank > 0) link.smallestSine = space.values[link.rank - 1];
    if (link.rank < space.values.size()) link.largestDropped = space.values[link.rank];
    // A small sine lifts the rounding of the subtraction in its direction: once more, then orthonormal again.
    Matrix added = columnRange(space.vectors, 0, link.rank);
    subtractProjection(constraints_, added);
    added.values = orthonormalColumns(added.values, added.rows, added.columns);
    link.capacity = capacityPerInput(added);
    constraints_ = sideBySide({constraints_, added});
    return link;
}

double expectedErrorShare(double dimension, double capacity, double inputs, double total) {
    return total < inputs ? (dimension - capacity) / (inputs - total) : 0;
}

std::vector<double> expectedErrorShares(const std::vector<double>& perInput, double total) {
    std::vector<double> shares;
    shares.reserve(perInput.size());
    for (double capacity : perInput) shares.push_back(expectedErrorShare(1, capacity, static_cast<double>(perInput.size()), total));
    return shares;
}

}  // namespace kappaflow
