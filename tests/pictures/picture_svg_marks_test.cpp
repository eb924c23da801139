// A figure shows what the screen shows, where the screen shows it.
#include "grid_report.h"
#include "svg_marks.h"

using namespace kappaflow;

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
                    // What can hardly be seen is left out: less, and more only by a cell, which is up to three pixels in a figure with few
                    // runs.
                    for (std::size_t i = 0; same != found.end() && i < all.size(); ++i)
                        CHECK(within(same->second.at(i).bounds, all[i].bounds, 3));
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

TEST_CASE("a thousand paths through a thousand layers take half a megabyte, reaching as far as on the screen" *
          doctest::test_suite("long")) {
    Screen screen;
    State state = initialState("shattering");
    for (const auto& [key, value] : {std::pair{"layers", 1000.0}, {"strands", 1000.0}}) state.params.set(key, value);
    const Report& report = reportOf(state);
    const std::string text = svgOf(screen, report, state, kLooks[0]);
    CHECK(text.size() <= 550'000);
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
