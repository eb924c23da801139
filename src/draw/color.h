#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

namespace kappaflow {

struct Color {
    float r = 0, g = 0, b = 0, a = 1;  ///< sRGB, not premultiplied
    Color withAlpha(float alpha) const { return {r, g, b, alpha}; }
    friend bool operator==(const Color&, const Color&) = default;
};

constexpr Color hex(std::uint32_t rgb) {
    return {static_cast<float>((rgb >> 16) & 255) / 255, static_cast<float>((rgb >> 8) & 255) / 255, static_cast<float>(rgb & 255) / 255,
            1};
}
/// Straight in sRGB, alpha included; t is clamped.
Color mix(Color a, Color b, double t);
/// `top` with its alpha laid over an opaque ground.
Color over(Color top, Color ground);
/// WCAG contrast ratio, 1 … 21; alpha is ignored.
double contrast(Color a, Color b);
/// CIELAB L* (D65), 0 … 100.
double lightness(Color);
/// CIE LCh(ab) to sRGB; chroma is lowered until the colour exists in sRGB.
Color fromLch(double lightness, double chroma, double hueDegrees);

/// Capacity: one sequential blue ramp, paper to ink, evenly spaced in lightness. Viridis: other positive fields. Diverging: signed
/// fields, its middle is zero.
enum class ColorMap { Capacity, Viridis, Diverging };
/// t in [0, 1]; `dark`: the ramp that starts from the dark theme's ground.
Color sample(ColorMap, double t, bool dark);
/// Where on the map a value lies, in [0, 1]; NaN for NaN, and for values <= 0 on a logarithmic scale. Diverging maps keep zero in the
/// middle and one scale for both signs: 1/2 + v / (2 max(|lo|, |hi|)).
double mapPosition(ColorMap, double value, double lo, double hi, bool logarithmic);
/// Alpha of a see-through field at a place in [0, 1] of its colour map: solid from the middle on, without a kink at either end of the
/// rise, and exactly 0 where less than 2 % would be left: what nobody sees need not be drawn.
double fadedAlpha(double place);

/// A designed set of colours and sizes; sizes in CSS pixels, scaled by the device's pixel ratio at the last moment.
struct Theme {
    bool dark = false;
    bool highContrast = false;  ///< for projectors and weak eyes: black on white or white on black, larger letters, lines as width() says
    Color ground, panel, raised, line, grid;  ///< picture ground, panel ground, widgets, hairlines, plot grid
    Color text, muted, accent, onAccent, warning;
    Color theory;                 ///< dashed overlays
    std::array<Color, 8> series;  ///< after Okabe–Ito; as text 4.5 : 1, ΔE >= 10 between any two for every reader
    float textSize = 15, smallSize = 13, tinySize = 12, titleSize = 19;

    /// Width of a line on the screen. In high contrast: half as wide again, and at least 3 where it is no hairline (below 1.2).
    double width(double stroke) const { return !highContrast ? stroke : std::max(stroke < 1.2 ? 0.0 : 3.0, 1.5 * stroke); }

    static const Theme& of(bool dark, bool highContrast = false);
    static const Theme& light() { return of(false); }
    static const Theme& night() { return of(true); }
};

/// Colours of things in order, as layers, from the first (share 0) to the last (1): blue, through purple and red, to orange; hue and
/// lightness both say how far.
inline Color orderColor(const Theme& theme, double share) {
    const double hue = 265 + 160 * share;
    return theme.dark ? fromLch(64 + 14 * share, 58, hue) : fromLch(38 + 22 * share, 62, hue);
}

}  // namespace kappaflow
