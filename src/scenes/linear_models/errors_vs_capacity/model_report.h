#pragma once
#include "scenes/linear_models/errors_vs_capacity/model_draws.h"

namespace kappaflow::errors_vs_capacity {

Report reportOf(const DrawRun&, bool finished);

/// Pearson correlation; NaN where one of the two does not vary.
double pearson(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace kappaflow::errors_vs_capacity
