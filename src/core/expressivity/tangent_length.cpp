#include "core/expressivity/tangent_length.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/linalg/linalg.h"

namespace kappaflow {
namespace {

/// Rows of `out`: values z(t) first, tangents dz/dt behind them.
std::vector<double> valuesAndTangents(const CurvePieces& curve, const std::vector<double>& at) {
    const std::size_t units = curve.units, count = at.size();
    std::vector<double> rows(2 * count * units);
    for (std::size_t i = 0; i < count; ++i) {
        const auto inner = std::lower_bound(curve.ends.begin() + 1, curve.ends.end() - 1, at[i]);
        const double* c = curve.piece(static_cast<std::size_t>(inner - curve.ends.begin()) - 1);
        double basis[3], slope[3];
        basisAt(curve.form, at[i], basis);
        basisSlopeAt(curve.form, at[i], slope);
        double *value = rows.data() + i * units, *tangent = value + count * units;
        for (std::size_t b = 0; b < coefficientsOf(curve.form); ++b, c += units)
            for (std::size_t u = 0; u < units; ++u) {
                value[u] += basis[b] * c[u];
                tangent[u] += slope[b] * c[u];
            }
    }
    return rows;
}

void applyLayer(const CurveLayer& layer, std::vector<double>& rows, std::size_t count) {
    std::vector<double> image(2 * count * layer.out);
    smallProduct(rows, layer.weights, layer.in, image);
    for (std::size_t i = 0; i < count; ++i) {
        double *value = image.data() + i * layer.out, *tangent = value + count * layer.out;
        for (std::size_t u = 0; u < layer.out; ++u) {
            const ActivatedUnit z = activated(layer, value[u] + layer.bias[u]);
            tangent[u] *= z.slope;
            value[u] = z.value;
        }
    }
    rows.swap(image);
}

}  // namespace

TangentSampler::TangentSampler(const std::vector<CurveLayer>& layers, CurvePieces start, Rng rng, SamplingPlan plan)
    : layers_(layers), start_(std::move(start)), rng_(rng), plan_(plan) {
    requireFit(layers_, start_.units);
    piloting_ = plan_.target > 0;
    begin(std::max<std::size_t>(piloting_ ? plan_.pilot : plan_.most, 1));
}

void TangentSampler::begin(std::size_t strata) {
    strata_ = strata;
    sampled_ = 0;
    sum_.assign(layers_.size() + 1, 0);
    difference_.assign(layers_.size() + 1, 0);
    bins_.assign((layers_.size() + 1) * kBins, 0);
    binPoints_.assign(kBins, 0);
}

bool TangentSampler::advance(double operations) {
    if (finished()) return false;
    double each = 1;
    for (const CurveLayer& layer : layers_) each += 4 * static_cast<double>(layer.in) * static_cast<double>(layer.out);
    sample(static_cast<std::size_t>(std::clamp(operations / each, 1.0, static_cast<double>(strata_ - sampled_))));
    if (sampled_ == strata_ && piloting_) plan();
    return !finished();
}

void TangentSampler::plan() {
    const SampledLength last = lengths().back();
    const double error = last.value > 0 ? last.standardError / last.value / plan_.target : 0;
    const double wanted = static_cast<double>(strata_) * error * error;
    piloting_ = false;
    begin(static_cast<std::size_t>(
        std::clamp(wanted, static_cast<double>(std::min(plan_.pilot, plan_.most)), static_cast<double>(plan_.most))));
}

void TangentSampler::sample(std::size_t count) {
    const double from = start_.ends.front(), width = (start_.ends.back() - from) / static_cast<double>(strata_);
    at_.clear();
    for (std::size_t s = 0; s < count; ++s)
        for (int twice = 0; twice < 2; ++twice) {
            at_.push_back(from + width * (static_cast<double>(sampled_ + s) + rng_.uniform()));
            const double share = (at_.back() - from) / (start_.ends.back() - from);
            ++binPoints_[std::min(static_cast<std::size_t>(share * kBins), kBins - 1)];
        }
    std::vector<double> rows = valuesAndTangents(start_, at_);
    record(0, rows.data() + rows.size() / 2, 2 * count);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        applyLayer(layers_[l], rows, 2 * count);
        record(l + 1, rows.data() + rows.size() / 2, 2 * count);
    }
    sampled_ += count;
}

void TangentSampler::record(std::size_t layer, const double* tangents, std::size_t count) {
    const std::size_t units = layer == 0 ? start_.units : layers_[layer - 1].out;
    const double from = start_.ends.front(), whole = start_.ends.back() - from;
    double other = 0;
    for (std::size_t i = 0; i < count; ++i, tangents += units) {
        double square = 0;
        for (std::size_t u = 0; u < units; ++u) square += tangents[u] * tangents[u];
        const double speed = std::sqrt(square);
        sum_[layer] += speed;
        if (i % 2 == 1) difference_[layer] += (speed - other) * (speed - other);
        other = speed;
        bins_[layer * kBins + std::min(static_cast<std::size_t>((at_[i] - from) / whole * kBins), kBins - 1)] += speed;
    }
}

std::vector<SampledLength> TangentSampler::lengths() const {
    const double whole = start_.ends.back() - start_.ends.front(), strata = static_cast<double>(strata_);
    std::vector<SampledLength> lengths;
    for (std::size_t l = 0; l < sum_.size(); ++l)
        lengths.push_back({whole * sum_[l] / (2 * strata), whole * std::sqrt(difference_[l]) / (2 * strata)});
    return lengths;
}

std::vector<double> TangentSampler::lengthByBin() const {
    std::vector<double> lengths = bins_;
    const double width = (start_.ends.back() - start_.ends.front()) / kBins;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const double points = binPoints_[i % kBins];
        lengths[i] = points > 0 ? lengths[i] / points * width : 0;
    }
    return lengths;
}

double TangentSampler::progress() const {
    const double share = static_cast<double>(sampled_) / static_cast<double>(strata_);
    if (plan_.target <= 0) return share;
    return piloting_ ? 0.1 * share : 0.1 + 0.9 * share;
}

}  // namespace kappaflow
