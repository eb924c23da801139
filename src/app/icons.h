#pragma once
#include "core/base/geometry.h"
#include "draw/color.h"

struct ImDrawList;

namespace kappaflow {

enum class Icon {
    Play,
    Pause,
    StepBack,
    StepForward,
    Undo,
    Redo,
    Reset,
    Link,
    Download,
    Sun,
    Moon,
    Dice,
    Open,
    Menu,
    ChevronDown,
    ChevronLeft,
    ChevronRight,
    Words,
    Close
};

/// A line icon in a square of `size`, drawn (the fonts carry no icons).
void drawIcon(ImDrawList&, Icon, Vec2 centre, double size, Color);

}  // namespace kappaflow
