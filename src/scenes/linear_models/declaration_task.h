#pragma once
#include <vector>

#include "scene/declare.h"

namespace kappaflow::linear {

/// The params of a Gaussian-process task (P2 App. B), alike in every scene of linear models: `process`, and what it takes.
std::vector<Param> taskParams();

}  // namespace kappaflow::linear
