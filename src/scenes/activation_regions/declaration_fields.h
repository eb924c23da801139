#pragma once
#include <vector>

#include "scenes/report.h"

namespace kappaflow::regions {

std::vector<Field> fields();

}  // namespace kappaflow::regions
