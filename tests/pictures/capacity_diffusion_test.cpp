// The ribbons of the flow: what leaves a unit is what arrives, side by side without gaps; the top unit and the layer can be pulled about.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "scenes/capacity_flow/picture_flow.h"
#include "support/report_cache.h"

using namespace kappaflow;

namespace {

Report computed(std::vector<std::pair<std::string, Value>> changes, State& state) {
    state = initialState("capacity-diffusion");
    std::vector<std::string> warnings;
    for (auto& [key, value] : changes) state = apply(state, Change::param(key, value), warnings);
    REQUIRE(warnings.empty());
    return reportOf(state);
}

std::vector<Change> frameWith(const Report& report, const State& state, Handles& handles, Recorder& recorder) {
    PictureFrame frame{.painter = recorder,
                       .theme = Theme::light(),
                       .handles = handles,
                       .report = report,
                       .reportVersion = 1,
                       .state = state,
                       .area = {{0, 0}, {800, 560}}};
    makePicture(state.scene)->draw(frame);
    return frame.changes;
}

// What the picture asks for after a handle is moved from outside: by the keyboard or its HTML element.
std::vector<Change> changesAfterMove(const std::string& handle, double value) {
    State state;
    const Report report = computed({}, state);
    Handles handles;
    Recorder recorder;
    handles.beginFrame({});
    frameWith(report, state, handles, recorder);
    handles.moveTo(handle, value);
    handles.beginFrame({});
    return frameWith(report, state, handles, recorder);
}

}  // namespace

TEST_CASE("edges stacked at a unit fill its capacity from both sides") {
    State state;
    const Report report = computed({{"kernel", std::string("random")}, {"layers", 6.0}, {"extent", 31.0}}, state);
    const auto flow =
        capacity_flow::stackFlow(report.array("flowFrom")->values, report.array("flowTo")->values, report.array("flowAmount")->values,
                                 report.array("flowOffsets")->values, report.array("flowBinSize")->values);
    const Array& capacity = *report.array("capacity");
    for (std::size_t l = 0; l < 6; ++l) {
        REQUIRE_FALSE(flow[l].empty());
        std::map<float, double> leaving, arriving;
        for (const auto& edge : flow[l]) {
            leaving[edge.from] += edge.amount;
            arriving[edge.to] += edge.amount;
            // An edge lies inside its unit's bar.
            CHECK(std::abs(edge.fromAt) + edge.amount / 2 <= capacity.row(l + 1)[static_cast<std::size_t>(edge.from)] / 2 + 1e-5);
            CHECK(std::abs(edge.toAt) + edge.amount / 2 <= capacity.row(l)[static_cast<std::size_t>(edge.to)] / 2 + 1e-5);
        }
        for (const auto& [unit, sum] : leaving)
            CHECK(sum == doctest::Approx(capacity.row(l + 1)[static_cast<std::size_t>(unit)]).epsilon(1e-4));
        for (const auto& [unit, sum] : arriving)
            CHECK(sum == doctest::Approx(capacity.row(l)[static_cast<std::size_t>(unit)]).epsilon(1e-4));
    }
}

TEST_CASE("the keyboard moves the unit where the capacity starts") {
    const auto changes = changesAfterMove("top", 12);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "topIndex");
    CHECK(std::get<double>(changes[0].value) == 12);
}

TEST_CASE("pulling the layer's line stops the playback and scrubs") {
    const auto changes = changesAfterMove("layer", 7);
    REQUIRE(changes.size() == 2);
    CHECK(changes[0].key == "play");
    CHECK(changes[1].key == "at");
    CHECK(std::get<double>(changes[1].value) == 7);
}

TEST_CASE("painting over the output layer writes the start") {
    State state;
    const Report report = computed({{"top", std::string("painted")}}, state);
    Handles handles;
    Recorder recorder;
    Pointer pointer;
    pointer.at = {300, 12};
    pointer.inside = pointer.down = pointer.pressed = true;
    handles.beginFrame(pointer);
    const auto changes = frameWith(report, state, handles, recorder);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "profile");
    const auto& painted = std::get<std::vector<double>>(changes[0].value);
    CHECK(*std::max_element(painted.begin(), painted.end()) > 0.5);
}

TEST_CASE("an ensemble shows every network's centre, the band of their wandering and its width beside that of one network") {
    const auto drawn = [](std::vector<std::pair<std::string, Value>> changes) {
        State state;
        const Report report = computed(std::move(changes), state);
        Handles handles;
        Recorder recorder;
        handles.beginFrame({});
        frameWith(report, state, handles, recorder);
        return recorder;
    };
    const Recorder ensemble = drawn({{"kernel", std::string("random")}, {"draws", 30.0}});
    CHECK(ensemble.find("network/centre").size() == 30);
    REQUIRE(ensemble.find("network/wander").size() == 2);
    const auto &left = *ensemble.find("network/wander")[0], &right = *ensemble.find("network/wander")[1];
    CHECK(left.points.front() == right.points.front());
    CHECK(right.points.back().x - left.points.back().x > 10);
    for (const char* id : {"spread/within", "spread/wander"}) CHECK_FALSE(ensemble.find(id).empty());
    CHECK(ensemble.find("spread/error").size() >= 3);  // of the average as well
    for (const bool alike : {true, false}) {
        const Recorder other = alike ? drawn({{"draws", 30.0}}) : drawn({{"kernel", std::string("random")}});
        CHECK(other.find("network/centre").empty());
        CHECK(other.find("spread/wander").empty());
    }
}
