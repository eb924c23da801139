// Handles of the picture of log-moments, its histograms, and that its panels fit without covering one another.
#include <doctest/doctest.h>

#include <cmath>

#include "support/followed.h"
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

std::vector<std::pair<std::string, Value>> small(std::vector<std::pair<std::string, Value>> more) {
    const std::vector<std::pair<std::string, Value>> few{{"width", 12.0}, {"layers", 20.0}, {"draws", 100.0}};
    more.insert(more.end(), few.begin(), few.end());
    return more;
}

}  // namespace

TEST_CASE("moment-diffusion: bins and scale stay where they are while draws arrive") {
    Request request;
    request.scene = "moment-diffusion";
    request.params = findDeclaration("moment-diffusion")->defaults();
    request.params.set("draws", 40.0);
    std::optional<Report> seen;
    const Report last = follow(request, [&](const Report& partial, double) {
        if (!seen) seen = partial;
    });
    REQUIRE(seen);
    const Report& first = *seen;
    const auto meanAfterOneLayer = [](const Report& report) { return report.array("meanLog")->values.at(1); };
    REQUIRE(std::isfinite(meanAfterOneLayer(last)));
    REQUIRE(meanAfterOneLayer(first) != meanAfterOneLayer(last));  // of fewer draws, or of none yet
    Shown shown("moment-diffusion", {{"draws", 40.0}});
    const auto drawn = [&](const Report& report, const char* id) {
        shown.report = report;
        shown.picture = makePicture("moment-diffusion");  // it keeps one report
        shown.draw();
        const auto marks = shown.recorder.find(id);
        REQUIRE_FALSE(marks.empty());
        return marks.front()->points;
    };
    for (const char* id : {"signal/theory", "noise/theory"}) {
        CAPTURE(id);
        const auto before = drawn(first, id), after = drawn(last, id);
        REQUIRE(before.size() == after.size());
        for (std::size_t i = 0; i < before.size(); ++i) {
            CHECK(before[i].x == after[i].x);
            CHECK(before[i].y == after[i].y);
        }
    }
}

TEST_CASE("moment-diffusion: the dashed law is pulled to the width that has it there") {
    for (const double layer : {5.0, 20.0}) {
        CAPTURE(layer);
        Shown shown("moment-diffusion", small({{"at", layer}}));
        CHECK(std::get<double>(shown.afterMove("width", 40).at(0).value) == 40);
        shown.draw();
        const auto knobAt = [&] { return shown.recorder.find("width/knob").at(0)->points[0]; };
        Pointer pointer;
        pointer.at = knobAt();
        pointer.inside = pointer.down = pointer.pressed = true;
        CHECK(shown.draw(pointer).empty());
        pointer.pressed = false;
        for (const double wanted : {6.0, 30.0}) {
            shown.set("width", wanted);
            shown.draw(pointer);
            const Vec2 to = knobAt();
            shown.set("width", 12.0);
            pointer.at = to;
            const auto changes = shown.draw(pointer);
            REQUIRE(changes.size() == 1);
            CHECK(changes[0].key == "width");
            CHECK(std::get<double>(changes[0].value) == wanted);
        }
        // At the width asked it stands on the law's lower shoulder.
        shown.draw();
        const Vec2 knob = knobAt();
        double nearest = 1e9;
        for (const Vec2& p : shown.recorder.find("signal/theory").at(0)->points)
            nearest = std::min(nearest, std::hypot(p.x - knob.x, p.y - knob.y));
        CHECK(nearest < 3);
    }
}
