#pragma once
#include <string>
#include <vector>

#include "scenes/linear_models/wide_stacks.h"

namespace kappaflow::wavenet {

enum class Arrangements { Both, Tiled, Repeated };

struct Params : linear::TaskParams {
    std::vector<int> block{1, 2, 4, 8};
    int repeats = 3, channels = 2;
    Arrangements arrangement = Arrangements::Both;
    int steps = 300, restarts = 1;
    std::uint64_t seed = 1;
    double at = 6;
    bool play = true;
    int lag = 26;
};

struct Result : Findings {
    std::vector<std::string> arrangements;            ///< "tiled", "repeated"
    std::vector<double> repeats, lags, layerNumbers;  ///< axes

    std::vector<double> capacity, grown;                       ///< [arrangement][lag], [arrangement][repeats][lag]
    std::vector<double> total, bound;                          ///< [arrangement][repeats]
    linear::Searched found;                                    ///< [arrangement][repeats]
    std::vector<double> inputs, parameters, dilations, paths;  ///< [repeats], [repeats], [arrangement][layer], [repeats][lag]
    std::optional<double> totalTiled, meanLagTiled, optimalityTiled, lossTiled;
    std::optional<double> totalRepeated, meanLagRepeated, optimalityRepeated, lossRepeated;
    std::optional<double> lowerBound;
};

extern const SceneTable kScene;

}  // namespace kappaflow::wavenet
