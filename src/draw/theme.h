#pragma once
#include <array>

#include "draw/color.h"

namespace kappaflow {

/// A designed set of colours and sizes; sizes in CSS pixels, scaled by the device's pixel ratio at the last moment.
struct Theme {
    bool dark = false;
    Color ground, panel, raised, line, grid;  ///< picture ground, panel ground, widgets, hairlines, plot grid
    Color text, muted, accent, onAccent, warning;
    Color theory;                 ///< dashed overlays
    std::array<Color, 8> series;  ///< Okabe–Ito, adapted to the ground (marks >= 3 : 1)
    float textSize = 15, smallSize = 13, tinySize = 12, titleSize = 19;

    static const Theme& light();
    static const Theme& night();
};

}  // namespace kappaflow
