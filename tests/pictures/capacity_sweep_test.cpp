#include "support/picture_checks.h"

using namespace kappaflow;

TEST_CASE("capacity sweep: as iterations pass the curve sinks from where it began to where it ended") {
    Shown shown("capacity-sweep", {{"iterations", 60.0}, {"at", 1.0}});
    const auto pointsOf = [&](const char* id) {
        const auto marks = shown.recorder.find(id);
        REQUIRE(!marks.empty());
        return marks.front()->points;
    };
    shown.draw();
    const auto early = pointsOf("loss/moving");
    shown.state.params.set("at", 60.0);
    shown.draw();
    const auto late = pointsOf("loss/moving"), end = pointsOf("loss/random");
    REQUIRE(early.size() == late.size());
    for (std::size_t i = 0; i < early.size(); ++i) CHECK(late[i].y >= early[i].y);
    CHECK(late.back().y > early.back().y + 20);
    for (std::size_t i = 0; i < late.size(); ++i) CHECK(late[i].y == doctest::Approx(end[i].y));
}
