#pragma once
#include <cstdint>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// D_l of P1 Eq 25–27 by its columns: column j lists where output unit j's capacity goes, entries D_ij >= 0 with sum 1; a column
/// with no entries belongs to a dead unit (all weights zero), whose capacity stays unattributed. Cost: 24 bytes an entry.
struct CapacityLayer {
    struct Entry {
        std::uint32_t input;
        float offset;  ///< unwrapped displacement in input positions, (k − anchor)·dilation; 0 where positions mean nothing
        double share;  ///< D_ij
    };
    std::size_t inputs = 0, outputs = 0;
    std::vector<std::size_t> start;  ///< outputs + 1 offsets into entries
    std::vector<Entry> entries;
};

/// Capacity of every state, from the top down, kappa^{l-1} = D_l kappa^l (P1 Eq 27), and what dead units kept.
struct CapacityFlow {
    std::vector<std::vector<double>> capacity;  ///< [layer 0 … L][unit]
    std::vector<double> unattributed;           ///< [layer 0 … L], accumulated from the top
};

/// D of a layer from its weights: squares of each output unit's weights, normalised to 1 (P1 Eq 25, footnote 4). Dense,
/// convolution (zero padding drops taps and renormalises; periodic wraps), average pooling and max pooling (uniform over the window),
/// batch norm folded by the caller, activations and flatten: identity; residual by the rule of s_j : b_j (squared column norms).
CapacityLayer capacityLayer(const Layer&);
/// One step down. Throws InputError when sizes disagree. Compensated sums: the total moves by rounding only.
std::vector<double> propagate(const CapacityLayer&, const std::vector<double>& above, double& unattributed);

/// Weight layers of a network joined with what carries no weights (activations: nothing to do; pooling: a layer of its own; batch
/// norm folded into the linear map it touches).
std::vector<Layer> weightLayers(const Network&);

}  // namespace kappaflow
