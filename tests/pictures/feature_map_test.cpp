#include <doctest/doctest.h>

#include <cmath>

#include "draw/number_text.h"
#include "support/picture_checks.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

using Settings = std::vector<std::pair<std::string, Value>>;

Shown shown(Settings settings = {}) {
    settings.emplace_back("layers", 3.0);
    settings.emplace_back("steps", 2.0);
    return {"feature-map", settings};
}

}  // namespace

TEST_CASE("feature-map's picture: functions appear one by one, with their bars and their ceiling") {
    Shown picture = shown();
    for (Size degree = 1; degree <= 3; ++degree) {
        picture.state.params.set("at", static_cast<double>(degree));
        picture.draw();
        CHECK(picture.recorder.find("functions/curve").size() >= degree);
        const auto parts = picture.recorder.find("field/key");
        CHECK(parts.size() == 3);
        CHECK(picture.says("at most " + numberText(static_cast<double>(degree))));
        CHECK(picture.says(std::to_string(degree) + (degree == 1 ? " function" : " functions")));
    }
}

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

TEST_CASE("feature-map's picture: the degree is moved by the line in the totals") {
    Shown picture = shown();
    const auto changes = picture.afterMove("degree", 1);
    REQUIRE(changes.size() == 2);
    CHECK(changes[1].key == "at");
    CHECK(std::get<double>(changes[1].value) == 2);
}

TEST_CASE("feature-map's picture: no words lie over others, whatever is drawn") {
    for (const Settings& settings :
         {Settings{}, {{"degree", 1.0}}, {{"degree", 8.0}, {"channels", 4.0}}, {{"functions", std::string("fourier")}, {"degree", 4.0}}}) {
        Shown picture = shown(settings);
        for (const double at : {1.0, 1.5, 8.0}) {
            picture.state.params.set("at", at);
            checkLabels(picture);
        }
    }
}
