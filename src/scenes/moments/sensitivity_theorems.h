#pragma once
#include <string>
#include <vector>

#include "scene/table.h"
#include "scenes/moments/random_nets.h"

namespace kappaflow::sensitivity_theorems {

/// Where the theorem's expectation over weights comes from.
enum class Expectation { Fresh, Channels, Exact };

struct Params : random_nets::NetParams {
    Params() { width = 64, layers = 30, draws = 30; }

    Expectation expectation = Expectation::Fresh;
    double at = 1;
    bool play = true;
};

struct Result : Findings {
    std::vector<double> layers, fromFirst, units;  ///< axes; layers 0 … L and 1 … L
    double drawn = 0;                              ///< networks so far
    std::string collapse;                          ///< why the first network that died did

    Estimates deltaChi;  ///< [layer], as all but `switching`
    std::vector<double> deltaChiLow, deltaChiHigh, deltaChiTheorem, ratio;
    Estimates deltaBatchNorm, deltaActivation;
    std::vector<double> batchNormTheorem, activationTheorem, boundLow, boundHigh, undiluted;
    Estimates branchVariance;
    std::vector<double> chi, chiTheorem, switching, switchingMean;  ///< switching: [fromFirst][unit]

    std::optional<Estimate> meanRatio, meanRatioBatchNorm, meanRatioActivation, varianceIdentity, firstStepMeasured;
    std::optional<double> deviation, firstStep, exponentLow, exponentHigh;
    double collapsedDraws = 0;
};

extern const SceneTable kScene;

}  // namespace kappaflow::sensitivity_theorems
