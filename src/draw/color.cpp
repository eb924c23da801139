#include "draw/color.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kappaflow {
namespace {

double toLinear(double s) { return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4); }
double toSrgb(double l) { return l <= 0.0031308 ? 12.92 * l : 1.055 * std::pow(l, 1 / 2.4) - 0.055; }

double luminance(Color c) { return 0.2126 * toLinear(c.r) + 0.7152 * toLinear(c.g) + 0.0722 * toLinear(c.b); }

// CIE 15: f^-1 of the Lab transfer curve.
double labInverse(double t) { return t > 6.0 / 29 ? t * t * t : 3 * (6.0 / 29) * (6.0 / 29) * (t - 4.0 / 29); }

struct Linear {
    double r, g, b;
    bool exists() const { return std::min({r, g, b}) >= -1e-4 && std::max({r, g, b}) <= 1 + 1e-4; }
};

Linear labToLinear(double L, double a, double b) {
    const double fy = (L + 16) / 116;
    const double x = 0.95047 * labInverse(fy + a / 500), y = labInverse(fy), z = 1.08883 * labInverse(fy - b / 200);
    return {3.2404542 * x - 1.5371385 * y - 0.4985314 * z, -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
            0.0556434 * x - 0.2040259 * y + 1.0572252 * z};
}

float channel(double linear) { return static_cast<float>(std::clamp(toSrgb(std::max(linear, 0.0)), 0.0, 1.0)); }

}  // namespace

Color mix(Color a, Color b, double t) {
    const float s = static_cast<float>(std::clamp(t, 0.0, 1.0));
    return {a.r + (b.r - a.r) * s, a.g + (b.g - a.g) * s, a.b + (b.b - a.b) * s, a.a + (b.a - a.a) * s};
}

Color over(Color top, Color ground) { return mix(ground, top.withAlpha(1), top.a).withAlpha(1); }

double contrast(Color a, Color b) {
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

double lightness(Color c) {
    const double y = luminance(c);
    return y > 216.0 / 24389 ? 116 * std::cbrt(y) - 16 : y * 24389 / 27;
}

Color fromLch(double L, double chroma, double hueDegrees) {
    const double hue = hueDegrees * std::numbers::pi / 180;
    const auto at = [&](double c) { return labToLinear(L, c * std::cos(hue), c * std::sin(hue)); };
    double low = 0, high = chroma;
    if (at(chroma).exists())
        low = chroma;
    else
        for (int i = 0; i < 20; ++i) (at((low + high) / 2).exists() ? low : high) = (low + high) / 2;
    const Linear found = at(low);
    return {channel(found.r), channel(found.g), channel(found.b), 1};
}

}  // namespace kappaflow
