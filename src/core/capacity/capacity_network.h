#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/rng.h"
#include "core/capacity/weight_layers.h"
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
    std::vector<double> lost;  ///< [output] 0; 1 for a dead unit; between when dead units inside a block swallow a part
    double scale = 1;          ///< an offset u from the top becomes scale·u + offset (the stride)
};

/// More entries than this (160 MB) are refused: InputError.
inline constexpr double kMaxCapacityEntries = 1e7;

/// D of a layer from its weights: squares of each output unit's weights, normalised to 1 (P1 Eq 25, footnote 4). Dense,
/// convolution (zero padding drops taps and renormalises; periodic wraps, reflect mirrors; taps that meet on one input act as their
/// sum), average pooling and max pooling (uniform over the window), batch norm, activations and flatten: identity; Route goes where it
/// reads. Layer norm: its centring, so that of n units each keeps 1 − 1/n and each other one gets 1/(n(n − 1)), its scale dropping out.
/// Inputs that are always 0 are dropped as zero padding is. Block: see CapacityGraph. Throws InputError naming the layer when there are
/// too many entries or capacity has no way through.
CapacityLayer capacityLayer(const Layer&, const ZeroUnits& = {});

/// One step down, kappa^{l-1} = D_l kappa^l (P1 Eq 27); what dead units keep is added to `unattributed`. Throws InputError when sizes
/// disagree. Compensated sums: the total moves by rounding only.
std::vector<double> propagate(const CapacityLayer&, const std::vector<double>& above, double& unattributed);

/// Moves capacity one layer down from the layer's weights, keeping nothing but the capacity: a convolution as the transposed one of its
/// squared weights on capacity over the sums of the squares (unless taps may meet on an input), a dense layer row by row, others column by
/// column.
std::vector<double> propagate(const Layer&, const std::vector<double>& above, double& unattributed, const ZeroUnits& = {});
/// Connections of a layer, in double because products of sizes overflow integers; of a block's layers twice.
double connectionsOf(const Layer&);
/// Operations of one such step: about two for each connection of a convolution, three of a dense layer, twenty of others.
double propagationOperations(const Layer&);

/// D = stay·I + (1 − stay)·D of a layer with as many outputs as inputs; a dead unit of the layer keeps all on the identity.
/// Residual scene layers: stay = 1 − ε; differential ones: 1/(1 + ε) (P1 Eq 29; later version 3.3).
CapacityLayer mixWithIdentity(const CapacityLayer&, double stay);

/// D of `above` followed by `below`: the product below·above.
CapacityLayer compose(const CapacityLayer& below, const CapacityLayer& above);

/// Called with an output unit, the entries of its column of D (none: a dead unit) and the norm of its weights.
using ColumnVisitor = std::function<void(std::size_t unit, std::span<const CapacityLayer::Entry>, double norm)>;

/// The columns of a layer that is no block, unit by unit, without keeping them; of the units in `wanted` (rising) alone where given.
void visitColumns(const Layer&, const ColumnVisitor&, const ZeroUnits& = {}, const std::vector<std::size_t>* wanted = nullptr);
/// Their norms.
std::vector<double> columnNorms(const Layer&, const ZeroUnits& = {});

/// Paths of capacity from one top unit down, taken layer by layer: the weight of a path is the product of D's entries along it (P1 Eq 35).
class PathStatistics {
public:
    PathStatistics(std::size_t units, std::size_t top);

    /// One layer down. Cost: one logarithm an entry; 4 bytes a unit kept for the way back.
    void descend(const CapacityLayer&);

    /// Logarithm of the heaviest path's weight, over all units of the present layer (max-product recursion).
    double logMaxWeight() const;
    /// −Σ w log w over all paths so far, in nats: E_i = Σ_j D_ij E_j − κ_j D_ij log D_ij, H = Σ_i E_i.
    double entropy() const;
    const std::vector<double>& capacity() const { return mass_; }
    /// Entry number (within its column) taken at each layer by the heaviest path to the present layer, from the top down. Between
    /// equally heavy paths the one that wanders least wins.
    std::vector<std::uint32_t> heaviestPath() const;

private:
    std::size_t heaviestUnit() const;

    struct Best {
        double logWeight;
        double wander;  ///< Σ |offset| of its steps
    };
    struct Step {
        std::uint32_t from, entry;
    };
    std::vector<Best> best_;
    std::vector<double> mass_, entropy_;
    std::vector<std::vector<Step>> steps_;  ///< [layer from the top][unit]
};

/// The capacity that moves from one layer to the next below as a list of edges, few enough to draw: positions are joined in bins of
/// equal size when there are too many. Whatever the bins, what leaves one is its capacity (less what dead units keep) and what
/// arrives at one is its capacity in the layer below.
struct LayerEdges {
    std::vector<std::uint32_t> from, to;  ///< [edge] bins of the upper and the lower layer
    std::vector<double> amount;           ///< [edge]
};

/// How one layer joins positions: reach = how many positions below one above may reach, span = how far apart the outermost are.
struct FlowGeometry {
    int inWidth = 1, outWidth = 1;
    double reach = 1, span = 1;
};

/// The smallest bin size (the same for all layers) for which the edges of all layers are estimated to fit into `limit`.
int flowBinSize(const std::vector<FlowGeometry>& layers, double limit);

/// Collects the edges of one layer. Add transfers with `from` not falling; every pair added makes an edge, zero amounts too, so that
/// networks of the same shape have the same edges.
class FlowLayer {
public:
    FlowLayer(int binSize, int inWidth);
    void add(int from, int to, double amount);
    /// The layer's edges in the order they were met.
    LayerEdges finish();

private:
    void closeBin();
    int binSize_, from_ = 0;
    std::uint32_t bin_ = 0;
    std::vector<std::uint32_t> binBelow_;  ///< of every position: a table, since dense layers ask millions of times
    std::vector<double> amount_;
    std::vector<char> touched_;
    std::vector<std::uint32_t> order_;
    LayerEdges edges_;
};

/// Squared gradient of the output units at one Gaussian input N(0, I), [state as in `forward`][unit]: (Σ_j s_j √top_j ∂y_j/∂x^l_i)²
/// with random signs s_j. Its mean over inputs and signs is Σ_j top_j E(∂y_j/∂x^l_i)², which is the capacity of unit i where the
/// activation is pseudo-random (P1 5, "two sides of the same coin"). Draws from `rng` the input first, then the signs.
/// Cost: a forward and a backward pass.
std::vector<std::vector<double>> squaredGradient(const Network&, const std::vector<double>& top, Rng& rng);

}  // namespace kappaflow
