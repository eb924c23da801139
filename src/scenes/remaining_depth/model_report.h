#pragma once
#include "scenes/remaining_depth/model_run.h"

namespace kappaflow::remaining_depth {

Report reportOf(const Run&, bool finished);

}  // namespace kappaflow::remaining_depth
