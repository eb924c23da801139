#pragma once
#include <imgui.h>

#include "core/base/geometry.h"

namespace kappaflow {

inline ImVec2 toIm(Vec2 p) { return {static_cast<float>(p.x), static_cast<float>(p.y)}; }

}  // namespace kappaflow
