#pragma once
#include "scenes/expressivity/trajectory_length/model_run.h"

namespace kappaflow::trajectory_length {

Report reportOf(const Setup&, const Progress&, bool finished);

}  // namespace kappaflow::trajectory_length
