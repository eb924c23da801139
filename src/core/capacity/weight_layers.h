#pragma once
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// Of some units the ones that are 0 whatever the input (slices and shuffles put them there); empty: none.
using ZeroUnits = std::vector<char>;

/// Weight layers of a network joined with what carries no weights: activations and flatten drop out; pooling, routes and blocks are
/// layers of their own; batch norm is folded into the linear map right before it if nothing else reads that, or else into those that read
/// it past activations; only where another layer reads it (pooling, a block, a sum, the end) does it stay a layer, whose D is the
/// identity. They are views of their parts in a sequence that must outlive them: a large network is not copied, but folded layer by layer.
struct WeightLayer {
    const Layer* layer = nullptr;
    const Layer* inFront = nullptr;    ///< batch norm that belongs into its weights; may be null
    std::vector<const Layer*> behind;  ///< such batch norms that follow it
    ZeroUnits zeros;                   ///< among its inputs: what reads them is dropped, as what reads zero padding
    /// The layer itself, or a copy in `scratch` with the batch norms folded in.
    const Layer& withNorms(Layer& scratch) const;
    /// The same, with zeros among the inputs a block that puts them there.
    const Layer& folded(Layer& scratch) const;
};
std::vector<WeightLayer> weightLayerParts(const std::vector<Layer>& sequence);
/// For weight layer 0 … L: index of its state in `forward` — of the input, and after each weight layer with the activations that follow it.
std::vector<std::size_t> weightLayerStates(const Network&);

/// The same for every layer of a chain or of a block's inside; `layer` is null where it is a join or drops out.
std::vector<WeightLayer> foldedLayers(const std::vector<Layer>&);

}  // namespace kappaflow
