#pragma once
#include "scenes/scene.h"
#include "scenes/subspace/model_readings.h"

namespace kappaflow::subspace {

Report reportOf(const Values&);

}  // namespace kappaflow::subspace
