#pragma once
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/capacity/capacity_network.h"
#include "core/capacity/diffusion_theory.h"
#include "core/capacity/drawn_network.h"
#include "core/capacity/ensemble_mean.h"
#include "scene/scene.h"

namespace kappaflow::diffusion {

/// Where the capacity starts: a share for every top position (total 1), row by row, and the unwrapped offset of each column and row
/// from the origin that mean and variance count from (the chosen unit; for painted and even starts their mean).
struct Start {
    std::vector<double> profile;
    std::vector<double> offset, offsetY{0};
    double origin = 0, originY = 0;
    int width() const { return static_cast<int>(offset.size()); }
    int height() const { return static_cast<int>(offsetY.size()); }
};

/// A request read once and for all.
struct Setup {
    DrawnNetwork drawn;
    std::optional<Network> file;  ///< in place of the drawn one
    bool filePlane = false;
    Start start;
    int draws = 1, gradientSamples = 0;  ///< samples 0: no gradient wanted
    int channel = -1;                    ///< whose capacity is reported beside the sum; −1: none
    Activation activation = Activation::Relu;
    double slope = 0.2;
    bool withNetwork = false;
    std::vector<std::string> warnings;

    bool local() const { return !file && drawn.space != Space::Dense; }
    /// States have rows and columns: a drawn grid, or a file that begins with an image and something that keeps its places.
    bool plane() const;
    bool random() const { return !file && drawn.kernel == KernelType::Random; }
};

/// The drawn network of the params, before anything is allocated.
DrawnNetwork drawnNetwork(const Values&);
bool isPlane(const Network&);

/// Throws InputError on a network file that cannot be used.
Setup readSetup(const Request&);

/// Upper estimate of a request's operations and memory. A file small enough is read for its layers.
Cost costOf(const Request&);
/// The param that saves most of what is scarcer, time or memory, when it goes back to its default.
std::string costliestOf(const Request&);

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

/// Mean of the offset's powers over the capacity of one layer: u_y, u_x, u_y², u_x², u_y u_x; zeros where there is no capacity.
struct LayerMoments {
    double firstY = 0, first = 0, secondY = 0, second = 0, product = 0;
};

inline double sumOf(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Offsets of the top's units, as `tracking` follows them: empty, by channel or by unit.
OffsetMoments topOffsets(const Start&, std::size_t channels, Tracking, bool plane);

/// `capacity` by position, row by row.
LayerMoments momentsOf(const ChainShape&, std::size_t l, const Start&, Tracking, const OffsetMoments&, const std::vector<double>& capacity);

/// What one network's descent leaves: rows of capacity by position, moments of the offset, edges of the flow.
struct Descent {
    ChainState state;                                       ///< of the layer reached
    std::vector<double> capacity, channel;                  ///< [layer, position], NaN-padded; channel: of the chosen one, or empty
    std::vector<double> total, unattributed;                ///< [layer]
    std::vector<LayerMoments> moments;                      ///< [layer] of the offset
    std::vector<std::vector<double>> kernelShares, shares;  ///< [weight layer]
    std::vector<LayerEdges> flow;                           ///< [weight layer]
};

/// Sums over the networks drawn so far.
class Totals {
public:
    Totals(const Setup&, const Chain&);

    Descent begin() const;
    /// One layer down, from l to l − 1.
    void descend(Chain&, int l, std::uint64_t draw, Descent&);
    void add(Descent&&);
    /// One network's mean squared gradient, rows by position scaled to a total of 1, and its own standard error (used while it is
    /// the only network).
    void addGradient(const std::vector<double>& gradient, std::vector<double> sampleError);

    std::size_t rows() const { return shape_.units.size(); }
    /// Positions of a row, NaN-padded to the widest (in a plane: row by row, to the tallest and widest).
    std::size_t width() const { return height_ * width_; }
    /// Row l of a [layer, position] array: its defined part.
    std::vector<double> rowOf(const std::vector<double>& array, std::size_t l) const;
    /// Puts that part into the array.
    void setRow(std::vector<double>& array, std::size_t l, const std::vector<double>& values) const;
    /// [layer, position], undefined everywhere.
    std::vector<double> undefinedRows() const;
    std::size_t tallest() const { return height_; }
    std::size_t widest() const { return width_; }

    EnsembleMean capacity, channel, total, unattributed, gradient;
    std::vector<double> gradientSampleError;
    std::vector<std::vector<LayerMoments>> moments;         ///< [draw][layer]
    std::vector<std::vector<double>> kernelShares, shares;  ///< [weight layer], sums over draws
    std::vector<LayerEdges> flow;                           ///< [weight layer], amounts are sums over draws
    int binSize = 1;                                        ///< positions in one bin of the flow
    bool wantsShares = false;

private:
    void storeRow(Descent&, std::size_t l, double unattributed) const;
    const Setup& setup_;
    const ChainShape shape_;
    Tracking tracking_;
    std::size_t height_ = 1, width_ = 1;
    ChainState top_;
};

/// What the diffusion equation says of a ring, line or grid, from the kernels alone (averaged over positions, channels and draws).
struct Theory {
    std::vector<KernelDiffusion> layers;  ///< [weight layer]
    std::vector<double> scale;            ///< [layer] positions per top position
    std::vector<PlaneNormal> normal;      ///< [layer] the density the start is convolved with
    double drift = 0, diffusion = 0;      ///< averages over layers, along x
    double driftY = 0, diffusionY = 0;    ///< along y
};

Theory makeTheory(const Setup&, const Totals&);
/// The profile of state l it predicts, by position.
std::vector<double> gaussianRow(const Setup&, const Theory&, std::size_t l);
/// Operations of all rows.
double gaussianWork(const Setup&, const Chain&);
/// Share of each tap with the identity connection, [tap], of a weight layer.
std::vector<double> sharesWithIdentity(const Setup&, const Theory&, std::vector<double> kernel, std::size_t weightLayer);

/// Mean squared gradient of one network's chosen top units (P1 5), sample by sample.
class GradientRun {
public:
    GradientRun(const Setup&, const Chain&, std::uint64_t draw);
    /// One more Gaussian input.
    void sample();
    /// Rows by position scaled to a total of 1 (NaN where every gradient vanishes) into `totals`, with the standard error of a ratio:
    /// that of g_i − r_i T over T, where r_i is the share of position i in the row's total T.
    void finish(Totals&) const;
    double samples() const { return mean_.count(); }

private:
    void addComoments(const std::vector<double>& rows);

    const Setup& setup_;
    std::uint64_t draw_;
    std::shared_ptr<const Network> network_;
    std::vector<std::size_t> states_;
    std::vector<std::size_t> positions_, first_;  ///< [layer]; first_: where the layer begins in a row of all
    std::vector<double> top_;
    EnsembleMean mean_, total_;      ///< of all layers' positions one after another, and of their totals [layer]
    std::vector<double> comoments_;  ///< Σ (g_i − mean)(T − mean) over the samples
};

/// A report being put together: fills in what the declaration says about a field.
class Builder {
public:
    Builder(const Setup& setup, const Chain& chain, const Totals& totals) : setup(setup), chain(chain), totals(totals) {}

    Array& add(const std::string& name, std::vector<Axis> axes, std::vector<double> values);
    Scalar& add(const std::string& name, double value);

    Axis layers() const;
    Axis weightLayers() const;
    /// [layer, position], in a plane [layer, y, x].
    std::vector<Axis> everywhere() const;
    /// The given axis, in a plane with rows and columns apart: [.., axis].
    std::vector<Axis> byAxis(Axis) const;
    bool plane() const { return chain.shape().plane; }
    double draws() const { return totals.capacity.count(); }

    const Setup& setup;
    const Chain& chain;
    const Totals& totals;
    Report report;
};

/// 0, 1, … n − 1, from `first` on.
std::vector<double> counted(std::size_t n, double first = 0);

// Parts of the report.

/// Mean, variance and width of the offset from the top, and how far centres wander.
void addMoments(Builder&);
/// What the kernels predict, and the Gaussian, [layer, position] or empty.
void addTheory(Builder&, const std::vector<double>& gaussian);
/// Files in a plane: the straight line through the variance against layers crossed.
void addFit(Builder&);

/// The report of at least one network. `gaussian` ([layer, position]) may be empty: not computed yet.
Report makeReport(const Setup&, const Chain&, const Totals&, const std::vector<double>& gaussian, bool finished);

/// The drawn or read network's weights, layer by layer, as --with-network prints them.
std::vector<ReportLayer> reportLayers(const std::vector<Layer>&);

/// One to three sentences made from the report's numbers.
std::string summaryOf(const Setup&, const Chain&, const Totals&, const Report&);

}  // namespace kappaflow::diffusion
