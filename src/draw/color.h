#pragma once
#include <cstdint>

namespace kappaflow {

struct Color {
    float r = 0, g = 0, b = 0, a = 1;  ///< sRGB, not premultiplied
    Color withAlpha(float alpha) const { return {r, g, b, alpha}; }
    friend bool operator==(const Color&, const Color&) = default;
};

constexpr Color hex(std::uint32_t rgb) {
    return {static_cast<float>((rgb >> 16) & 255) / 255, static_cast<float>((rgb >> 8) & 255) / 255, static_cast<float>(rgb & 255) / 255, 1};
}
Color mix(Color a, Color b, double t);
/// WCAG contrast ratio, 1 … 21.
double contrast(Color a, Color b);

/// Capacity: one sequential blue ramp, paper to ink, evenly spaced in lightness. Viridis: other positive fields. Diverging: signed
/// fields, its middle is zero.
enum class ColorMap { Capacity, Viridis, Diverging };
/// t in [0, 1]; `dark`: the ramp that starts from the dark theme's ground.
Color sample(ColorMap, double t, bool dark);

}  // namespace kappaflow
