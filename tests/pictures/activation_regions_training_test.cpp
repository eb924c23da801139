// What training adds to the picture of activation regions: the points, the curves, and the handle that scrubs through the steps.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

Shown shown(double step, const std::string& data = "moons", Rect area = {{0, 0}, {1000, 620}}) {
    Shown s("activation-regions", {{"data", data},
                                   {"widths", std::vector<double>{6, 6}},
                                   {"samples", 40.0},
                                   {"noise", 0.0},
                                   {"half", 1.25},
                                   {"steps", 60.0},
                                   {"step", step}});
    s.area = area;
    return s;
}

}  // namespace

TEST_CASE("training: every point stands in the window where it belongs, in its class's colour") {
    Shown s = shown(60);
    s.draw();
    const auto marks = s.recorder.find("samples");
    const auto frame = s.recorder.find("window/frame");
    REQUIRE(frame.size() == 1);
    const Rect square{frame[0]->points[0], frame[0]->points[1]};
    const Array &points = *s.report.array("samplePoints"), &classes = *s.report.array("sampleClass");
    std::vector<const DrawnMark*> drawn;
    std::copy_if(marks.begin(), marks.end(), std::back_inserter(drawn), [](const DrawnMark* mark) { return mark->id == "samples"; });
    REQUIRE(drawn.size() == classes.values.size());
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        const Vec2 at = drawn[i]->points.front();
        CHECK(at.x == doctest::Approx(square.centre().x + points.row(i)[0] / 1.25 * square.width() / 2));
        CHECK(at.y == doctest::Approx(square.centre().y - points.row(i)[1] / 1.25 * square.width() / 2));
        for (std::size_t j = 0; j < i; ++j) CHECK((drawn[i]->color == drawn[j]->color) == (classes.values[i] == classes.values[j]));
    }
}

TEST_CASE("training: the playhead stands at the step, moves by keyboard, and is dragged along the curve") {
    Shown s = shown(15);
    s.draw();
    const auto now = s.recorder.find("training/now");
    REQUIRE_FALSE(now.empty());
    CHECK(wanted<double>(s.afterMove("step", 33), "step") == 33);
    CHECK(wanted<double>(s.afterMove("step", 60), "step") == 60);
    s.draw();
    const auto& handles = s.handles.shown();
    s.handles.endFrame();
    const auto found = std::find_if(handles.begin(), handles.end(), [](const Handle& h) { return h.id == "step"; });
    REQUIRE(found != handles.end());
    CHECK(found->value == 15);
    CHECK(found->min == 0);
    CHECK(found->max == 60);
    CHECK(found->rect.width() >= 24);
    const Handle handle = *found;
    Pointer press;
    press.at = handle.rect.centre();
    press.inside = press.down = press.pressed = true;
    s.draw(press);
    Pointer drag = press;
    drag.pressed = false;
    drag.at.x += 0.2 * s.area.width();
    const double dragged = wanted<double>(s.draw(drag), "step");
    CHECK(dragged > 30);
    CHECK(dragged <= 60);
    CHECK(dragged == std::round(dragged));
}

TEST_CASE("training: on a phone loss and accuracy stand below the window, and the network in their place when it is asked for") {
    Shown s = shown(60, "moons", {{0, 0}, {386, 439}});
    s.compact = true;
    s.draw();
    CHECK_FALSE(s.recorder.find("training/loss").empty());
    CHECK_FALSE(s.recorder.find("training/grip").empty());
    CHECK(s.recorder.find("network/unit").empty());
    const auto frame = s.recorder.find("window/frame");
    CHECK(frame[0]->points[1].x - frame[0]->points[0].x > 280);
    s.state.params.set("below", true);
    s.draw();
    CHECK(s.recorder.find("training/loss").empty());
    CHECK_FALSE(s.recorder.find("network/unit").empty());
    CHECK(s.says("loss"));
    checkLabels(s);
}

TEST_CASE("training: a run that diverged at once is still a picture") {
    Shown s("activation-regions", {{"data", std::string("spirals")},
                                   {"optimiser", std::string("momentum")},
                                   {"loss", std::string("mean-square")},
                                   {"learningRate", 10.0},
                                   {"steps", 60.0}});
    s.draw();
    CHECK_FALSE(s.recorder.find("samples").empty());
    CHECK(s.says("loss, accuracy"));
}
