#pragma once
#include "scene/scene.h"

namespace kappaflow::diffusion {

/// Upper estimate of a request's operations and memory. A file small enough is read for its layers.
Cost costOf(const Request&);
/// The param that saves most of what is scarcer, time or memory, when it goes back to its default.
std::string costliestOf(const Request&);

}  // namespace kappaflow::diffusion
