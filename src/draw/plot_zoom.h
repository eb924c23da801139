#pragma once
#include "draw/plot.h"

namespace kappaflow {

/// What the reader's pointer makes of the visible ranges `x`, `y` (usable) within the whole ones; nothing when it changes nothing.
/// Drag: pan. Wheel: zoom about the pointer, a fifth a notch, down to 1e-4 of the whole. Double click: the whole.
std::optional<Plot::Zoom> zoomAfter(const Pointer&, const Rect& inner, const AxisSpec& x, const AxisSpec& y, const AxisSpec& fullX,
                                    const AxisSpec& fullY);

}  // namespace kappaflow
