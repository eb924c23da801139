#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

Shown shown(std::vector<std::pair<std::string, Value>> more = {}) {
    std::vector<std::pair<std::string, Value>> all{{"samples", 60.0}, {"steps", 40.0}};
    all.insert(all.end(), more.begin(), more.end());
    return Shown("measured-capacity", all);
}

const DrawnMark* first(const Shown& s, const std::string& id) {
    for (const auto* mark : s.recorder.find(id))
        if (mark->id == id) return mark;
    return nullptr;
}

}  // namespace

TEST_CASE("measured capacity: three maps of the inputs on one scale, the same at all steps") {
    Shown s = shown();
    std::string ticks;
    for (const double at : {0.0, 16.0, 40.0}) {
        s.set("at", at);
        s.draw();
        for (const char* id : {"maps/measured", "maps/decoupled", "maps/channel"}) CHECK(first(s, id));
        std::string now;
        for (const auto* mark : s.recorder.find("maps/colors"))
            if (mark->kind == "text") now += mark->text + " ";
        if (ticks.empty()) ticks = now;
        CHECK(now == ticks);
        const std::size_t look = at == 0 ? 0 : at == 16 ? 2 : 4;
        const Array& distance = *s.report.array("toDecoupled");
        REQUIRE(distance.axes[0].values[look] == at);
        CHECK(s.says(inWords(distance.row(look)[0], 2) + " away"));
    }
}

TEST_CASE("measured capacity: a hidden layer has no map") {
    Shown hidden = shown({{"layer", 1.0}});
    hidden.draw();
    CHECK_FALSE(first(hidden, "maps/measured"));
    CHECK(hidden.says("24 units of layer 1"));
}

TEST_CASE("measured capacity: texts keep apart, with maps and without, in time and of a trained CNN") {
    Shown start = shown({{"at", 0.0}}), end = shown({{"at", 40.0}}), hidden = shown({{"layer", 2.0}}),
          signals = shown({{"data", std::string("signals")}}),
          given = Shown("measured-capacity", {{"network", std::string("strokes-cnn")}, {"samples", 20.0}, {"pairs", 1000.0}});
    for (Shown* s : {&start, &end, &hidden, &signals, &given}) checkLabels(*s);
    given.area = {{0, 0}, {1200, 800}};
    given.draw();
    CHECK_FALSE(first(given, "maps/channel"));
    CHECK(given.says("means of "));
}
