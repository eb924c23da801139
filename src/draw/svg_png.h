#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "draw/color.h"

namespace kappaflow {

/// An image of at most 256 colours, row 0 at the top.
struct PaletteImage {
    std::size_t rows = 0, cols = 0;
    std::vector<std::uint8_t> pixels;  ///< row-major indices into `palette`
    std::vector<Color> palette;
};

/// As a PNG file (RFC 2083, palette and transparency), its data stored, not compressed: one byte a pixel. At least one row and column.
std::vector<std::uint8_t> pngOf(const PaletteImage&);

std::string base64(std::span<const std::uint8_t>);

}  // namespace kappaflow
