#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/net/data_sets.h"
#include "core/regions/partition.h"
#include "scene/scene.h"
#include "scenes/expressivity/model_training.h"

namespace kappaflow::regions {

/// What a request asks to be trained.
struct TrainingTask {
    LabelledPoints points;  ///< where they are drawn: the inputs
    training_runs::Task run;
};

/// Whether these values train the network that they draw.
bool trains(const Values&);
/// Outputs of the network: one, but for more than two classes one each. Throws InputError on a data file that cannot be used.
std::size_t trainedOutputs(const Request&);
/// Throws what `Trainer` throws.
TrainingTask trainingTask(const Request&, Network drawn);
Cost trainingCost(const Request&, const Architecture&);

/// Points, curves and where the run stands.
void addTraining(FilledReport&, const LabelledPoints&, const training_runs::Run&);
std::string trainingSummary(const LabelledPoints&, const training_runs::Run&);

/// Memory of mesh and values, and of what is kept to begin again from a layer.
inline constexpr double kPartitionBytes = 6e7, kSnapshotBytes = 1.6e7;

/// While a network is trained its regions are cut on the way, up to so many, after so many slices of training: at first, and more for each
/// step that the cut before took, so that these take a quarter of the time and one cut more.
inline constexpr double kRegionsOnTheWay = 2e4;
inline constexpr int kLeastSlices = 12, kSlicesAStep = 16;

/// A request read once and for all.
struct Setup {
    Network network;
    Slice slice;
    Polygon window;
    Vec2 centre;
    double half = 1;
    PartitionOptions options;
    std::size_t output = 0;
    std::string path;  ///< "none", "circle" or "drawn"
    Polygon drawn;     ///< corners of a drawn path
    Vec2 pathCentre;
    double pathRadius = 0;
    bool withNetwork = false;
    std::optional<TrainingTask> training;
    std::vector<std::string> warnings;
};

/// Throws InputError on a network file that cannot be used, or is not piecewise linear.
Setup readSetup(const Request&);

/// The network that is shown: drawn by seed, a sample or the attached file, with the reader's changes in it. `warnings` gets a sentence for
/// changes of weights that are not there.
Network networkOf(const Request&, std::vector<std::string>& warnings);
/// Sets weights to what the reader changed them to.
void editNetwork(Network&, const Values&, std::vector<std::string>& warnings);
/// Its sizes alone.
Architecture architectureOf(const Request&, std::vector<std::string>* warnings = nullptr);
/// Throws InputError, with a word about scenes that take them, when a layer's activation is not piecewise linear.
void requirePiecewiseLinear(const Network&);

/// The plane of a request through a space of so many inputs. What makes no plane is replaced, with a sentence in `warnings`.
Slice sliceOf(const Values&, std::size_t inputs, std::vector<std::string>& warnings);

/// A list of x and y in turn as points; a last x alone is left out.
std::vector<Vec2> pointsOf(const std::vector<double>& list);

/// How many regions of such a network may be made and reported within time and memory, whatever the reader's budget is.
double regionsAffordable(const Architecture&);
Cost costOf(const Request&);
std::string costliestOf(const Request&);

/// What is made of a finished partition, part by part.
struct Facts {
    std::vector<double> slopes;         ///< [region]
    std::vector<std::uint32_t> pieces;  ///< [region], see affinePieces
    std::vector<MeshSegment> decisions;
    std::optional<std::vector<Crossing>> crossings;  ///< of the path, when there is one
};

Report makeReport(const Setup&, const Partition&, const Facts&);

/// The path as points, a circle in 128 steps.
Polygon pathPoints(const Setup&);

/// One to three sentences.
std::string summaryOf(const Partition&, const Report&);

}  // namespace kappaflow::regions
