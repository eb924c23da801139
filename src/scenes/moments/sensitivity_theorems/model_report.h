#pragma once
#include "scenes/moments/sensitivity_theorems/model_draws.h"

namespace kappaflow::sensitivity_theorems {

/// What is known so far.
struct Progress {
    std::vector<std::vector<LayerRecord>> draws;  ///< whole ones: [draw][layer 0 …]
    std::vector<std::vector<double>> switching;   ///< of the first network, as far as it came
    double firstStep = kUndefined;
    std::string collapse;  ///< why the first network that died did
    bool finished = false;
};

/// Mean over layers of (mean over draws of a)/(mean over draws of b), with the standard error of its spread over draws to first order; NaN
/// without a layer where both are known. Layers that a draw does not reach are left out of that draw.
struct MeanRatio {
    double value = kUndefined, standardError = 0;
    std::size_t draws = 0;
};
using Part = double LayerRecord::*;
MeanRatio meanRatio(const Progress&, std::size_t layers, Part measured, Part theorem);
/// The same of δ_φ's variance and the theorem's increment to the power −2.
MeanRatio varianceRatio(const Progress&, std::size_t layers, Part theorem);

/// Ratios nearer to 1 are equal to rounding, and a standard error that small says nothing; nor does one of fewer draws.
inline constexpr double kEqualRatios = 1e-6, kLeastError = 1e-6;
inline constexpr std::size_t kDrawsForError = 3;

Report makeReport(const Setup&, const Progress&);
std::string summaryOf(const Setup&, const Progress&, const Report&);

}  // namespace kappaflow::sensitivity_theorems
