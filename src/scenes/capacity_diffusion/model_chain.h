#pragma once
#include <memory>
#include <vector>

#include "core/capacity/flow_edges.h"
#include "scenes/capacity_diffusion/model_setup.h"

namespace kappaflow::diffusion {

/// More edges of the flow than a picture can show: positions are joined in bins.
inline constexpr double kMaxFlowEdges = 40000;
/// More entries of D than a report should carry: `shares` is left out.
inline constexpr double kMaxShares = 300000;

/// Sizes of the chain of layers.
struct ChainShape {
    std::vector<int> widths;             ///< [layer 0 … L] positions; units of dense networks and files
    std::vector<std::size_t> units;      ///< [layer 0 … L]
    std::vector<FlowGeometry> geometry;  ///< [weight layer]
    std::vector<double> work;            ///< [weight layer] operations of one step down
    int layers() const { return static_cast<int>(geometry.size()); }
};

/// What one step down leaves beside the capacity itself.
struct StepRecord {
    FlowLayer* flow;
    std::vector<double>* kernelShares;  ///< [tap], rings and lines
    std::vector<double>* shares;        ///< D row-major [input, output]; null when not wanted
};

/// The layers of one network after the other, whatever it is made of.
class Chain {
public:
    virtual ~Chain() = default;
    virtual const ChainShape& shape() const = 0;
    /// Capacity of layer l − 1 from that of layer l in network number `draw`.
    virtual OffsetMoments stepDown(int l, std::uint64_t draw, const OffsetMoments& above, double& unattributed, const StepRecord&) = 0;
    /// The network itself, to run it, and the index in `forward` of every state.
    virtual Network network(std::uint64_t draw) const = 0;
    virtual std::vector<std::size_t> states() const = 0;
};

std::unique_ptr<Chain> makeChain(const Setup&);

/// Sums over channels: [channel][position] → [position].
std::vector<double> byPosition(const std::vector<double>& units, int width);

}  // namespace kappaflow::diffusion
