#pragma once
#include <vector>

#include "scene/scene.h"

namespace kappaflow::lens {

/// What a report of the scene may hold.
std::vector<Field> fields();

}  // namespace kappaflow::lens
