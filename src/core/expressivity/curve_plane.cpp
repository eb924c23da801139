#include "core/expressivity/curve_plane.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/expressivity/trajectory_sweep.h"
#include "core/linalg/decompositions.h"
#include "core/linalg/matrix.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Points = std::span<const std::array<double, 2>>;

constexpr Size kBlock = 6;       ///< vectors iterated for the two that are wanted
constexpr int kIterations = 40;  ///< by then the block's share of what lies outside it is (λ₇/λ₂)⁴⁰

/// Shares of the whole weight.
std::vector<double> sharesOf(std::span<const double> weights, Size count) {
    std::vector<double> shares(count, 1 / static_cast<double>(count));
    double whole = 0;
    for (const double weight : weights) whole += weight;
    for (Size i = 0; i < weights.size() && whole > 0; ++i) shares[i] = weights[i] / whole;
    return shares;
}

std::vector<double> centred(std::span<const double> points, Size units, const std::vector<double>& shares) {
    std::vector<double> mean(units), result(points.begin(), points.end());
    for (Size i = 0; i < points.size(); ++i) mean[i % units] += shares[i / units] * points[i];
    for (Size i = 0; i < points.size(); ++i) result[i] -= mean[i % units];
    return result;
}

/// Deviations times the roots of their points' shares, of points that have one.
Matrix weightedOf(const Matrix& deviations, const std::vector<double>& shares) {
    Matrix weighted;
    weighted.columns = deviations.columns;
    for (Size i = 0; i < deviations.rows; ++i) {
        if (!(shares[i] > 0)) continue;
        ++weighted.rows;
        for (Size u = 0; u < deviations.columns; ++u) weighted.values.push_back(std::sqrt(shares[i]) * deviations(i, u));
    }
    return weighted;
}

/// Rows orthonormal by Gram and Schmidt, twice; what is left of a dependent row is 0.
void orthonormalise(Matrix& rows) {
    for (Size i = 0; i < rows.rows; ++i)
        for (int pass = 0; pass < 2; ++pass) {
            double* own = rows.row(i);
            for (Size j = 0; j < i; ++j) {
                double dot = 0;
                for (Size u = 0; u < rows.columns; ++u) dot += own[u] * rows(j, u);
                for (Size u = 0; u < rows.columns; ++u) own[u] -= dot * rows(j, u);
            }
            double square = 0;
            for (Size u = 0; u < rows.columns; ++u) square += own[u] * own[u];
            const double scale = square > 1e-24 ? 1 / std::sqrt(square) : 0;
            for (Size u = 0; u < rows.columns; ++u) own[u] *= scale;
        }
}

/// The leading directions of a covariance, [2][unit].
Matrix leadingDirections(const Matrix& covariance) {
    const Size units = covariance.rows;
    Matrix block(std::min(kBlock, units), units);
    // The start must not be orthogonal to what is looked for: the largest columns of the covariance are not.
    std::vector<Size> order(units);
    for (Size u = 0; u < units; ++u) order[u] = u;
    std::stable_sort(order.begin(), order.end(), [&](Size a, Size b) { return covariance(a, a) > covariance(b, b); });
    double largest = covariance(order[0], order[0]);
    if (!(largest > 0)) largest = 1;
    for (Size i = 0; i < block.rows; ++i)
        for (Size u = 0; u < units; ++u) block(i, u) = covariance(order[i], u) / largest;
    for (int n = 0; n < kIterations; ++n) {
        orthonormalise(block);
        block = product(block, covariance);
        for (double& value : block.values) value /= largest;
    }
    orthonormalise(block);
    const SymmetricEigen ritz = symmetricEigen(product(product(block, covariance), transposed(block)));
    Matrix directions(2, units);
    for (Size i = 0; i < std::min<Size>(2, block.rows); ++i)
        for (Size j = 0; j < block.rows; ++j)
            for (Size u = 0; u < units; ++u) directions(i, u) += ritz.vectors(j, block.rows - 1 - i) * block(j, u);
    return directions;
}

/// The same of the covariance XᵀX of rows X. Eigenvectors a of XXᵀ, of fewer entries where there are fewer rows than columns, give those of
/// the covariance as Xᵀa.
Matrix directionsOf(const Matrix& rows) {
    if (rows.rows >= rows.columns) return leadingDirections(transposedProduct(rows, rows));
    const Matrix across = transposed(rows);
    Matrix directions = product(leadingDirections(transposedProduct(across, across)), rows);
    double largest = 0;
    for (Size u = 0; u < directions.columns; ++u) largest += directions(0, u) * directions(0, u);
    // The second is rounding where all points lie on one line: against the first it is 0.
    for (double& value : directions.values) value /= largest > 0 ? std::sqrt(largest) : 1;
    orthonormalise(directions);
    return directions;
}

void makeLargestPositive(Matrix& rows) {
    for (Size i = 0; i < rows.rows; ++i) {
        double largest = 0;
        for (Size u = 0; u < rows.columns; ++u)
            if (std::abs(rows(i, u)) > std::abs(largest)) largest = rows(i, u);
        if (largest < 0)
            for (Size u = 0; u < rows.columns; ++u) rows(i, u) = -rows(i, u);
    }
}

/// Turns, or mirrors and turns, the points so that Σ |at − before|² is least.
void align(std::vector<std::array<double, 2>>& at, Points before) {
    double m[2][2] = {};
    for (Size i = 0; i < at.size(); ++i)
        for (int a = 0; a < 2; ++a)
            for (int b = 0; b < 2; ++b) m[a][b] += before[i][a] * at[i][b];
    // tr of m times a turn (c −s; s c), and of m times a turn of the mirrored points.
    const double turn[] = {m[0][0] + m[1][1], m[1][0] - m[0][1]}, mirrored[] = {m[0][0] - m[1][1], m[1][0] + m[0][1]};
    const double turned = turn[0] * turn[0] + turn[1] * turn[1], flipped = mirrored[0] * mirrored[0] + mirrored[1] * mirrored[1];
    const double sign = flipped > turned ? -1 : 1, norm = std::sqrt(std::max(turned, flipped));
    if (!(norm > 0)) return;
    const double c = (sign > 0 ? turn : mirrored)[0] / norm, s = (sign > 0 ? turn : mirrored)[1] / norm;
    for (auto& point : at) point = {c * point[0] - s * sign * point[1], s * point[0] + c * sign * point[1]};
}

}  // namespace

PlaneImage principalPlane(std::span<const double> points, Size units, Points before, std::span<const double> weights) {
    const auto fits = [&](Size count) { return count == 0 || count * units == points.size(); };
    if (units == 0 || points.empty() || points.size() % units != 0 || !fits(before.size()) || !fits(weights.size()))
        throw InputError("A principal plane takes points of equally many units, and as many weights and points to lie beside.");
    for (const double value : points)
        if (!std::isfinite(value)) throw InputError("A principal plane takes finite points.");
    const Size count = points.size() / units;
    const std::vector<double> shares = sharesOf(weights, count);
    const Matrix deviations(count, units, centred(points, units, shares));
    const Matrix weighted = weightedOf(deviations, shares);
    Matrix directions = directionsOf(weighted);
    makeLargestPositive(directions);
    PlaneImage image;
    image.at.resize(count);
    double inside = 0, all = 0;
    for (Size i = 0; i < count; ++i)
        for (int a = 0; a < 2; ++a) {
            for (Size u = 0; u < units; ++u) image.at[i][a] += directions(a, u) * deviations(i, u);
            inside += shares[i] * image.at[i][a] * image.at[i][a];
        }
    for (const double value : weighted.values) all += value * value;
    if (all > 0) image.share = inside / all;
    if (!before.empty()) align(image.at, before);
    return image;
}

double workOfPlane(Size points, Size units) {
    const double n = static_cast<double>(std::min(points, units)), m = static_cast<double>(std::max(points, units));
    return n * n * (m + 240);
}

namespace {

constexpr std::size_t kMostPoints = 500;  ///< that the plane is found from

/// Half the distance to either neighbour: the length that a point stands for.
std::vector<double> lengthWeights(const std::vector<double>& z, std::size_t units) {
    const std::size_t points = z.size() / units;
    std::vector<double> weights(points);
    for (std::size_t i = 0; i + 1 < points; ++i) {
        double square = 0;
        for (std::size_t u = 0; u < units; ++u) {
            const double step = z[(i + 1) * units + u] - z[i * units + u];
            square += step * step;
        }
        const double half = std::sqrt(square) / 2;
        weights[i] += half;
        weights[i + 1] += half;
    }
    return weights;
}

/// Every so many points take over their neighbours' weights, so that at most kMostPoints have one.
void thinOut(std::vector<double>& weights) {
    const std::size_t every = (weights.size() + kMostPoints - 1) / kMostPoints;
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (i % every != 0) {
            weights[i - i % every] += weights[i];
            weights[i] = 0;
        }
}

}  // namespace

std::vector<double> lengthByBin(const CurvePieces& curve, std::size_t bins) {
    const std::vector<double> lengths = pieceLengths(curve);
    const double from = curve.ends.front(), width = (curve.ends.back() - from) / static_cast<double>(bins);
    std::vector<double> byBin(bins);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const double begin = (curve.ends[i] - from) / width, end = (curve.ends[i + 1] - from) / width;
        for (auto bin = static_cast<std::size_t>(begin); bin < bins && static_cast<double>(bin) < end; ++bin) {
            const double covered = std::min(end, static_cast<double>(bin + 1)) - std::max(begin, static_cast<double>(bin));
            byBin[bin] += lengths[i] * covered / (end - begin);
        }
    }
    return byBin;
}

std::vector<double> drawingPoints(double from, double to, std::size_t count, const std::vector<double>& byBin, std::size_t bins) {
    std::vector<double> density(bins, 1 / static_cast<double>(bins));
    for (std::size_t start = 0; start + bins <= byBin.size(); start += bins) {
        double total = 0;
        for (std::size_t b = 0; b < bins; ++b) total += byBin[start + b];
        if (!(total > 0)) continue;
        for (std::size_t b = 0; b < bins; ++b) density[b] += 2 * byBin[start + b] / total / static_cast<double>(byBin.size() / bins);
    }
    double whole = 0;
    for (const double share : density) whole += share;
    std::vector<double> at;
    std::size_t bin = 0;
    double before = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double wanted = whole * static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(count - 1, 1));
        while (bin + 1 < bins && before + density[bin] < wanted) before += density[bin++];
        const double place = (static_cast<double>(bin) + std::min((wanted - before) / density[bin], 1.0)) / static_cast<double>(bins);
        at.push_back(from + (to - from) * place);
    }
    return at;
}

double workOfPlanes(const std::vector<CurveLayer>& layers, std::size_t points) {
    double work = layers.empty() ? 0 : workOfPlane(points, layers.front().in);
    for (const CurveLayer& layer : layers) work += static_cast<double>(points) * usesOf(layer) + workOfPlane(points, layer.out);
    return work;
}

CurvePlanes::CurvePlanes(const std::vector<CurveLayer>& layers, const CurvePieces& start, std::vector<double> at,
                         std::vector<std::array<double, 2>> reference)
    : layers_(layers), at_(std::move(at)), reference_(std::move(reference)) {
    for (const double t : at_) {
        const std::vector<double> point = curveAt(start, t);
        values_.insert(values_.end(), point.begin(), point.end());
    }
}

bool CurvePlanes::advance() {
    if (images_.size() > layers_.size()) return false;
    if (!images_.empty()) valuesThrough(layers_[images_.size() - 1], values_);
    project();
    return images_.size() <= layers_.size();
}

void CurvePlanes::project() {
    const std::size_t units = values_.size() / at_.size();
    std::vector<double> weights = lengthWeights(values_, units);
    thinOut(weights);
    images_.push_back(principalPlane(values_, units, images_.empty() ? reference_ : images_.back().at, weights));
}

}  // namespace kappaflow
