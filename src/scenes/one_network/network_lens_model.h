#pragma once
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/capacity/capacity_network.h"
#include "core/linalg/matrix.h"
#include "core/net/network.h"
#include "core/regions/partition.h"
#include "scene/typed_model.h"
#include "scenes/expressivity/training_model.h"
#include "scenes/one_network/network_lens.h"

namespace kappaflow::network_lens {

/// What is not defined somewhere.
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// Hears the share of the work that is done; throws Cancelled.
using Tick = std::function<void(double)>;
/// Samples that capacity is measured on at the most.
inline constexpr std::size_t kMostMeasured = 200;
/// Operations that a lens may take: when it is the last word, and on the way while a network is trained.
inline constexpr double kFinalWork = 4e8, kPassingWork = 3e7;

/// The points that a network is looked at with.
struct Samples {
    Matrix inputs;            ///< [inputs][samples]
    std::vector<int> labels;  ///< 0 … classes − 1; empty without labels
    int classes = 0;
    Shape shape;  ///< of one sample
    std::size_t count() const { return inputs.columns; }
    std::vector<double> at(std::size_t sample) const;
};

/// A request as the lenses need it.
struct Setup {
    const Params& p;
    std::shared_ptr<const Network> network{};  ///< as drawn or read
    Samples samples{};
    std::array<std::size_t, 3> chosen{};  ///< samples A, B and C
    std::optional<Slice> slice{};         ///< absent where there is no plane; `noSlice` says why
    std::string noSlice{};
    std::vector<Vec2> places{};  ///< of the first samples in the plane, as many as are shown
    Vec2 low{}, high{};          ///< corners of the window
    std::size_t unit = 0;
    std::optional<training_runs::Task> training{};
    std::string noTraining{};  ///< why it is not trained, though it was asked to be; "" otherwise
    std::vector<std::string> warnings{};
};

/// Reads the network's file and the data's. Throws InputError when they cannot be used.
void readFiles(Opened<Params>&, const Request&);
Setup readSetup(const Opened<Params>&, const std::function<void()>& tick);
Cost cost(const Opened<Params>&);

/// All lenses on a network after so many training steps, one after the other, the reader's edit of it first. Each may spend about `work`
/// operations; Returns the edited network where all lenses look at it, else null.
std::shared_ptr<const Network> lookAt(const Setup&, const Network&, double trained, double work, const Tick&, Result&);

/// Weights and biases of a layer and all inside it.
double parametersOf(const Layer&);
/// Whether a layer's activation is the pseudo-random sign, which hangs on the last bit of its input.
bool isPseudoRandom(const std::vector<Layer>&);
/// The network as the reader would change it, with its shape in the result. Throws InputError in one sentence when it allows no such edit.
std::shared_ptr<const Network> addEdited(const Setup&, const Network&, double work, Result&);

/// Capacity of a network's states from the top down, as far as the work allows.
struct Descent {
    std::vector<std::vector<double>> capacity;  ///< [state][unit]; empty where it was not reached
    std::vector<LayerEdges> flow;
    int bin = 0;  ///< units in a bin of the flow; 0: it is not drawn
    std::string note;
};
Descent descend(const Network&, std::size_t unit, double work, const Tick&);
void addCapacity(const Descent&, Result&);
void addEditedCapacity(const Descent& before, const Descent& after, Result&);

/// Capacity on samples, without a rule for the gates, beside D = P∘P and the channel. Returns why it is not measured, or what is missing.
std::string measureCapacity(const Setup&, const Network&, double work, const Tick&, Result&);
/// Within what a lens may do.
Cost costOfMeasuring(const Architecture&, double samples);

/// Marks of frozen layers for the training of the network itself: empty unless the edit freezes a layer that is there.
std::vector<bool> frozenLayers(const Network&, const Params&);
/// Operations that χ may take beyond those of the ranks, of what a lens may do: fewer beside a training, which takes its own time.
inline double noiseShareOf(const Params& p) { return isTrained(p) ? 0.2 : 0.5; }

/// How the regions are cut, with so many at the most.
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

}  // namespace kappaflow::network_lens
