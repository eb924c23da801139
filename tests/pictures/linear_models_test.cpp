// What the handles of the linear models' pictures ask for, and that their words keep apart.
#include <cmath>

#include "scenes/panels.h"
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

using Settings = std::vector<std::pair<std::string, Value>>;
using List = std::vector<double>;

}  // namespace

TEST_CASE("rows of a result that is only on its way are without numbers") {
    CHECK(rowAt({}, 0, 1).empty());
    CHECK(rowAt({1, 2}, 0, 0).empty());
    REQUIRE(rowAt({}, 2, 3).size() == 2);
    CHECK(std::isnan(rowAt({}, 2, 3)[1]));
    CHECK(rowAt({1, 2, 3, 6}, 2, 0.5) == std::vector<double>{2, 4});
    CHECK(topOverSteps({1, 2}, 0) == 0);
}

TEST_CASE("linear models: a handle asks for its param, and one on the timeline stops the playback") {
    struct Row {
        const char* scene;
        Settings settings;
        const char* handle;
        double to;
        const char* key;
        Value wanted;
        bool stops = false;
    };
    const Settings sweep{{"iterations", 60.0}}, draws{{"draws", 6.0}, {"channels", 2.0}}, four{{"layers", 4.0}}, wavenet{{"steps", 20.0}},
        layers{{"layers", 4.0}, {"channels", 2.0}};
    for (const Row& row : std::vector<Row>{
             {"capacity-sweep", sweep, "most", 8, "channelsList", List{1, 2, 4, 8, 16, 32, 64, 128, 256}},
             {"capacity-sweep", sweep, "most", 2, "channelsList", List{1, 2, 4}},
             {"capacity-sweep", sweep, "most", 0, "channelsList", List{1}},
             {"capacity-sweep", sweep, "channels", 3, "shown", 8.0},
             {"capacity-sweep", sweep, "iteration", 5, "at", 5.0, true},
             {"errors-vs-capacity", draws, "direction", 3, "direction", 3.0},
             {"feature-map", {{"layers", 3.0}, {"steps", 2.0}}, "degree", 1, "at", 2.0, true},
             {"multi-input", {{"layers", 4.0}, {"steps", 2.0}}, "channels", 1, "at", 2.0, true},
             {"multi-input", {{"layers", 4.0}, {"steps", 2.0}}, "part 3", 1, "part", 3.0},
             {"multi-input", {{"layers", 4.0}, {"steps", 2.0}, {"part", 3.0}}, "part 3", 0, "part", 0.0},
             {"wavenet", wavenet, "lag", 7, "lag", 7.0},
             {"wavenet", wavenet, "repeats", 2, "at", 2.0, true},
             {"wavenet", wavenet, "block", 6, "block", List{1, 2, 4, 8, 16, 32}},
             {"hierarchical", four, "place", 3, "at", 4.0, true},
             {"hierarchical", four, "weight 2 1", 1.5, "pull", List{1, 1, 1, 1.5}},
             // A factor of 1 at the end of the list is left out.
             {"hierarchical", {{"layers", 4.0}, {"pull", List{1, 1, 1, 1.5}}}, "weight 2 1", 1.01, "pull", List{}},
             {"recurrent", {{"length", 16.0}}, "memory 1", 1.4, "pull", List{1, 1.4}},
             {"recurrent", {{"length", 16.0}}, "input 1", 0.5, "pullIn", List{1, 0.5}},
             {"layer-contributions", layers, "freeze 3", 1, "freeze", List{3}},
             {"layer-contributions", {{"layers", 4.0}, {"channels", 2.0}, {"freeze", List{1}}}, "freeze 1", 0, "freeze", List{}}}) {
        INFO(row.scene, ": ", row.handle, " to ", row.to);
        Shown shown(row.scene, row.settings);
        const auto changes = shown.afterMove(row.handle, row.to);
        REQUIRE(changes.size() == (row.stops ? 2 : 1));
        if (row.stops) CHECK(changes[0].key == "play");
        CHECK(changes.back().key == row.key);
        CHECK(changes.back().value == row.wanted);
    }
}

TEST_CASE("linear models: no text covers another or leaves the picture, from desktop to a small figure" * doctest::test_suite("long")) {
    struct Row {
        const char* scene;
        Settings common;
        std::vector<Settings> settings;
        List places{};  ///< of the timeline
    };
    const std::string best = "best", random = "random", recurrent = "recurrent", fit = "fit";
    for (const Row& row : std::vector<Row>{
             {"capacity-sweep",
              {{"iterations", 60.0}},
              {{}, {{"model", recurrent}, {"channelsList", List{1, 2, 4, 8}}}, {{"start", best}}}},
             {"errors-vs-capacity",
              {{"draws", 6.0}, {"channels", 2.0}, {"iterations", 100.0}},
              {{}, {{"targets", std::string("fixed")}}, {{"along", std::string("lags")}}},
              {1, 4.3, 200}},
             {"feature-map",
              {{"layers", 3.0}, {"steps", 2.0}},
              {{}, {{"degree", 1.0}}, {{"degree", 8.0}, {"channels", 4.0}}, {{"functions", std::string("fourier")}, {"degree", 4.0}}},
              {1, 1.5, 8}},
             {"multi-input",
              {{"steps", 2.0}},
              {{{"layers", 4.0}},
               {{"components", 1.0}, {"channels", 1.0}, {"layers", 2.0}},
               {{"components", 16.0}, {"channels", 3.0}, {"layers", 3.0}},
               {{"components", 4.0}, {"channels", 16.0}, {"layers", 4.0}}},
              {1, 1.6, 16}},
             {"wavenet",
              {{"steps", 20.0}},
              {{},
               {{"arrangement", std::string("tiled")}},
               {{"arrangement", std::string("repeated")}, {"lag", 45.0}},
               {{"block", List{1}}, {"lag", 0.0}},
               {{"block", List{1, 2, 4, 8, 16}}, {"channels", 3.0}}},
              {1, 2.3, 3}},
             {"hierarchical",
              {},
              {{},
               {{"panels", fit}, {"channels", 4.0}},
               {{"compare", recurrent}, {"channels", 1.0}, {"otherChannels", 2.0}},
               {{"watch", std::string("optimisation")}, {"start", random}},
               {{"channels", 1.0}, {"pull", List{1, 1.7}}, {"basis", std::string("fourier")}}}},
             {"recurrent",
              {},
              {{{"length", 16.0}},
               {{"panels", fit}, {"channels", 3.0}, {"length", 16.0}},
               {{"compare", std::string("hierarchical")}, {"channels", 4.0}, {"length", 20.0}}}},
             {"layer-contributions",
              {},
              {{}, {{"channels", 2.0}, {"freeze", List{1, 6}}, {"at", 3.5}}, {{"channels", 1.0}, {"layers", 8.0}}}}})
        for (Settings settings : row.settings) {
            INFO(row.scene);
            settings.insert(settings.end(), row.common.begin(), row.common.end());
            Shown shown(row.scene, settings);
            if (row.places.empty()) checkLabels(shown);
            for (const double place : row.places) {
                CAPTURE(place);
                shown.state.params.set("at", place);
                checkLabels(shown);
            }
        }
}
