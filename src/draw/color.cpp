#include "draw/color.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
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

namespace {

constexpr int kSteps = 256;
using Table = std::array<Color, kSteps>;

template <class At>
Table tabulate(At at) {
    Table table;
    for (int i = 0; i < kSteps; ++i) table[i] = at(static_cast<double>(i) / (kSteps - 1));
    return table;
}

double square(double v) { return v * v; }

// Lightness runs straight; the hue turns a little towards violet as ink gets darker, as blue does; the chroma follows the edge of what
// sRGB has at that lightness without touching it, for there a ramp gets a visible kink. Both ramps begin at their theme's ground:
// where there is no capacity there is no mark.
Color capacityLight(double t) {
    const double chroma = t < 0.55 ? 44 * (1 - square((0.55 - t) / 0.55)) : 44 - 14 * square((t - 0.55) / 0.45);
    return fromLch(98.5 - 74.5 * t, chroma, 258 + 20 * t);
}
Color capacityDark(double t) {
    const double chroma = t < 0.6 ? 44 - 41 * square((0.6 - t) / 0.6) : 44 - 30 * square((t - 0.6) / 0.4);
    return fromLch(7.5 + 82.5 * t, chroma, 278 - 23 * t);
}

// Polynomial fit by M. Zucker (public domain) to matplotlib's viridis, within 1/255 of it but for the two ends.
Color viridis(double t) {
    static constexpr double c[7][3] = {
        {0.2777273272234177, 0.005407344544966578, 0.3340998053353061}, {0.1050930431085774, 1.404613529898575, 1.384590162594685},
        {-0.3308618287255563, 0.214847559468213, 0.09509516302823659},  {-4.634230498983486, -5.799100973351585, -19.33244095627987},
        {6.228269936347081, 14.17993336680509, 56.69055260068105},      {4.776384997670288, -13.74514537774601, -65.35303263337234},
        {-5.435455855934631, 4.645852612178535, 26.3124352495832}};
    double value[3] = {0, 0, 0};
    for (int power = 6; power >= 0; --power)
        for (int k = 0; k < 3; ++k) value[k] = value[k] * t + c[power][k];
    const auto channel = [](double v) { return static_cast<float>(std::clamp(v, 0.0, 1.0)); };
    return {channel(value[0]), channel(value[1]), channel(value[2]), 1};
}

// Equal lightness at equal distance from zero; blue below, vermilion above (the Okabe–Ito pair that all readers tell apart).
Color diverging(double t, bool dark) {
    const double s = std::abs(2 * t - 1), rise = 1 - square(1 - s);
    const double hue = t < 0.5 ? 265 : 50, chroma = (t < 0.5 ? 38.5 : dark ? 48 : 60) * rise;
    return dark ? fromLch(12 + 62 * s, chroma, hue) : fromLch(97 - 53 * s, chroma, hue);
}

const Table& tableOf(ColorMap map, bool dark) {
    static const Table capacity[2] = {tabulate(capacityLight), tabulate(capacityDark)};
    static const Table positive = tabulate(viridis);
    static const Table signedField[2] = {tabulate([](double t) { return diverging(t, false); }),
                                         tabulate([](double t) { return diverging(t, true); })};
    switch (map) {
        case ColorMap::Capacity:
            return capacity[dark];
        case ColorMap::Viridis:
            return positive;
        case ColorMap::Diverging:
            return signedField[dark];
    }
    return positive;
}

}  // namespace

Color sample(ColorMap map, double t, bool dark) {
    const Table& table = tableOf(map, dark);
    const double place = std::isnan(t) ? 0 : std::clamp(t, 0.0, 1.0) * (kSteps - 1);
    const int below = std::min(static_cast<int>(place), kSteps - 2);
    return mix(table[below], table[below + 1], place - below);
}

double mapPosition(ColorMap map, double value, double lo, double hi, bool logarithmic) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (std::isnan(value)) return nan;
    if (map == ColorMap::Diverging) {
        const double most = std::max(std::abs(lo), std::abs(hi));
        return most > 0 ? std::clamp(0.5 + 0.5 * (value / most), 0.0, 1.0) : 0.5;
    }
    if (logarithmic) {
        if (value <= 0) return nan;
        value = std::log10(value), lo = std::log10(lo), hi = std::log10(hi);
    }
    const double t = (value - lo) / (hi - lo);
    // Equal ends: everything at or above them is full.
    return std::isfinite(t) ? std::clamp(t, 0.0, 1.0) : (value >= hi ? 1.0 : 0.0);
}

double fadedAlpha(double place) {
    const double t = std::clamp(2 * place, 0.0, 1.0), alpha = t * t * (3 - 2 * t);
    return alpha < 0.02 ? 0 : alpha;
}

namespace {

Theme makeLight() {
    Theme t;
    t.ground = hex(0xfcfcfb), t.panel = hex(0xf4f4f2), t.raised = hex(0xffffff);
    t.line = hex(0xc4c5c4), t.grid = hex(0xe9e9e7);
    t.text = hex(0x1c1f23), t.muted = hex(0x5a6068);
    t.accent = hex(0x1d5fbf), t.onAccent = hex(0xffffff), t.warning = hex(0x8a5200);
    t.theory = hex(0xc2480a);
    // After Okabe–Ito, moved as little as eight colours allow that can be read as text and told apart by every reader: blue, vermilion,
    // bluish green, reddish purple, orange, slate (sky), moss (yellow), ink (black).
    t.series = {hex(0x046cd7), hex(0x8f2700), hex(0x117d5d), hex(0xb0419a), hex(0x8e680d), hex(0x667076), hex(0x3f5f36), hex(0x3c4148)};
    return t;
}

Theme makeNight() {
    Theme t;
    t.dark = true;
    t.ground = hex(0x13161a), t.panel = hex(0x1b1f24), t.raised = hex(0x272c33);
    t.line = hex(0x4b525c), t.grid = hex(0x262b31);
    t.text = hex(0xe6e8eb), t.muted = hex(0xa2a9b2);
    t.accent = hex(0x74abff), t.onAccent = hex(0x0a1526), t.warning = hex(0xf0b654);
    t.theory = hex(0xf5a05a);
    t.series = {hex(0x329af5), hex(0xe57d3f), hex(0x0bc290), hex(0xd38bb8), hex(0xefb10e), hex(0x97d1f6), hex(0xf5e978), hex(0xc5cacf)};
    return t;
}

Theme withHighContrast(Theme t) {
    const bool dark = t.dark;
    t.highContrast = true;
    t.ground = t.panel = dark ? hex(0x000000) : hex(0xffffff);
    t.raised = dark ? hex(0x1a1d21) : hex(0xf0f0ee);
    t.line = dark ? hex(0x8b939d) : hex(0x6f7276), t.grid = dark ? hex(0x3a4048) : hex(0xcfd0cf);
    t.text = dark ? hex(0xffffff) : hex(0x000000), t.muted = dark ? hex(0xd3d7dc) : hex(0x33383e);
    t.accent = dark ? hex(0x8fbcff) : hex(0x0b4699), t.onAccent = t.ground, t.warning = dark ? hex(0xffcb73) : hex(0x6b3f00);
    t.theory = dark ? hex(0xffb27a) : hex(0x9a3704);
    t.textSize = 17, t.smallSize = 15, t.tinySize = 14, t.titleSize = 21;
    return t;
}

}  // namespace

const Theme& Theme::of(bool dark, bool highContrast) {
    static const Theme themes[] = {makeLight(), makeNight(), withHighContrast(makeLight()), withHighContrast(makeNight())};
    return themes[(dark ? 1 : 0) + (highContrast ? 2 : 0)];
}

}  // namespace kappaflow
