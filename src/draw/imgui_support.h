// Our geometry and colours in ImGui's types and back.
#pragma once
#include <imgui.h>

#include "core/base/geometry.h"
#include "draw/color.h"

namespace kappaflow {

inline ImVec2 toIm(Vec2 v) { return {static_cast<float>(v.x), static_cast<float>(v.y)}; }
inline Vec2 fromIm(ImVec2 v) { return {v.x, v.y}; }
inline ImVec4 toIm4(Color c) { return {c.r, c.g, c.b, c.a}; }
inline ImU32 toIm(Color c) { return ImGui::ColorConvertFloat4ToU32(toIm4(c)); }

}  // namespace kappaflow
