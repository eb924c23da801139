#pragma once
#include <vector>

#include "scene/scene.h"

namespace kappaflow::lens {

/// Whether these values draw a network, and whether they train it.
bool drawn(const Values&);
bool training(const Values&);
/// Whether the data are made here, from `samples` draws.
bool made(const Values&);

std::vector<Param> dataParams();
std::vector<Param> trainingParams();
std::vector<Param> editParams();

}  // namespace kappaflow::lens
