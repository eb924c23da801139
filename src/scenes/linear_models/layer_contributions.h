#pragma once
#include <optional>
#include <vector>

#include "scenes/linear_models/gaussian_task.h"

namespace kappaflow::layer_contributions {

enum class Order { Forward, Backward };

struct Params : linear::TaskParams {
    int channels = 4, layers = 6, taps = 2;
    linear::Dilation dilation = linear::Dilation::Doubling;
    std::vector<int> dilations{1, 2, 4, 8, 16, 32};
    Order order = Order::Forward;
    std::vector<double> freeze;  ///< layers counted from 1
    int draws = 2;
    std::uint64_t seed = 1;
    double at = 8;
    bool play = true;
};

/// What each layer contributes.
struct Shares {
    std::vector<double> byLag;  ///< [layer][lag]
    std::vector<double> total;  ///< [layer]
};

/// Layers from the input up, lags from the newest.
struct Result : Findings {
    std::vector<double> layerNumbers, lags, frozenDraws;  ///< axes
    Shares chain, reverse, alone, marginal;
    std::vector<double> chainExact, marginalExact, redundant;  ///< [layer]; exact: empty where counting would take too long
    std::vector<double> capacity;                              ///< [lag]
    std::vector<double> frozenLosses;                          ///< [draw]
    double totalCapacity = 0, numericalRank = 0, loss = 0, optimality = 0, smallestSine = 1, largestDropped = 0;
    std::optional<double> freeCapacity, frozenMarginal, frozenLoss, freeLoss;
};

extern const SceneTable kScene;

}  // namespace kappaflow::layer_contributions
