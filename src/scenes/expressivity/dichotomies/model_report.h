#pragma once
#include "scenes/expressivity/dichotomies/model_sweep.h"

namespace kappaflow::dichotomies {

/// A number's mean over draws.
struct Mean {
    double count = 0, sum = 0, squares = 0;
    void add(double value) {
        ++count;
        sum += value;
        squares += value * value;
    }
    double mean() const { return sum / count; }
    double standardError() const;
};

/// What a curve's draws found, by remaining depth.
struct CurveMeans {
    std::vector<Mean> dichotomies, flips, predicted;  ///< [r]
    std::vector<double> tried;                        ///< [r]: draws, those included that stopped before
};

/// What is known so far.
struct Progress {
    std::vector<CurveMeans> curves;
    std::vector<SweptDraw> strips;  ///< of the drawn network
    bool stripsReady = false, finished = false;
};

Report makeReport(const Setup&, const Progress&);

}  // namespace kappaflow::dichotomies
