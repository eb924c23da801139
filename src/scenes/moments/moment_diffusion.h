#pragma once
#include <vector>

#include "scene/table.h"

namespace kappaflow::moment_diffusion {

enum class Show { Spread, Terms, Collapse, Tails };
enum class Data { Gaussian, Spread, LowRank, Images };
enum class Space { Dense, Conv1d, Conv2d };

struct Params {
    int width = 32, layers = 100, draws = 1000;
    Show show = Show::Spread;
    int samples = 4;
    Data data = Data::Gaussian;
    Space space = Space::Dense;
    int extent = 4, taps = 3;
    std::uint64_t seed = 1;
    double at = 100;
    bool play = true;
};

struct Result : Findings {
    std::vector<double> layers, fromFirst, bins, thresholds;  ///< axes; layers 0 … L and 1 … L
    double drawn = 0;                                         ///< networks so far

    std::vector<double> histogramSignal, histogramNoise;                                   ///< [fromFirst][bin]
    Estimates meanLog, varLog, meanLogNoise, varLogNoise;                                  ///< [layer], as all below
    std::vector<double> meanLogTheory, varLogTheory, meanLogFirst, varLogFirst;            ///< first order in 1/N
    std::optional<Estimate> mean, deviation, skewness, excess, meanNoise, deviationNoise;  ///< at the last layer

    Estimates logMeanIncrement, logMeanIncrementNoise, drift, driftNoise, diffusion, diffusionNoise;
    std::vector<double> driftTheory, diffusionTheory;
    std::vector<double> incrementVariance, incrementVarianceNoise, incrementPredicted, incrementPredictedNoise, incrementLow, incrementHigh;
    std::optional<Estimate> driftPerLayer, diffusionPerLayer;
    double driftPredicted = 0, diffusionPredicted = 0;

    Estimates collapsed, deadInputs, kurtosis;
    std::vector<double> collapsedBound, deadInputsTheory, kurtosisTheory;
    std::vector<double> tails, tailsTheory, tailsGaussian;  ///< [fromFirst][threshold], [threshold]
    double kurtosisKnownTo = 0;
    std::optional<Estimate> collapsedShare;
};

extern const SceneTable kScene;

}  // namespace kappaflow::moment_diffusion
