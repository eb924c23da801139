#pragma once
#include "scenes/linear_models/wavenet/model_setup.h"

namespace kappaflow::wavenet {

/// What is known so far.
Report makeReport(const Setup&, const wide::SeriesRun&);

}  // namespace kappaflow::wavenet
