// What the deep limit's picture draws and says.
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

using Named = std::vector<std::pair<std::string, Value>>;

Shown shownWith(const Named& values) {
    Shown shown("deep-limit", values);
    shown.draw();
    return shown;
}

const Named kDifferential{{"layer", std::string("differential")}, {"depths", std::vector<double>{2, 4, 8, 16}}};

}  // namespace

TEST_CASE("deep limit: between two depths the bars lie between their chains") {
    const auto topOfBars = [](double at) {
        const Shown shown = shownWith({{"at", at}});
        double top = 1e9;
        for (const auto* mark : shown.recorder.find("profile/chain"))
            for (const Vec2& p : mark->points) top = std::min(top, p.y);
        return top;
    };
    CHECK(topOfBars(20) <= topOfBars(30) + 40);
    CHECK(shownWith({{"at", 30.0}}).says("*L* = "));
}

TEST_CASE("deep limit: differential layers show both simulations, residual ones neither") {
    const Shown residual = shownWith({}), differential = shownWith(kDifferential);
    for (const char* id : {"forward/measured", "forward/theory", "forward/error", "check/capacity", "check/theory", "check/error"}) {
        INFO(id);
        CHECK_FALSE(differential.recorder.find(id).empty());
        CHECK(residual.recorder.find(id).empty());
    }
    Named steep = kDifferential;
    steep.insert(steep.end(), {{"weights", std::vector<double>{-3, 0, 3}}, {"at", 16.0}});
    CHECK(shownWith(steep).says("not simulated"));
}

TEST_CASE("deep limit: the screen says what the two distances tend to, and that other exponents have no such limit") {
    CHECK(shownWith({}).says("to the Gaussian → 0.0037"));
    CHECK(shownWith({{"exponent", 0.2}}).says("it scatters"));
    const Shown still = shownWith({{"exponent", 0.8}});
    CHECK(still.says("nothing moves"));
    CHECK(still.says("the flow is not the limit"));
}
