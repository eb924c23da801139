#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "draw/fonts.h"
#include "draw/painter.h"

namespace kappaflow {

/// Pixels, three bytes each (red, green, blue), row after row from the top.
struct Raster {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;
};

/// Draws pictures without a display and without GL: the triangles that ImGui makes of them are filled in software, on all cores, and every
/// pixel is the mean of 2 × 2 places. Cost: about 0.1 s of one core a million pixels; making a canvas, which bakes the fonts, as much
/// again.
class RasterCanvas {
public:
    /// width × height CSS pixels, at least 1 each; each has `pixelRatio` pixels along a side.
    RasterCanvas(const FontFiles&, double width, double height, double pixelRatio);
    ~RasterCanvas();
    /// On the theme's ground.
    Raster draw(const Theme&, const std::function<void(Painter&)>& draw);

private:
    struct Held;
    double width_, height_, pixelRatio_;
    std::unique_ptr<Held> held_;
};

/// As a PNG file that says of itself by keywords of PNG ("Source", "Software") what it is.
std::vector<std::uint8_t> pngOf(const Raster&, const std::vector<std::pair<std::string, std::string>>& texts);

}  // namespace kappaflow
