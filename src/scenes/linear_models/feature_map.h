#pragma once
#include <string>
#include <vector>

#include "scenes/linear_models/wide_stacks.h"

namespace kappaflow::feature_map {

enum class Functions { Hermite, Fourier };

struct Params : linear::TaskParams {
    Functions functions = Functions::Hermite;
    int degree = 3, channels = 2, layers = 5;
    int steps = 300, restarts = 1;
    std::uint64_t seed = 1;
    double at = 8;
    bool play = true;
    int part = 0;
};

struct Result : linear::GrowingResult {
    std::vector<double> degrees, inputs, ys;  ///< axes
    std::vector<std::string> functions;       ///< axis

    std::vector<double> capacity, capacityByFunction, capacityByDegree;  ///< [input], [input][function], [degree][input][function]
    std::vector<double> dimensions;                                      ///< [degree]
    std::vector<double> function, density;                               ///< [function][y], [y]
};

extern const SceneTable kScene;

}  // namespace kappaflow::feature_map
