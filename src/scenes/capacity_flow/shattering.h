#pragma once
#include <string>
#include <vector>

#include "scene/table.h"

namespace kappaflow::shattering {

enum class Kinds { Both, Residual, Uniform };
enum class Profile { Constant, Varying };

struct Params {
    Kinds kind = Kinds::Both;
    int layers = 50, taps = 3;
    double epsilon = -1;  ///< −1: 1/L
    Profile profile = Profile::Constant;
    int extent = 65, strands = 120;
    std::uint64_t seed = 1;
    double at = 0;
    bool play = true;
};

struct Result : Findings {
    std::vector<std::string> kinds;  ///< "residual", "uniform"
    std::vector<double> layers, weightLayers, positions, strands;

    std::vector<double> heaviest, log10Heaviest, entropy, total;                      ///< [kind][layer]
    std::vector<double> heaviestPredicted, log10HeaviestPredicted, entropyPredicted;  ///< [kind][layer]
    std::vector<double> capacity;                                                     ///< [kind][layer][position]
    std::vector<double> log10Paths, epsilon;                                          ///< [layer], [weight layer]
    std::vector<double> strandPosition, strandWeight, strandLog10;                    ///< [kind][strand][layer], [kind][strand]
    std::optional<double> limit;
};

extern const SceneTable kScene;

}  // namespace kappaflow::shattering
