#include <doctest/doctest.h>

#include <algorithm>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

Shown sweep(const std::vector<std::pair<std::string, Value>>& values) {
    auto all = values;
    all.emplace_back("iterations", 60.0);
    return {"capacity-sweep", all};
}

const DrawnMark& markOf(const Shown& shown, const std::string& id) {
    const auto found = shown.recorder.find(id);
    REQUIRE_MESSAGE(!found.empty(), id);
    return *found.front();
}

std::vector<double> changedList(const std::vector<Change>& changes, const std::string& key) {
    for (const auto& change : changes)
        if (change.key == key) return std::get<std::vector<double>>(change.value);
    return {};
}

TEST_CASE("random start solid, optimum dashed, full connection dotted; a point for every number of channels") {
    Shown shown = sweep({});
    shown.draw();
    CHECK(markOf(shown, "loss/random").dash == Dash::Solid);
    CHECK(markOf(shown, "loss/optimal").dash == Dash::Dashed);
    CHECK(markOf(shown, "loss/full").dash == Dash::Dotted);
    const auto points = shown.recorder.find("loss/point");
    CHECK(points.size() == 6);
    // Hollow where the search ended short of an optimum.
    CHECK(points[2]->color == Theme::light().ground);
    CHECK_FALSE(points[0]->color == points[2]->color);
    CHECK(shown.says("random start"));
    CHECK(shown.says("capacity"));
}

TEST_CASE("as iterations pass the curve sinks from where it began to where it ended") {
    Shown shown = sweep({{"at", 1.0}});
    shown.draw();
    const auto early = markOf(shown, "loss/moving").points;
    shown.state.params.set("at", 60.0);
    shown.draw();
    const auto late = markOf(shown, "loss/moving").points;
    REQUIRE(early.size() == late.size());
    for (std::size_t i = 0; i < early.size(); ++i) CHECK(late[i].y >= early[i].y);
    CHECK(late.back().y > early.back().y + 20);
    const auto end = markOf(shown, "loss/random").points;
    for (std::size_t i = 0; i < late.size(); ++i) CHECK(late[i].y == doctest::Approx(end[i].y));
}

TEST_CASE("pulling the last point adds doublings up to 256 or takes channels away") {
    Shown shown = sweep({});
    CHECK(changedList(shown.afterMove("most", 8), "channelsList") == std::vector<double>{1, 2, 4, 8, 16, 32, 64, 128, 256});
    Shown fewer = sweep({});
    CHECK(changedList(fewer.afterMove("most", 2), "channelsList") == std::vector<double>{1, 2, 4});
    Shown least = sweep({});
    CHECK(changedList(least.afterMove("most", 0), "channelsList") == std::vector<double>{1});
}

TEST_CASE("the upright lines choose channels and iteration, by keyboard and by dragging") {
    Shown shown = sweep({});
    auto changes = shown.afterMove("channels", 3);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "shown");
    CHECK(std::get<double>(changes[0].value) == 8);
    changes = shown.afterMove("iteration", 5);
    REQUIRE(changes.size() == 2);
    CHECK(changes[1].key == "at");
    CHECK(std::get<double>(changes[1].value) == shown.report.array("descent")->axes[1].values[5]);
}

TEST_CASE("a single number of channels, and an optimum alone, are drawn as well") {
    Shown one = sweep({{"channelsList", std::vector<double>{4}}});
    one.draw();
    CHECK(one.recorder.find("loss/point").size() == 1);
    Shown best = sweep({{"start", std::string("best")}, {"channelsList", std::vector<double>{1, 2, 4, 8}}});
    best.draw();
    CHECK(best.recorder.find("loss/random").empty());
    CHECK(best.says("optimum"));
    Shown recurrent = sweep({{"model", std::string("recurrent")}, {"channelsList", std::vector<double>{1, 2, 4}}});
    recurrent.draw();
    CHECK(!recurrent.recorder.find("counts/rank").empty());
}

TEST_CASE("labels keep apart and inside, at every size") {
    for (const auto& setting :
         std::vector<std::pair<std::string, Value>>{{"seed", 1.0}, {"model", std::string("recurrent")}, {"start", std::string("best")}}) {
        CAPTURE(setting.first);
        auto values = std::vector<std::pair<std::string, Value>>{setting};
        if (setting.first == "model") values.emplace_back("channelsList", std::vector<double>{1, 2, 4, 8});
        Shown shown = sweep(values);
        checkLabels(shown);
    }
}

}  // namespace
