#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/capacity/capacity_network.h"
#include "core/capacity/diffusion_theory.h"
#include "core/capacity/drawn_network.h"
#include "core/capacity/ensemble_mean.h"
#include "core/capacity/parcels.h"
#include "scene/typed_model.h"
#include "scenes/capacity_flow/capacity_diffusion.h"

namespace kappaflow::capacity_diffusion {

using Size = std::size_t;
using Vector = std::vector<double>;

/// Drawn with neighbours: a ring, line or grid.
inline bool local(const Params& p) { return p.network.empty() && p.space != Space::Dense; }

/// Where the capacity starts: a share for every top position (total 1), row by row, and the unwrapped offset of each column and row
/// from the origin that mean and variance count from (the chosen unit; for painted and even starts their mean).
struct Start {
    Vector profile, offset, offsetY{0};
    double origin = 0, originY = 0;
};

/// How offsets from the top are followed.
enum class Tracking {
    None,       ///< they mean nothing
    Positions,  ///< nothing wraps: the position itself tells the offset
    Collapsed,  ///< all columns of a layer are alike: sums over positions, by channel
    Units,      ///< by unit
};

/// What one network's descent has reached.
struct Reached {
    Vector capacity;        ///< [unit]
    OffsetMoments offsets;  ///< Collapsed: [channel]; Units: [unit]; else empty
};

/// What one step down leaves beside the capacity itself.
struct StepRecord {
    FlowLayer* flow;       ///< null in a plane
    Vector* kernelShares;  ///< [tap], rings, lines and grids
    Vector* shares;        ///< D row-major [input, output]; null when not wanted
    Parcels* parcels;
};

/// The networks that a request is about, drawn or read, as a chain of weight layers 1 … L between the states 0 … L. Refers to the
/// opened request.
struct Chain {
    /// Says to `warnings` which params have no effect. Throws InputError on a network without weights.
    Chain(const Opened<Params>&, std::vector<std::string>& warnings);

    bool local() const { return capacity_diffusion::local(p); }
    Size layers() const { return work.size(); }
    Size positions(Size l) const { return static_cast<Size>(heights[l]) * static_cast<Size>(widths[l]); }
    Size channels(Size l) const { return units[l] / positions(l); }
    /// The top's units.
    Reached top() const;
    /// From state l to l − 1 in network number `draw`.
    Reached stepDown(Size l, std::uint64_t draw, const Reached& above, double& unattributed, const StepRecord&) const;
    /// The network itself, to run it, and the index in `forward` of every state.
    std::shared_ptr<const Network> network(std::uint64_t draw) const;
    std::vector<Size> states() const;

    // Arrays [layer][position] are padded with NaN to the widest state, in a plane row by row to the tallest and widest.
    Vector undefinedRows() const;
    Vector rowOf(const Vector& array, Size l) const;
    void setRow(Vector& array, Size l, const Vector& values) const;

    const Params& p;
    std::shared_ptr<const Network> file;  ///< in place of the drawn network, or null
    DrawnNetwork drawn;
    bool plane = false;                        ///< states have rows and columns
    int draws = 1, samples = 0, channel = -1;  ///< networks; samples of the gradient of each; whose capacity is reported beside the sum
    Start start;
    Tracking tracking = Tracking::None;
    std::vector<int> heights, widths;    ///< [state]; widths: units of dense networks and of files without planes
    std::vector<Size> units;             ///< [state]
    Vector scale;                        ///< [state] positions that one of the top's stands for; 0 where there is no such thing
    Vector inputScale;                   ///< [state] input positions that one of the state's stands for, 0 for none; files in a plane
    std::vector<FlowGeometry> geometry;  ///< [weight layer], empty for planes
    Vector work;                         ///< [weight layer] operations of one step down
    Size tallest = 1, widest = 1;

private:
    void addDrawn();
    void addFile();

    std::vector<WeightLayer> parts_;  ///< of a file, which is not copied: its weights may be most of the memory there is
};

DrawnNetwork drawnNetwork(const Params&);
/// A file that begins with an image and something that keeps its places.
bool beginsAsPlane(const Network&);
/// Networks that are drawn: those without randomness are all the same, only their gradients, with random signs, differ.
inline int drawsOf(const Params& p) { return p.network.empty() && (p.kernel == Kernel::Random || p.gradient) ? p.draws : 1; }

/// Means of the offset's powers, [layer], in a plane [layer][side]; their product along both sides is by layer.
struct Moments {
    Vector first, second, product;
};

/// How many parcels are followed: those of number p go down network p modulo the networks drawn.
inline Size parcelsOf(const Chain& c) { return std::clamp<Size>(60000 / c.units.size(), 100, 400); }

/// Sums over the networks so far.
struct Totals {
    explicit Totals(const Chain&);

    EnsembleMean capacity, channel, total, unattributed, gradient;
    Vector gradientError;                      ///< of one network's gradient, while it is the only one
    std::vector<Moments> moments;              ///< [draw]
    std::vector<Vector> kernelShares, shares;  ///< [weight layer], sums over draws
    std::vector<LayerEdges> flow;              ///< [weight layer], amounts are sums over draws
    int binSize = 1;                           ///< positions in one bin of the flow
    Vector parcels;                            ///< [parcel][state] position, undefined when lost or not drawn yet
    bool wantsShares = false;
};

/// Hears of so many operations done.
using Tell = std::function<void(double)>;
/// Operations of adding one network to the means.
inline double gatheringWork(const Chain& c) { return 10.0 * static_cast<double>(c.units.size() * c.tallest * c.widest); }
/// Follows the capacity of network number `draw` down to the input.
void addNetwork(const Chain&, std::uint64_t draw, Totals&, const Tell&);
/// Mean squared gradient of its chosen top units (P1 5).
void addGradient(const Chain&, std::uint64_t draw, Totals&, const Tell&);

/// What the diffusion equation says of a ring, line or grid, from the kernels alone (averaged over positions, channels and draws).
struct Theory {
    std::vector<KernelDiffusion> layers;  ///< [weight layer]
    Vector scale;                         ///< [layer] positions per top position
    std::vector<PlaneNormal> normal;      ///< [layer] the density the start is convolved with
};
Theory theoryOf(const Chain&, const Totals&);
/// The profile of state l that it predicts, by position.
Vector gaussianRow(const Chain&, const Theory&, Size l);
/// Operations of all rows.
double gaussianWork(const Chain&);

/// The result of at least one network; `gaussian` ([layer][position]) may be empty: not computed yet.
Result resultOf(const Chain&, const Totals&, Vector gaussian);
std::string summary(const Params&, const Result&);

}  // namespace kappaflow::capacity_diffusion
