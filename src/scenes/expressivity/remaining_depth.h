#pragma once
#include <string>
#include <vector>

#include "scene/table.h"

namespace kappaflow::remaining_depth {

struct Params {
    std::string data = "digits";
    int width = 40, layers = 5, epochs = 20, draws = 2;
    double weightVariance = 2, learningRate = 0.02;
    int samples = 800, batch = 40;
    double biasVariance = 0;
    std::uint64_t seed = 1;
    double at = 500;
    bool play = false;
    int layer = 1;
};

struct Result : Findings {
    std::vector<double> trainedLayers, epochs;  ///< axes
    Estimates train, test;                      ///< [trained layer][epoch]; NaN: diverged, or not there yet
    std::vector<double> remainingDepth;         ///< [trained layer]
    double draws = 1, inversionsTrain = 0, inversionsTest = 0, parameters = 0;
    std::size_t reached = 0;  ///< last epoch that every layer has in some draw; not in the report
};

/// Neighbours of which the lower, or the upper, ends with more named rightly, by more than a standard error of the difference of two means
/// over draws (of one draw none is known: then any difference counts); the others.
struct NeighbourOrder {
    std::size_t lower = 0, upper = 0, ties = 0;
};
/// Of the first `layers` rows of `accuracies` [layer][epochs], at one epoch.
NeighbourOrder orderOf(const Estimates& accuracies, std::size_t layers, std::size_t epochs, std::size_t epoch);
/// One sentence for both, which have the same number of pairs, one at the least.
std::string orderInWords(const NeighbourOrder& learnt, const NeighbourOrder& held, bool severalDraws);

extern const SceneTable kScene;

}  // namespace kappaflow::remaining_depth
