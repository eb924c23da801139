#pragma once
#include <functional>
#include <optional>

#include "core/net/data_sets.h"
#include "core/regions/partition.h"
#include "scenes/expressivity/activation_regions.h"
#include "scenes/expressivity/training_model.h"

// The computing parts of the scene: what a request asks to be cut, and its result.
namespace kappaflow::activation_regions {

using Given = Opened<Params>;

/// Whether the params train the network that they draw.
bool trains(const Params&);
/// The network before any training or change: read, or drawn by seed; the architecture alone is enough for costs.
Architecture architectureOf(const Given&);
Network startingNetwork(const Given&);
/// Sets weights to what the reader changed them to, with a sentence for changes of weights that are not there.
void editNetwork(Network&, const std::vector<double>& edits, std::vector<std::string>& warnings);
/// Throws InputError, with a word about scenes that take them, when a layer's activation is not piecewise linear.
void requirePiecewiseLinear(const Network&);
/// The plane through a space of so many inputs. What makes no plane is replaced, with a sentence in `warnings`.
Slice sliceOf(const Params&, std::size_t inputs, std::vector<std::string>& warnings);

/// What is cut.
struct Setup {
    Network network;
    Slice slice;
    Polygon window;
    Vec2 centre;
    double half = 1;
    PartitionOptions options;
    std::vector<std::string> warnings;
};
Setup setupOf(const Given&);

/// The params' data set or the file's points, of standard deviation 1/2 in each coordinate; empty without training.
LabelledPoints trainingPoints(const Given&);
training_runs::Task trainingTask(const Params&, const LabelledPoints&, Network drawn);

/// What the finished partition is made into; `tick` is called between its parts.
Result resultOf(
    const Params&, const Setup&, const Partition&, const std::function<void()>& tick = [] {});
/// Where no line crosses the window: how far the nearest one is from its middle, from windows that grow until they show it. Nothing
/// when there is none within 10⁴, or when layers were left out.
void addNextLine(const Setup&, const Partition&, Result&, const std::function<void()>& tick);
void addTraining(Result&, const LabelledPoints&, const training_runs::Run&);

/// While a network is trained its regions are cut on the way, up to so many.
inline constexpr double kRegionsOnTheWay = 2e4;
Cost costOf(const Given&);
/// One to three sentences.
std::string summaryOf(const Params&, const Result&);

}  // namespace kappaflow::activation_regions
