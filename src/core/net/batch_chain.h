#pragma once
#include <vector>

#include "core/net/batch_layers.h"

namespace kappaflow {

/// What a mini-batch is along a chain of layers, those inside residual layers included. Rooms are used again from step to step.
struct BatchStates {
    std::vector<Batch> at;                            ///< at[0] the chain's input, at[l + 1] behind layer l
    std::vector<BatchStates> branch = {}, skip = {};  ///< [layer], of residual ones
};

/// Whether a layer or one inside it has weights that are trained.
bool holdsTrainableWeights(const Layer&);

/// From at[0] on. A residual layer's output is skipScale·skip(x) + branchScale·branch(x), an empty skip being x itself.
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
