#pragma once
#include <vector>

#include "scene/report.h"

namespace kappaflow::diffusion {

/// What reports of the scene may hold.
std::vector<Field> fields();

}  // namespace kappaflow::diffusion
