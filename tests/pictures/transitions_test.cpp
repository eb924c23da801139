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
