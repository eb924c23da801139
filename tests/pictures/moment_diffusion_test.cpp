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

TEST_CASE("moment-diffusion: the line of the layer stops the play and scrubs, in every panel over layers") {
    for (const auto& [show, handle] : {std::pair{"spread", "mean-layer"},
                                       {"spread", "variance-layer"},
                                       {"terms", "diffusion-layer"},
                                       {"collapse", "collapse-layer"},
                                       {"tails", "kurtosis-layer"}}) {
        Shown shown("moment-diffusion", small({{"show", std::string(show)}}));
        const auto changes = shown.afterMove(handle, 7);
        REQUIRE(changes.size() == 2);
        CHECK(changes[0].key == "play");
        CHECK(changes[1].key == "at");
        CHECK(std::get<double>(changes[1].value) == 7);
    }
}

TEST_CASE("moment-diffusion: bins and scale stay where they are while draws arrive") {
    Request request;
    request.scene = "moment-diffusion";
    request.params = findDeclaration("moment-diffusion")->defaults();
    request.params.set("draws", 200.0);
    std::optional<Report> seen;
    const Report last = follow(request, [&](const Report& partial, double) {
        if (!seen) seen = partial;
    });
    REQUIRE(seen);
    const Report& first = *seen;
    Shown shown("moment-diffusion", {{"draws", 200.0}});
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

TEST_CASE("moment-diffusion: texts keep apart at every size") {
    for (const char* show : {"spread", "terms", "collapse", "tails"}) {
        CAPTURE(show);
        Shown shown("moment-diffusion", small({{"show", std::string(show)}, {"at", 13.0}}));
        checkLabels(shown);
    }
}
