#pragma once
#include "scene/scene.h"
#include "scenes/linear_models/subspace/model_readings.h"

namespace kappaflow::subspace {

Report reportOf(const Values&);

}  // namespace kappaflow::subspace
