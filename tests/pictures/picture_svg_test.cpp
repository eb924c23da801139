// Every scene's picture as SVG: a document of its own.
#include "scenes/picture_svg.h"

#include <doctest/doctest.h>

#include <cmath>

#include "grid_report.h"
#include "support/complete_set.h"
#include "support/followed.h"
#include "support/random_states.h"
#include "support/tested_scenes.h"
#include "svg_marks.h"

using namespace kappaflow;

namespace {

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

/// A well-formed document of at most two megabytes with short numbers, of the size asked for.
void checkDocument(const XmlElement& svg, const std::string& text, const Look& look) {
    CHECK(text.size() <= 2'000'000);
    CHECK(svg.number("width") == look.width);
    CHECK(svg.number("height") == look.height);
    CHECK(svg.named("text").size() > 5);
    for (const auto* element : svg.all([](const XmlElement&) { return true; }))
        for (const auto& [name, value] : element->attributes)
            if (!isShort(name, value)) FAIL_CHECK(element->name, " ", name, " ", value);
}

/// It carries its title, its caption and the link to its state, and invites nobody to drag or to paint.
void checkWords(const XmlElement& svg, const Report& report, const State& state) {
    const Declaration& scene = *findDeclaration(state.scene);
    std::vector<std::string> warnings;
    CHECK(parseLink(svg.named("dc:source").at(0)->text, warnings) == state);
    CHECK(warnings.empty());
    CHECK(svg.named("title").at(0)->text == scene.title);
    CHECK(svg.named("desc").at(0)->text.find(report.summary) == 0);
    CHECK(svg.named("desc").at(0)->text.find(scene.source) != std::string::npos);
    CHECK(svg.named("dc:identifier").at(0)->text == scene.id);
    CHECK(svg.named("dc:creator").at(0)->text == "Kappaflow " KAPPAFLOW_VERSION);
    for (const auto* text : svg.named("text"))
        for (const char* word : {"drag", "paint", "click", "to turn"}) CHECK(text->allText().find(word) == std::string::npos);
}

/// Every mark lies within a pixel of where the screen has it.
void checkPlaces(const XmlElement& svg, const Marks& expected) {
    const Marks found = marksOf(svg);
    CHECK(expected.size() > 5);
    CHECK(found.size() == expected.size());
    for (const auto& each : expected) {
        const std::string& mark = each.first;  // clang 14 captures no structured binding
        const auto& all = each.second;
        CAPTURE(mark);
        REQUIRE(found.count(mark) == 1);
        REQUIRE(found.at(mark).size() == all.size());
        for (std::size_t i = 0; i < all.size(); ++i) checkSame(all[i], found.at(mark)[i]);
    }
}

void checkFigure(const Screen& screen, const State& state, const Look& look) {
    CAPTURE(formatLink(state));
    CAPTURE(look.width);
    const Report& report = reportOf(state);
    const std::string text = svgOf(screen, report, state, look);
    const XmlElement svg = XmlReader::read(text);
    checkDocument(svg, text, look);
    checkWords(svg, report, state);
    checkPlaces(svg, onScreen(screen, report, state, look));
}

}  // namespace

TEST_CASE(
    "every figure is a short well-formed document, carries title, caption and link, and has all marks within a pixel of the screen's" *
    doctest::test_suite("long")) {
    const Screen screen;
    std::size_t preset = 0;  // Presets take the looks in turn, in the complete set all.
    for (const auto& scene : testedScenes())
        for (const auto& states : statesOf(scene)) {
            for (const auto& state : states)
                for (std::size_t look = 0; look < std::size(kLooks); ++look)
                    if (look == preset % std::size(kLooks) || completeSet()) checkFigure(screen, state, kLooks[look]);
            ++preset;
        }
}

TEST_CASE("with words, title and whole caption are drawn beside the picture") {
    Screen screen;
    for (const auto& scene : testedScenes()) {
        const State state = initialState(scene.id);
        const Report& report = reportOf(state);
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
    const Report& report = reportOf(state);
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

TEST_CASE("what a reader may ask for at most still fits into two megabytes") {
    Screen screen;
    Rng rng(11, Purpose::Data);
    for (const auto& scene : testedScenes())
        for (int trial = 0; trial < 40; ++trial) {
            const State state = randomState(scene, rng);
            CAPTURE(formatLink(state));
            Request request;
            request.scene = scene.id;
            request.params = state.params;
            // What takes its time is no larger to draw.
            if (costOf(request).operations > 3e7) continue;
            const std::string text = svgOf(screen, runRequest(request), state, {1200, 800, false, false});
            CHECK(text.size() <= 2'000'000);
            CHECK_NOTHROW(XmlReader::read(text));
        }
}

TEST_CASE("sizes beyond reason are moved to what can be drawn, and scenes that do not exist give nothing") {
    Screen screen;
    State state = initialState("shattering");
    const Report& report = reportOf(state);
    for (const auto& [given, used] : {std::pair{0.0, 200.0}, {1e9, 4000.0}, {-5.0, 200.0}, {std::nan(""), 200.0}}) {
        const XmlElement svg =
            XmlReader::read(pictureSvg({.report = report, .state = state, .width = given, .height = given}, textMeasure(screen.fonts)));
        CHECK(svg.number("width") == used);
        CHECK(svg.number("height") == used);
    }
    state.scene = "nowhere";
    CHECK(pictureSvg({.report = report, .state = state}, textMeasure(screen.fonts)).empty());
}
