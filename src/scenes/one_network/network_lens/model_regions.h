#pragma once
#include "core/regions/partition.h"
#include "core/regions/region_info.h"
#include "scenes/one_network/network_lens/model_lens.h"

namespace kappaflow::lens {

/// Where depths lie, the window itself first: behind which state, and in it 0, of a residual block −1 behind the sum, k as the k-th that
/// bends inside the block.
struct DepthPlaces {
    std::vector<double> state, inside;
};

/// The partition of the window into activation regions, as deep as the work allows.
class RegionsLens final : public Lens {
public:
    void start(const Setup&, const Network&, double work) override;
    bool step() override;
    void addTo(FilledReport&) const override;

    double progress() const { return cut_ ? partition_.progress() : 1; }

private:
    /// Of the network's depths and outputs; "" when nothing is.
    std::string whatIsMissing() const;
    void addMesh(FilledReport&) const;
    void addValues(FilledReport&) const;

    Partition partition_;
    std::vector<MeshSegment> decisions_;
    DepthPlaces places_;
    Vec2 lo_, hi_;
    std::size_t unit_ = 0, outputs_ = 0;
    double wanted_ = 0, allowed_ = 0;  ///< regions: as the reader has it, and what time and memory allow of them
    bool cut_ = false;
};

/// Memory of mesh and values.
inline constexpr double kMeshBytes = 3e7;
/// How the lens cuts, with so many regions at the most.
PartitionOptions partitionOptions(double regions);
/// How many times its work a partition may have as its bound, which has every layer at the budget and products slower than they are: 20000
/// regions of 784-100×8-10 take 0.4 s; their bound is 3.2e9 operations.
inline constexpr double kBoundOverWork = 30;
/// The most regions, at most `wanted`, whose partition takes no more than so many operations; 0 when even one takes more.
double regionsWithin(const Network&, double work, double wanted);
/// Why the regions of a network are not drawn, "" when they are.
std::string whyNoRegions(const Network&);

}  // namespace kappaflow::lens
