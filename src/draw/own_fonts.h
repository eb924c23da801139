#pragma once
#include "draw/fonts.h"
#include "fontBytes.h"

namespace kappaflow {

/// The fonts that a native program carries; the page fetches the same files.
inline FontFiles ownFonts() { return {fontBytes("ui.ttf"), fontBytes("ui-italic.ttf"), fontBytes("ui-bold.ttf"), fontBytes("math.ttf")}; }

}  // namespace kappaflow
