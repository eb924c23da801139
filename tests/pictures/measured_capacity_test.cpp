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

TEST_CASE("measured capacity: rules are dashed, what is measured is solid, errors alone dotted; axes stay over the steps") {
    Shown s = shown();
    s.set("at", 0.0);
    s.draw();
    std::vector<std::string> axis;
    for (const auto* mark : s.recorder.find("profile/axis-y")) axis.push_back(mark->text);
    REQUIRE(first(s, "profile/measured"));
    CHECK(first(s, "profile/measured")->dash == Dash::Solid);
    CHECK(first(s, "profile/decoupled")->dash == Dash::Dashed);
    CHECK(first(s, "profile/channel")->dash == Dash::Dashed);
    CHECK(first(s, "distance/alone")->dash == Dash::Dotted);
    s.set("at", 40.0);
    s.draw();
    std::vector<std::string> after;
    for (const auto* mark : s.recorder.find("profile/axis-y")) after.push_back(mark->text);
    CHECK(after == axis);
}

TEST_CASE("measured capacity: handles choose the step and the layer; a hidden layer has no map") {
    Shown s = shown();
    const auto steps = s.afterMove("step", 2);
    REQUIRE(steps.size() == 2);
    CHECK(steps[1].key == "at");
    CHECK(std::get<double>(steps[1].value) == 16);
    Shown other = shown();
    const auto layers = other.afterMove("layer", 1);
    REQUIRE(layers.size() == 1);
    CHECK(layers[0].key == "layer");
    CHECK(std::get<double>(layers[0].value) == 1);
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
