#pragma once
#include <string>
#include <vector>

#include "scenes/linear_models/wide_stacks.h"

namespace kappaflow::multi_input {

struct Params {
    int components = 4, channels = 4, layers = 6;
    double alphaLow = 0.3, alphaHigh = 0.7;
    int steps = 300, restarts = 1;
    std::uint64_t seed = 1;
    double at = 16;
    bool play = true;
    int part = 0;
};

struct Result : linear::GrowingResult {
    std::vector<double> channels, component, lags, components;  ///< axes; `components` of the stacks with the same ratio c²/d

    std::vector<double> capacity;                                  ///< [component][lag]
    std::vector<double> capacityByChannels, componentsByChannels;  ///< [channels][lag], [channels][component][lag]
    std::vector<double> scaled, scaledChannels, scaledTotals;      ///< [components][lag], [components]
    std::vector<double> exponents;                                 ///< [component]
};

extern const SceneTable kScene;

}  // namespace kappaflow::multi_input
