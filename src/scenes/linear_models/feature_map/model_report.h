#pragma once
#include "scenes/linear_models/feature_map/model_setup.h"

namespace kappaflow::feature_map {

/// What is known so far.
Report makeReport(const Setup&, const wide::SeriesRun&);

}  // namespace kappaflow::feature_map
