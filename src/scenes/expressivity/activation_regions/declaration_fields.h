#pragma once
#include <vector>

#include "scene/report.h"

namespace kappaflow::regions {

std::vector<Field> fields();

}  // namespace kappaflow::regions
