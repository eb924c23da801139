// Handles of the picture of Theorems 2–4, its roles and badge, and that its panels fit without covering one another.
#include <doctest/doctest.h>

#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

std::vector<std::pair<std::string, Value>> tiny(std::vector<std::pair<std::string, Value>> more) {
    const std::vector<std::pair<std::string, Value>> few{{"width", 12.0}, {"layers", 8.0}, {"samples", 16.0}, {"draws", 4.0}};
    more.insert(more.end(), few.begin(), few.end());
    return more;
}

}  // namespace

TEST_CASE("sensitivity-theorems: the line of the layer stops the play and scrubs") {
    for (const char* handle : {"increments-layer", "cumulative-layer", "branches-layer"}) {
        Shown shown("sensitivity-theorems", tiny({{"net", std::string("resnet")}}));
        const auto changes = shown.afterMove(handle, 5);
        REQUIRE(changes.size() == 2);
        CHECK(changes[0].key == "play");
        CHECK(std::get<double>(changes[1].value) == 5);
    }
}

TEST_CASE("sensitivity-theorems: measured is solid, the theorem dashed, bounds dotted; the badge names the expectation") {
    for (const auto& [expectation, words] :
         {std::pair{"fresh", "fresh weights"}, {"channels", "the drawn channels"}, {"exact", "all weights, exactly"}}) {
        Shown shown("sensitivity-theorems", tiny({{"expectation", std::string(expectation)}}));
        shown.draw();
        CHECK(shown.says(words));
        CHECK(shown.says("measured over theorem"));
        CHECK(shown.says("standard errors"));
        for (const auto& [id, dash] : {std::pair{"increments/measured", Dash::Solid},
                                       {"increments/theory", Dash::Dashed},
                                       {"increments/bound", Dash::Dotted},
                                       {"cumulative/measured", Dash::Solid},
                                       {"cumulative/theory", Dash::Dashed}}) {
            CHECK_FALSE(shown.recorder.find(id).empty());
            for (const auto* mark : shown.recorder.find(id)) CHECK(mark->dash == dash);
        }
    }
}

TEST_CASE("sensitivity-theorems: without a theorem the badge says why") {
    Shown tanh("sensitivity-theorems", tiny({{"activation", std::string("tanh")}}));
    tanh.draw();
    CHECK(tanh.says("about the ReLU"));
    CHECK(tanh.recorder.find("increments/theory").empty());
    Shown plain("sensitivity-theorems", tiny({{"net", std::string("resnet-plain")}}));
    plain.draw();
    CHECK(plain.says("no power law"));
    CHECK(plain.says("does not apply"));
}

TEST_CASE("sensitivity-theorems: all units of the layer shown are in the bars") {
    Shown shown("sensitivity-theorems", tiny({{"at", 3.0}}));
    shown.draw();
    CHECK_FALSE(shown.recorder.find("switching/measured").empty());
    CHECK_FALSE(shown.recorder.find("switching/theory").empty());
    CHECK(shown.says("layer 3"));
}

TEST_CASE("sensitivity-theorems: texts keep apart at every size") {
    for (const char* net : {"vanilla", "batch-norm", "resnet", "resnet-plain"}) {
        CAPTURE(net);
        Shown shown("sensitivity-theorems", tiny({{"net", std::string(net)}, {"at", 4.0}}));
        checkLabels(shown);
    }
}
