#pragma once
#include "core/linear/input_covariance.h"
#include "scenes/linear_models/capacity_sweep/model_run.h"

namespace kappaflow::capacity_sweep {

/// What was found so far.
struct Sweep {
    LinearTask task;
    std::vector<std::unique_ptr<Point>> points;
    FullModel full;
    std::optional<double> fullyConnected;
};

Report makeReport(const Setup&, const Sweep&, bool finished);

}  // namespace kappaflow::capacity_sweep
