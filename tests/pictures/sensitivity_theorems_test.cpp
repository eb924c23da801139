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

TEST_CASE("sensitivity-theorems: the badge names the expectation, or why there is no theorem") {
    using Given = std::vector<std::pair<std::string, Value>>;
    const std::pair<Given, std::vector<const char*>> cases[] = {
        {{{"expectation", std::string("fresh")}}, {"fresh weights", "measured over theorem", "standard errors"}},
        {{{"expectation", std::string("channels")}}, {"the drawn channels"}},
        {{{"expectation", std::string("exact")}}, {"all weights, exactly"}},
        {{{"activation", std::string("tanh")}}, {"about the ReLU"}},
        {{{"net", std::string("resnet-plain")}}, {"no power law", "does not apply"}}};
    for (const auto& [given, words] : cases) {
        Shown shown("sensitivity-theorems", tiny(given));
        shown.draw();
        for (const char* one : words) CHECK_MESSAGE(shown.says(one), one);
    }
}

TEST_CASE("sensitivity-theorems: texts keep apart at every size") {
    for (const char* net : {"vanilla", "batch-norm", "resnet", "resnet-plain"}) {
        CAPTURE(net);
        Shown shown("sensitivity-theorems", tiny({{"net", std::string(net)}, {"at", 4.0}}));
        checkLabels(shown);
    }
}
