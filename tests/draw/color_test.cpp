#include "draw/color.h"

#include <doctest/doctest.h>

#include <cmath>

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
            for (const Color mark : theme->series) CHECK(contrast(mark, ground) >= 3);
        }
        // Direct labels are written in their line's colour.
        CHECK(contrast(theme->theory, theme->ground) >= 4.5);
    }
}

TEST_CASE("series are told apart from their neighbours and from each other") {
    for (const Theme* theme : {&Theme::light(), &Theme::night()})
        for (std::size_t i = 0; i < theme->series.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const Color a = theme->series[i], b = theme->series[j];
                CHECK(std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b) > 0.25);
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
