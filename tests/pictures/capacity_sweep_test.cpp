#include <cmath>

#include "scenes/panels.h"
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

double heightOf(const DrawnMark& mark) { return mark.points.front().y; }

}  // namespace

TEST_CASE("capacity sweep: losses arrive channel by channel, each falling from where its search began to where it ended") {
    Shown s("capacity-sweep", {{"iterations", 60.0}});
    s.draw();
    const auto ends = s.marks("loss/point"), starts = s.marks("loss/from");
    REQUIRE(ends.size() == 6);
    REQUIRE(starts.size() == 6);
    for (std::size_t i = 0; i < ends.size(); ++i) CHECK(heightOf(*ends[i]) > heightOf(*starts[i]));
    std::vector<double> last;
    for (const auto* mark : ends) last.push_back(heightOf(*mark));
    // Four have come, the fifth is on its way.
    double before = -1e9;
    for (const double upTo : {8.0, 10.0, 12.0, 14.0}) {
        s.set("upTo", upTo);
        s.draw();
        const auto now = s.marks("loss/point");
        REQUIRE(now.size() == (upTo == 8 ? 4 : 5));
        for (std::size_t i = 0; i < 4; ++i) CHECK(heightOf(*now[i]) == doctest::Approx(last[i]));
        if (upTo == 8) continue;
        CHECK(heightOf(*now[4]) > before);
        CHECK(heightOf(*now[4]) <= last[4] + 1e-9);
        before = heightOf(*now[4]);
        CHECK(s.says("*c* = 8"));
    }
}

TEST_CASE("capacity sweep: the iteration looked at moves the searches' marks from the start to the end") {
    Shown s("capacity-sweep", {{"iterations", 60.0}});
    std::vector<std::vector<double>> heights;
    for (const double at : {0.0, 5.0, 60.0}) {
        s.set("at", at);
        s.draw();
        heights.emplace_back();
        for (const auto* mark : s.marks("loss/from")) heights.back().push_back(heightOf(*mark));
    }
    CHECK(s.says("iteration 60"));
    const auto ends = s.marks("loss/point");
    for (std::size_t i = 0; i < ends.size(); ++i) {
        CHECK(heights[1][i] > heights[0][i]);
        CHECK(heights[2][i] >= heights[1][i]);
        CHECK(heights[2][i] == doctest::Approx(heightOf(*ends[i])));
    }
}

TEST_CASE("capacity sweep: the power law is one line, with the report's slope, once all have arrived") {
    Shown s("capacity-sweep", {{"iterations", 60.0}});
    s.draw();
    const auto law = s.marks("loss/law"), axis = s.marks("loss/point");
    REQUIRE(law.size() == 1);
    const double slope = s.report.scalar("exponent")->value;
    CHECK(s.says("*L* ∝ *c*^{" + std::string(slope < 0 ? "−" : "") + inWords(std::abs(slope), 2) + "}"));
    s.set("upTo", 16.0);
    s.draw();
    CHECK(s.marks("loss/law").empty());
    s.set("start", std::string("best"));
    s.set("upTo", 300.0);
    s.report = reportOf(s.state), ++s.reportVersion;
    s.draw();
    CHECK(s.marks("loss/law").empty());
}

TEST_CASE("capacity sweep: the network has as many units a layer as channels, its bar the share of capacity; the line ends the play") {
    Shown s("capacity-sweep", {{"iterations", 60.0}, {"upTo", 4.0}});
    s.draw();
    CHECK(s.marks("network/unit").size() == 2 + 5 * 4);
    const auto share = s.marks("network/share"), all = s.marks("network/all");
    REQUIRE(share.size() == 1);
    const auto width = [](const DrawnMark& mark) { return mark.points[1].x - mark.points[0].x; };
    CHECK(width(*share[0]) / width(*all[0]) == doctest::Approx(48.0 / 64));
    CHECK(s.says("*c* = 4 channels a layer: 144 weights"));
    const auto changes = s.afterMove("channels", 1);
    REQUIRE(changes.size() == 3);
    CHECK(changes[0].key == "shown");
    CHECK(changes[1].key == "play");
    CHECK(changes[2].key == "upTo");
}

TEST_CASE("rows of a result that is only on its way are without numbers") {
    CHECK(rowAt({}, 0, 1).empty());
    CHECK(rowAt({1, 2}, 0, 0).empty());
    REQUIRE(rowAt({}, 2, 3).size() == 2);
    CHECK(std::isnan(rowAt({}, 2, 3)[1]));
    CHECK(rowAt({1, 2, 3, 6}, 2, 0.5) == std::vector<double>{2, 4});
    CHECK(topOverSteps({1, 2}, 0) == 0);
}
