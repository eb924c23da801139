#pragma once
#include <string>
#include <vector>

#include "scenes/linear_models/wide_stacks.h"

namespace kappaflow::feature_map {

enum class Functions { Hermite, Fourier };

struct Params {
    Functions functions = Functions::Hermite;
    int degree = 3, channels = 2, layers = 5;
    stacks::Process process = stacks::Process::PowerLaw;
    double alpha = 0.5, memory = 0.3, phi1 = 0.6, phi2 = 0.2;
    int steps = 300, restarts = 1;
    std::uint64_t seed = 1;
    double at = 8;
    bool play = true;
};

struct Result : Findings {
    std::vector<double> degrees, inputs, ys;  ///< axes
    std::vector<std::string> functions;       ///< axis

    std::vector<double> capacity, capacityByFunction, capacityByDegree;  ///< [input], [input][function], [degree][input][function]
    std::vector<double> totals, dimensions, parameters;                  ///< [degree]
    std::vector<double> numericalRank, meanLag, optimality, loss;        ///< [degree]
    std::vector<double> function, density;                               ///< [function][y], [y]
    double total = 0, dimension = 0;
    std::optional<double> lowerBound;
};

extern const SceneTable kScene;

}  // namespace kappaflow::feature_map
