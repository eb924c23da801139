// How much the picture of paths draws at its extremes.
#include <cstdlib>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

struct Drawn {
    std::size_t points = 0, paths = 0;
};

/// Of the strands of both kinds.
Drawn drawnOf(const Shown& shown) {
    Drawn drawn;
    for (const auto& mark : shown.recorder.marks) {
        const bool path = mark.id.ends_with("/path");
        if (mark.id.find("strands/") == std::string::npos || (!path && !mark.id.ends_with("/waiting"))) continue;
        drawn.points += mark.points.size();
        drawn.paths += path;
    }
    return drawn;
}

}  // namespace

TEST_CASE("shattering: the most paths through the most layers are thinned out, in the picture alone and with a word") {
    Shown most("shattering", {{"layers", 1000.0}, {"strands", 1000.0}, {"at", 3.0}});
    REQUIRE(most.report.array("strandPosition")->values.size() == 2 * 1000 * 1001);
    most.draw();
    const Drawn drawn = drawnOf(most);
    CHECK(drawn.points <= 25000);
    CHECK(drawn.points > 12500);
    CHECK(drawn.paths % 2 == 0);
    CHECK(most.says(std::to_string(drawn.paths / 2) + " of the 1000 paths are drawn."));
    CHECK(most.recorder.find("strands/thinned").size() == 1);

    Shown one("shattering", {{"layers", 1.0}, {"strands", 1000.0}, {"kind", std::string("residual")}});
    one.draw();
    CHECK(drawnOf(one).paths == 1000);
    CHECK(one.recorder.find("strands/thinned").empty());
    Shown preset("shattering", {{"layers", 200.0}});
    preset.draw();
    CHECK(drawnOf(preset).paths == 2 * 120);
    CHECK(preset.recorder.find("strands/thinned").empty());
}

TEST_CASE("shattering: the layer is scrubbed in a chart, and the end of the residual line is pulled to another step size") {
    Shown shown("shattering", {{"layers", 20.0}});
    const auto scrubbed = shown.afterMove("entropy-layer", 4);
    REQUIRE(scrubbed.size() == 2);
    CHECK(scrubbed[1].key == "at");
    CHECK(std::get<double>(scrubbed[1].value) == doctest::Approx(4));
    // Pulled to where it stands for another step size, which then puts it there.
    Shown larger("shattering", {{"layers", 20.0}, {"epsilon", 0.2}});
    shown.draw();
    larger.draw();
    const Vec2 from = shown.handleOf("step").rect.centre(), to = larger.handleOf("step").rect.centre();
    CHECK(to.y > from.y + 2);
    Shown fresh("shattering", {{"layers", 20.0}});
    const auto pulled = fresh.afterDrag(from, to);
    REQUIRE(pulled.size() == 1);
    CHECK(pulled[0].key == "epsilon");
    CHECK(std::get<double>(pulled[0].value) == doctest::Approx(0.2).epsilon(0.1));
}
