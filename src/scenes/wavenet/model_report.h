#pragma once
#include "scenes/wavenet/model_setup.h"

namespace kappaflow::wavenet {

/// What is known so far.
Report makeReport(const Setup&, const wide::SeriesRun&);

}  // namespace kappaflow::wavenet
