#pragma once
#include <vector>

#include "core/linalg/matrix.h"
#include "core/net/network.h"

namespace kappaflow {

/// A mini-batch at one place of a network: [units][samples].
using Batch = Matrix;

/// ∂loss/∂(weights, bias) of one layer and of those inside it, or anything else kept for each of them.
struct LayerParameters {
    std::vector<double> weights, bias;
    std::vector<LayerParameters> branch = {}, skip = {};
};

// What a layer kind does to a whole mini-batch, like `applyLayer` and `applyLayerTransposedJacobian` to one sample. Batch norm acts with
// the statistics that it holds. Sums run in a fixed order and exponentials are the portable ones: the same bits on every platform.
// x is the layer's input, g = ∂loss/∂output. Residual layers are `batch_chain`'s.

/// Dense and convolutional layers.
bool hasTrainableWeights(const Layer&);

/// y = the layer's output; its room is used again. Cost: one multiply-add a weight use and sample. Not of residual layers.
void applyBatch(const Layer&, const Batch& x, Batch& y);
/// pulled = ∂loss/∂input. Not of residual layers.
void pullBatch(const Layer&, const Batch& x, const Batch& g, Batch& pulled);
/// ∂loss/∂(weights, bias) of a layer with weights: of a dense one g xᵀ and the sums of g over the samples.
void parameterGradient(const Layer&, const Batch& x, const Batch& g, LayerParameters& gradient);

}  // namespace kappaflow
