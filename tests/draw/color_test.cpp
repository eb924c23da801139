#include "draw/color.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

using namespace kappaflow;

TEST_CASE("contrast is WCAG's") {
    CHECK(contrast(hex(0x000000), hex(0xffffff)) == doctest::Approx(21));
    CHECK(contrast(hex(0x777777), hex(0xffffff)) == doctest::Approx(4.48).epsilon(0.002));
    CHECK(contrast(hex(0x123456), hex(0x123456)) == doctest::Approx(1));
}

TEST_CASE("lightness is CIELAB's, and LCh colours have the lightness asked for") {
    CHECK(lightness(hex(0xffffff)) == doctest::Approx(100).epsilon(1e-3));
    CHECK(lightness(hex(0x000000)) == doctest::Approx(0).scale(1));
    CHECK(lightness(hex(0x777777)) == doctest::Approx(50.03).epsilon(1e-3));
    for (const double L : {5.0, 30.0, 60.0, 95.0})
        for (const double hue : {0.0, 50.0, 265.0})
            for (const double chroma : {0.0, 20.0, 150.0}) CHECK(lightness(fromLch(L, chroma, hue)) == doctest::Approx(L).epsilon(0.02));
}

TEST_CASE("the capacity ramp is evenly spaced in lightness, from the ground on") {
    for (const bool dark : {false, true}) {
        const double first = lightness(sample(ColorMap::Capacity, 0, dark)), last = lightness(sample(ColorMap::Capacity, 1, dark));
        CHECK(std::abs(last - first) > 70);
        for (int i = 0; i <= 100; ++i)
            CHECK(lightness(sample(ColorMap::Capacity, i / 100.0, dark)) ==
                  doctest::Approx(first + (last - first) * i / 100).epsilon(0.02).scale(1));
        CHECK(contrast(sample(ColorMap::Capacity, 0, dark), (dark ? Theme::night() : Theme::light()).ground) < 1.1);
    }
}

TEST_CASE("the diverging ramp is as light at −v as at v, and its extreme is zero") {
    for (const bool dark : {false, true}) {
        const double zero = lightness(sample(ColorMap::Diverging, 0.5, dark));
        double before = zero;
        for (int i = 1; i <= 50; ++i) {
            const double below = lightness(sample(ColorMap::Diverging, 0.5 - i / 100.0, dark));
            const double above = lightness(sample(ColorMap::Diverging, 0.5 + i / 100.0, dark));
            CHECK(below == doctest::Approx(above).epsilon(0.02).scale(1));
            CHECK((dark ? above > before : above < before));
            before = above;
        }
    }
}

TEST_CASE("ramps have no kinks: neighbours differ by little") {
    for (const ColorMap map : {ColorMap::Capacity, ColorMap::Viridis, ColorMap::Diverging})
        for (const bool dark : {false, true})
            for (int i = 2; i <= 200; ++i) {
                const Color a = sample(map, (i - 2) / 200.0, dark), b = sample(map, (i - 1) / 200.0, dark),
                            c = sample(map, i / 200.0, dark);
                CAPTURE(i);
                for (const auto channel : {&Color::r, &Color::g, &Color::b})
                    CHECK(std::abs(c.*channel - 2 * b.*channel + a.*channel) < 0.02);
            }
}

TEST_CASE("places on a map: linear, logarithmic, diverging with a true zero, and none for what is no number") {
    CHECK(mapPosition(ColorMap::Capacity, 3, 2, 4, false) == doctest::Approx(0.5));
    CHECK(mapPosition(ColorMap::Capacity, 9, 2, 4, false) == 1);
    CHECK(mapPosition(ColorMap::Capacity, 1e-90, 1e-120, 1e-60, true) == doctest::Approx(0.5));
    CHECK(std::isnan(mapPosition(ColorMap::Capacity, 0, 1e-3, 1, true)));
    CHECK(std::isnan(mapPosition(ColorMap::Capacity, NAN, 0, 1, false)));
    CHECK(mapPosition(ColorMap::Diverging, 0, -1, 5, false) == doctest::Approx(0.5));
    CHECK(mapPosition(ColorMap::Diverging, -1, -1, 5, false) == doctest::Approx(0.4));
    CHECK(mapPosition(ColorMap::Capacity, 5, 5, 5, false) == 1);
    CHECK(mapPosition(ColorMap::Capacity, 4, 5, 5, false) == 0);
    CHECK(mapPosition(ColorMap::Capacity, INFINITY, 0, 1, false) == 1);
}

TEST_CASE("both themes are legible: text 4.5 to 1, marks 3 to 1") {
    for (const Theme* theme : {&Theme::light(), &Theme::night()}) {
        CAPTURE(theme->dark);
        for (const Color ground : {theme->ground, theme->panel, theme->raised})
            for (const Color text : {theme->text, theme->muted, theme->accent, theme->warning}) CHECK(contrast(text, ground) >= 4.5);
        CHECK(contrast(theme->onAccent, theme->accent) >= 4.5);
        for (const Color ground : {theme->ground, theme->panel}) {
            CHECK(contrast(theme->theory, ground) >= 3);
            for (const Color mark : theme->series) CHECK(contrast(mark, ground) >= 4.5);  // direct labels too
        }
        // Direct labels are written in their line's colour.
        CHECK(contrast(theme->theory, theme->ground) >= 4.5);
    }
}

TEST_CASE("high contrast: text 7 to 1, labels in a line's colour 4.5, larger letters, lines of 3 pixels beside hairlines of 1.5") {
    for (const bool dark : {false, true}) {
        CAPTURE(dark);
        const Theme &usual = Theme::of(dark), &more = Theme::of(dark, true);
        CHECK(more.dark == dark);
        CHECK(contrast(more.text, more.ground) == doctest::Approx(21));
        for (const Color ground : {more.ground, more.panel, more.raised})
            for (const Color text : {more.text, more.muted, more.accent, more.warning}) CHECK(contrast(text, ground) >= 7);
        CHECK(contrast(more.onAccent, more.accent) >= 7);
        CHECK(contrast(more.line, more.ground) >= 3);
        CHECK(contrast(more.theory, more.ground) >= 4.5);
        for (const Color mark : more.series) CHECK(contrast(mark, more.ground) >= 4.5);
        CHECK(more.series == usual.series);  // told apart by every reader: see below
        CHECK(more.tinySize >= usual.tinySize + 2);
        for (const double width : {0.5, 1.0, 1.5, 2.0, 4.0}) CHECK(usual.width(width) == width);
        CHECK(more.width(1) == 1.5);
        for (const double width : {1.2, 1.5, 2.0}) CHECK(more.width(width) == 3);
        CHECK(more.width(4) == 6);
    }
}

namespace {

using Triple = std::array<double, 3>;

// Machado, Oliveira and Fernandes (2009), severity 1, on linear sRGB: everybody, protanopia, deuteranopia, tritanopia.
constexpr double kEyes[4][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
};

double linear(double s) { return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4); }

Triple times(const double (&matrix)[3][3], const Triple& v) {
    Triple product{};
    for (int row = 0; row < 3; ++row)
        for (int col = 0; col < 3; ++col) product[row] += matrix[row][col] * v[col];
    return product;
}

// CIELAB (D65) of a colour as such an eye sees it.
Triple labSeen(Color c, const double (&eye)[3][3]) {
    constexpr double kXyz[3][3] = {{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}};
    constexpr double kWhite[3] = {0.95047, 1, 1.08883};
    Triple seen = times(eye, {linear(c.r), linear(c.g), linear(c.b)});
    for (double& value : seen) value = std::clamp(value, 0.0, 1.0);
    Triple f = times(kXyz, seen);
    for (int i = 0; i < 3; ++i) {
        const double t = f[i] / kWhite[i];
        f[i] = t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    }
    return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double degrees(double radians) { return std::fmod(radians * 180 / std::numbers::pi + 360, 360); }
double cosine(double angle) { return std::cos(angle * std::numbers::pi / 180); }
double sine(double angle) { return std::sin(angle * std::numbers::pi / 180); }
double chromaShare(double chroma) { return std::sqrt(std::pow(chroma, 7) / (std::pow(chroma, 7) + std::pow(25.0, 7))); }

// CIEDE2000, after Sharma, Wu and Dalal (2005).
double difference(Triple a, Triple b) {
    const double stretch = 1.5 - 0.5 * chromaShare((std::hypot(a[1], a[2]) + std::hypot(b[1], b[2])) / 2);
    a[1] *= stretch, b[1] *= stretch;
    const double c1 = std::hypot(a[1], a[2]), c2 = std::hypot(b[1], b[2]);
    const double h1 = degrees(std::atan2(a[2], a[1])), h2 = degrees(std::atan2(b[2], b[1]));
    const bool grey = c1 * c2 == 0, around = std::abs(h2 - h1) > 180;
    const double turn = grey ? 0 : around ? h2 - h1 + (h2 > h1 ? -360 : 360) : h2 - h1;
    const double hue = grey ? h1 + h2 : around ? (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2 : (h1 + h2) / 2;
    const double light = (a[0] + b[0]) / 2 - 50, chroma = (c1 + c2) / 2;
    const double t = 1 - 0.17 * cosine(hue - 30) + 0.24 * cosine(2 * hue) + 0.32 * cosine(3 * hue + 6) - 0.2 * cosine(4 * hue - 63);
    const double dL = (b[0] - a[0]) / (1 + 0.015 * light * light / std::sqrt(20 + light * light));
    const double dC = (c2 - c1) / (1 + 0.045 * chroma), dH = 2 * std::sqrt(c1 * c2) * sine(turn / 2) / (1 + 0.015 * chroma * t);
    const double rotation = -2 * chromaShare(chroma) * sine(60 * std::exp(-std::pow((hue - 275) / 25, 2)));
    return std::sqrt(dL * dL + dC * dC + dH * dH + rotation * dC * dH);
}

}  // namespace

TEST_CASE("the difference of colours is CIEDE2000: pairs of its authors' table") {
    CHECK(difference({50, 2.6772, -79.7751}, {50, 0, -82.7485}) == doctest::Approx(2.0425).epsilon(1e-4));
    CHECK(difference({50, 0, 0}, {50, -1, 2}) == doctest::Approx(2.3669).epsilon(1e-4));
    CHECK(difference({50, 2.5, 0}, {73, 25, -18}) == doctest::Approx(27.1492).epsilon(1e-4));
    CHECK(difference({22.7233, 20.0904, -46.6940}, {23.0331, 14.9730, -42.5619}) == doctest::Approx(2.0373).epsilon(1e-4));
    CHECK(difference({90.9257, -0.5406, -0.9208}, {88.6381, -0.8985, -0.7239}) == doctest::Approx(1.5381).epsilon(1e-4));
}

TEST_CASE("any two series differ by ΔE 10 for every reader, colour-blind ones included") {
    for (const Theme* theme : {&Theme::light(), &Theme::night()})
        for (int eye = 0; eye < 4; ++eye)
            for (std::size_t i = 0; i < theme->series.size(); ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    CAPTURE(theme->dark);
                    CAPTURE(eye);
                    CAPTURE(i);
                    CAPTURE(j);
                    CHECK(difference(labSeen(theme->series[i], kEyes[eye]), labSeen(theme->series[j], kEyes[eye])) >= 10);
                }
}

TEST_CASE("a see-through field fades in smoothly: nothing at the low end, solid from the middle on") {
    CHECK(fadedAlpha(0) == 0);
    CHECK(fadedAlpha(-1) == 0);
    for (const double place : {0.5, 0.7, 1.0, 2.0}) CHECK(fadedAlpha(place) == 1);
    for (int i = 5; i < 50; ++i) CHECK(fadedAlpha((i + 1) / 100.0) > fadedAlpha(i / 100.0));
    for (int i = 0; i < 1000; ++i) CHECK((fadedAlpha(i / 1000.0) == 0 || fadedAlpha(i / 1000.0) >= 0.02));
    CHECK(fadedAlpha(0.499) == doctest::Approx(1).epsilon(1e-4));
}
