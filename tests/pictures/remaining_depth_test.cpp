#include <algorithm>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

Shown shown(std::vector<std::pair<std::string, Value>> more = {}) {
    std::vector<std::pair<std::string, Value>> all{{"width", 12.0}, {"layers", 6.0}, {"samples", 100.0},
                                                   {"epochs", 8.0}, {"draws", 2.0},  {"batch", 20.0}};
    all.insert(all.end(), more.begin(), more.end());
    return Shown("remaining-depth", all);
}

}  // namespace

TEST_CASE("remaining depth: every network has one lit layer, the higher the fewer lie behind it, and a bar over it that grows") {
    Shown s = shown();
    const std::size_t trained = s.report.array("remainingDepth")->values.size();
    std::vector<double> tops;
    for (const double epoch : {0.0, 8.0}) {
        s.set("at", epoch);
        s.draw();
        const auto lit = s.marks("network/trained"), frozen = s.marks("network/frozen"), bars = s.marks("order/train");
        REQUIRE(lit.size() == trained);
        CHECK(frozen.size() == trained * (trained + 1));
        REQUIRE(bars.size() == trained);
        // The first is the lowest, at the right.
        for (std::size_t l = 1; l < trained; ++l) {
            CHECK(lit[l]->points[0].y < lit[l - 1]->points[0].y);
            CHECK(lit[l]->points[0].x < lit[l - 1]->points[0].x);
        }
        for (std::size_t l = 0; l < trained; ++l) {
            CHECK(bars[l]->points[1].x > lit[l]->points[0].x);
            CHECK(bars[l]->points[0].x < lit[l]->points[1].x);
        }
        tops.push_back(bars[0]->points[0].y);
    }
    CHECK(tops[1] < tops[0] - 20);
}

TEST_CASE("remaining depth: names stand behind their lines' ends, in their order and apart") {
    Shown s = shown();
    s.draw();
    const auto names = s.marks("train/name"), ties = s.marks("train/tie");
    REQUIRE(names.size() == 5);
    REQUIRE(ties.size() == names.size());
    const auto& train = *s.report.array("trainAccuracy");
    std::vector<std::pair<double, std::string>> byAccuracy;
    for (std::size_t l = 0; l < 5; ++l)
        byAccuracy.emplace_back(-train.row(l)[train.rowLength() - 1], "*W*^{" + std::to_string(l + 1) + "}");
    std::stable_sort(byAccuracy.begin(), byAccuracy.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < names.size(); ++i) {
        CHECK(names[i]->text == byAccuracy[i].second);
        if (i > 0) CHECK(names[i]->points[0].y >= names[i - 1]->points[0].y + 14);
        CHECK(ties[i]->points[1].y == doctest::Approx(names[i]->points[0].y));
    }
}

TEST_CASE("remaining depth: lines are drawn up to the epoch that stands out, and ahead of it faintly") {
    Shown s = shown({{"at", 4.0}});
    s.draw();
    const auto made = s.marks("train/layer"), coming = s.marks("train/coming"), now = s.marks("train/here");
    REQUIRE(made.size() == 5);
    REQUIRE(coming.size() == 5);
    REQUIRE(now.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(made[i]->points.back().x == doctest::Approx(now[0]->points[0].x));
        CHECK(coming[i]->points.back().x > made[i]->points.back().x + 50);
        CHECK(coming[i]->color.a < 0.5f * made[i]->color.a);
    }
}

TEST_CASE("remaining depth: a press on a network brings its numbers forward, and texts keep apart") {
    Shown s = shown({{"at", 5.0}});
    s.draw();
    const auto lit = s.marks("network/trained");
    const Vec2 third = (lit[2]->points[0] + lit[2]->points[1]) * 0.5;
    Pointer press;
    press.at = third, press.inside = press.down = press.pressed = true;
    const auto changes = s.draw(press);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "layer");
    CHECK(std::get<double>(changes[0].value) == 3);
    s.set("layer", 3.0);
    s.draw();
    const auto& train = *s.report.array("trainAccuracy");
    CHECK(s.says("epoch 5, *W*^{3} trained: " + inWords(100 * train.row(2)[5]) + " % learnt"));
    checkLabels(s);
}
