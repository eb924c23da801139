#include "core/net/batch_chain.h"

#include <algorithm>
#include <cassert>

namespace kappaflow {
namespace {

void applySides(const Layer& block, const Batch& x, BatchStates& branch, BatchStates& skip, Batch& y) {
    branch.at.resize(block.branch.size() + 1);
    skip.at.resize(block.skip.size() + 1);
    branch.at[0] = x;
    applyChain(block.branch, branch);
    if (!block.skip.empty()) {
        skip.at[0] = x;
        applyChain(block.skip, skip);
    }
    const Batch &b = branch.at.back(), &s = block.skip.empty() ? x : skip.at.back();
    y.rows = b.rows, y.columns = b.columns;
    y.values.resize(b.values.size());
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = block.skipScale * s.values[i] + block.branchScale * b.values[i];
}

Batch scaled(const Batch& g, double scale) {
    Batch out = g;
    for (double& value : out.values) value *= scale;
    return out;
}

/// g becomes ∂loss/∂input.
void pullSides(const Layer& block, const BatchStates& branch, const BatchStates& skip, Batch& g, LayerParameters& gradient) {
    Batch viaBranch = scaled(g, block.branchScale), viaSkip = scaled(g, block.skipScale);
    pullChain(block.branch, branch, viaBranch, gradient.branch);
    if (!block.skip.empty()) pullChain(block.skip, skip, viaSkip, gradient.skip);
    for (std::size_t i = 0; i < viaSkip.values.size(); ++i) viaSkip.values[i] += viaBranch.values[i];
    g = std::move(viaSkip);
}

}  // namespace

bool holdsTrainableWeights(const Layer& layer) {
    return hasTrainableWeights(layer) || std::any_of(layer.branch.begin(), layer.branch.end(), holdsTrainableWeights) ||
           std::any_of(layer.skip.begin(), layer.skip.end(), holdsTrainableWeights);
}

void applyChain(const std::vector<Layer>& layers, BatchStates& states) {
    assert(states.at.size() == layers.size() + 1);
    states.branch.resize(layers.size());
    states.skip.resize(layers.size());
    for (std::size_t l = 0; l < layers.size(); ++l) {
        if (layers[l].kind == LayerKind::Residual)
            applySides(layers[l], states.at[l], states.branch[l], states.skip[l], states.at[l + 1]);
        else
            applyBatch(layers[l], states.at[l], states.at[l + 1]);
    }
}

void pullChain(const std::vector<Layer>& layers, const BatchStates& states, Batch& g, std::vector<LayerParameters>& gradients,
               const ChainPull& pull) {
    Batch pulled;
    for (std::size_t l = layers.size(); l-- > pull.lowest;) {
        const bool trained = !pull.frozen || pull.frozen->empty() || !(*pull.frozen)[l];
        if (layers[l].kind == LayerKind::Residual) {
            // What a kept block's parameters would gain is found with it, and left alone by who changes them.
            pullSides(layers[l], states.branch[l], states.skip[l], g, gradients[l]);
            continue;
        }
        if (trained && hasTrainableWeights(layers[l])) parameterGradient(layers[l], states.at[l], g, gradients[l]);
        if (l == pull.lowest && !pull.inputToo) return;
        pullBatch(layers[l], states.at[l], g, pulled);
        std::swap(g, pulled);
    }
}

}  // namespace kappaflow
