// Every scene's picture as SVG: a document of its own with the same marks, texts and bounds as on the screen.
#include "scenes/picture_svg.h"

#include <doctest/doctest.h>
#include <imgui.h>

#include <cmath>
#include <functional>
#include <map>

#include "draw/imgui_painter.h"
#include "draw/imgui_shapes.h"
#include "fontBytes.h"
#include "grid_report.h"
#include "scenes/picture.h"
#include "support/random_states.h"
#include "support/svg.h"

using namespace kappaflow;

namespace {

/// ImGui with the program's fonts, no window, no GL.
struct Screen {
    FontSet fonts;
    Screen() {
        ImGui::CreateContext();
        fonts.setFiles({fontBytes("ui.ttf"), fontBytes("ui-italic.ttf"), fontBytes("ui-bold.ttf"), fontBytes("math.ttf")});
        fonts.bake(1);
        ImGui::GetIO().DisplaySize = {1280, 800};
        ImGui::NewFrame();
    }
    ~Screen() {
        ImGui::EndFrame();
        ImGui::DestroyContext();
    }
};

struct Seen {
    Bounds bounds;
    /// What the screen's may end sooner: the last gap of dashes, straight ends and blunted corners of wide strokes, the room beside a
    /// glyph's ink; and later: the bitmaps of glyphs, which are whole pixels, and what italics lean over their place.
    double sooner = 0, later = 0;
};
/// Kind and id of marks → what is seen of each, in order.
using Marks = std::map<std::string, std::vector<Seen>>;

/// Draws on ImGui's list and notes where the opaque ink of every mark went.
class ScreenProbe final : public Painter {
public:
    ScreenProbe(ImDrawList& list, const FontSet& fonts, const Theme& theme) : list_(list), inner_(list, fonts, theme, 1, nullptr) {}
    Marks marks;

    using Painter::line;
    void line(std::string_view id, std::span<const Vec2> points, const Stroke& stroke, bool closed) override {
        note("line", id, [&] { inner_.line(id, points, stroke, closed); });
    }
    void polygon(std::string_view id, std::span<const Vec2> points, Color fill) override {
        note("area", id, [&] { inner_.polygon(id, points, fill); });
    }
    void strip(std::string_view id, std::span<const Vec2> upper, std::span<const Vec2> lower, Color fill) override {
        note("area", id, [&] { inner_.strip(id, upper, lower, fill); });
    }
    void rect(std::string_view id, Rect rect, Color fill, double rounding) override {
        note("rect", id, [&] { inner_.rect(id, rect, fill, rounding); });
    }
    void frame(std::string_view id, Rect rect, const Stroke& stroke, double rounding) override {
        note("rect", id, [&] { inner_.frame(id, rect, stroke, rounding); });
    }
    void marker(std::string_view id, Vec2 at, double radius, MarkerShape shape, Color fill, std::optional<Stroke> rim) override {
        note("area", id, [&] { inner_.marker(id, at, radius, shape, fill, rim); });
    }
    void text(std::string_view id, Vec2 at, std::string_view utf8, const TextStyle& style) override {
        note("text", id, [&] { inner_.text(id, at, utf8, style); });
    }
    Vec2 measure(std::string_view utf8, const TextStyle& style) override { return inner_.measure(utf8, style); }
    void field(std::string_view id, Rect dest, const Field2D& field) override {
        note("cells", id, [&] { inner_.field(id, dest, field); });
    }
    void plane(std::string_view id, const PlaneCorners& corners, const Field2D& field, double opacity) override {
        note("cells", id, [&] { inner_.plane(id, corners, field, opacity); });
    }
    void ribbons(std::string_view id, std::span<const Ribbon> ribbons, Vec2 axis) override {
        note("group", id, [&] { inner_.ribbons(id, ribbons, axis); });
    }
    void points(std::string_view id, std::span<const PointMark> points) override {
        note("group", id, [&] { inner_.points(id, points); });
    }
    void pushClip(Rect rect) override { inner_.pushClip(rect); }
    void popClip() override { inner_.popClip(); }
    double pixelRatio() const override { return 1; }

private:
    void note(const std::string& kind, std::string_view id, const std::function<void()>& draw) {
        const int before = list_.VtxBuffer.Size;
        draw();
        Seen seen;
        for (int i = before; i < list_.VtxBuffer.Size; ++i)
            if (list_.VtxBuffer[i].col >> 24) seen.bounds.add({list_.VtxBuffer[i].pos.x, list_.VtxBuffer[i].pos.y});
        if (!seen.bounds.empty() && !id.empty()) marks[kind + ' ' + std::string(id)].push_back(seen);
    }
    ImDrawList& list_;
    ImGuiPainter inner_;
};

/// The lines of text in an element as boxes from ascent to descent.
Bounds boundsOfText(const XmlElement& text) {
    Bounds bounds;
    const auto runs = text.named("tspan");
    const double size = text.number("font-size");
    const std::string turn = text.attribute("transform");
    Vec2 origin;
    if (!turn.empty()) REQUIRE(std::sscanf(turn.c_str(), "translate(%lf %lf) rotate(-90)", &origin.x, &origin.y) == 2);
    const auto add = [&](const XmlElement& run, double em) {
        const double left = run.number("x"), right = left + (run.attribute("textLength").empty() ? 0 : run.number("textLength"));
        const double top = run.number("y") - FontSet::kAscent * em, bottom = run.number("y") + FontSet::kDescent * em;
        for (const Vec2 p : {Vec2{left, top}, Vec2{right, bottom}}) bounds.add(turn.empty() ? p : origin + Vec2{p.y, -p.x});
    };
    if (runs.empty()) add(text, size);
    for (const auto* run : runs) add(*run, run->attribute("font-size").empty() ? size : run->number("font-size"));
    return bounds;
}

// How much of a stroke is opaque on the screen: half its width less half the soft edge.
double core(const XmlElement& element) {
    return element.attribute("stroke-width").empty() ? 0 : std::max(0.0, 0.5 * element.number("stroke-width") - 0.5);
}

Seen seenOf(const XmlElement& element) {
    Seen seen;
    const std::string dashes = element.attribute("stroke-dasharray");
    if (!dashes.empty()) seen.sooner = std::stod(dashes.substr(dashes.find(' ')));
    if (!element.attribute("stroke-width").empty()) seen.sooner += 0.5 * element.number("stroke-width");
    if (element.name == "path") {
        if (dashes.empty() && element.attribute("fill") != "none") seen.sooner = 1.1;  // soft edges of steep slopes
        seen.bounds = boundsOfPath(element.attribute("d"));
        seen.bounds.grow(core(element));
    } else if (element.name == "rect" || element.name == "image") {
        const Vec2 lo{element.number("x"), element.number("y")};
        seen.bounds.add(lo);
        seen.bounds.add(lo + Vec2{element.number("width"), element.number("height")});
        seen.bounds.grow(core(element));
    } else if (element.name == "circle") {
        seen.bounds.add({element.number("cx"), element.number("cy")});
        seen.bounds.grow(element.number("r") + core(element));
    } else if (element.name == "text") {
        seen.bounds = boundsOfText(element);
        seen.sooner = 0.4 * element.number("font-size");
        seen.later = 1 + 0.05 * element.number("font-size");
    } else {
        for (const auto& child : element.children) {
            const Seen inside = seenOf(child);
            if (inside.bounds.empty()) continue;
            seen.bounds.add(inside.bounds.lo);
            seen.bounds.add(inside.bounds.hi);
        }
    }
    return seen;
}

std::string kindOf(const XmlElement& element) {
    if (element.name == "g") return element.attribute("shape-rendering").empty() ? "group" : "cells";
    if (element.name == "image") return "cells";
    if (element.name == "text" || element.name == "rect") return element.name;
    if (element.name == "path" && element.attribute("fill") == "none" && element.attribute("stroke-linejoin") == "round") return "line";
    return "area";
}

Marks marksOf(const XmlElement& svg) {
    Marks marks;
    for (const auto* element : svg.all([](const XmlElement& e) { return !e.attribute("data-mark").empty(); })) {
        const std::string id = element->attribute("data-mark");
        if (id != "ground") marks[kindOf(*element) + ' ' + id].push_back(seenOf(*element));
    }
    return marks;
}

Report reportOf(const State& state) {
    Request request;
    request.scene = state.scene;
    request.params = state.params;
    return runRequest(request);
}

struct Look {
    double width, height;
    bool compact, dark;
};
const Look kLooks[] = {{1200, 800, false, false}, {800, 600, false, true}, {390, 430, true, false}, {720, 300, true, true}};

std::vector<State> statesOf(const Declaration& scene) {
    std::vector<State> states;
    for (const auto& preset : scene.presets) {
        std::vector<std::string> warnings;
        State state = apply(initialState(scene.id), Change::preset(preset.name), warnings);
        states.push_back(state);
        if (const Param* timeline = scene.param(scene.timeline.param))
            state.params.set(timeline->key, std::clamp(3.4, timeline->min, timeline->max));
        states.push_back(state);
    }
    return states;
}

template <class Check>
void forEveryFigure(Check&& check) {
    Screen screen;
    for (const auto& scene : declarations())
        for (const auto& state : statesOf(scene)) {
            const Report report = reportOf(state);
            for (const auto& look : kLooks) {
                CAPTURE(formatLink(state));
                CAPTURE(look.width);
                check(screen, report, state, look);
            }
        }
}

std::string svgOf(const Screen& screen, const Report& report, const State& state, const Look& look) {
    return pictureSvg(
        {.report = report, .state = state, .width = look.width, .height = look.height, .dark = look.dark, .compact = look.compact},
        textMeasure(screen.fonts));
}

Marks onScreen(const Screen& screen, const Report& report, const State& state, const Look& look) {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    list._ResetForNewFrame();
    list.PushClipRect({0, 0}, {1280, 800});
    list.PushTextureID(ImGui::GetIO().Fonts->TexID);
    const Theme& theme = look.dark ? Theme::night() : Theme::light();
    ScreenProbe probe(list, screen.fonts, theme);
    Handles handles;
    handles.beginFrame({});
    const double side = look.compact ? 2 : 10;
    PictureFrame frame{.painter = probe,
                       .theme = theme,
                       .handles = handles,
                       .report = report,
                       .reportVersion = 1,
                       .state = state,
                       .area = {{side, 0}, {look.width - side, look.height}},
                       .compact = look.compact,
                       .still = true,
                       .changes = {},
                       .kept = true};
    makePicture(state.scene)->draw(frame);
    return std::move(probe.marks);
}

void checkSame(const Seen& screen, const Seen& svg) {
    constexpr double kPixel = 1;
    for (const auto& [outer, inner] : {std::pair{screen.bounds.lo.x, svg.bounds.lo.x},
                                       {screen.bounds.lo.y, svg.bounds.lo.y},
                                       {-screen.bounds.hi.x, -svg.bounds.hi.x},
                                       {-screen.bounds.hi.y, -svg.bounds.hi.y}}) {
        CHECK(outer >= inner - kPixel - svg.later);
        CHECK(outer <= inner + kPixel + svg.sooner);
    }
}

bool within(const Bounds& inner, const Bounds& outer, double slack) {
    return inner.lo.x >= outer.lo.x - slack && inner.lo.y >= outer.lo.y - slack && inner.hi.x <= outer.hi.x + slack &&
           inner.hi.y <= outer.hi.y + slack;
}

/// Whether an attribute's numbers have at most three decimals and are numbers.
bool isShort(const std::string& name, const std::string& value) {
    if (name == "xlink:href" || name.find("xmlns") == 0 || name == "data-mark" || name == "rdf:about") return true;
    int digits = -1;
    for (const char c : value) {
        digits = c == '.' ? 0 : digits >= 0 && c >= '0' && c <= '9' ? digits + 1 : -1;
        if (digits > 3) return false;
    }
    return value.find("nan") == value.npos && value.find("inf") == value.npos;
}

}  // namespace

TEST_CASE("every figure is a well-formed document of at most two megabytes with short numbers") {
    forEveryFigure([&](const Screen& screen, const Report& report, const State& state, const Look& look) {
        const std::string text = svgOf(screen, report, state, look);
        CHECK(text.size() <= 2'000'000);
        const XmlElement svg = XmlReader::read(text);
        CHECK(svg.number("width") == look.width);
        CHECK(svg.number("height") == look.height);
        CHECK(svg.named("text").size() > 5);
        for (const auto* element : svg.all([](const XmlElement&) { return true; }))
            for (const auto& [name, value] : element->attributes)
                if (!isShort(name, value)) FAIL_CHECK(element->name, " ", name, " ", value);
    });
}

TEST_CASE("every mark of a figure lies within a pixel of where the screen has it") {
    std::size_t compared = 0;
    forEveryFigure([&](const Screen& screen, const Report& report, const State& state, const Look& look) {
        const Marks expected = onScreen(screen, report, state, look);
        const Marks found = marksOf(XmlReader::read(svgOf(screen, report, state, look)));
        for (const auto& each : expected) {
            const std::string& mark = each.first;
            const auto& all = each.second;
            CAPTURE(mark);
            REQUIRE(found.count(mark) == 1);
            REQUIRE(found.at(mark).size() == all.size());
            for (std::size_t i = 0; i < all.size(); ++i) checkSame(all[i], found.at(mark)[i]), ++compared;
        }
        CHECK(found.size() == expected.size());
    });
    CHECK(compared > 1000);
}

TEST_CASE("stacks of planes keep to their places and to two megabytes, small and large") {
    Screen screen;
    const State state = initialState("capacity-diffusion");
    for (const HandMadeGrid& made : {HandMadeGrid{}, HandMadeGrid{.layers = 24, .side = 33}, HandMadeGrid{.layers = 10, .side = 128}}) {
        const Report report = handMade(made);
        for (const auto& look : kLooks) {
            CAPTURE(made.side);
            CAPTURE(look.width);
            const std::string text = svgOf(screen, report, state, look);
            CHECK(text.size() <= 2'000'000);
            const Marks expected = onScreen(screen, report, state, look), found = marksOf(XmlReader::read(text));
            for (const auto& each : expected) {
                const std::string& mark = each.first;
                const auto& all = each.second;
                CAPTURE(mark);
                const auto same = found.find(mark);
                if (mark.find("cells stack/") == 0) {
                    // What can hardly be seen is left out: less, never more.
                    for (std::size_t i = 0; same != found.end() && i < all.size(); ++i)
                        CHECK(within(same->second.at(i).bounds, all[i].bounds, 2));
                    continue;
                }
                REQUIRE(same != found.end());
                REQUIRE(same->second.size() == all.size());
                for (std::size_t i = 0; i < all.size(); ++i) checkSame(all[i], same->second[i]);
            }
            CHECK(found.count("cells stack/current") == 1);
        }
    }
}

TEST_CASE("a figure of the same state is the same bytes") {
    Screen screen;
    for (const auto& scene : declarations()) {
        const State state = initialState(scene.id);
        CHECK(svgOf(screen, reportOf(state), state, kLooks[0]) == svgOf(screen, reportOf(state), state, kLooks[0]));
    }
}

TEST_CASE("a figure carries its title, its caption and the link to its state") {
    Screen screen;
    for (const auto& scene : declarations())
        for (const auto& state : statesOf(scene)) {
            const Report report = reportOf(state);
            const XmlElement svg = XmlReader::read(svgOf(screen, report, state, kLooks[0]));
            std::vector<std::string> warnings;
            CHECK(parseLink(svg.named("dc:source").at(0)->text, warnings) == state);
            CHECK(warnings.empty());
            CHECK(svg.named("title").at(0)->text == scene.title);
            CHECK(svg.named("desc").at(0)->text.find(report.summary) == 0);
            CHECK(svg.named("desc").at(0)->text.find(scene.source) != std::string::npos);
            CHECK(svg.named("dc:identifier").at(0)->text == scene.id);
            CHECK(svg.named("dc:creator").at(0)->text == "Kappaflow " KAPPAFLOW_VERSION);
        }
}

TEST_CASE("with words, title and whole caption are drawn beside the picture") {
    Screen screen;
    for (const auto& scene : declarations()) {
        const State state = initialState(scene.id);
        const Report report = reportOf(state);
        const FigureRequest wanted{.report = report, .state = state, .width = 700, .height = 600, .compact = true, .words = true};
        const XmlElement svg = XmlReader::read(pictureSvg(wanted, textMeasure(screen.fonts)));
        std::string caption;
        Bounds title, body, rest;
        for (const auto* text : svg.named("text")) {
            const std::string id = text->attribute("data-mark");
            Bounds& bounds = id == "title" ? title : id == "caption" ? body : rest;
            bounds.add(boundsOfText(*text).lo);
            bounds.add(boundsOfText(*text).hi);
            if (id == "caption") caption += (caption.empty() ? "" : " ") + text->allText();
        }
        CHECK(caption == withoutMarkup(escapeMarkup(captionOf(report, scene))));
        CHECK(title.hi.y <= rest.lo.y + 1);
        CHECK(rest.hi.y <= body.lo.y + 1);
        CHECK(body.hi.x <= 700);
        CHECK(body.hi.y <= 600);
    }
}

TEST_CASE("what the caller says goes in place of the figure's own words, and a reader's file is named where it counts") {
    Screen screen;
    State state = initialState("capacity-diffusion");
    const Report report = reportOf(state);
    const auto svgWith = [&](const State& s) {
        const FigureRequest wanted{.report = report,
                                   .state = s,
                                   .link = "https://example.org/#v=1&a=\"<>",
                                   .caption = "Mine & <yours>\x01\xff",
                                   .file = "net.onnx"};
        return XmlReader::read(pictureSvg(wanted, textMeasure(screen.fonts)));
    };
    CHECK(svgWith(state).named("dc:source").at(0)->text == "https://example.org/#v=1&a=\"<>");
    CHECK(svgWith(state).named("desc").at(0)->text == "Mine & <yours>\uFFFD\uFFFD");
    CHECK(svgWith(state).named("dcterms:requires").empty());
    state.params.set("network", std::string("file"));
    CHECK(svgWith(state).named("dcterms:requires").at(0)->text == "net.onnx");
}

TEST_CASE("a figure invites nobody to drag or to paint") {
    forEveryFigure([](const Screen& screen, const Report& report, const State& state, const Look& look) {
        for (const auto* text : XmlReader::read(svgOf(screen, report, state, look)).named("text"))
            for (const char* word : {"drag", "paint", "click", "turn"}) CHECK(text->allText().find(word) == std::string::npos);
    });
}

TEST_CASE("what a reader may ask for at most still fits into two megabytes") {
    Screen screen;
    Rng rng(11, Purpose::Data);
    for (const auto& scene : declarations())
        for (int trial = 0; trial < 40; ++trial) {
            const State state = randomState(scene, rng);
            CAPTURE(formatLink(state));
            Request request;
            request.scene = scene.id;
            request.params = state.params;
            // What takes its time is no larger to draw.
            if (modelOf(scene.id).cost(request).operations > 3e7) continue;
            const Report report = reportOf(state);
            const std::string text = svgOf(screen, report, state, {1200, 800, false, false});
            CHECK(text.size() <= 2'000'000);
            CHECK_NOTHROW(XmlReader::read(text));
        }
}

TEST_CASE("a picture too detailed for its size is written more coarsely, its lines reaching as far") {
    Screen screen;
    State state = initialState("shattering");
    for (const auto& [key, value] : {std::pair{"layers", 600.0}, {"strands", 1000.0}}) state.params.set(key, value);
    const Report report = reportOf(state);
    const std::string text = svgOf(screen, report, state, kLooks[0]);
    CHECK(text.size() <= 2'000'000);
    CHECK(text.size() > 500'000);
    const Marks found = marksOf(XmlReader::read(text)), expected = onScreen(screen, report, state, kLooks[0]);
    for (const auto& [mark, all] : expected)
        if (mark.find("strands") != mark.npos) {
            REQUIRE(found.at(mark).size() == all.size());
            for (std::size_t i = 0; i < all.size(); ++i) {
                CHECK(std::abs(found.at(mark)[i].bounds.lo.y - all[i].bounds.lo.y) < 6);
                CHECK(std::abs(found.at(mark)[i].bounds.hi.y - all[i].bounds.hi.y) < 6);
            }
        }
}

TEST_CASE("sizes beyond reason are moved to what can be drawn, and scenes that do not exist give nothing") {
    Screen screen;
    State state = initialState("shattering");
    const Report report = reportOf(state);
    for (const auto& [given, used] : {std::pair{0.0, 200.0}, {1e9, 4000.0}, {-5.0, 200.0}, {std::nan(""), 200.0}}) {
        const XmlElement svg =
            XmlReader::read(pictureSvg({.report = report, .state = state, .width = given, .height = given}, textMeasure(screen.fonts)));
        CHECK(svg.number("width") == used);
        CHECK(svg.number("height") == used);
    }
    state.scene = "nowhere";
    CHECK(pictureSvg({.report = report, .state = state}, textMeasure(screen.fonts)).empty());
}
