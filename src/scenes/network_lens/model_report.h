#pragma once
#include "scenes/network_lens/model_look.h"
#include "scenes/training_runs/model_run.h"

namespace kappaflow::lens {

/// What has been found so far; `run` is null where nothing is trained. The look must have begun.
Report makeReport(const Setup&, const Look&, const training_runs::Run* run);

}  // namespace kappaflow::lens
