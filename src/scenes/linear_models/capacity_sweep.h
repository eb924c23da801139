#pragma once
#include <optional>
#include <vector>

#include "scenes/linear_models/gaussian_task.h"

namespace kappaflow::capacity_sweep {

enum class Models { Hierarchical, Recurrent };
enum class Start { Random, Best };

struct Params : linear::TaskParams {
    Models model = Models::Hierarchical;
    Start start = Start::Random;
    int layers = 6, length = 64;
    std::vector<double> channelsList{1, 2, 4, 8, 16, 32};
    int iterations = 200, restarts = 1;
    std::uint64_t seed = 1;
    double at = 0;
    bool play = true;
    double shown = 4, upTo = 300;
};

/// By channels; NaN where a number is not known yet.
struct Result : Findings {
    std::vector<double> channels, iterations;                              ///< axes; iterations: those that are reported
    std::vector<double> totalCapacity, numericalRank, parameters;          ///< rank: that double precision finds
    std::vector<double> loss, optimality, converged, iterationsTaken;      ///< of the search asked for
    std::vector<double> lossOptimal, optimalityOptimal, convergedOptimal;  ///< of the least loss found
    std::vector<double> descent;                                           ///< [channels][iteration]
    std::optional<double> fullyConnectedLoss, exponent;
    double roundingLoss = 0, lowerBound = 0;
};

extern const SceneTable kScene;

}  // namespace kappaflow::capacity_sweep
