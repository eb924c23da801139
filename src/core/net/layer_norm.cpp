#include "core/net/layer_norm.h"

#include <cassert>
#include <cmath>

#include "core/net/layer_rows.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

/// x̂ of one set of a sample, and 1/s.
struct Standardised {
    std::vector<double> values;
    double inverse = 0;
};

/// `x(i)` is unit i of the sample.
template <class Unit>
void standardise(double epsilon, const NormalisedSet& set, Standardised& out, Unit x) {
    const double n = static_cast<double>(set.count);
    double mean = 0, variance = 0;
    for (Size k = 0; k < set.count; ++k) mean += x(set.first + k * set.stride);
    mean /= n;
    out.values.resize(set.count);
    for (Size k = 0; k < set.count; ++k) {
        out.values[k] = x(set.first + k * set.stride) - mean;
        variance += out.values[k] * out.values[k];
    }
    const double square = variance / n + epsilon;
    out.inverse = square > 0 ? 1 / std::sqrt(square) : 0;
    for (double& value : out.values) value *= out.inverse;
}

/// v ← (v − mean v − x̂ mean(x̂ v))/s, what the Jacobian is but for the scales.
void project(const Standardised& x, std::vector<double>& v) {
    const double n = static_cast<double>(v.size());
    double mean = 0, along = 0;
    for (Size k = 0; k < v.size(); ++k) mean += v[k], along += v[k] * x.values[k];
    mean /= n, along /= n;
    for (Size k = 0; k < v.size(); ++k) v[k] = (v[k] - mean - x.values[k] * along) * x.inverse;
}

}  // namespace

std::vector<NormalisedSet> normalisedSets(const Layer& layer) {
    const auto& norm = layer.as<LayerNorm>();
    std::vector<NormalisedSet> sets;
    if (norm.eachPosition) {
        const Size channels = static_cast<Size>(layer.in.channels), positions = layer.in.units() / channels;
        for (Size p = 0; p < positions; ++p) sets.push_back({p, positions, channels});
        return sets;
    }
    const Size groups = static_cast<Size>(norm.groups), each = layer.in.units() / groups;
    for (Size g = 0; g < groups; ++g) sets.push_back({g * each, 1, each});
    return sets;
}

void applyLayerNorm(const Layer& layer, const Batch& x, Batch& y) {
    assert(x.rows == layer.in.units() && y.rows == x.rows && y.columns == x.columns);
    const auto& norm = layer.as<LayerNorm>();
    Standardised standard;
    for (const NormalisedSet& set : normalisedSets(layer))
        for (Size s = 0; s < x.columns; ++s) {
            standardise(norm.epsilon, set, standard, [&](Size i) { return x(i, s); });
            for (Size k = 0; k < set.count; ++k) {
                const Size unit = set.first + k * set.stride, scale = scaleIndex(layer, unit);
                y(unit, s) = norm.weights[scale] * standard.values[k] + (norm.bias.empty() ? 0 : norm.bias[scale]);
            }
        }
}

void pullLayerNorm(const Layer& layer, const Batch& x, const Batch& g, Batch& pulled) {
    assert(x.rows == layer.in.units() && g.rows == x.rows && pulled.rows == x.rows && pulled.columns == x.columns);
    const auto& norm = layer.as<LayerNorm>();
    Standardised standard;
    std::vector<double> v;
    for (const NormalisedSet& set : normalisedSets(layer))
        for (Size s = 0; s < x.columns; ++s) {
            standardise(norm.epsilon, set, standard, [&](Size i) { return x(i, s); });
            v.resize(set.count);
            for (Size k = 0; k < set.count; ++k) {
                const Size unit = set.first + k * set.stride;
                v[k] = norm.weights[scaleIndex(layer, unit)] * g(unit, s);
            }
            project(standard, v);
            for (Size k = 0; k < set.count; ++k) pulled(set.first + k * set.stride, s) = v[k];
        }
}

Batch layerNormTangents(const Layer& layer, const Batch& x, const Batch& tangents) {
    assert(tangents.rows == x.rows && tangents.columns % x.columns == 0);
    Batch out(tangents.rows, tangents.columns);
    const Size each = tangents.columns / x.columns;
    const auto& norm = layer.as<LayerNorm>();
    Standardised standard;
    std::vector<double> v;
    for (const NormalisedSet& set : normalisedSets(layer))
        for (Size column = 0; column < tangents.columns; ++column) {
            if (column % each == 0) standardise(norm.epsilon, set, standard, [&](Size i) { return x(i, column / each); });
            v.resize(set.count);
            for (Size k = 0; k < set.count; ++k) v[k] = tangents(set.first + k * set.stride, column);
            project(standard, v);
            for (Size k = 0; k < set.count; ++k) {
                const Size unit = set.first + k * set.stride;
                out(unit, column) = norm.weights[scaleIndex(layer, unit)] * v[k];
            }
        }
    return out;
}

}  // namespace kappaflow
