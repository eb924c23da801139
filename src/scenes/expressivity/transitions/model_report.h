#pragma once
#include "scenes/expressivity/transitions/model_run.h"

namespace kappaflow::transitions {

/// Means over draws: sums by layer, and how many draws came so far.
struct CurveSums {
    std::vector<LayerCounts> sums;
    std::vector<LayerCounts> squares;
    std::vector<double> draws;  ///< [layer]
    double tried = 0;           ///< draws, those included that stopped before
};

struct Progress {
    std::vector<CurveSums> curves;
    Drawing drawing;
    bool finished = false;
};

Report makeReport(const Setup&, const Progress&);

}  // namespace kappaflow::transitions
