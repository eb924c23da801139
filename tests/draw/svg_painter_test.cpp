// Marks as SVG, read back as a viewer reads them.
#include "draw/svg_painter.h"

#include <doctest/doctest.h>
#include <imgui.h>

#include <cmath>
#include <functional>
#include <limits>

#include "draw/imgui_painter.h"
#include "draw/own_fonts.h"
#include "draw/stroke.h"
#include "support/svg.h"

using namespace kappaflow;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const HeadlessFonts& fonts() {
    static const HeadlessFonts all(ownFonts());
    return all;
}

XmlElement drawn(const std::function<void(SvgPainter&)>& draw) {
    SvgPainter painter(Theme::light(), fonts().measure(), "test");
    draw(painter);
    return XmlReader::read("<svg>" + painter.finish() + "</svg>");
}

const XmlElement& only(const XmlElement& root) {
    REQUIRE(root.children.size() == 1);
    return root.children[0];
}

const std::vector<Vec2> kZigzag{{10, 10}, {20, 30.5}, {35.25, 12}};

const std::vector<std::string> kTexts{"plain text",
                                      "layer *l* of 24",
                                      "κ^{*l*}_{*i*} = 0.5·10^{−3}",
                                      "*D*_{*ij*} κ_{*j*}",
                                      "∇𝒟 ∼ ⟨x⟩ ∈ ℝ^{n}",
                                      "√(2*L*) and 16–84 %",
                                      "_{low}",
                                      "1234567890",
                                      "a*b*c*d*e",
                                      "x^{y^{z}}_{w}"};

}  // namespace

TEST_CASE("in high contrast lines and frames are as wide as the theme says") {
    SvgPainter painter(Theme::of(false, true), fonts().measure(), "test");
    painter.line("curve", kZigzag, {hex(0), 1.5}, false);
    painter.line("hair", kZigzag, {hex(0), 1}, false);
    painter.frame("box", {{10, 10}, {60, 30}}, {hex(0), 2}, 0);
    const XmlElement root = XmlReader::read("<svg>" + painter.finish() + "</svg>");
    CHECK(root.children.at(0).attribute("stroke-width") == "3");
    CHECK(root.children.at(1).attribute("stroke-width") == "1.5");
    CHECK(root.children.at(2).attribute("stroke-width") == "3");
    CHECK(root.children.at(2).attribute("x") == "11.5");  // inside the rectangle
}

TEST_CASE("a line keeps its points, colour, width, dashes and id") {
    const XmlElement root = drawn([](SvgPainter& p) {
        p.line("profile/theory", kZigzag, {hex(0x0068a8), 1.25}, false);
        p.line("", kZigzag, {hex(0), 2, Dash::Dashed}, true);
    });
    const XmlElement& path = root.children.at(0);
    CHECK(path.attribute("data-mark") == "profile/theory");
    CHECK(path.attribute("stroke") == "#0068a8");
    CHECK(path.number("stroke-width") == 1.25);
    CHECK(path.attribute("fill") == "none");
    CHECK(path.attributes.count("stroke-dasharray") == 0);
    CHECK(root.children.at(1).attribute("stroke-dasharray") == "8 5.2");
    for (const bool ring : {false, true}) {
        const auto parts = PathReader::read(root.children.at(ring).attribute("d"));
        REQUIRE(parts.size() == 1);
        CHECK(parts[0].points == kZigzag);
        CHECK(parts[0].closed == ring);
    }
}

TEST_CASE("a line is cut where a point is not finite, and single points are none") {
    const double nan = std::nan("");
    const std::vector<Vec2> points{{0, 0}, {1, 1}, {nan, 2}, {3, 3}, {4, kInfinity}, {5, 5}, {6, 6}, {7, 5}};
    const XmlElement root = drawn([&](SvgPainter& p) { p.line("", points, {hex(0), 1}, true); });
    const auto parts = PathReader::read(only(root).attribute("d"));
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].points.size() == 2);
    CHECK(parts[1].points.size() == 3);
    CHECK_FALSE(parts[1].closed);
}

TEST_CASE("marks without an extent or a place leave nothing") {
    const Vec2 nowhere{std::nan(""), 1};
    const std::vector<Vec2> broken{{0, 0}, nowhere, {1, 1}}, two{{0, 0}, {1, 1}};
    const std::vector<double> few{1, 2};
    const XmlElement root = drawn([&](SvgPainter& p) {
        p.line("", std::vector<Vec2>{}, {hex(0), 1}, false);
        p.line("", two, {hex(0), 0}, false);
        p.line("", two, {hex(0).withAlpha(0), 1}, false);
        p.polygon("", broken, hex(0));
        p.polygon("", two, hex(0));
        p.strip("", two, broken, hex(0));
        p.rect("", {{0, 0}, {0, 5}}, hex(0), 0);
        p.rect("", {{0, 0}, {kInfinity, 5}}, hex(0), 0);
        p.frame("", {{0, 0}, {-1, 5}}, {hex(0), 1}, 0);
        p.marker("", nowhere, 3, MarkerShape::Circle, hex(0), {});
        p.marker("", {1, 1}, -3, MarkerShape::Cross, hex(0), {});
        p.text("", nowhere, "text", {});
        p.text("", {0, 0}, "", {});
        p.field("", {{0, 0}, {5, 5}}, {.rows = 2, .cols = 2, .values = few});
        p.plane("", {{{{0, 0}, 1}, {{1, 0}, 0}, {{1, 1}, 1}, {{0, 1}, 1}}}, {.rows = 1, .cols = 2, .values = few}, 1);
        p.ribbons("", {}, {0, 1});
        p.points("", {});
        p.popClip();
    });
    CHECK(root.children.empty());
}

TEST_CASE("text is measured as on the screen") {
    ImGui::CreateContext();
    FontSet own;
    own.setFiles(ownFonts());
    own.bake(1);
    ImGui::GetIO().DisplaySize = {800, 600};
    ImGui::NewFrame();
    {
        ImGuiPainter screen(*ImGui::GetBackgroundDrawList(), own, Theme::light(), 1, nullptr);
        SvgPainter svg(Theme::light(), fonts().measure(), "test");
        for (const auto& text : kTexts)
            for (const double size : {12.0, 13.0, 15.0, 19.0, 27.5})
                for (const bool bold : {false, true})
                    for (const bool upright : {false, true}) {
                        const TextStyle style{.size = size, .bold = bold, .upright = upright};
                        CHECK(svg.measure(text, style) == screen.measure(text, style));
                        CHECK(svg.measure(text, style).x > 5);
                    }
    }
    ImGui::EndFrame();
    ImGui::DestroyContext();
}

TEST_CASE("text stays text, in runs that fill the measured width") {
    for (const auto& text : kTexts)
        for (const bool italic : {false, true}) {
            const TextStyle style{.color = hex(0x112233), .size = 15, .italic = italic};
            SvgPainter painter(Theme::light(), fonts().measure(), "test");
            painter.text("t", {100, 50}, text, style);
            const XmlElement root = XmlReader::read("<svg>" + painter.finish() + "</svg>");
            const XmlElement& element = only(root);
            CHECK(element.name == "text");
            CHECK(element.allText() == withoutMarkup(text));
            double end = 0;
            auto runs = element.named("tspan");
            if (runs.empty()) runs.push_back(&element);
            for (const auto* run : runs) {
                CHECK(run->number("x") >= 100);
                CHECK(run->attribute("lengthAdjust") == "spacingAndGlyphs");
                end = std::max(end, run->number("x") + run->number("textLength"));
            }
            CHECK(std::abs(end - 100 - painter.measure(text, style).x) < 0.02);
        }
}

TEST_CASE("alignment, turning and halo") {
    const auto element = [](const TextStyle& style) {
        return only(drawn([&](SvgPainter& p) { p.text("t", {100, 50}, "Capacity", style); }));
    };
    const double width = fonts().measure()("Capacity", 20, false, false), high = 20 * FontSet::kLineHeight, up = 20 * FontSet::kAscent;
    TextStyle style{.color = hex(0), .size = 20, .h = AlignH::Centre, .v = AlignV::Middle, .upright = false};
    CHECK(element(style).attribute("transform") ==
          "translate(" + svgNumber(100 - high / 2 + up) + " " + svgNumber(50 + width / 2) + ") rotate(-90)");
    style.halo = hex(0xfcfcfb);
    CHECK(element(style).attribute("paint-order") == "stroke");
    CHECK(element(style).attribute("stroke") == "#fcfcfb");
    style.bold = true;
    CHECK(element(style).attribute("font-weight") == "600");
}

TEST_CASE("a ribbon is the shape on the screen, thin ones its middle line") {
    const Ribbon wide{{10, 20}, {90, 220}, 12, 30, hex(0x0068a8).withAlpha(0.5f)}, thin{{10, 20}, {90, 220}, 0.5, 1.5, hex(0)};
    const Vec2 axis{0, 1};
    const XmlElement root = drawn([&](SvgPainter& p) { p.ribbons("flow", std::vector{wide, thin}, axis); });
    REQUIRE(only(root).children.size() == 2);
    CHECK(only(root).attribute("data-mark") == "flow");
    const auto outline = PathReader::read(only(root).children[0].attribute("d"))[0].points;
    const RibbonShape fine = shapeOf(wide, axis, 2000);
    std::vector<Vec2> edge = fine.upper;
    edge.insert(edge.end(), fine.lower.begin(), fine.lower.end());
    for (const Vec2 p : outline) {
        double nearest = kInfinity;
        for (const Vec2 q : edge) nearest = std::min(nearest, std::hypot(p.x - q.x, p.y - q.y));
        CHECK(nearest < 0.1);
    }
    // The chords between the corners do not leave the curve either.
    for (const Vec2 q : edge) {
        double nearest = kInfinity;
        for (std::size_t i = 0; i < outline.size(); ++i) {
            const Vec2 a = outline[i], d = outline[(i + 1) % outline.size()] - a;
            const double t = std::clamp(((q.x - a.x) * d.x + (q.y - a.y) * d.y) / (d.x * d.x + d.y * d.y), 0.0, 1.0);
            nearest = std::min(nearest, std::hypot(a.x + d.x * t - q.x, a.y + d.y * t - q.y));
        }
        CHECK(nearest < 0.35);
    }
    const XmlElement& lines = only(root).children[1];
    REQUIRE(lines.children.size() == 1);
    const auto curve = PathReader::read(lines.children[0].attribute("d"))[0].points;
    CHECK(curve == std::vector<Vec2>{{10, 20}, {10, 120}, {90, 120}, {90, 220}});
    CHECK(lines.number("stroke-width") == 1.5);
}

TEST_CASE("thin ribbons of one look say it once, and stay apart so that crossings are darker") {
    std::vector<Ribbon> ribbons;
    for (int i = 0; i < 100; ++i)
        ribbons.push_back({{10.0 * i, 0}, {990 - 10.0 * i, 100}, 0.6, 0.6, hex(0x0068a8).withAlpha(i % 2 ? 0.31f : 0.02f)});
    const XmlElement root = drawn([&](SvgPainter& p) { p.ribbons("flow", ribbons, {0, 1}); });
    double widest = 0;
    for (const auto& group : only(root).children) {
        CHECK((group.number("stroke-opacity") == 0.31 || group.number("stroke-opacity") == 0.02));
        widest = std::max(widest, group.number("stroke-width"));
        for (const auto& path : group.children) CHECK(PathReader::read(path.attribute("d")).size() == 1);
    }
    CHECK(only(root).children.size() < 60);
    CHECK(root.named("path").size() == 100);
    // The one that runs straight down is as wide as it was; none is wider.
    CHECK(widest == 0.6);
}

TEST_CASE("clips nest, are named once, and close by themselves") {
    const Rect outer{{0, 0}, {100, 100}}, inner{{10, 10}, {50, 50}};
    const XmlElement root = drawn([&](SvgPainter& p) {
        p.pushClip(outer);
        p.pushClip(inner);
        p.rect("a", inner, hex(0), 0);
        p.popClip();
        p.pushClip(inner);
        p.rect("b", inner, hex(0), 0);
    });
    CHECK(root.named("clipPath").size() == 2);
    const auto groups = root.named("g");
    REQUIRE(groups.size() == 3);
    CHECK(groups[1]->attribute("clip-path") == groups[2]->attribute("clip-path"));
    for (const auto* clip : root.named("clipPath")) CHECK(clip->attribute("id").find("test-clip") == 0);
    CHECK(groups[0]->named("rect").size() >= 2);
}

TEST_CASE("many large fields and planes stay under two megabytes together" * doctest::test_suite("long")) {
    std::vector<double> values(1000 * 1000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::fmod(0.618034 * static_cast<double>(i), 1.0);
    const Field2D field{.rows = 1000, .cols = 1000, .values = values};
    SvgPainter painter(Theme::light(), fonts().measure(), "test");
    for (int i = 0; i < 12; ++i) {
        const double x = 100.0 * i;
        painter.field("f", {{0, 0}, {4000, 4000}}, field);
        painter.plane("p", {{{{x, 0}, 1}, {{x + 2000, 0}, 2}, {{x + 2000, 2000}, 2}, {{x, 2000}, 1}}}, field, 1);
    }
    const std::string marks = painter.finish();
    CHECK(marks.size() < 2'000'000);
    CHECK_NOTHROW(XmlReader::read("<svg>" + marks + "</svg>"));
}

TEST_CASE("a document says its size, its words, and what it was made from") {
    const FigureWords words{.title = "Capacity <flow>",
                            .caption = "κ & more.",
                            .scene = "capacity-diffusion",
                            .generator = "Kappaflow 1",
                            .link = "v=1&scene=capacity-diffusion",
                            .source = "P1",
                            .file = ""};
    const XmlElement svg = XmlReader::read(svgDocument(640, 360.5, Theme::night(), words, "<g/>"));
    CHECK(svg.name == "svg");
    CHECK(svg.attribute("xmlns") == "http://www.w3.org/2000/svg");
    CHECK(svg.attribute("width") == "640");
    CHECK(svg.attribute("height") == "360.5");
    CHECK(svg.attribute("viewBox") == "0 0 640 360.5");
    const auto one = [&](const char* name) {
        REQUIRE(svg.named(name).size() == 1);
        return svg.named(name)[0]->text;
    };
    CHECK(one("title") == "Capacity <flow>");
    CHECK(one("desc") == "κ & more.");
    CHECK(one("dc:source") == "v=1&scene=capacity-diffusion");
    CHECK(one("dc:identifier") == "capacity-diffusion");
    CHECK(one("dc:creator") == "Kappaflow 1");
    CHECK(one("dc:relation") == "P1");
    CHECK(svg.named("dcterms:requires").empty());
    CHECK(svg.named("rect")[0]->attribute("fill") == svgColor(Theme::night().ground));
    CHECK(svg.children.back().name == "g");
}
