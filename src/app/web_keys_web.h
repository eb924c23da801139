#pragma once
#include <string_view>

#include <imgui.h>

namespace kappaflow {

/// ImGui's name for a KeyboardEvent.code; ImGuiKey_None for keys that are none of our business, Tab among them: it leaves.
ImGuiKey keyOfCode(std::string_view code);

}  // namespace kappaflow
