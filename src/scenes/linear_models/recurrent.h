#pragma once
#include <vector>

#include "scenes/linear_models/walk.h"

namespace kappaflow::recurrent {

enum class Compared { None, Hierarchical, Full };

struct Params : linear::WalkParams {
    int length = 64;
    Compared compare = Compared::None;
    int otherChannels = 1;
    std::vector<double> pullIn;  ///< factors on the optimum's input weights
};

struct Result : linear::WalkResult {
    std::vector<double> units;               ///< axis
    std::vector<double> in, recurrent, out;  ///< [place][unit]
};

extern const SceneTable kScene;

}  // namespace kappaflow::recurrent
