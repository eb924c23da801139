#pragma once
#include "core/net/batch_layers.h"

namespace kappaflow {

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

}  // namespace kappaflow
