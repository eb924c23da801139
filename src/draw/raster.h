#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "draw/fonts.h"
#include "draw/painter.h"

namespace kappaflow {

/// Pixels, three bytes each (red, green, blue), row after row from the top.
struct Raster {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;
};

/// Draws a picture without a display and without GL: the triangles that ImGui makes of it are filled in software, and every pixel is the
/// mean of 2 × 2 places. `draw` is given a painter of width × height CSS pixels, at least 1 each; each has `pixelRatio` device pixels along
/// a side. Cost: about 0.2 s a million pixels.
Raster rasterOf(const FontFiles&, const Theme&, double width, double height, double pixelRatio, const std::function<void(Painter&)>& draw);

/// As a PNG file.
std::vector<std::uint8_t> pngOf(const Raster&);

}  // namespace kappaflow
