// The painter over ImGui's draw list, without a window: areas and lengths of what it hands to the renderer.
#include "draw/imgui_painter.h"

#include <doctest/doctest.h>
#include <imgui.h>

#include <cmath>
#include <functional>

#include "draw/gl/gl_context.h"
#include "draw/gl/gl_resources.h"

using namespace kappaflow;

namespace {

/// ImGui with its built-in font and one empty draw list a frame.
struct Screen {
    FontSet fonts;
    Screen() {
        ImGui::CreateContext();
        fonts.bake(1);
        ImGui::GetIO().DisplaySize = {800, 600};
        ImGui::NewFrame();
    }
    ~Screen() {
        ImGui::EndFrame();
        ImGui::DestroyContext();
    }
    ImDrawList& list() { return *ImGui::GetBackgroundDrawList(); }
    /// Area times coverage of all triangles: what the marks would weigh as ink.
    double ink() {
        double sum = 0;
        const ImDrawList& l = list();
        for (int i = 0; i + 2 < l.IdxBuffer.Size; i += 3) {
            const ImDrawVert& a = l.VtxBuffer[static_cast<int>(l.IdxBuffer[i])];
            const ImDrawVert& b = l.VtxBuffer[static_cast<int>(l.IdxBuffer[i + 1])];
            const ImDrawVert& c = l.VtxBuffer[static_cast<int>(l.IdxBuffer[i + 2])];
            const double area = 0.5 * std::abs((b.pos.x - a.pos.x) * (c.pos.y - a.pos.y) - (b.pos.y - a.pos.y) * (c.pos.x - a.pos.x));
            sum += area * ((a.col >> 24) + (b.col >> 24) + (c.col >> 24)) / (3 * 255.0);
        }
        return sum;
    }
};

double inkOf(double ratio, const std::function<void(Painter&)>& draw, const Theme& theme = Theme::light()) {
    Screen screen;
    {
        ImGuiPainter painter(screen.list(), screen.fonts, theme, ratio, nullptr);
        draw(painter);
    }
    return screen.ink();
}

}  // namespace

TEST_CASE("filled shapes weigh their area, convex or not, soft edges included") {
    const Vec2 square[] = {{100, 100}, {200, 100}, {200, 200}, {100, 200}};
    const Vec2 arrow[] = {{100, 100}, {200, 150}, {100, 200}, {140, 150}};
    for (const double ratio : {1.0, 2.0, 3.0}) {
        CHECK(inkOf(ratio, [&](Painter& p) { p.polygon("", square, hex(0)); }) == doctest::Approx(10000).epsilon(0.002));
        CHECK(inkOf(ratio, [&](Painter& p) { p.polygon("", arrow, hex(0)); }) == doctest::Approx(3000).epsilon(0.01));
        CHECK(inkOf(ratio, [&](Painter& p) {
                  p.marker("", {100, 100}, 20, MarkerShape::Circle, hex(0));
              }) == doctest::Approx(400 * M_PI).epsilon(0.02));
        CHECK(inkOf(ratio, [&](Painter& p) {
                  p.rect("", {{10, 10}, {60, 30}}, hex(0), 4);
              }) == doctest::Approx(1000 - (4 - M_PI) * 16).epsilon(0.01));
        CHECK(inkOf(ratio, [&](Painter& p) { p.polygon("", square, hex(0).withAlpha(0.5f)); }) == doctest::Approx(5000).epsilon(0.01));
    }
}

TEST_CASE("in high contrast lines, frames and meshes of lines weigh the width that the theme says") {
    const Theme& theme = Theme::of(true, true);
    const Vec2 line[] = {{10, 100}, {410, 100}};
    CHECK(inkOf(
              1,
              [&](Painter& p) {
                  p.line("", line, {hex(0), 1.5}, false);
              },
              theme) == doctest::Approx(1200).epsilon(0.01));
    CHECK(inkOf(
              1,
              [&](Painter& p) {
                  p.frame("", {{10, 10}, {110, 60}}, {hex(0), 2}, 0);
              },
              theme) == doctest::Approx(864).epsilon(0.01));
    CHECK(inkOf(
              1,
              [&](Painter& p) {
                  SegmentMesh mesh;
                  mesh.ends = line, mesh.color = hex(0), mesh.width = 1.4;
                  p.segments("", mesh);
              },
              theme) == doctest::Approx(1200).epsilon(0.01));
}

TEST_CASE("lines weigh length times width, thinner than a pixel too; dashes what their pattern leaves") {
    const Vec2 line[] = {{10, 100}, {410, 100}};
    for (const double ratio : {1.0, 2.0}) {
        for (const double width : {0.25, 1.0, 2.0, 5.0})
            CHECK(inkOf(ratio, [&](Painter& p) { p.line("", line, {hex(0), width}); }) == doctest::Approx(400 * width).epsilon(0.03));
        CHECK(inkOf(ratio, [&](Painter& p) {
                  p.line("", line, {hex(0), 2, Dash::Dashed});
              }) == doctest::Approx(800 * 8 / 13.2).epsilon(0.04));
        CHECK(inkOf(ratio, [&](Painter& p) { p.line("", line, {hex(0), 2, Dash::Dotted}); }) == doctest::Approx(800 / 2.6).epsilon(0.04));
    }
}

TEST_CASE("strips weigh the area between their lines, crossed or not") {
    const Vec2 upper[] = {{0, 0}, {50, 0}, {100, 0}}, lower[] = {{0, 20}, {50, 40}, {100, 20}}, crossing[] = {{0, -20}, {50, 0}, {100, 20}};
    CHECK(inkOf(1, [&](Painter& p) { p.strip("", upper, lower, hex(0)); }) == doctest::Approx(3000).epsilon(0.01));
    CHECK(inkOf(1, [&](Painter& p) { p.strip("", upper, crossing, hex(0)); }) == doctest::Approx(1000).epsilon(0.06));
}

TEST_CASE("without GL ribbons, points and fields are drawn as shapes") {
    const Ribbon ribbon[] = {{{100, 100}, {100, 200}, 10, 10, hex(0), -1}};
    CHECK(inkOf(1, [&](Painter& p) { p.ribbons("", ribbon, {0, 1}); }) == doctest::Approx(1000).epsilon(0.01));
    const PointMark point[] = {{{50, 50}, 10, hex(0)}};
    CHECK(inkOf(1, [&](Painter& p) { p.points("", point); }) == doctest::Approx(100 * M_PI).epsilon(0.02));
    const double values[] = {0, 1, NAN, 0.5};
    CHECK(inkOf(1, [&](Painter& p) { p.field("", {{0, 0}, {20, 20}}, {2, 2, values}); }) == doctest::Approx(300));
}

TEST_CASE("without GL a plane in perspective weighs its area, and its cells meet without seams or gaps") {
    // A square seen at a slant: the far edge half as long, so its weight is twice the near one's.
    const PlaneCorners corners{{{{150, 100}, 2}, {{250, 100}, 2}, {{300, 200}, 1}, {{100, 200}, 1}}};
    const std::vector<double> full(64 * 64, 1.0);
    const auto weight = [&](const Field2D& field, double opacity) {
        return inkOf(1, [&](Painter& p) { p.plane("", corners, field, opacity); });
    };
    CHECK(weight({64, 64, full}, 1) == doctest::Approx(15000));
    CHECK(weight({1, 1, std::span(full).first(1)}, 1) == doctest::Approx(15000));
    CHECK(weight({64, 64, full}, 0.5) == doctest::Approx(7500).epsilon(0.01));
    CHECK(weight({64, 64, full}, 0) == 0);
    // The far half of the square is the smaller half of its picture: at a third of the height, the lengths there 4/3 of the far edge's.
    const double farHalf[] = {1, NAN}, nearHalf[] = {NAN, 1};
    CHECK(weight({2, 1, farHalf}, 1) == doctest::Approx(0.5 * (100 + 400.0 / 3) * 100 / 3));
    CHECK(weight({2, 1, farHalf}, 1) + weight({2, 1, nearHalf}, 1) == doctest::Approx(15000));
}

TEST_CASE("low values of a see-through field leave less ink, the lowest none; high ones all of it") {
    const PlaneCorners corners{{{{100, 100}, 1}, {{200, 100}, 1}, {{200, 200}, 1}, {{100, 200}, 1}}};
    const auto weight = [&](double value) {
        return inkOf(1, [&](Painter& p) { p.plane("", corners, {.rows = 1, .cols = 1, .values = {&value, 1}, .fadesOut = true}, 1); });
    };
    CHECK(weight(0) == 0);
    CHECK(weight(0.1) > 0);
    CHECK(weight(0.1) < weight(0.3));
    CHECK(weight(0.3) == doctest::Approx(10000 * fadedAlpha(0.3)).epsilon(0.01));
    CHECK(weight(1) == doctest::Approx(10000));
}

TEST_CASE("what is not finite or has no extent leaves no mark") {
    const Vec2 broken[] = {{0, 0}, {NAN, 1}, {2, 2}}, dot[] = {{1, 1}, {1, 1}, {1, 1}};
    const double values[] = {1};
    CHECK(inkOf(1, [&](Painter& p) {
              p.polygon("", broken, hex(0));
              p.line("", broken, {hex(0)});
              p.strip("", broken, broken, hex(0));
              p.rect("", {{5, 5}, {1, 1}}, hex(0));
              p.rect("", {{0, 0}, {NAN, 1}}, hex(0));
              p.marker("", {NAN, 0}, 3, MarkerShape::Circle, hex(0));
              p.marker("", {0, 0}, -1, MarkerShape::Circle, hex(0));
              p.text("", {NAN, 0}, "x", {});
              p.field("", {{0, 0}, {1, 1}}, {3, 3, values});
              p.plane("", {{{{0, 0}, 1}, {{9, 0}, 1}, {{9, 9}, 1}, {{0, 9}, 1}}}, {3, 3, values}, 1);
              p.plane("", {{{{0, 0}, 1}, {{9, 0}, 1}, {{9, NAN}, 1}, {{0, 9}, 1}}}, {1, 1, values}, 1);
              p.plane("", {{{{0, 0}, 1}, {{9, 0}, 0}, {{9, 9}, 1}, {{0, 9}, 1}}}, {1, 1, values}, 1);
              p.line("", dot, {hex(0)});
          }) == 0);
}

TEST_CASE("text stands where it is anchored, turned text reads upwards") {
    Screen screen;
    ImGuiPainter painter(screen.list(), screen.fonts, Theme::light(), 1, nullptr);
    const auto extent = [&](const TextStyle& style) {
        const int before = screen.list().VtxBuffer.Size;
        painter.text("", {400, 300}, "capacity", style);
        Rect box{{1e9, 1e9}, {-1e9, -1e9}};
        for (int i = before; i < screen.list().VtxBuffer.Size; ++i) {
            const ImVec2 p = screen.list().VtxBuffer[i].pos;
            box = {{std::min<double>(box.lo.x, p.x), std::min<double>(box.lo.y, p.y)},
                   {std::max<double>(box.hi.x, p.x), std::max<double>(box.hi.y, p.y)}};
        }
        return box;
    };
    TextStyle style{.color = hex(0), .size = 13};
    CHECK(extent(style).lo.x >= 399);
    CHECK(extent(style).lo.y >= 299);
    style.h = AlignH::Right, style.v = AlignV::Bottom;
    CHECK(extent(style).hi.x <= 401);
    CHECK(extent(style).hi.y <= 301);
    style.upright = false, style.h = AlignH::Left;
    const Rect turned = extent(style);
    CHECK(turned.hi.y <= 301);
    CHECK(turned.height() > turned.width());
    CHECK(turned.hi.x <= 401);
    const Vec2 upright = painter.measure("capacity", {.size = 13}), upwards = painter.measure("capacity", {.size = 13, .upright = false});
    CHECK(upright.x == upwards.y);
    CHECK(painter.measure("capacity", {.size = 26}).x == doctest::Approx(2 * upright.x));
}

TEST_CASE("files that are no fonts are refused in a sentence that names them") {
    FontSet fonts;
    const unsigned char junk[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
    CHECK(fonts.setFiles({{}, {}, {}, {}}).find("ui.ttf") != std::string::npos);
    CHECK(fonts.setFiles({junk, {}, {}, {}}).find("ui.ttf") != std::string::npos);
    std::vector<unsigned char> directory(12 + 16 * 6, 0xff);
    directory[0] = 0, directory[1] = 1, directory[2] = 0, directory[3] = 0, directory[4] = 0, directory[5] = 6;
    CHECK_FALSE(fonts.setFiles({directory, {}, {}, {}}).empty());
}

TEST_CASE("shaders are the same text on both platforms but for version and precision") {
    const std::string es = "#version 300 es\nprecision highp float;\nin vec2 a;\nvoid main() {}";
    CHECK(shaderSource(es, true) == es);
    CHECK(shaderSource(es, false) == "#version 330 core\n\nin vec2 a;\nvoid main() {}");
}

TEST_CASE("a field's fingerprint changes with every number and with its mapping") {
    std::vector<double> values{1, 2, 3, 4, 5, 6};
    const auto print = [&](std::size_t rows, double hi, bool log) { return fingerprint({rows, 6 / rows, values, 0, hi, log}); };
    const auto first = print(2, 6, false);
    CHECK(print(2, 6, false) == first);
    CHECK(print(3, 6, false) != first);
    CHECK(print(2, 7, false) != first);
    CHECK(print(2, 6, true) != first);
    for (double& value : values) {
        value = std::nextafter(value, 10);
        CHECK(print(2, 6, false) != first);
        value = std::nextafter(value, -10);
    }
    std::swap(values[0], values[1]);
    CHECK(print(2, 6, false) != first);
}

TEST_CASE("the visible part of a field leaves out rims without numbers, and where it fades out those near the low end") {
    const double values[] = {NAN, NAN, NAN, NAN, 0, 0.5, 0, NAN, 0, 0.9, 1, NAN};
    Field2D field{.rows = 3, .cols = 4, .values = values};
    CHECK(visiblePart(field) == Rect{{0, 1.0 / 3}, {0.75, 1}});
    field.fadesOut = true;
    CHECK(visiblePart(field) == Rect{{0.25, 1.0 / 3}, {0.75, 1}});
    const double nothing[] = {NAN, NAN};
    CHECK(visiblePart({.rows = 1, .cols = 2, .values = nothing}).width() == 0);
}

TEST_CASE("a GL context that was never created is not ready and may be forgotten") {
    GlContext gl;
    CHECK_FALSE(gl.ready());
    gl.forget();
    gl.destroy();
    gl.beginFrame(800, 600, 2);
    CHECK(gl.counters().draws == 0);
}

TEST_CASE("fonts are baked once per pixel ratio") {
    ImGui::CreateContext();
    FontSet fonts;
    CHECK(fonts.bake(1));
    CHECK_FALSE(fonts.bake(1));
    CHECK(fonts.bake(2));
    CHECK(fonts.bake(NAN));
    CHECK(fonts.font(FontFace::Bold, 15) != nullptr);
    CHECK(fonts.pick(FontFace::Regular, 26).scale == doctest::Approx(2));
    ImGui::DestroyContext();
}
