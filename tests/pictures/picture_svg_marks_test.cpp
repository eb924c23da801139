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
