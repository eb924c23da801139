#pragma once
#include "scenes/expressivity/training_tradeoff/model_run.h"

namespace kappaflow::training_tradeoff {

/// Hidden layers whose lengths between samples rose by more than the standard error of their differences, arc by arc.
std::size_t risingLayers(const ArcMeans& before, const ArcMeans& after);

/// From the last layer's lengths after training over those before, between samples and between random points.
std::string lengthsInWords(double last, double lastRandom);

/// Of the steps looked at so far; none yet: a partial report without arrays.
Report reportOf(const Run&, bool finished);

}  // namespace kappaflow::training_tradeoff
