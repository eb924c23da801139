#pragma once
#include "scenes/linear_models/multi_input/model_setup.h"

namespace kappaflow::multi_input {

/// What is known so far.
Report makeReport(const Setup&, const wide::SeriesRun&);

}  // namespace kappaflow::multi_input
