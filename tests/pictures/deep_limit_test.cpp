// Handles of the deep limit's picture, and that its panels fit without covering one another.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "scenes/picture.h"
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

struct DrawnLimit {
    State state = initialState("deep-limit");
    Report report;
    Handles handles;
    Recorder recorder;
    std::vector<Change> changes;

    explicit DrawnLimit(const std::vector<std::pair<std::string, Value>>& values, Rect area = {{0, 0}, {800, 580}}) {
        std::vector<std::string> warnings;
        for (const auto& [key, value] : values) state = apply(state, Change::param(key, value), warnings);
        report = reportOf(state);
        draw(area);
    }
    void draw(Rect area) {
        handles.beginFrame({});
        recorder.marks.clear();
        PictureFrame frame{.painter = recorder,
                           .theme = Theme::light(),
                           .handles = handles,
                           .report = report,
                           .reportVersion = 1,
                           .state = state,
                           .area = area};
        makePicture(state.scene)->draw(frame);
        handles.endFrame();
        changes = frame.changes;
    }
    /// What the picture asks for after a handle is moved from outside.
    std::vector<Change> move(const std::string& handle, double value) {
        handles.moveTo(handle, value);
        draw({{0, 0}, {800, 580}});
        return changes;
    }
    bool has(const std::string& id) const { return !recorder.find(id).empty(); }
    bool says(const std::string& part) const {
        return std::any_of(recorder.marks.begin(), recorder.marks.end(),
                           [&](const DrawnMark& mark) { return mark.text.find(part) != std::string::npos; });
    }
};

const std::vector<std::pair<std::string, Value>> kDifferential{{"layer", std::string("differential")},
                                                               {"depths", std::vector<double>{2, 4, 8, 16}}};

}  // namespace

TEST_CASE("deep limit: the keyboard moves the rates, the exponent and the depth") {
    DrawnLimit shown({});
    auto changes = shown.move("up", 12.5);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "up");
    CHECK(std::get<double>(changes[0].value) == 12.5);
    changes = shown.move("exponent", 0.8);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "exponent");
    CHECK(std::get<double>(changes[0].value) == 0.8);
    changes = shown.move("depth", 2);
    REQUIRE(changes.size() == 2);
    CHECK(changes[0].key == "play");
    CHECK(changes[1].key == "at");
    CHECK(std::get<double>(changes[1].value) == 80);
}

TEST_CASE("deep limit: a pulled weight changes its own entry of the list") {
    DrawnLimit shown(kDifferential);
    const auto changes = shown.move("weight1", 1.8);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "weights");
    const auto& weights = std::get<std::vector<double>>(changes[0].value);
    REQUIRE(weights.size() == 3);
    CHECK(weights[0] == -1);
    CHECK(weights[1] == 0);
    CHECK(weights[2] == doctest::Approx(1.8));
}

TEST_CASE("deep limit: between two depths the bars lie between their chains") {
    const auto topOfBars = [](double at) {
        DrawnLimit shown({{"at", at}});
        double top = 1e9;
        for (const auto* mark : shown.recorder.find("profile/chain"))
            for (const Vec2& p : mark->points) top = std::min(top, p.y);
        return top;
    };
    CHECK(topOfBars(20) <= topOfBars(30) + 40);
    DrawnLimit half({{"at", 30.0}});
    CHECK(half.says("*L* = "));
}

TEST_CASE("deep limit: differential layers show both simulations, residual ones neither") {
    DrawnLimit residual({}), differential(kDifferential);
    for (const char* id : {"forward/measured", "forward/theory", "forward/error", "check/capacity", "check/theory", "check/error"}) {
        CHECK_MESSAGE(differential.has(id), id);
        CHECK_FALSE_MESSAGE(residual.has(id), id);
    }
    auto steep = kDifferential;
    steep.push_back({"weights", std::vector<double>{-3, 0, 3}});
    steep.push_back({"at", 16.0});
    CHECK(DrawnLimit(steep).says("not simulated"));
}

TEST_CASE("deep limit: the screen says what the two distances tend to, and that other exponents have no such limit") {
    CHECK(DrawnLimit({}).says("to the Gaussian → 0.0037"));
    CHECK(DrawnLimit({{"exponent", 0.2}}).says("it scatters"));
    CHECK(DrawnLimit({{"exponent", 0.8}}).says("nothing moves"));
    CHECK(DrawnLimit({{"exponent", 0.8}}).says("the flow is not the limit"));
}

TEST_CASE("deep limit: no two texts cover one another, from desktop to a small figure") {
    const Rect areas[] = {{{0, 0}, {800, 580}}, {{0, 0}, {1010, 720}}, {{0, 0}, {390, 430}}, {{0, 0}, {300, 220}}, {{0, 0}, {720, 300}}};
    for (const Rect& area : areas)
        for (const bool differential : {false, true}) {
            DrawnLimit shown(differential ? kDifferential : decltype(kDifferential){}, area);
            CAPTURE(area.width());
            std::vector<std::pair<Rect, std::string>> boxes;
            for (const auto& mark : shown.recorder.marks)
                if (mark.kind == "text") boxes.push_back({boxOf(shown.recorder, mark).inset(1, 2, 1, 2), mark.text});
            for (std::size_t i = 0; i < boxes.size(); ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    const Rect &a = boxes[i].first, &b = boxes[j].first;
                    const bool apart = a.hi.x <= b.lo.x || b.hi.x <= a.lo.x || a.hi.y <= b.lo.y || b.hi.y <= a.lo.y;
                    CHECK_MESSAGE(apart, boxes[i].second, " and ", boxes[j].second);
                }
        }
}
