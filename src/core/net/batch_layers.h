#pragma once
#include <vector>

#include "core/linalg/matrix.h"
#include "core/net/network.h"

namespace kappaflow {

/// A mini-batch at one place of a network: [units][samples].
using Batch = Matrix;

/// ∂loss/∂(weights, bias) of one layer and of those inside it, or anything else kept for each of them.
struct LayerParameters : Weights {
    std::vector<LayerParameters> inner = {};
};

// These functions run layers on mini-batches; a single sample runs as a batch of one. Batch norm uses its stored statistics, layer norm
// those of each sample. Sums run in a fixed order and exponentials are the portable ones: the
// same bits on every platform. x is the layer's input, g = ∂loss/∂output. Blocks and joins are for `applyChain` and `pullChain`.

/// y = the layer's output; its room is used again. Cost: one multiply-add a weight use and sample.
void applyBatch(const Layer&, const Batch& x, Batch& y);
/// pulled = ∂loss/∂input.
void pullBatch(const Layer&, const Batch& x, const Batch& g, Batch& pulled);
/// ∂loss/∂(weights, bias) of a layer with weights: of a dense one g xᵀ and the sums of g over the samples.
void parameterGradient(const Layer&, const Batch& x, const Batch& g, LayerParameters& gradient);

// What `applyBatch`, `pullBatch` and `parameterGradient` do for convolutions and poolings. Sums run over taps in the order of the
// weights, of a gradient over positions and samples, in blocks whose size follows from the layer and the batch alone.

/// y = the layer's output, y already [out units][samples].
void applyConvBatch(const Layer&, const Batch& x, Batch& y);
/// pulled = ∂loss/∂input, pulled already [in units][samples].
void pullConvBatch(const Layer&, const Batch& g, Batch& pulled);
/// ∂loss/∂weights, and of a channel's bias.
void convGradient(const Layer&, const Batch& x, const Batch& g, LayerParameters& gradient);

/// Maximum, mean, and mean of all positions.
void applyPoolBatch(const Layer&, const Batch& x, Batch& y);
void pullPoolBatch(const Layer&, const Batch& x, const Batch& g, Batch& pulled);
/// The first largest of these units for every sample.
void findLargest(const Batch& x, const std::vector<std::size_t>& units, std::vector<std::size_t>& largest);

/// What a mini-batch is along a chain of layers or inside a block. Rooms are used again from step to step.
struct BatchStates {
    std::vector<Batch> at;                ///< at[0] the input, at[l + 1] behind layer l
    std::vector<BatchStates> inner = {};  ///< [layer], of blocks
};

/// Whether a layer or one inside it has weights that are trained.
bool holdsTrainableWeights(const Layer&);

/// From at[0] on.
void applyChain(const std::vector<Layer>&, BatchStates&);

/// ∂loss/∂(weights, bias) of every layer from `lowest` on that `frozen` does not keep (empty: none is kept); g is ∂loss/∂output, and on
/// the way out ∂loss/∂(input of layer `lowest`) where `inputToo`, else without meaning. The gradients have their sizes.
struct ChainPull {
    std::size_t lowest = 0;
    bool inputToo = true;
    const std::vector<bool>* frozen = nullptr;
};
void pullChain(const std::vector<Layer>&, const BatchStates&, Batch& g, std::vector<LayerParameters>& gradients, const ChainPull& = {});

}  // namespace kappaflow
