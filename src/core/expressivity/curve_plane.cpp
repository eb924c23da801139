#include "core/expressivity/curve_plane.h"

#include <algorithm>
#include <cmath>

#include "core/linalg/linalg.h"

namespace kappaflow {
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
    for (const CurveLayer& layer : layers)
        work +=
            static_cast<double>(points) * static_cast<double>(layer.in) * static_cast<double>(layer.out) + workOfPlane(points, layer.out);
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
    if (!images_.empty()) {
        const CurveLayer& layer = layers_[images_.size() - 1];
        std::vector<double> next(at_.size() * layer.out);
        smallProduct(values_, layer.weights, layer.in, next);
        for (std::size_t i = 0; i < next.size(); ++i) next[i] = activated(layer, next[i] + layer.bias[i % layer.out]).value;
        values_.swap(next);
    }
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
