// A link over the budget opens with the nearest state that is allowed, beside the sentence why.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "app/session.h"
#include "core/base/errors.h"
#include "scene/scene.h"
#include "scene/state.h"

using namespace kappaflow;

namespace {

Request requestOf(const std::string& link) {
    std::vector<std::string> warnings;
    const State state = parseLink(link, warnings);
    return {state.scene, state.params, nullptr, nullptr};
}

/// What a refused link is told, and what is offered instead.
std::pair<std::string, Values> refused(const std::string& link) {
    try {
        openRequest(requestOf(link));
    } catch (const OverBudget& refusal) {
        return {refusal.what(), refusal.nearest};
    }
    return {};
}

constexpr const char* kTooMuch[] = {
    "#v=1&scene=layer-contributions&layers=7&taps=4&order=backward&draws=2&seed=673&alpha=0.537&channels=4",
    "#v=1&scene=moments&layers=400&width=512&draws=1000&samples=1024",
    "#v=1&scene=capacity-diffusion&kernel=random&draws=1000&layers=400&extent=513",
};

}  // namespace

TEST_CASE("what is over the budget is lowered to the most that is within it, and no further") {
    int met = 0;
    for (const std::string link : kTooMuch) {
        CAPTURE(link);
        const Request asked = requestOf(link);
        const auto [sentence, nearest] = refused(link);
        if (sentence.empty()) continue;
        ++met;
        REQUIRE(nearest != Values{});
        Request lowered = asked;
        lowered.params = nearest;
        CHECK_NOTHROW(openRequest(lowered));
        int changed = 0, tight = 0;
        for (const Param& param : requireDeclaration(asked.scene).params) {
            if (nearest.at(param.key) == asked.params.at(param.key)) continue;
            ++changed;
            CHECK(nearest.number(param.key) < asked.params.number(param.key));
            Request more = lowered;  // a tenth more, or one, is refused: of the last that was lowered
            const double step = std::max(std::floor(nearest.number(param.key) * 1.1), nearest.number(param.key) + 1);
            more.params.set(param.key, admitValue(param, step).value);
            try {
                openRequest(more);
            } catch (const InputError&) {
                ++tight;
            }
        }
        CHECK(changed >= 1);
        CHECK(tight >= 1);
    }
    CHECK(met >= 2);
}

TEST_CASE("a session that opens such a link shows its nearest state and says so; a later refusal leaves the picture as it is") {
    double now = 0;
    Session session(makeThreadRunner(), [&] { return now += 0.001; });
    session.openLink(std::string(kTooMuch[0]) + "&play=false");
    const auto settle = [&] {
        do session.poll();
        while (session.busy());
        session.poll();
    };
    settle();
    REQUIRE(session.report());
    CHECK(session.state().params.integer("taps") < 4);
    CHECK(session.message().find("the most allowed; lower taps. Shown instead: taps = ") != std::string::npos);
    CHECK(session.message().find("play") == std::string::npos);  // what is only looked at stays as it was asked
    CHECK_FALSE(session.state().params.flag("play"));
    const Values shown = session.report()->params;
    CHECK(session.setText("taps", "4").empty());
    settle();
    CHECK(session.message().find("Shown instead") == std::string::npos);
    CHECK(session.state().params.integer("taps") == 4);
    CHECK(session.report()->params == shown);
}
