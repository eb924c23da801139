// Save figure: what is on the screen as a document of its own.
#include "app/screen.h"

#include <doctest/doctest.h>

#include "bench_runner.h"
#include "support/svg.h"

using namespace kappaflow;

namespace {

std::string linkIn(const XmlElement& svg) { return svg.named("dc:source").at(0)->text; }

}  // namespace

TEST_CASE("before there is a report there is no figure") {
    Workbench bench;
    CHECK(figureSvg(bench.app, {}).empty());
    bench.settle();
    CHECK_FALSE(figureSvg(bench.app, {}).empty());
}

TEST_CASE("a figure is as large as the picture on the screen, or as large as is asked") {
    Workbench bench;
    bench.settle();
    const XmlElement same = XmlReader::read(figureSvg(bench.app, {}));
    CHECK(same.number("width") == doctest::Approx(bench.app.layout().picture.width()));
    CHECK(same.number("height") == doctest::Approx(bench.app.layout().picture.height()));
    const XmlElement asked = XmlReader::read(figureSvg(bench.app, {.width = 640, .height = 480}));
    CHECK(asked.attribute("viewBox") == "0 0 640 480");
}

TEST_CASE("a figure's link opens the state as it stood, playing or not") {
    for (const bool playing : {true, false}) {
        Workbench bench;
        bench.settle();
        for (int i = 0; i < 40; ++i) bench.frame();
        if (!playing) bench.pause();
        bench.session().change(Change::zoomTo("profile", {10, 20, 0, 1}));
        REQUIRE(bench.app.playing() == playing);
        const double at = bench.app.at();
        const std::string link = linkIn(XmlReader::read(figureSvg(bench.app, {.link = "https://example.org/?ui=figure#v=1&old=1"})));
        CHECK(link.find("https://example.org/?ui=figure#v=1&") == 0);
        std::vector<std::string> warnings;
        State opened = parseLink(link, warnings);
        CHECK(warnings.empty());
        CHECK(opened.params.number("at") == doctest::Approx(at));
        CHECK_FALSE(opened.params.flag("play"));
        opened.params.set("play", bench.session().state().params.at("play"));
        CHECK(opened == bench.session().state());
        CHECK(linkIn(XmlReader::read(figureSvg(bench.app, {}))).find("v=1&scene=") == 0);
    }
}

TEST_CASE("a figure keeps the theme that is asked for, and saying one changes nothing on the screen") {
    Workbench bench;
    bench.settle();
    const auto ground = [&](bool dark) {
        return XmlReader::read(figureSvg(bench.app, {.dark = dark})).named("rect").at(0)->attribute("fill");
    };
    CHECK(ground(true) != ground(false));
    const auto version = bench.session().version();
    figureSvg(bench.app, {.dark = true});
    CHECK(bench.session().version() == version);
    CHECK_FALSE(bench.app.options().dark);
}
