#pragma once
#include "scenes/training_tradeoff/model_run.h"

namespace kappaflow::training_tradeoff {

/// Of the steps looked at so far; none yet: a partial report without arrays.
Report reportOf(const Run&, bool finished);

}  // namespace kappaflow::training_tradeoff
