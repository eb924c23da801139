// Chains that grow layer by layer, and squares that freeze layers.
#include "draw/number_text.h"
#include "support/picture_checks.h"

using namespace kappaflow;

TEST_CASE("layer contributions: a layer on its way in stands between nothing and all of it") {
    const auto top = [](double at) {
        Shown shown("layer-contributions", {{"layers", 4.0}, {"channels", 2.0}, {"at", at}});
        shown.draw();
        double sum = 0;
        const auto lines = shown.recorder.find("forward/capacity");
        for (const auto* line : lines)
            for (const Vec2& p : line->points) sum += p.y;
        return sum;
    };
    const double before = top(1), half = top(1.5), after = top(2);
    CHECK(half == doctest::Approx(0.5 * (before + after)).epsilon(1e-3));
    CHECK(after < before);
}

TEST_CASE("layer contributions: a pressed square freezes its layer once") {
    Shown shown("layer-contributions", {{"layers", 4.0}, {"channels", 2.0}});
    shown.draw();
    Pointer pointer;
    pointer.at = shown.handleOf("freeze 1").rect.centre();
    pointer.inside = pointer.down = pointer.pressed = true;
    const auto changes = shown.draw(pointer);
    REQUIRE(changes.size() == 1);
    CHECK(std::get<std::vector<double>>(changes[0].value) == std::vector<double>{1});
    pointer.pressed = false;
    std::vector<std::string> warnings;
    shown.state = apply(shown.state, changes[0], warnings);
    CHECK(shown.draw(pointer).empty());
}

TEST_CASE("layer contributions: under the pointer a layer's ridge says what it holds of that lag") {
    Shown shown("layer-contributions", {{"layers", 4.0}, {"channels", 2.0}});
    shown.draw();
    const auto ridges = shown.recorder.find("layers/outline");
    REQUIRE(ridges.size() == 4);  // from the highest layer down, lags from the newest
    const Array &alone = *shown.report.array("alone"), &marginal = *shown.report.array("marginal");
    const std::size_t lag = 5;
    for (std::size_t l = 0; l < 4; ++l) {
        Pointer pointer;
        pointer.at = ridges[3 - l]->points[lag] - Vec2{0, -1};
        pointer.inside = true;
        Shown again("layer-contributions", {{"layers", 4.0}, {"channels", 2.0}});
        again.draw();
        again.draw(pointer);
        CHECK(again.says("by itself " + numberText(alone.row(l)[lag], 3)));
        CHECK(again.says("given all others " + numberText(marginal.row(l)[lag], 3)));
    }
}
