#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "draw/color.h"

namespace kappaflow {
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
    const double t = std::clamp(2 * place, 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

}  // namespace kappaflow
