// The sentences at the head of a picture: the scene's own at its first preset, another preset's at that, the report's beside
// other params.
#include <doctest/doctest.h>

#include "app/bench_runner.h"
#include "app/describe.h"
#include "draw/svg_painter.h"

using namespace kappaflow;

namespace {

bool isOwn(const Session& session) {
    const Heading heading = headingOf(session);
    const Declaration& scene = session.scene();
    return heading.claim == scene.claim && heading.lookAt == scene.lookAt && heading.tryThis == scene.tryThis;
}

void checkIs(const Session& session, const std::string& lookAt) {
    const Heading heading = headingOf(session);
    CHECK(heading.claim.empty());
    CHECK(heading.tryThis.empty());
    CHECK(heading.lookAt == lookAt);
}

void checkIsReports(const Session& session) { checkIs(session, session.report() ? session.report()->summary : ""); }

}  // namespace

TEST_CASE("every scene opens with its own sentences, and every other preset says its own in their place") {
    std::size_t others = 0;
    for (const Declaration& scene : declarations()) {
        CAPTURE(scene.id);
        Workbench bench;
        bench.app.openLink("scene=" + scene.id + "&play=false");
        CHECK(isOwn(bench.session()));
        for (std::size_t p = 1; p < scene.presets.size(); ++p) {
            const Preset& preset = scene.presets[p];
            CAPTURE(preset.name);
            bench.session().change(Change::preset(preset.name));
            checkIs(bench.session(), preset.lookAt);
            // Time passes, and the sentence stands.
            if (!scene.timeline.param.empty()) bench.set(std::string(scene.timeline.param), 2.0);
            checkIs(bench.session(), preset.lookAt);
            ++others;
        }
        bench.session().change(Change::preset(scene.presets.front().name));
        CHECK(isOwn(bench.session()));
    }
    CHECK(others > 150);
}

TEST_CASE("a param that leaves the presets brings the report's sentence, and coming back a preset's or the scene's own") {
    Workbench bench;
    bench.app.openLink("scene=shattering&play=false");
    bench.settle();
    CHECK(headingOf(bench.session()).lookAt == bench.session().scene().lookAt);
    bench.set("layers", 200.0);
    checkIs(bench.session(), bench.session().scene().presets[1].lookAt);
    bench.set("layers", 20.0);
    bench.settle();
    REQUIRE(bench.session().report());
    CHECK(bench.session().report()->params.number("layers") == 20);
    checkIsReports(bench.session());
    CHECK(headingOf(bench.session()).lookAt.find("20 layers") != std::string::npos);
    bench.set("layers", bench.session().scene().param("layers")->standard);
    bench.settle();
    CHECK(isOwn(bench.session()));
    // Other random numbers are other params too.
    bench.set("seed", 7.0);
    bench.settle();
    checkIsReports(bench.session());
}

TEST_CASE("where the picture is looked at, and the timeline, leave the scene's own sentences standing") {
    Workbench bench;
    bench.app.openLink("scene=capacity-diffusion&play=false");
    bench.settle();
    for (const auto& param : std::vector<std::pair<std::string, Value>>{{"at", 3.0}, {"orbit", 10.0}, {"show", std::string("field")}}) {
        CAPTURE(param.first);
        bench.set(param.first, param.second);
        CHECK(isOwn(bench.session()));
    }
    // A param that means nothing beside the others says nothing else either.
    bench.set("blockWidth", 5.0);
    CHECK_FALSE(bench.session().isVisible(*bench.session().scene().param("blockWidth")));
    CHECK(isOwn(bench.session()));
    bench.set("top", std::string("block"));
    CHECK_FALSE(isOwn(bench.session()));
}

TEST_CASE("the sentences of every scene and preset are shown whole on a desktop, a projector and a phone") {
    Workbench bench;
    SvgPainter painter(Theme::light(), bench.app.screen().measureText(), "heading");
    const auto height = [&](const std::string& text, double size, double width) {
        return 1.35 * size * static_cast<double>(wrapText(painter, proseText(text), {.size = size}, width).size());
    };
    struct Size {
        double width, height;
    };
    for (const Size size : {Size{1280, 800}, {1920, 1080}, {2560, 1440}, {1024, 768}, {390, 844}, {360, 640}}) {
        const Layout layout = computeLayout({size.width, size.height});
        CAPTURE(size.width);
        const double width = layout.heading.width() - (layout.compact ? 24 : 40);
        // Above them a margin and, beside panels, the title's line.
        const double room = layout.heading.height() - (layout.compact ? 4 : 10 + 1.35 * Theme::light().titleSize);
        for (const Declaration& scene : declarations()) {
            CAPTURE(scene.id);
            for (const Preset& preset : scene.presets) {
                CAPTURE(preset.name);
                CHECK(height(preset.lookAt, layout.lookAtSize, width) <= room);
            }
            const double tried = layout.compact ? 0 : height(std::string("Try: ") + scene.tryThis, Theme::light().smallSize, width);
            CHECK(height(scene.lookAt, layout.lookAtSize, width) + tried <= room);
        }
    }
}
