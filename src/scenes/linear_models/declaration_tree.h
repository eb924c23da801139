#pragma once
#include <vector>

#include "scene/declare.h"

namespace kappaflow::linear {

/// The params of a stack of dilated convolutions (P2 Eq 19): channels, with this default, layers, taps and dilations.
std::vector<Param> treeParams(double channels);

}  // namespace kappaflow::linear
