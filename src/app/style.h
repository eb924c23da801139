#pragma once
#include "draw/theme.h"

namespace kappaflow {

/// Gives ImGui's own widgets (combos, text fields, popups, scroll bars) the theme's colours and our sizes.
void applyStyle(const Theme&);

}  // namespace kappaflow
