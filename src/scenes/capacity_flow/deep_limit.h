#pragma once
#include <string>
#include <vector>

#include "scene/table.h"

namespace kappaflow::deep_limit {

enum class LayerType { Residual, Differential };

struct Params {
    LayerType layer = LayerType::Residual;
    double up = 10, down = 10;
    std::vector<double> weights{-1, 0, 1};
    double exponent = 0.5;
    std::vector<int> depths{20, 40, 80, 160, 320, 640};
    int draws = 2000;
    double precision = 0.03, checkStep = 0.2;
    std::uint64_t seed = 1;
    double at = 0;
    bool play = true;
};

struct Result : Findings {
    std::vector<double> depths, positions, exponents, offsets, outputs, kept, units, checkLayers;  ///< axes

    std::vector<double> chain, flow, gaussian;                                   ///< [depth][position], [position]
    std::vector<double> toGaussian, toFlow, toFlowPredicted;                     ///< [depth] total variation; predicted: exponent 1/2
    std::vector<double> mean, variance, meanPredicted, variancePredicted, step;  ///< [depth]
    std::vector<double> spreads;                                                 ///< [exponent][depth]
    std::vector<double> kernel;                                                  ///< [offset]
    double drift = 0, diffusion = 0, gaussianGap = 0;
    std::optional<double> slope;

    // Of differential layers.
    std::vector<double> forward;                                          ///< [depth][output][kept draw]
    Estimates forwardSquares, forwardGrowth;                              ///< [depth][output], [depth]
    std::vector<double> forwardSquaresPredicted, forwardGrowthPredicted;  ///< as these
    std::vector<double> forwardDraws, forwardEffectiveDraws;              ///< [depth]
    std::optional<double> sdeCoefficient;
    Estimates checkCapacity, checkVariance;                      ///< [unit], [check layer]
    std::vector<double> checkPredicted, checkVariancePredicted;  ///< as these
    std::optional<double> checkGap;
};

extern const SceneTable kScene;

}  // namespace kappaflow::deep_limit
