#pragma once
#include <vector>

#include "scene/scene.h"

namespace kappaflow::regions {

/// Params, fields and presets of training the drawn network on points of the plane.
std::vector<Param> trainingParams();
std::vector<Field> trainingFields();
std::vector<Preset> trainingPresets();

}  // namespace kappaflow::regions
