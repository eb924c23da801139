#pragma once
#include "scenes/expressivity/model_run.h"
#include "scenes/one_network/network_lens/model_look.h"

namespace kappaflow::lens {

/// What has been found so far; `run` is null where nothing is trained. The look must have begun.
Report makeReport(const Setup&, const Look&, const training_runs::Run* run);

}  // namespace kappaflow::lens
