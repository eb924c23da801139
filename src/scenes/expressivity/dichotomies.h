#pragma once
#include <string>
#include <vector>

#include "scenes/expressivity/curve_networks.h"

namespace kappaflow::dichotomies {

enum class Turning { Weights, Inputs };
enum class Swept { First, Every };

struct Params {
    int samples = 15;
    Turning sweep = Turning::Weights;
    Swept swept = Swept::First;
    int depthRemaining = 6;
    std::vector<double> depths{3, 5, 7};
    int width = 16;
    double weightVariance = 8;
    std::vector<double> widths{4, 8, 16};
    CurveActivation activation = CurveActivation::HardTanh;
    double slope = 0.2, biasVariance = 0;
    int draws = 3;
    std::uint64_t seed = 1;
    double at = 0;
    bool play = true;
    int shown = 4;
};

/// Whether each layer of a network is swept in turn; else the first alone is, and is read after any number of layers.
inline bool sweepsEvery(const Params& p) { return p.sweep == Turning::Weights && p.swept == Swept::Every; }

struct Result : Findings {
    std::vector<double> curves, remaining, samples, angles;             ///< axes
    std::vector<double> flipIndex, entries, changeIndex, depthEntries;  ///< axes of lists and of where their parts begin

    std::vector<double> curveWidth, curveDepth;  ///< [curve]
    Estimates dichotomies, flips;                ///< [curve][remaining depth]
    std::vector<double> flipsPredicted;          ///< as these
    std::vector<double> flipsMeanField;          ///< [remaining depth]
    double cap = 0;
    std::optional<double> growth, growthMeanField;

    // Of the drawn network.
    std::vector<double> labelStart;                         ///< [remaining depth][sample]
    std::vector<double> labelFlips, labelFlipsOffsets;      ///< [flip], [entry]
    std::vector<double> changes, distinct, changesOffsets;  ///< [change], [depth entry]
    std::vector<double> running;                            ///< [remaining depth][angle]
};

extern const SceneTable kScene;

}  // namespace kappaflow::dichotomies
