#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/capacity/layer_columns.h"

namespace kappaflow {
namespace {

using Vector = std::vector<double>;

Vector normsOf(const std::vector<Layer>& sequence, std::size_t inputs);

/// Norm of every output unit's column; of a residual block's sum when inputs have unit variance.
Vector normsOf(const Layer& layer) {
    const std::size_t outputs = layer.out.units();
    // The largest of a window passes on as it is.
    if (layer.kind == LayerKind::MaxPool) return Vector(outputs, 1);
    Vector norms(outputs);
    if (layer.kind != LayerKind::Residual) {
        visitColumns(layer, [&](std::size_t unit, auto, double norm) { norms[unit] = norm; });
        return norms;
    }
    const Vector skip = normsOf(layer.skip, layer.in.units()), branch = normsOf(layer.branch, layer.in.units());
    for (std::size_t j = 0; j < outputs; ++j) norms[j] = std::hypot(layer.skipScale * skip[j], layer.branchScale * branch[j]);
    return norms;
}

/// That of the last map; a batch norm that could not be folded into weights scales the norm of what it follows.
Vector normsOf(const std::vector<Layer>& sequence, std::size_t inputs) {
    const auto layers = weightLayerParts(sequence);
    const auto isNorm = [&](std::size_t l) { return layers[l].layer->kind == LayerKind::BatchNorm; };
    Vector norms(inputs, 1);
    Layer scratch;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const bool scales = isNorm(l) && l > 0;
        const bool last = l + 1 == layers.size() || isNorm(l + 1);
        if (!last) continue;
        auto own = normsOf(layers[l].folded(scratch));
        for (std::size_t j = 0; j < own.size() && scales; ++j) own[j] *= norms[j];
        norms = std::move(own);
    }
    return norms;
}

Vector propagateSequence(const std::vector<Layer>& sequence, Vector above, double& unattributed) {
    const auto layers = weightLayerParts(sequence);
    Layer scratch;
    for (std::size_t l = layers.size(); l > 0; --l) above = propagate(layers[l - 1].folded(scratch), above, unattributed);
    return above;
}

/// Each unit splits what it has between the two sides, and both parts go down.
Vector propagateResidual(const Layer& layer, const Vector& above, double& unattributed) {
    const std::size_t inputs = layer.in.units();
    const Vector skip = normsOf(layer.skip, inputs), branch = normsOf(layer.branch, inputs);
    Vector toSkip(above.size()), toBranch(above.size());
    for (std::size_t j = 0; j < above.size(); ++j) {
        const double s = std::abs(layer.skipScale) * skip[j], b = std::abs(layer.branchScale) * branch[j], largest = std::max(s, b);
        if (largest == 0) {
            unattributed += above[j];
            continue;
        }
        const double ss = (s / largest) * (s / largest), bb = (b / largest) * (b / largest);
        toSkip[j] = above[j] * (ss / (ss + bb));
        toBranch[j] = above[j] * (bb / (ss + bb));
    }
    Vector below = propagateSequence(layer.skip, std::move(toSkip), unattributed);
    const Vector other = propagateSequence(layer.branch, std::move(toBranch), unattributed);
    for (std::size_t i = 0; i < inputs; ++i) below[i] += other[i];
    return below;
}

double sequenceWork(const std::vector<Layer>& sequence) {
    double work = 0;
    for (const auto& layer : sequence) work += propagationWork(layer);
    return work;
}

}  // namespace

Vector propagate(const Layer& layer, const Vector& above, double& unattributed) {
    assert(above.size() == layer.out.units());
    if (layer.kind == LayerKind::Residual) return propagateResidual(layer, above, unattributed);
    Vector below(layer.in.units());
    visitColumns(layer, [&](std::size_t unit, std::span<const CapacityLayer::Entry> entries, double) {
        if (entries.empty()) unattributed += above[unit];
        for (const auto& entry : entries) below[entry.input] += entry.share * above[unit];
    });
    return below;
}

double propagationWork(const Layer& layer) {
    const auto ins = static_cast<double>(layer.in.units()), outs = static_cast<double>(layer.out.units());
    const double window = static_cast<double>(layer.window.size[0]) * layer.window.size[1];
    switch (layer.kind) {
        case LayerKind::Dense:
            return ins * outs;
        case LayerKind::Conv:
            return outs * window * layer.in.channels / layer.groups;
        case LayerKind::MaxPool:
        case LayerKind::AveragePool:
            return outs * window;
        case LayerKind::Residual:
            // Once for the norms, once for the way down.
            return 2 * (sequenceWork(layer.skip) + sequenceWork(layer.branch)) + ins + outs;
        default:
            return ins;
    }
}

}  // namespace kappaflow
