// The software picture: coverage to the place, colours to the byte, clips, text where it belongs.
#include "draw/raster.h"

#include <doctest/doctest.h>
#include <imgui.h>

#include <cmath>

using namespace kappaflow;

namespace {

constexpr Color kInk = hex(0x203040);

struct Byte3 {
    int r, g, b;
    friend bool operator==(const Byte3&, const Byte3&) = default;
};

Raster drawn(double ratio, const std::function<void(Painter&)>& draw) { return RasterCanvas({}, 60, 40, ratio).draw(Theme::light(), draw); }

Byte3 at(const Raster& raster, int x, int y) {
    const std::uint8_t* p = &raster.rgb[static_cast<std::size_t>(3 * (y * raster.width + x))];
    return {p[0], p[1], p[2]};
}

/// How much of the ink's red is on it, in pixels.
double ink(const Raster& raster, Color color = kInk) {
    const double ground = 255 * Theme::light().ground.r, full = ground - 255 * color.r;
    double sum = 0;
    for (std::size_t i = 0; i < raster.rgb.size(); i += 3) sum += (ground - raster.rgb[i]) / full;
    return sum;
}

}  // namespace

TEST_CASE("a rectangle covers its pixels with its colour, and nothing else") {
    for (const int ratio : {1, 2, 3}) {
        const Raster raster = drawn(ratio, [](Painter& p) { p.rect("", {{10, 10}, {30, 20}}, kInk); });
        REQUIRE(raster.width == 60 * ratio);
        REQUIRE(raster.height == 40 * ratio);
        const Byte3 inside{0x20, 0x30, 0x40}, outside = at(raster, 0, 0);
        CHECK(outside == Byte3{252, 252, 251});
        CHECK(at(raster, 10 * ratio, 10 * ratio) == inside);
        CHECK(at(raster, 30 * ratio - 1, 20 * ratio - 1) == inside);
        CHECK(at(raster, 10 * ratio - 1, 15 * ratio) == outside);
        CHECK(at(raster, 30 * ratio, 15 * ratio) == outside);
        CHECK(ink(raster) == doctest::Approx(200.0 * ratio * ratio).epsilon(0.02));  // bytes are rounded
    }
}

TEST_CASE("shapes weigh their area, lines their length times width, half of it where they are half transparent") {
    const Vec2 triangle[] = {{5, 5}, {55, 8}, {20, 35}};
    const double area = 0.5 * ((triangle[1].x - 5) * (triangle[2].y - 5) - (triangle[2].x - 5) * (triangle[1].y - 5));
    CHECK(ink(drawn(2, [&](Painter& p) { p.polygon("", triangle, kInk); })) / 4 == doctest::Approx(area).epsilon(0.02));
    CHECK(ink(drawn(2, [&](Painter& p) { p.polygon("", triangle, kInk.withAlpha(0.5F)); })) / 4 == doctest::Approx(area / 2).epsilon(0.02));
    CHECK(ink(drawn(2, [&](Painter& p) { p.line("", {5, 5}, {45, 35}, {kInk, 3}); })) / 4 == doctest::Approx(150).epsilon(0.04));
}

TEST_CASE("what is clipped away leaves nothing, what lies outside of the picture does no harm") {
    const auto clipped = drawn(1, [](Painter& p) {
        p.pushClip({{0, 0}, {20, 40}});
        p.rect("", {{10, 10}, {1e7, 1e7}}, kInk);
        p.popClip();
        p.line("", {-1e6, 5}, {-10, 5}, {kInk, 2});
        p.rect("", {{1e12, 0}, {1e13, 1e13}}, kInk);  // beyond every whole number
    });
    CHECK(ink(clipped) == doctest::Approx(300).epsilon(0.02));
    CHECK(ink(drawn(1, [](Painter& p) { p.line("", {std::nan(""), 5}, {10, 5}, {kInk, 2}); })) == doctest::Approx(0).epsilon(0.01));
}

TEST_CASE("text has ink where it was measured, and the context before is the current one again") {
    ImGuiContext* before = ImGui::GetCurrentContext();
    const auto raster = drawn(2, [](Painter& p) { p.text("", {5, 10}, "Hill", {.color = kInk, .size = 15}); });
    CHECK(ImGui::GetCurrentContext() == before);
    double inside = 0;
    for (int y = 20; y < 60; ++y)
        for (int x = 8; x < 90; ++x) inside += (252 - at(raster, x, y).r) / (252.0 - 0x20);
    CHECK(inside > 60);
    CHECK(ink(raster) == doctest::Approx(inside).epsilon(0.05));
}

TEST_CASE("a picture becomes a PNG file of its size") {
    const auto file = pngOf(drawn(1,
                                  [](Painter& p) {
                                      p.rect("", {{0, 0}, {60, 40}}, kInk);
                                  }),
                            {{"Source", "v=1&scene=shattering"}, {"Software", "Kappaflow 9"}});
    REQUIRE(file.size() > 33);
    CHECK(std::string(file.begin(), file.begin() + 4) == "\x89PNG");
    CHECK(file[19] == 60);
    CHECK(file[23] == 40);
    const std::string text(file.begin(), file.end());
    const auto source = text.find("tEXtSource");
    REQUIRE(source != text.npos);
    CHECK(text.substr(source + 11, 20) == "v=1&scene=shattering");
    CHECK(text.find("Kappaflow ") != text.npos);
}
