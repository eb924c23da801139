#include "core/capacity/differential_layers.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/capacity/augmented_space.h"
#include "core/linalg/decompositions.h"
#include "core/net/network.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

void requireNetwork(const DifferentialNetwork& network) {
    const Size n = network.free.rows;
    bool fits = n > 0 && !network.features.empty() && network.epsilon >= 0 && std::isfinite(network.epsilon);
    for (const Matrix& P : network.features) fits = fits && P.rows == n && P.columns == n;
    if (!fits) throw InputError("Differential layers have as many outputs as inputs, and an ε that is not negative.");
}

Matrix added(Matrix a, double scale, const Matrix& b) {
    for (Size k = 0; k < a.values.size(); ++k) a.values[k] += scale * b.values[k];
    return a;
}

Matrix scaled(Matrix a, double scale) {
    for (double& value : a.values) value *= scale;
    return a;
}

/// (1 + mν) Aᵀ X A + (1 − ν)(Aᵀ X B + Bᵀ X A) + (1 − ν)² ε [diag(Pᵀ X P) or Pᵀ diag(X) P]: up with P, down with Pᵀ in its place.
Matrix carried(const Matrix& P, double epsilon, double nu, const Matrix& X, bool up) {
    const Size m = P.rows;
    const Matrix B = scaled(P, std::sqrt(epsilon * nu)), A = added(identityMatrix(m), 1, B);
    const Matrix cross = transposedProduct(A, product(X, B));
    Matrix result = scaled(congruence(A, X), 1 + static_cast<double>(m) * nu);
    result = added(added(std::move(result), 1 - nu, cross), 1 - nu, transposed(cross));
    const double h = (1 - nu) * (1 - nu) * epsilon;
    Matrix diagonal(m, m);
    const Matrix dense = up ? congruence(P, X) : X;
    for (Size i = 0; i < m; ++i) diagonal(i, i) = dense(i, i);
    return added(std::move(result), h, up ? diagonal : congruence(P, diagonal));
}

double meanDiagonal(const Matrix& a) {
    double sum = 0;
    for (Size i = 0; i < a.rows; ++i) sum += a(i, i);
    return sum / static_cast<double>(a.rows);
}

std::vector<double> linearCapacity(const DifferentialNetwork& network) {
    Matrix span = pivotedBasis(network.free);
    for (Size l = network.features.size(); l-- > 0;)
        span = pivotedBasis(added(span, std::sqrt(network.epsilon), product(network.features[l], span)));
    return squaredRows(span);
}

}  // namespace

Matrix differentialMatrix(const Matrix& P, double epsilon) {
    Matrix D(P.rows, P.columns);
    for (Size j = 0; j < P.columns; ++j) {
        double norm = 0;
        for (Size i = 0; i < P.rows; ++i) norm += P(i, j) * P(i, j);
        for (Size i = 0; i < P.rows; ++i) D(i, j) = ((i == j ? 1 : 0) + epsilon * P(i, j) * P(i, j)) / (1 + epsilon * norm);
    }
    return D;
}

std::vector<double> differentialCapacity(const DifferentialNetwork& network, double nu) {
    requireNetwork(network);
    if (!(nu >= 0 && nu <= 1)) throw InputError("A decoupling coefficient lies between 0 and 1.");
    if (nu == 1) return linearCapacity(network);
    const Matrix U = pivotedBasis(network.free);
    Matrix Q = identityMatrix(U.rows);
    std::vector<double> scales;
    for (const Matrix& P : network.features) {
        Q = carried(P, network.epsilon, nu, Q, true);
        scales.push_back(meanDiagonal(Q));
        Q = scaled(std::move(Q), 1 / scales.back());
    }
    Matrix M = congruence(transposed(U), pseudoInverse(congruence(U, Q)).inverse);
    for (Size l = network.features.size(); l-- > 0;)
        M = scaled(carried(transposed(network.features[l]), network.epsilon, nu, M, false), 1 / scales[l]);
    std::vector<double> capacity;
    for (Size i = 0; i < M.rows; ++i) capacity.push_back(M(i, i));
    return capacity;
}

DifferentialSimulation::DifferentialSimulation(DifferentialNetwork network, std::uint64_t seed)
    : network_(std::move(network)), rng_(seed, Purpose::MonteCarlo, 1), seed_(seed) {
    requireNetwork(network_);
    if (network_.features.size() != 2 || network_.free.rows > 8) throw InputError("The simulation takes two layers of at most 8 units.");
    const Size paths = network_.free.rows * (network_.free.rows + 1) * (network_.free.rows + 1);
    sums_.assign(kBatches, Matrix(paths, paths));
}

std::vector<double> DifferentialSimulation::drawPaths() {
    const Size n = network_.free.rows;
    std::vector<double> paths(n), y(n);
    for (double& value : y) value = rng_.gaussian();
    paths = y;
    for (Size l = 0; l < 2; ++l) {
        const Matrix& P = network_.features[l];
        std::vector<double> next = y, longer = paths;
        double square = 0;
        for (Size j = 0; j < n; ++j) {
            double z = 0;
            for (Size i = 0; i < n; ++i) z += P(i, j) * y[i];
            const double f = activate(Activation::PseudoRandom, z, 0, 2 * seed_ + l);
            next[j] += std::sqrt(network_.epsilon) * f;
            for (double path : paths) longer.push_back(z == 0 ? 0 : f / z * path);
        }
        for (double value : next) square += value * value / static_cast<double>(n);
        squareSums_[l] += square;
        fourthSums_[l] += square * square;
        y = std::move(next);
        paths = std::move(longer);
    }
    return paths;
}

void DifferentialSimulation::add(Size draws) {
    for (Size d = 0; d < draws; ++d) {
        const auto paths = drawPaths();
        Matrix& sums = sums_[static_cast<Size>(std::fmod(draws_, kBatches))];
        for (Size r = 0; r < paths.size(); ++r)
            for (Size c = r; c < paths.size(); ++c) sums(r, c) += paths[r] * paths[c];
        draws_ += 1;
    }
}

Matrix DifferentialSimulation::pathCovariance() const {
    Matrix mean(sums_[0].rows, sums_[0].columns);
    for (const Matrix& sums : sums_)
        for (Size r = 0; r < mean.rows; ++r)
            for (Size c = r; c < mean.columns; ++c) mean(r, c) += sums(r, c) / std::max(1.0, draws_);
    for (Size r = 0; r < mean.rows; ++r)
        for (Size c = 0; c < r; ++c) mean(r, c) = mean(c, r);
    return mean;
}

DifferentialSimulation::Estimate DifferentialSimulation::outputVariance(int layer) const {
    const double mean = squareSums_[layer - 1] / std::max(1.0, draws_);
    const double spread = std::max(0.0, fourthSums_[layer - 1] / std::max(1.0, draws_) - mean * mean);
    return {mean, draws_ > 1 ? std::sqrt(spread / (draws_ - 1)) : 0};
}

std::vector<double> DifferentialSimulation::capacityFrom(const Matrix& covariance) const {
    const Size n = network_.free.rows;
    const double root = std::sqrt(network_.epsilon);
    // Coefficient of path (a_2, a_1, i) in U's outputs: it goes from i to a_1's unit and on to a_2's.
    Matrix weights(covariance.rows, network_.free.columns);
    for (Size p = 0; p < weights.rows; ++p) {
        const Size i = p % n, first = p / n % (n + 1), second = p / n / (n + 1);
        const Size middle = first == 0 ? i : first - 1, top = second == 0 ? middle : second - 1;
        const double weight =
            (first == 0 ? 1 : root * network_.features[0](i, middle)) * (second == 0 ? 1 : root * network_.features[1](middle, top));
        for (Size k = 0; k < weights.columns; ++k) weights(p, k) = weight * network_.free(top, k);
    }
    const auto rows = squaredRows(spanBasis(product(covariance, weights)).basis);
    std::vector<double> capacity(n);
    for (Size p = 0; p < rows.size(); ++p) capacity[p % n] += rows[p];
    return capacity;
}

DifferentialSimulation::Capacities DifferentialSimulation::capacities() const {
    const Size n = network_.free.rows;
    Capacities result{capacityFrom(pathCovariance()), std::vector<double>(n)};
    std::vector<std::vector<double>> batches;
    for (Matrix batch : sums_) {
        // A common factor changes no span: the sums serve as the mean.
        for (Size r = 0; r < batch.rows; ++r)
            for (Size c = 0; c < r; ++c) batch(r, c) = batch(c, r);
        batches.push_back(capacityFrom(batch));
    }
    for (Size i = 0; i < n; ++i) {
        double mean = 0, spread = 0;
        for (const auto& batch : batches) mean += batch[i] / kBatches;
        for (const auto& batch : batches) spread += (batch[i] - mean) * (batch[i] - mean);
        result.standardError[i] = std::sqrt(spread / (kBatches - 1) / kBatches);
    }
    return result;
}

}  // namespace kappaflow
