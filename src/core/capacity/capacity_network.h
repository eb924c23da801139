#pragma once
#include <cstdint>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// D_l of P1 Eq 25–27 by its columns: column j lists where output unit j's capacity goes, entries D_ij >= 0 with sum 1 − lost[j].
/// A column with no entries belongs to a dead unit (all weights zero), lost = 1: its capacity stays unattributed. Cost: 16 bytes an entry.
struct CapacityLayer {
    struct Entry {
        std::uint32_t input;
        float offset;  ///< unwrapped displacement in input positions, (k − anchor)·dilation; 0 where positions mean nothing
        double share;  ///< D_ij
    };
    std::size_t inputs = 0, outputs = 0;
    std::vector<std::size_t> start;  ///< outputs + 1 offsets into entries
    std::vector<Entry> entries;
    std::vector<double> lost;  ///< [output] 0; 1 for a dead unit; between when dead units inside a residual branch swallow a part
    double scale = 1;          ///< an offset u from the top becomes scale·u + offset (the stride)
};

/// More entries than this (160 MB) are refused: InputError.
inline constexpr double kMaxCapacityEntries = 1e7;

/// Capacity of every state, from the top down, kappa^{l-1} = D_l kappa^l (P1 Eq 27), and what dead units kept.
struct CapacityFlow {
    std::vector<std::vector<double>> capacity;  ///< [layer 0 … L][unit]
    std::vector<double> unattributed;           ///< [layer 0 … L], accumulated from the top
};

/// D of a layer from its weights: squares of each output unit's weights, normalised to 1 (P1 Eq 25, footnote 4). Dense,
/// convolution (zero padding drops taps and renormalises; periodic wraps, reflect mirrors; taps that meet on one input act as their
/// sum), average pooling and max pooling (uniform over the window), batch norm, activations and flatten: identity. Residual:
/// unit j's capacity splits s_j : b_j between skip and branch, the squared column norms of their last linear maps (1 for an
/// identity skip), and each part goes down its side. Throws InputError naming the layer when there are too many entries.
CapacityLayer capacityLayer(const Layer&);

/// One step down. Throws InputError when sizes disagree. Compensated sums: the total moves by rounding only.
std::vector<double> propagate(const CapacityLayer&, const std::vector<double>& above, double& unattributed);

/// The same straight from a layer's weights, column by column, so that nothing but the capacity is kept; residual blocks go down both
/// sides. Cost: propagationWork times some ten operations.
std::vector<double> propagate(const Layer&, const std::vector<double>& above, double& unattributed);
/// Connections that one such step looks at, in double because products of sizes overflow integers.
double propagationWork(const Layer&);

/// D = stay·I + (1 − stay)·D of a layer with as many outputs as inputs; a dead unit of the layer keeps all on the identity.
/// Residual scene layers: stay = 1 − ε; differential ones: 1/(1 + ε) (P1 Eq 29, 3.3).
CapacityLayer mixWithIdentity(const CapacityLayer&, double stay);

/// D of `above` followed by `below`: the product below·above.
CapacityLayer compose(const CapacityLayer& below, const CapacityLayer& above);

/// Weight layers of a network joined with what carries no weights: activations and flatten drop out, pooling and residual blocks
/// are layers of their own, batch norm is folded into the linear map right before it or else (past an activation) the one after
/// it; only where there is none (before a pooling or block, or at the end) does it stay a layer, whose D is the identity.
std::vector<Layer> weightLayers(const Network&);

/// One of them as views of its parts in a sequence that must outlive it: a large network is not copied, but folded layer by layer.
struct WeightLayer {
    const Layer* layer = nullptr;
    const Layer* inFront = nullptr;    ///< batch norm that belongs into its weights; may be null
    std::vector<const Layer*> behind;  ///< such batch norms that follow it
    /// The layer itself, or a copy in `scratch` with the batch norms folded in.
    const Layer& folded(Layer& scratch) const;
};
std::vector<WeightLayer> weightLayerParts(const std::vector<Layer>& sequence);
/// For weight layer 0 … L: index of its state in `forward` — of the input, and after each weight layer with the activations that follow it.
std::vector<std::size_t> weightLayerStates(const Network&);

/// Capacity of every weight layer's units when the output units hold `top`.
CapacityFlow capacityFlow(const Network&, const std::vector<double>& top);

}  // namespace kappaflow
