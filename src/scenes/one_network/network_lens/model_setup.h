#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/linalg/matrix.h"
#include "core/net/network.h"
#include "core/regions/partition.h"
#include "scene/scene.h"
#include "scenes/expressivity/training_model.h"
#include "scenes/one_network/network_lens/declaration.h"

namespace kappaflow::lens {

/// What samples a request has, before they are drawn.
struct SamplePlan {
    Shape shape;
    std::size_t count = 0;
    int classes = 0;  ///< 0: they have no labels
};

/// The points that a network is looked at with.
struct Samples {
    Matrix inputs;            ///< [inputs][samples]
    std::vector<int> labels;  ///< 0 … classes − 1; empty without labels
    int classes = 0;
    Shape shape;  ///< of one sample
    std::size_t count() const { return inputs.columns; }
    std::vector<double> at(std::size_t sample) const;
};

/// What the reader would change about the network.
struct Edit {
    std::string kind = "none";
    int layer = 1;  ///< from 1
    double amount = 0;
    bool everywhere = false;  ///< under all lenses
    bool any() const { return kind != "none"; }
};

/// A request read once and for all.
struct Setup {
    Network network;  ///< as drawn or read
    Samples samples;
    std::array<std::size_t, 3> chosen{};  ///< samples A, B and C
    std::optional<Slice> slice;           ///< absent where there is no plane; `noSlice` says why
    std::string noSlice;
    std::vector<Vec2> places;  ///< of the first samples in the plane, as many as are shown
    Polygon window;
    Vec2 centre;
    double half = 1, budget = 0;
    std::size_t unit = 0;
    bool arc = false;
    Edit edit;
    std::uint64_t seed = 1;
    double noiseShare = 0.5;  ///< see noiseShareOf
    bool withNetwork = false;
    std::optional<training_runs::Task> training;
    std::string noTraining;  ///< why it is not trained, though it was asked to be; "" otherwise
    std::vector<std::string> warnings;
};

/// Throws InputError on files that cannot be used.
Setup readSetup(const Request&);

/// The network of a request, without weights when it is drawn here.
Architecture architectureOf(const Request&, const SamplePlan&, std::vector<std::string>* warnings = nullptr);
/// Throws InputError on a file that cannot be used.
Samples samplesOf(const Request&);
SamplePlan planOf(const Samples&);
SamplePlan samplePlanOf(const Request&);

/// Values of a signal, and images kept of a file.
inline constexpr int kSignalLength = 32;
inline constexpr std::size_t kMostFileImages = 1000;
/// Samples of N(0, 1) entries in the shape of the network's input: those of the first draw of the scene of moments.
Samples gaussianSamples(const Architecture&, std::size_t count, std::uint64_t seed);

/// Operations that χ may take beyond those of the ranks, of what a lens may do: fewer beside a training, which takes its own time.
double noiseShareOf(const Values&);

Cost costOf(const Request&);
std::string costliestOf(const Request&);

}  // namespace kappaflow::lens
