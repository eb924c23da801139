#pragma once
#include <vector>

#include "core/linalg/matrix.h"
#include "core/net/network.h"

namespace kappaflow {

/// A mini-batch at one place of a network: [units][samples].
using Batch = Matrix;

/// ∂loss/∂(weights, bias) of one layer, or anything else kept for each of them.
struct LayerParameters {
    std::vector<double> weights, bias;
};

// What a layer kind does to a whole mini-batch, like `applyLayer` and `applyLayerTransposedJacobian` to one sample; all but batch
// norm and residual ones. Sums run in a fixed order and exponentials are the portable ones: the same bits on every platform.
// x is the layer's input, g = ∂loss/∂output.

/// Throws InputError naming the first layer that cannot be trained through.
void requireBatchLayers(const Network&);
/// Dense and convolutional layers.
bool hasTrainableWeights(const Layer&);

/// y = the layer's output; its room is used again. Cost: one multiply-add a weight use and sample.
void applyBatch(const Layer&, const Batch& x, Batch& y);
/// pulled = ∂loss/∂input.
void pullBatch(const Layer&, const Batch& x, const Batch& g, Batch& pulled);
/// ∂loss/∂(weights, bias) of a layer with weights: of a dense one g xᵀ and the sums of g over the samples.
void parameterGradient(const Layer&, const Batch& x, const Batch& g, LayerParameters& gradient);

}  // namespace kappaflow
