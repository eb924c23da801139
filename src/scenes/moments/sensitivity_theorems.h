#pragma once
#include <string>
#include <vector>

#include "scene/table.h"
#include "scenes/moments/random_nets.h"

namespace kappaflow::sensitivity_theorems {

/// Units and inputs of the first network whose pre-activations are reported.
inline constexpr int kMostUnits = 12, kMostInputs = 128;

/// Where the theorem's expectation over weights comes from.
enum class Expectation { Fresh, Channels, Exact };

struct Params : random_nets::NetParams {
    Params() { width = 64, layers = 30, draws = 30; }

    Expectation expectation = Expectation::Fresh;
    int unit = 1;     ///< of kMostUnits, the one drawn large
    double kink = 0;  ///< of that unit alone, in the units of `preactivations`
    double at = 1;
    bool play = true;
};

struct Result : Findings {
    std::vector<double> layers, fromFirst, units;  ///< axes; layers 0 … L and 1 … L
    std::vector<double> pictured, picturedInputs;  ///< axes: units and inputs of `preactivations`
    double drawn = 0;                              ///< networks so far
    std::string collapse;                          ///< why the first network that died did

    Estimates deltaChi;  ///< [layer], as all but those of the first network's units
    std::vector<double> deltaChiLow, deltaChiHigh, deltaChiTheorem, ratio;
    Estimates deltaBatchNorm, deltaActivation;
    std::vector<double> batchNormTheorem, activationTheorem, boundLow, boundHigh, undiluted;
    Estimates branchVariance, branchShare;
    std::vector<double> chi, chiTheorem, switching, switchingMean;  ///< switching: [fromFirst][unit]
    std::vector<double> preactivations, preactivationVariance;      ///< [fromFirst][pictured][picturedInputs], [fromFirst]

    std::optional<Estimate> meanRatio, meanRatioBatchNorm, meanRatioActivation, varianceIdentity, firstStepMeasured;
    std::optional<double> deviation, firstStep, exponentLow, exponentHigh;
    double collapsedDraws = 0;
};

extern const SceneTable kScene;

}  // namespace kappaflow::sensitivity_theorems
