// Chains that grow layer by layer, squares that freeze layers, and that the picture's panels fit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

using Settings = std::vector<std::pair<std::string, Value>>;

const Settings kSmall{{"layers", 4.0}, {"channels", 2.0}};

Settings with(Settings more) {
    more.insert(more.end(), kSmall.begin(), kSmall.end());
    return more;
}

}  // namespace

TEST_CASE("layer contributions: as many colours as layers were added, and their sum in the title") {
    for (const double added : {0.0, 2.0, 4.0}) {
        Shown shown("layer-contributions", with({{"at", added}}));
        shown.draw();
        const auto count = static_cast<std::size_t>(added);
        CHECK(shown.recorder.find("forward/layer").size() == count);
        CHECK(shown.recorder.find("backward/layer").size() == count);
    }
    Shown whole("layer-contributions", with({{"at", 8.0}}));
    whole.draw();
    CHECK(whole.says("= " + inWords(whole.report.scalar("totalCapacity")->value)));
}

TEST_CASE("layer contributions: a layer on its way in stands between nothing and all of it") {
    const auto top = [](double at) {
        Shown shown("layer-contributions", with({{"at", at}}));
        shown.draw();
        double sum = 0;
        const auto lines = shown.recorder.find("forward/capacity");
        for (const auto* line : lines)
            for (const Vec2& p : line->points) sum += p.y;
        return sum;
    };
    const double before = top(1), half = top(1.5), after = top(2);
    CHECK(half == doctest::Approx(0.5 * (before + after)).epsilon(1e-3));
    CHECK(after < before);
}

TEST_CASE("layer contributions: a square freezes its layer, by keyboard and by pointer, and thaws it again") {
    Shown shown("layer-contributions", kSmall);
    auto changes = shown.afterMove("freeze 3", 1);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "freeze");
    CHECK(std::get<std::vector<double>>(changes[0].value) == std::vector<double>{3});
    shown.draw();
    shown.handles.endFrame();
    const auto& all = shown.handles.shown();
    const auto square = std::find_if(all.begin(), all.end(), [](const Handle& h) { return h.id == "freeze 1"; });
    REQUIRE(square != all.end());
    Pointer pointer;
    pointer.at = square->rect.centre();
    pointer.inside = pointer.down = pointer.pressed = true;
    changes = shown.draw(pointer);
    REQUIRE(changes.size() == 1);
    CHECK(std::get<std::vector<double>>(changes[0].value) == std::vector<double>{1});
    pointer.pressed = false;
    std::vector<std::string> warnings;
    shown.state = apply(shown.state, changes[0], warnings);
    CHECK(shown.draw(pointer).empty());
    changes = shown.afterMove("freeze 1", 0);
    REQUIRE(changes.size() == 1);
    CHECK(std::get<std::vector<double>>(changes[0].value).empty());
}

TEST_CASE("layer contributions: what freezing did is said with its numbers, else which layers are redundant" *
          doctest::test_suite("long")) {
    Shown free("layer-contributions", {});
    free.draw();
    CHECK(free.says("redundant one by one: 1, 2, 5, 6"));
    Shown frozen("layer-contributions", {{"channels", 2.0}, {"freeze", std::vector<double>{1, 6}}});
    frozen.draw();
    CHECK(frozen.says("frozen at random: capacity 20 of 20"));
    CHECK(frozen.says("as when all layers learn"));
    Shown wrong("layer-contributions", {{"channels", 2.0}, {"freeze", std::vector<double>{1, 2}}});
    wrong.draw();
    CHECK(wrong.says("capacity 16 of 20"));
    CHECK(wrong.says("all layers reach"));
}

TEST_CASE("layer contributions: no text covers another or leaves the picture, from desktop to a small figure" *
          doctest::test_suite("long")) {
    for (const Settings& settings : std::vector<Settings>{
             {}, {{"channels", 2.0}, {"freeze", std::vector<double>{1, 6}}, {"at", 3.5}}, {{"channels", 1.0}, {"layers", 8.0}}}) {
        Shown shown("layer-contributions", settings);
        checkLabels(shown);
    }
}
