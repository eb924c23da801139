#pragma once
#include <memory>
#include <vector>

#include "core/capacity/flow_edges.h"
#include "scenes/capacity_flow/capacity_diffusion/model_setup.h"

namespace kappaflow::diffusion {

/// More edges of the flow than a picture can show: positions are joined in bins.
inline constexpr double kMaxFlowEdges = 40000;
/// More entries of D than a report should carry: `shares` is left out.
inline constexpr double kMaxShares = 300000;

/// Sizes of the chain of layers.
struct ChainShape {
    bool plane = false;                ///< states have rows and columns
    std::vector<int> heights, widths;  ///< [layer 0 … L]; widths: units of dense networks and of files without planes
    std::vector<std::size_t> units;    ///< [layer 0 … L]
    std::vector<double> inputScale;    ///< [layer 0 … L] input positions that one of the layer's stands for, 0 for none; files in a plane
    std::vector<double> scale;         ///< [layer 0 … L] positions that one of the top's stands for; 0 where there is no such thing
    std::vector<FlowGeometry> geometry;  ///< [weight layer], empty for planes
    std::vector<double> work;            ///< [weight layer] operations of one step down
    int layers() const { return static_cast<int>(work.size()); }
    std::size_t positions(std::size_t l) const { return static_cast<std::size_t>(heights[l]) * static_cast<std::size_t>(widths[l]); }
    std::size_t channels(std::size_t l) const { return units[l] / positions(l); }
};

/// How offsets from the top are followed.
enum class Tracking {
    None,       ///< they mean nothing
    Positions,  ///< nothing wraps: the position itself tells the offset
    Collapsed,  ///< all columns of a layer are alike: sums over positions, by channel
    Units,      ///< by unit
};

/// What one network's descent has reached.
struct ChainState {
    std::vector<double> capacity;  ///< [unit]
    OffsetMoments offsets;         ///< Collapsed: [channel]; Units: [unit]; else empty
};

/// What one step down leaves beside the capacity itself.
struct StepRecord {
    FlowLayer* flow;                    ///< null in a plane
    std::vector<double>* kernelShares;  ///< [tap], rings, lines and grids
    std::vector<double>* shares;        ///< D row-major [input, output]; null when not wanted
};

/// The layers of one network after the other, whatever it is made of.
class Chain {
public:
    virtual ~Chain() = default;
    virtual const ChainShape& shape() const = 0;
    virtual Tracking tracking() const = 0;
    /// Capacity of layer l − 1 from that of layer l in network number `draw`.
    virtual ChainState stepDown(int l, std::uint64_t draw, const ChainState& above, double& unattributed, const StepRecord&) = 0;
    /// The network itself, to run it, and the index in `forward` of every state.
    virtual std::shared_ptr<const Network> network(std::uint64_t draw) const = 0;
    virtual std::vector<std::size_t> states() const = 0;
};

std::unique_ptr<Chain> makeChain(const Setup&);

/// Sums over channels: [channel][position] → [position].
std::vector<double> byPosition(const std::vector<double>& units, std::size_t positions);

}  // namespace kappaflow::diffusion
