#pragma once
#include <cstdint>
#include <vector>

namespace kappaflow {

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

}  // namespace kappaflow
