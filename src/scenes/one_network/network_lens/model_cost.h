#pragma once
#include <string>

#include "scene/scene.h"

namespace kappaflow::lens {

Cost costOf(const Request&);
std::string costliestOf(const Request&);

}  // namespace kappaflow::lens
