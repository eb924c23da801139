// One network under five lenses: that they mark one layer, say their step and their reasons, and ask for what is pulled about.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

using Given = std::vector<std::pair<std::string, Value>>;
using List = std::vector<double>;

/// A network that is quickly trained, unless told otherwise.
Shown lens(Given more = {}) {
    for (const auto& [key, value] : Given{{"widths", List{8, 8, 8}}, {"steps", 40.0}, {"samples", 60.0}})
        if (std::none_of(more.begin(), more.end(), [&, k = key](const auto& m) { return m.first == k; })) more.emplace_back(key, value);
    Shown shown("network-lens", more);
    REQUIRE(shown.report.status == Status::Ok);
    return shown;
}

Given untrained(Given more) {
    more.emplace_back("steps", 0.0);
    return more;
}

std::vector<Change> press(Shown& shown, Vec2 where) {
    Pointer p = pointerAt(where);
    shown.draw(p);
    p.pressed = p.down = true;
    return shown.draw(p);
}

std::vector<Change> drag(Shown& shown, Vec2 from, Vec2 to) {
    press(shown, from);
    Pointer p = pointerAt(to);
    p.down = true;
    return shown.draw(p);
}

std::vector<std::string> textsOf(const Shown& shown, std::string_view prefix) {
    std::vector<std::string> texts;
    for (const auto* mark : shown.recorder.find(prefix))
        if (mark->kind == "text") texts.push_back(mark->text);
    return texts;
}

Rect handleRect(Shown& shown, const std::string& id) {
    shown.draw();
    shown.handles.endFrame();
    for (const auto& handle : shown.handles.shown())
        if (handle.id == id) return handle.rect;
    FAIL("no handle " << id);
    return {};
}

}  // namespace

TEST_CASE("network lens: the knob of any panel moves the mark in all of them") {
    Shown shown = lens();
    for (const char* handle : {"layer", "layer capacity", "layer length", "layer chi", "layer ranks"}) {
        CAPTURE(handle);
        const auto changes = shown.afterMove(handle, 2);
        CHECK(wanted<bool>(changes, "play") == false);
        CHECK(wanted<double>(changes, "at") == 2);
    }
    shown.state.params.set("at", 2.0);
    shown.draw();
    for (const char* mark : {"strip/tag", "capacity/now", "depths/now", "length/now", "chi/now", "ranks/now"}) {
        CAPTURE(mark);
        CHECK(shown.recorder.find(mark).size() == 1);
    }
    CHECK(textsOf(shown, "image/facts").front().starts_with("layer 2"));
}

TEST_CASE("network lens: units, samples, widths and the edited layer answer to the keyboard") {
    Shown plain = lens(untrained({{"data", std::string("gaussian")}, {"inputs", 5.0}}));
    CHECK(wanted<double>(plain.afterMove("unit", 2), "unit") == 2);
    for (const char* point : {"pointA", "pointB", "pointC"}) CHECK(wanted<double>(plain.afterMove(point, 11), point) == 11);
    CHECK(wanted<List>(plain.afterMove("width 2", 20), "widths") == List{8, 20, 8});
    CHECK(wanted<List>(plain.afterMove("hidden layers", 5), "widths") == List{8, 8, 8, 8, 8});
    CHECK(wanted<List>(plain.afterMove("hidden layers", 2), "widths") == List{8, 8});
    Shown edited = lens(untrained({{"edit", std::string("widen")}, {"editLayer", 2.0}}));
    CHECK(wanted<double>(edited.afterMove("edited layer", 1), "editLayer") == 1);
}

TEST_CASE("network lens: a press on an output starts the capacity there") {
    Shown shown = lens(untrained({{"data", std::string("gaussian")}, {"inputs", 5.0}}));
    const Vec2 first = handleRect(shown, "unit").centre();
    shown.state.params.set("unit", 2.0);
    shown.draw();
    CHECK(wanted<double>(press(shown, first), "unit") == 0);
}

TEST_CASE("network lens: a sample is dragged to the nearest one") {
    Shown shown = lens();
    const Array &points = *shown.report.array("samplePoints"), &chosen = *shown.report.array("chosen");
    const std::size_t to = static_cast<std::size_t>(chosen.values[1]);
    const Vec2 from = handleRect(shown, "pointA").centre(), target = handleRect(shown, "pointB").centre();
    const double* picked = points.row(static_cast<std::size_t>(wanted<double>(drag(shown, from, target), "pointA")));
    CHECK(std::hypot(picked[0] - points.row(to)[0], picked[1] - points.row(to)[1]) < 1e-9);
}

TEST_CASE("network lens: a press on a bar marks its layer") {
    Shown shown = lens();
    shown.draw();
    const auto bars = shown.recorder.find("strip/bar");
    REQUIRE(bars.size() == 5);
    CHECK(wanted<double>(press(shown, {(bars[1]->points[0].x + bars[1]->points[1].x) / 2, bars[1]->points[1].y - 3}), "at") == 1);
}

TEST_CASE("network lens: the tag under the bars stops between layers where it is dragged, and a tap makes a panel large") {
    Shown shown = lens();
    shown.state.params.set("at", 2.0);
    const Vec2 tag = handleRect(shown, "layer").centre();
    const auto bars = shown.recorder.find("strip/bar");
    const double column = bars[1]->points[0].x - bars[0]->points[0].x;
    CHECK(wanted<double>(drag(shown, tag, tag - Vec2{0.4 * column, 0}), "at") == doctest::Approx(1.6).epsilon(0.01));
    shown.draw();
    CHECK(wanted<std::string>(press(shown, handleRect(shown, "enlarge capacity").centre()), "lens") == "capacity");
}

TEST_CASE("network lens: a narrow picture shows one lens at a time, which tabs choose") {
    Shown shown = lens();
    shown.area = {{0, 0}, {390, 430}};
    shown.compact = true;
    shown.draw();
    CHECK_FALSE(shown.recorder.find("regions/cells").empty());
    CHECK(shown.recorder.find("chi/measured").empty());
    CHECK(textsOf(shown, "tabs/name").size() == 5);
    CHECK(wanted<std::string>(shown.afterMove("lens", 4), "lens") == "sensitivity");
    const std::pair<std::string, const char*> others[] = {
        {"capacity", "capacity/units"}, {"trajectory", "image"}, {"sensitivity", "chi/measured"}, {"measured", "profile/measured"}};
    for (const auto& other : others) {
        CAPTURE(other.first);
        shown.state.params.set("lens", other.first);
        shown.draw();
        CHECK_FALSE(shown.recorder.find(other.second).empty());
        CHECK(shown.recorder.find("regions/cells").empty());
    }
}

TEST_CASE("network lens: where two lenses have nothing to show, their reasons stand in a row below the others") {
    // tanh has no regions with straight sides, and between a point and itself there is no curve.
    Shown shown = lens(untrained({{"activation", std::string("tanh")}, {"pointA", 3.0}, {"pointB", 3.0}}));
    shown.area = {{0, 0}, {1000, 620}};
    shown.draw();
    std::vector<double> reasons;
    for (const auto& mark : shown.recorder.marks)
        if (mark.id.rfind("reason/", 0) == 0) reasons.push_back(mark.points[0].y);
    REQUIRE(reasons.size() >= 2);
    const double highest = *std::min_element(reasons.begin(), reasons.end());
    CHECK(highest > 540);
    CHECK(*std::max_element(reasons.begin(), reasons.end()) < 620);
    for (const auto& mark : shown.recorder.marks)
        if (mark.id.rfind("chi/", 0) == 0)
            for (const Vec2& p : mark.points) CHECK(p.y < highest);
    // One at a time, the first that shows something.
    shown.area = {{0, 0}, {390, 500}};
    shown.compact = true;
    shown.draw();
    CHECK(textsOf(shown, "reason/").empty());
}

TEST_CASE("network lens: a panel made large leaves the others as tabs, and comes back") {
    Shown shown = lens();
    CHECK(wanted<std::string>(shown.afterMove("enlarge regions", 1), "lens") == "regions");
    const Rect small = {shown.recorder.find("window/frame")[0]->points[0], shown.recorder.find("window/frame")[0]->points[1]};
    shown.state.params.set("lens", std::string("regions"));
    shown.draw();
    const Rect large = {shown.recorder.find("window/frame")[0]->points[0], shown.recorder.find("window/frame")[0]->points[1]};
    CHECK(large.width() > 1.5 * small.width());
    CHECK(textsOf(shown, "tabs/name").size() == 6);
    CHECK(wanted<std::string>(shown.afterMove("lens", 0), "lens") == "all");
}

TEST_CASE("network lens: a place on the curve and a layer are shown in every panel that knows them") {
    Shown shown = lens();
    shown.draw();
    const auto curve = shown.recorder.find("regions/curve/rim");
    REQUIRE(curve.size() == 1);
    const Vec2 half = (curve[0]->points.front() + curve[0]->points.back()) * 0.5;
    shown.draw(pointerAt(half));
    const auto places = shown.recorder.find("hover/place");
    REQUIRE(places.size() == 2);
    CHECK(places[0]->points[0].x == doctest::Approx(half.x).epsilon(1e-6));
    CHECK(shown.says("50 % of the way"));
    // Over the plot of χ: a line in the strip, the columns of capacity, the length and the ranks.
    const Vec2 knob = handleRect(shown, "layer chi").centre();
    shown.draw(pointerAt(knob - Vec2{60, 30}));
    CHECK(shown.recorder.find("hover/layer").size() == 5);
    shown.draw();
    CHECK(shown.recorder.find("hover/").empty());
}

TEST_CASE("network lens: the region under the pointer is marked, with the stretch of the curve that lies in it") {
    Shown shown = lens();
    shown.draw();
    const auto curve = shown.recorder.find("regions/curve/rim");
    const Vec2 begin = curve[0]->points.front(), along = curve[0]->points.back() - begin;
    // Beside the curve, further than a pointer means the curve itself.
    const Pointer beside = pointerAt(begin + along * 0.5 + Vec2{-along.y, along.x} * (11 / length(along)));
    shown.draw(beside);
    CHECK(shown.recorder.find("regions/marked").size() == 1);
    CHECK(shown.says("one of "));
    shown.state.params.set("at", 0.0);
    shown.draw(beside);
    // Nothing has been cut yet: the whole curve lies in the one region.
    const auto stretch = shown.recorder.find("hover/stretch");
    REQUIRE(stretch.size() == 1);
    CHECK(stretch[0]->points.size() == shown.report.array("place")->values.size());
}

TEST_CASE("network lens: labels stay inside and apart") {
    for (const auto& given : {Given{}, untrained({{"activation", std::string("tanh")}}),
                              untrained({{"edit", std::string("widen")}, {"editLayer", 2.0}, {"editAmount", 4.0}}),
                              untrained({{"data", std::string("gaussian")}, {"inputs", 10.0}}), untrained({{"widths", List(20, 12.0)}})}) {
        Shown shown = lens(given);
        checkLabels(shown);
        for (const char* alone : {"capacity", "regions", "trajectory", "sensitivity", "measured"}) {
            CAPTURE(alone);
            shown.state.params.set("lens", std::string(alone));
            checkLabels(shown);
        }
    }
}

TEST_CASE("network lens: with an edit under every lens the strip, the plots and the names are the edited network's") {
    Shown shown = lens(untrained({{"edit", std::string("insert")}, {"editLayer", 2.0}, {"editAmount", 1.0}, {"editAll", true}}));
    shown.draw();
    CHECK(shown.recorder.find("strip/bar").size() == 6);
    for (const auto& text : textsOf(shown, "depths/layer")) CHECK(text != "output");
    const auto changes = shown.afterMove("layer length", 5);
    CHECK(wanted<double>(changes, "at") == 5);
    shown.state.params.set("at", 5.0);
    shown.draw();
    CHECK(textsOf(shown, "image/facts").front().starts_with("output"));
    // The mark of the edit stands at its layer, the next one's beyond the new layer.
    CHECK(wanted<double>(shown.afterMove("edited layer", 3), "editLayer") == 3);
    CHECK(wanted<List>(shown.afterMove("width 3", 20), "widths") == List{8, 8, 20});
    Shown shorter = lens(untrained({{"edit", std::string("remove")}, {"editLayer", 2.0}, {"editAll", true}}));
    shorter.draw();
    CHECK(shorter.recorder.find("strip/bar").size() == 4);
    CHECK(wanted<double>(shorter.afterMove("layer chi", 2), "at") == 2);
    checkLabels(shorter);
    Shown wider = lens(untrained({{"edit", std::string("widen")}, {"editLayer", 2.0}, {"editAmount", 40.0}, {"editAll", true}}));
    CHECK(wanted<List>(wider.afterMove("width 2", 9), "widths") == List{8, 9, 8});
}

TEST_CASE("network lens: the heading counts regions only of layers that were cut, and says so") {
    Shown some = lens(untrained({{"budget", 60.0}}));
    REQUIRE(some.report.scalar("exactThrough")->value == 1);
    some.draw();
    CHECK(some.says(inWords(some.report.scalar("regions")->value, 9) + " by 1 of 3 layers"));
    Shown none = lens(untrained({{"budget", 2.0}}));
    none.draw();
    for (const auto& text : textsOf(none, "heading")) CHECK(text.find("regions of the input plane:") == std::string::npos);
}

TEST_CASE("network lens: a curve without images still has its lengths") {
    Shown shown = lens(untrained({}));
    std::erase_if(shown.report.arrays, [](const Array& array) { return array.name == "image" || array.name == "place"; });
    shown.report.notes.push_back({"trajectory", "There are no images."});
    shown.draw();
    CHECK_FALSE(shown.recorder.find("length/measured").empty());
    CHECK(textsOf(shown, "remark/trajectory").size() == 1);
    CHECK_FALSE(shown.says("no curve"));
}

TEST_CASE("network lens: a double click puts the window back to where it opens with these data") {
    Shown shown = lens(untrained({{"data", std::string("gaussian")}, {"inputs", 5.0}, {"half", 0.2}}));
    shown.draw();
    const auto frame = shown.recorder.find("window/frame");
    REQUIRE_FALSE(frame.empty());
    Pointer p = pointerAt(frame[0]->points[0] + Vec2{9, 9});
    shown.draw(p);
    p.doubleClicked = p.pressed = p.down = true;
    p.pressedAt = p.at;
    CHECK(wanted<double>(shown.draw(p), "half") == 0.7);
}

TEST_CASE("network lens: a sample beyond those that are shown can be reached by its number") {
    Shown shown = lens(untrained({{"samples", 1500.0}}));
    CHECK(wanted<double>(shown.afterMove("pointA", 1450), "pointA") == 1450);
}

TEST_CASE("network lens: the mark over the capacity of an edited network goes to the state that stands there") {
    Shown shown = lens(untrained({{"edit", std::string("insert")}, {"editLayer", 2.0}, {"at", 4.0}}));
    shown.draw();
    double left = 1e9, right = 0;
    for (const auto* mark : shown.recorder.find("capacity/units"))
        for (const Vec2& point : mark->points) left = std::min(left, point.x), right = std::max(right, point.x);
    const Vec2 knob = handleRect(shown, "layer capacity").centre();
    // One column to the left: the state before the output, not the one before that.
    CHECK(std::abs(wanted<double>(drag(shown, knob, knob - Vec2{(right - left) / 5, 0}), "at") - 3) < 0.2);
}
