// Lanes of what hidden units remember, and that the picture's panels fit.
#include <doctest/doctest.h>

#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

using Settings = std::vector<std::pair<std::string, Value>>;

}  // namespace

TEST_CASE("recurrent: a lane a unit, as high as its memory at every lag") {
    Shown shown("recurrent", {{"length", 16.0}});
    shown.draw();
    const auto lanes = shown.recorder.find("lanes/memory");
    REQUIRE(lanes.size() == 2);
    const Array& rec = *shown.report.array("recWeights");
    const std::size_t frame = 1;
    REQUIRE(rec.axes[0].values[frame] == 2);
    for (std::size_t j = 0; j < 2; ++j) {
        const auto& points = lanes[j]->points;
        const std::size_t half = points.size() / 2;
        REQUIRE(half == 16);
        const auto height = [&](std::size_t lag) { return std::abs(points[half + lag].y - points[lag].y); };
        const double expected = rec.row(frame)[j];
        if (height(1) > 2) CHECK(height(1) / height(0) == doctest::Approx(expected).epsilon(1e-6));
    }
}

TEST_CASE("recurrent: a memory that is pulled longer gives a larger factor at its unit's place") {
    Shown shown("recurrent", {{"length", 16.0}});
    const auto changes = shown.afterMove("memory 1", 1.4);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "pull");
    CHECK(std::get<std::vector<double>>(changes[0].value) == std::vector<double>{1, 1.4});
    shown.state.params.set("pull", std::vector<double>{1, 1.4});
    const auto back = shown.afterMove("memory 1", 1);
    REQUIRE(back.size() == 1);
    CHECK(std::get<std::vector<double>>(back[0].value).empty());
}

TEST_CASE("recurrent: where floating point finds fewer constraints than there are, both numbers are on screen" *
          doctest::test_suite("long")) {
    Shown shown("recurrent",
                {{"channels", 16.0}, {"length", 32.0}, {"watch", std::string("optimisation")}, {"start", std::string("random")}});
    shown.draw();
    const double found = shown.report.scalar("numericalRank")->value;
    REQUIRE(found < 32);
    CHECK(shown.says("= 32 of 32 (" + inWords(found) + " found)"));
}

TEST_CASE("recurrent: no text covers another or leaves the picture, from desktop to a small figure" * doctest::test_suite("long")) {
    for (const Settings& settings :
         std::vector<Settings>{{{"length", 16.0}},
                               {{"panels", std::string("fit")}, {"channels", 3.0}, {"length", 16.0}},
                               {{"compare", std::string("hierarchical")}, {"channels", 4.0}, {"length", 20.0}}}) {
        Shown shown("recurrent", settings);
        checkLabels(shown);
    }
}
