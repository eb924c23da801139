// Handles of the transitions' picture, its crossings, and that its panels fit without covering one another.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

const std::vector<std::pair<std::string, Value>> kSmall{
    {"width", 16.0}, {"widths", std::vector<double>{16.0}}, {"weightVariances", std::vector<double>{4.0, 16.0}}, {"layers", 6.0}};

std::vector<std::pair<std::string, Value>> with(std::vector<std::pair<std::string, Value>> more) {
    more.insert(more.end(), kSmall.begin(), kSmall.end());
    return more;
}

}  // namespace

TEST_CASE("transitions: every exact crossing is a mark on the unit's line, and the heading counts them") {
    for (const double layer : {0.0, 3.0, 6.0})
        for (const double turn : {0.0, 5.0, 23.0}) {
            Shown shown("transitions", with({{"at", layer}, {"turn", turn}}));
            shown.draw();
            const double count =
                shown.report.array("turnTransitions")->row(static_cast<std::size_t>(layer))[static_cast<std::size_t>(turn)];
            const auto marks = shown.recorder.find("curve/crossings");
            CHECK(static_cast<double>(marks.size()) == count);
            const auto line = shown.recorder.find("curve/unit");
            REQUIRE_FALSE(line.empty());
            for (const auto* mark : marks) CHECK(std::abs(mark->points[0].x - line[0]->points[0].x) < 1);
            CHECK(shown.says(inWords(count) + (count == 1 ? " crossing" : " crossings")));
        }
}

TEST_CASE("transitions: the curve is drawn in two colours that meet on the unit's line") {
    Shown shown("transitions", with({{"at", 5.0}}));
    shown.draw();
    const double x = shown.recorder.find("curve/unit")[0]->points[0].x;
    for (const auto* mark : shown.recorder.find("curve/positive"))
        for (const Vec2& p : mark->points) CHECK(p.x >= x - 1);
    for (const auto* mark : shown.recorder.find("curve/negative"))
        for (const Vec2& p : mark->points) CHECK(p.x <= x + 1);
}

TEST_CASE("transitions: strips show the sign along the trajectory in every layer, the framed one's as the curve above has it") {
    constexpr std::size_t turn = 6;
    Shown shown("transitions", with({{"at", 4.0}, {"turn", 6.0}}));
    shown.draw();
    const Array& counts = *shown.report.array("turnTransitions");
    std::vector<double> rows;  ///< tops of the strips
    for (const auto* strip : shown.recorder.find("signs/strip")) rows.push_back(strip->points[0].y);
    std::size_t told = 0;
    for (std::size_t layer = 0; layer < counts.axes[0].size(); ++layer) {
        // Changes that share a column are not told apart.
        const auto parts = static_cast<double>(std::count(rows.begin(), rows.end(), rows[told]));
        CHECK(parts <= counts.row(layer)[turn] + 1);
        CHECK(std::fmod(counts.row(layer)[turn] + 1 - parts, 2) == 0);
        const auto frames = shown.recorder.find("signs/shown");
        REQUIRE(frames.size() == 1);
        CHECK((rows[told] > frames[0]->points[0].y && rows[told] < frames[0]->points[1].y) == (layer == 4));
        told += static_cast<std::size_t>(parts);
    }
    CHECK(told == rows.size());
}

TEST_CASE("transitions: between two layers the curve glides and no crossing is claimed") {
    Shown shown("transitions", with({{"at", 3.5}}));
    shown.draw();
    CHECK(shown.recorder.find("curve/crossings").empty());
    CHECK_FALSE(shown.recorder.find("curve/positive").empty());
}

TEST_CASE("transitions: the mean over turns is named as that of two units, and beside the prediction stands the layer's") {
    for (const double layer : {0.0, 1.0, 3.0}) {
        Shown shown("transitions", with({{"at", layer}}));
        shown.draw();
        const auto next = static_cast<std::size_t>(layer) + 1;
        const Array& turns = *shown.report.array("turnTransitions");
        double mean = 0;
        for (std::size_t i = 0; i < 24; ++i) mean += turns.row(next - 1)[i] / 24;
        CHECK(shown.says("mean " + numberText(mean, 3) + " of these two units, " +
                         numberText(shown.report.array("transitions")->row(0)[next], 3) + " of all in layer " + std::to_string(next) +
                         "; length/π " + numberText(shown.report.array("predicted")->row(0)[next], 3)));
    }
}

TEST_CASE("transitions: saturation is told apart for hard-tanh alone") {
    Shown hard("transitions", kSmall), relu("transitions", with({{"activation", std::string("relu")}}));
    hard.draw();
    relu.draw();
    CHECK_FALSE(hard.recorder.find("curve/saturation").empty());
    CHECK(relu.recorder.find("curve/saturation").empty());
}
