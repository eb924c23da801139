#include <doctest/doctest.h>

#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

using Settings = std::vector<std::pair<std::string, Value>>;

Shown shown(Settings settings = {}) {
    settings.emplace_back("layers", 3.0);
    settings.emplace_back("steps", 2.0);
    return {"feature-map", settings};
}

}  // namespace

TEST_CASE("feature-map's picture: a function on its way rises from nothing") {
    Shown picture = shown();
    const auto topOf = [&](double at) {
        picture.state.params.set("at", at);
        picture.draw();
        const auto bars = picture.recorder.find("stack/capacity");
        double top = 1e9;
        for (const auto* bar : bars) top = std::min(top, std::min(bar->points[0].y, bar->points[1].y));
        return top;
    };
    CHECK(topOf(1.5) < topOf(1));
    CHECK(topOf(2) < topOf(1.5));
}
