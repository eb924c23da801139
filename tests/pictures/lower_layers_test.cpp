// The scales of hidden units are pulled in the picture, and the network is built there.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "scenes/picture.h"
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

struct Drawn {
    Recorder recorder;
    Handles handles;
    std::vector<Change> changes;
    State state;
    Report report;
};

using Settings = std::vector<std::pair<std::string, Value>>;

void frame(Drawn& drawn, Rect area, bool compact, const Pointer& pointer = {}) {
    drawn.recorder.marks.clear();
    drawn.handles.beginFrame(pointer);
    PictureFrame f{.painter = drawn.recorder,
                   .theme = Theme::light(),
                   .handles = drawn.handles,
                   .report = drawn.report,
                   .reportVersion = 1,
                   .state = drawn.state,
                   .area = area,
                   .compact = compact};
    makePicture("lower-layers")->draw(f);
    drawn.changes = f.changes;
}

const Rect kArea{{0, 0}, {810, 590}};

void prepare(Drawn& drawn, const Settings& settings, Rect area = kArea, bool compact = false) {
    drawn.state = initialState("lower-layers");
    std::vector<std::string> warnings;
    for (const auto& [key, value] : settings) drawn.state = apply(drawn.state, Change::param(key, value), warnings);
    REQUIRE(warnings.empty());
    drawn.report = reportOf(drawn.state);
    frame(drawn, area, compact);
}

const Handle& handleOf(Drawn& drawn, const std::string& id) {
    drawn.handles.endFrame();
    const auto& shown = drawn.handles.shown();
    const auto found = std::find_if(shown.begin(), shown.end(), [&](const Handle& h) { return h.id == id; });
    REQUIRE_MESSAGE(found != shown.end(), id);
    return *found;
}

/// What the picture asks for when a handle is moved from outside.
std::map<std::string, Value> moved(Drawn& drawn, const std::string& id, double value) {
    drawn.handles.moveTo(id, value);
    frame(drawn, kArea, false);
    std::map<std::string, Value> changes;
    for (const auto& change : drawn.changes) changes[change.key] = change.value;
    return changes;
}

std::vector<double> widthsOfWeights(Drawn& drawn) {
    std::vector<double> widths;
    for (const auto* mark : drawn.recorder.find("network/weight")) widths.push_back(mark->numbers[0]);
    return widths;
}

std::string titleOf(Drawn& drawn) {
    for (const auto* mark : drawn.recorder.find("output/title")) return mark->text;
    return "";
}

}  // namespace

TEST_CASE("at scale 4 the chosen unit's incoming weights are drawn thicker and its outgoing one thinner, and the others as before") {
    Drawn one, four;
    prepare(one, {{"at", 0.0}});
    prepare(four, {{"at", 1.0}});
    const auto before = widthsOfWeights(one), after = widthsOfWeights(four);
    REQUIRE(before.size() == 16);
    int thicker = 0, thinner = 0;
    for (std::size_t w = 0; w < 16; ++w) thicker += after[w] > before[w] + 1e-9, thinner += after[w] < before[w] - 1e-9;
    CHECK(thicker == 3);
    CHECK(thinner == 1);
}

TEST_CASE("the title says that the output stays, or by how much it moves") {
    Drawn leaky, tanh;
    prepare(leaky, {{"at", 1.0}});
    CHECK(titleOf(leaky).find("unchanged") != std::string::npos);
    prepare(tanh, {{"at", 1.0}, {"shown", std::string("tanh")}});
    CHECK(titleOf(tanh).find("changed by") != std::string::npos);
    CHECK(titleOf(tanh).find("unchanged") == std::string::npos);
}

TEST_CASE("each redundant scale has its ring: all four of a leaky network, none of a tanh network") {
    for (const auto& [key, rings] : std::vector<std::pair<std::string, std::size_t>>{{"leaky-relu", 4}, {"abs", 4}, {"tanh", 0}}) {
        Drawn drawn;
        prepare(drawn, {{"shown", key}});
        CHECK(drawn.recorder.find("network/redundant/count").size() == rings);
    }
}

TEST_CASE("a unit pulled sideways is chosen, stops the breathing and takes the scale with it") {
    Drawn drawn;
    prepare(drawn, {});
    const auto changes = moved(drawn, "unit 2", 1.5);
    CHECK(std::get<double>(changes.at("unit")) == 2);
    CHECK(std::get<bool>(changes.at("play")) == false);
    CHECK(std::get<double>(changes.at("at")) == doctest::Approx(1.25));
    Drawn there;
    prepare(there, {{"unit", 2.0}, {"at", 1.25}});
    CHECK(handleOf(there, "unit 2").value == doctest::Approx(1.5));
    CHECK(handleOf(there, "unit 2").rect.centre().x > handleOf(drawn, "unit 2").rect.centre().x + 5);
    CHECK(handleOf(there, "unit 1").value == 0);
}

TEST_CASE("a pointer that presses a unit chooses it and a drag follows the pointer") {
    Drawn drawn;
    prepare(drawn, {});
    const Vec2 at = handleOf(drawn, "unit 3").rect.centre();
    Pointer pointer;
    pointer.at = at;
    pointer.inside = pointer.down = pointer.pressed = true;
    frame(drawn, kArea, false, pointer);
    REQUIRE_FALSE(drawn.changes.empty());
    CHECK(drawn.changes[0].key == "unit");
    CHECK(std::get<double>(drawn.changes[0].value) == 3);
    std::vector<std::string> warnings;
    for (const auto& change : drawn.changes) drawn.state = apply(drawn.state, change, warnings);
    pointer.pressed = false;
    pointer.at = at + Vec2{20, 0};
    frame(drawn, kArea, false, pointer);
    for (const auto& change : drawn.changes) drawn.state = apply(drawn.state, change, warnings);
    CHECK(drawn.state.params.number("at") < 2);
    CHECK(drawn.state.params.number("at") >= 1);
    frame(drawn, kArea, false, pointer);
    CHECK(handleOf(drawn, "unit 3").rect.centre().x == doctest::Approx(at.x + 20).epsilon(0.01));
}

TEST_CASE("tags under the columns add and take away units, the dots hidden layers, never beyond what can be counted") {
    Drawn drawn;
    prepare(drawn, {{"architecture", std::vector<double>{3, 4, 1}}});
    CHECK(std::get<std::vector<double>>(moved(drawn, "width 1", 6).at("architecture")) == std::vector<double>{3, 6, 1});
    CHECK(std::get<std::vector<double>>(moved(drawn, "width 2", 2).at("architecture")) == std::vector<double>{3, 4, 2});
    CHECK(std::get<std::vector<double>>(moved(drawn, "depth", 2).at("architecture")) == std::vector<double>{3, 4, 4, 1});
    CHECK(std::get<std::vector<double>>(moved(drawn, "depth", 0).at("architecture")) == std::vector<double>{3, 1});
    CHECK(handleOf(drawn, "width 1").max == 6);
    Drawn large;
    prepare(large, {{"architecture", std::vector<double>{8, 8, 8, 8, 1}}, {"activation", std::string("identity")}, {"inputsTried", 1.0}});
    CHECK(handleOf(large, "width 4").max == 4);
    CHECK(moved(large, "depth", 4).empty());
    Drawn tree;
    prepare(tree, {{"architecture", std::vector<double>{1, 2, 2, 1}}, {"layer", std::string("convolution")}});
    CHECK(handleOf(tree, "width 1").max == 6);
    for (const auto& handle : tree.handles.shown()) CHECK((handle.id != "width 0" && handle.id != "width 3"));
}

TEST_CASE("the rows of the ranks choose the activation that is drawn") {
    Drawn drawn;
    prepare(drawn, {});
    const auto keys = drawn.report.array("rank")->axes[0].keys;
    const auto changes = moved(drawn, "shown", 4);
    CHECK(std::get<std::string>(changes.at("shown")) == keys[4]);
}

TEST_CASE("where the rule holds only in part the picture says so") {
    const auto exception = [](const Settings& settings) {
        Drawn drawn;
        prepare(drawn, settings);
        const auto marks = drawn.recorder.find("verdict/exception");
        return marks.empty() ? std::string() : marks[0]->text;
    };
    CHECK(exception({}).empty());
    CHECK(exception({{"shown", std::string("tanh")}}).find("would find 12") != std::string::npos);
    CHECK(exception({{"shown", std::string("hard-tanh")}, {"inputDeviation", 0.1}}).find("4 units never saturate") != std::string::npos);
    CHECK(exception({{"architecture", std::vector<double>{1, 4, 1}}}).find("2 short of") != std::string::npos);
    CHECK(exception({{"shown", std::string("identity")}}).find("only 3") != std::string::npos);
}

TEST_CASE("no text lies on another or leaves the picture, on a screen, a phone and in a small figure, with every preset") {
    struct Size {
        Rect area;
        bool compact;
    };
    for (const auto& preset : findDeclaration("lower-layers")->presets) {
        CAPTURE(preset.name);
        Drawn drawn;
        Settings settings(preset.values.begin(), preset.values.end());
        settings.emplace_back("at", 0.8);
        prepare(drawn, settings);
        for (const auto& size : {Size{kArea, false}, Size{{{0, 0}, {640, 420}}, false}, Size{{{0, 0}, {390, 430}}, true},
                                 Size{{{0, 0}, {360, 330}}, true}, Size{{{0, 0}, {300, 165}}, true}}) {
            CAPTURE(size.area.width());
            frame(drawn, size.area, size.compact);
            std::vector<std::pair<Rect, std::string>> texts;
            for (const auto& mark : drawn.recorder.marks)
                if (mark.kind == "text") texts.emplace_back(boxOf(drawn.recorder, mark), mark.id + ": " + mark.text);
            for (std::size_t i = 0; i < texts.size(); ++i) {
                const Rect& a = texts[i].first;
                CAPTURE(texts[i].second);
                CHECK((a.lo.x >= -1 && a.lo.y >= -1 && a.hi.x <= size.area.hi.x + 1 && a.hi.y <= size.area.hi.y + 1));
                for (std::size_t j = 0; j < i; ++j) {
                    const Rect& b = texts[j].first;
                    const double x = std::min(a.hi.x, b.hi.x) - std::max(a.lo.x, b.lo.x),
                                 y = std::min(a.hi.y, b.hi.y) - std::max(a.lo.y, b.lo.y);
                    CHECK_MESSAGE(!(x > 2 && y > 3), texts[j].second);
                }
            }
        }
    }
}
