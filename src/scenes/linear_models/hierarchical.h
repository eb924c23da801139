#pragma once
#include <vector>

#include "scenes/linear_models/walk.h"

namespace kappaflow::hierarchical {

enum class Compared { None, Recurrent, Full, Two };

struct Params : linear::WalkParams {
    int layers = 6, taps = 2;
    linear::Dilation dilation = linear::Dilation::Doubling;
    std::vector<int> dilations{1, 2, 4, 8, 16, 32};
    Compared compare = Compared::None;
    int otherChannels = 4;
};

struct Result : linear::WalkResult {
    std::vector<double> layerNumbers, taps;  ///< axes
    std::vector<double> weightSizes;         ///< [place][layer][tap]
    std::vector<double> dilations;           ///< [layer]
};

extern const SceneTable kScene;

}  // namespace kappaflow::hierarchical
