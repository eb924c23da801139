#pragma once
#include "core/linear/subspace.h"
#include "scene/param.h"
#include "scenes/linear_models/gaussian_task_model.h"

namespace kappaflow::linear {

/// The process that the params of taskParams() name.
GaussianProcess processOf(const Values&);

}  // namespace kappaflow::linear
