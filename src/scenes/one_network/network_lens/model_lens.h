#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/capacity/capacity_network.h"
#include "core/expressivity/curve_plane.h"
#include "core/expressivity/trajectory_sweep.h"
#include "core/moments/expected_noise.h"
#include "core/moments/network_moments.h"
#include "core/regions/partition.h"
#include "scene/filled_report.h"
#include "scenes/expressivity/training_model.h"
#include "scenes/one_network/network_lens/model_setup.h"

namespace kappaflow::lens {

/// What is not defined somewhere.
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// Operations that a lens may take: when it is the last word, and on the way while a network is trained.
inline constexpr double kFinalWork = 4e8, kPassingWork = 3e7;

inline Axis keyedAxis(std::string name, std::vector<std::string> keys) { return {std::move(name), {}, std::move(keys)}; }
inline Axis xyAxis() { return keyedAxis("xy", {"x", "y"}); }

/// One way of looking at a network, slice by slice. What it finds stands until it is started again and has finished.
class Lens {
public:
    virtual ~Lens() = default;
    /// Begins to look at a network, which stays as it is until the lens has finished, with about so many operations to spend.
    virtual void start(const Setup&, const Network&, double work) = 0;
    /// A slice of the work, at the most a layer; false when nothing is left.
    virtual bool step() = 0;
    /// Arrays and scalars; only once finished.
    virtual void addTo(FilledReport&) const = 0;
    /// Why it shows nothing, or less than all; "" otherwise.
    const std::string& note() const { return note_; }
    /// Ends a look that went beyond what can be computed.
    void giveUp(const std::string& why) {
        note_ = why;
        gaveUp_ = true;
    }
    bool gaveUp() const { return gaveUp_; }

protected:
    void beginNote(std::string text = "") {
        note_ = std::move(text);
        gaveUp_ = false;
    }
    std::string note_;

private:
    bool gaveUp_ = false;
};

/// Capacity of a network's states from the top down, as far as the work allows.
struct Descent {
    std::vector<std::vector<double>> capacity;  ///< [layer 0 … L][unit]; empty where it was not reached
    std::size_t reached = 0;                    ///< lowest state that has one
};

/// Of a chosen output.
class CapacityLens final : public Lens {
public:
    void start(const Setup&, const Network&, double work) override;
    bool step() override;
    void addTo(FilledReport&) const override;

    const Descent& descent() const { return descent_; }

private:
    void beginFlow();
    void descend(std::size_t l);
    void addFlow(FilledReport&) const;

    std::vector<WeightLayer> layers_;
    Descent descent_;
    double left_ = 0;  ///< operations
    int bin_ = 0;      ///< 0: the flow is not drawn
    std::vector<LayerEdges> flow_;
};

/// Numbers of capacities that a report may hold.
inline constexpr double kMostCells = 3e5;

/// Shapes of the states: of the input and behind each of those layers.
std::vector<Shape> stateShapes(const Network&, const std::vector<WeightLayer>&);
/// Shapes and numbers of parameters of a network's states.
void addShape(FilledReport&, const Network&);
/// Weights and biases of a layer and all inside it.
double parametersOf(const Layer&);
/// Capacity of one state as a row of numbers, padded with NaN to `width`.
void appendRow(std::vector<double>& rows, const std::vector<double>& values, std::size_t width);
/// (Σκ)²/Σκ², NaN of nothing.
double holdersOf(const std::vector<double>& capacity);

/// A network as the reader would change it.
struct Edited {
    Network network;
    std::vector<double> stateBefore;  ///< [state of the edited network] the state of the one before that it stands for, NaN for a new one
    std::vector<bool> frozen;         ///< [layer of the network]; empty: none
};

/// Throws InputError in one sentence when the network allows no such edit. The number of a layer counts what the states lie between.
Edited editedNetwork(const Network&, const Edit&, std::uint64_t seed);
/// Marks of frozen layers for the training of the network itself: empty unless the edit freezes a layer that is there.
std::vector<bool> frozenLayers(const Network&, const Edit&);

/// Rms difference of both networks' outputs over the first samples, in units of the outputs' own rms; NaN where they are all zero,
/// and behind pseudo-random signs, which rounding alone flips.
double functionChange(const Network&, const Network& edited, const Samples&, double work);

/// The edited network's states, and how far its outputs moved.
void addEditedShape(FilledReport&, const Edited&, double change);
/// What the capacity lens says of the edited network beside the one before.
void addEditedCapacity(FilledReport&, const CapacityLens& before, const CapacityLens& after);

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

/// Points of a curve's images at the most.
inline constexpr std::size_t kMostCurvePoints = 400;

/// The curve from sample A to sample B through the layers: a first sample of lengths, images, exact lengths as deep as the work allows, and
/// sampled ones behind.
class TrajectoryLens final : public Lens {
public:
    void start(const Setup&, const Network&, double work) override;
    bool step() override;
    void addTo(FilledReport&) const override;

private:
    void beginImages();
    void beginDeep();
    void addLengths(FilledReport&) const;
    void addImages(FilledReport&) const;
    std::vector<SampledLength> lengths() const;
    std::size_t exactLayers() const { return sweep_ ? sweep_->exactLayers() : 0; }

    bool applies_ = false;
    std::uint64_t seed_ = 1;
    double work_ = 0;
    std::vector<CurveLayer> layers_, deeper_;
    CurvePieces curve_;
    std::vector<Vec2> inPlane_;  ///< the curve's points where it lies in the slice
    std::optional<TangentSampler> pilot_, deep_;
    std::vector<SampledLength> pilotLengths_;
    std::optional<CurvePlanes> planes_;
    std::optional<TrajectorySweep> sweep_;
    std::vector<double> places_;
};

/// Whether a layer's activation is the pseudo-random sign, which hangs on the last bit of what it reads.
bool isPseudoRandom(const std::vector<Layer>&);

/// Normalised sensitivity and effective ranks over the samples: of the noise's mean square the expectation, of its rank one draw a sample.
class SensitivityLens final : public Lens {
public:
    void start(const Setup&, const Network&, double work) override;
    bool step() override;
    void addTo(FilledReport&) const override;

private:
    const Network* network_ = nullptr;
    std::optional<NetworkMoments> moments_;
    std::optional<ExpectedNoise> noise_;
    std::size_t samples_ = 0;
};

/// All lenses on one network, one after the other, the reader's edit of it first.
class Look {
public:
    /// Takes a copy of the network. `trained`: its training step.
    void start(const Setup&, const Network&, double trained, double workOfALens);
    /// One step of a lens, or of the edit; false when every lens has finished.
    bool step();
    double progress() const;
    /// What the lenses have found that have finished.
    void addTo(FilledReport&) const;
    /// What the lenses look at: the edited network where all of them do.
    const Network& shown() const { return edited_ && setup_->edit.everywhere ? edited_->network : network_; }

private:
    /// What is done, in this order.
    enum Part : std::size_t { kEdit, kChange, kCapacity, kEditedCapacity, kRegions, kTrajectory, kSensitivity, kParts };
    Lens* lens(std::size_t);
    void makeEdit();
    void begin();
    void tell(FilledReport&, const char* part, const char* step, const Lens&) const;

    const Setup* setup_ = nullptr;
    Network network_;
    std::optional<Edited> edited_;
    std::string noEdit_;
    double trained_ = 0, work_ = 0, change_ = kNone;
    std::size_t at_ = kParts;
    CapacityLens capacity_, editedCapacity_;
    RegionsLens regions_;
    TrajectoryLens trajectory_;
    SensitivityLens sensitivity_;
};

/// What has been found so far; `run` is null where nothing is trained. The look must have begun.
Report makeReport(const Setup&, const Look&, const training_runs::Run* run);

}  // namespace kappaflow::lens
