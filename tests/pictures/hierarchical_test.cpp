// The tree with the capacity that flows down it, the knobs on its weights, and that its panels fit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

using Settings = std::vector<std::pair<std::string, Value>>;

const Settings kSmall{{"layers", 4.0}};

Settings with(Settings more) {
    more.insert(more.end(), kSmall.begin(), kSmall.end());
    return more;
}

/// Widths of the bands at their lower ends, and where these are.
struct Band {
    double x, y, width;
};
std::vector<Band> bandsOf(const Recorder& recorder) {
    std::vector<Band> bands;
    for (const auto* mark : recorder.find("tree/flow")) {
        const std::size_t half = mark->points.size() / 2;
        const Vec2 left = mark->points[half - 1], right = mark->points[half];
        bands.push_back({0.5 * (left.x + right.x), left.y, right.x - left.x});
    }
    return bands;
}

}  // namespace

TEST_CASE("hierarchical: what flows into the inputs is their capacity, and each level hands on all of it") {
    Shown shown("hierarchical", kSmall);
    shown.draw();
    const auto bands = bandsOf(shown.recorder);
    double lowest = 0;
    for (const Band& band : bands) lowest = std::max(lowest, band.y);
    std::map<double, double> byLevel;
    for (const Band& band : bands) byLevel[std::round(band.y)] += band.width;
    REQUIRE(byLevel.size() == 4);
    const double inputs = byLevel[std::round(lowest)];
    // Bands thinner than a third of a pixel are left out.
    for (const auto& [y, width] : byLevel) CHECK(width == doctest::Approx(inputs).epsilon(0.02));
    std::vector<double> arrived;
    for (const Band& band : bands)
        if (std::round(band.y) == std::round(lowest)) arrived.push_back(band.width);
    const auto& capacity = shown.report.array("capacity")->values;
    REQUIRE(arrived.size() == capacity.size());
    std::vector<double> expected = capacity;
    std::sort(arrived.begin(), arrived.end());
    std::sort(expected.begin(), expected.end());
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(arrived[i] / arrived.back() == doctest::Approx(expected[i] / expected.back()).epsilon(1e-6));
}

TEST_CASE("hierarchical: every node of the tree is drawn, 31 of them for four layers, with 30 weights") {
    Shown shown("hierarchical", kSmall);
    shown.draw();
    CHECK(shown.recorder.find("tree/node").size() == 31);
    CHECK(shown.recorder.find("tree/weight").size() == 30);
    Shown stack("hierarchical", {{"dilation", std::string("list")}, {"dilations", std::vector<double>{1, 1, 2}}, {"channels", 1.0}});
    stack.draw();
    // 1 + 2 + 3 + 5 nodes: lags 0; 0, 2; 0 … 3 and so on, each once. No band where inputs are shared.
    CHECK(stack.recorder.find("tree/flow").empty());
    CHECK(stack.recorder.find("tree/node").size() == 1 + 2 + 4 + 5);
}

TEST_CASE("hierarchical: a pulled weight's factor stands at its place of the list, and 1 at the end is left out") {
    Shown shown("hierarchical", kSmall);
    auto changes = shown.afterMove("weight 2 1", 1.5);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "pull");
    CHECK(std::get<std::vector<double>>(changes[0].value) == std::vector<double>{1, 1, 1, 1.5});
    Shown pulled("hierarchical", with({{"pull", std::vector<double>{1, 1, 1, 1.5}}}));
    changes = pulled.afterMove("weight 2 1", 1.01);
    REQUIRE(changes.size() == 1);
    CHECK(std::get<std::vector<double>>(changes[0].value).empty());
    CHECK(pulled.says("not optimal"));
    CHECK(pulled.says("no optimum"));
    CHECK_FALSE(shown.says("not optimal"));
}

TEST_CASE("hierarchical: a knob follows the pointer along its edge") {
    Shown shown("hierarchical", kSmall);
    shown.draw();
    shown.handles.endFrame();
    const auto find = [&] {
        const auto& all = shown.handles.shown();
        const auto found = std::find_if(all.begin(), all.end(), [](const Handle& h) { return h.id == "weight 4 1"; });
        REQUIRE(found != all.end());
        return *found;
    };
    const Handle before = find();
    Pointer pointer;
    pointer.at = before.rect.centre();
    pointer.inside = pointer.down = pointer.pressed = true;
    shown.draw(pointer);
    pointer.pressed = false;
    // Towards the upper node, which is at the right of the left half of the tree.
    pointer.at = pointer.at + Vec2{24, -6};
    const auto changes = shown.draw(pointer);
    REQUIRE(changes.size() == 1);
    const auto& factors = std::get<std::vector<double>>(changes[0].value);
    REQUIRE(factors.size() == 8);
    CHECK(factors.back() > 1.05);
    std::vector<std::string> warnings;
    shown.state = apply(shown.state, changes[0], warnings);
    shown.draw(pointer);
    shown.handles.endFrame();
    CHECK(find().rect.centre().x > before.rect.centre().x + 10);
}

TEST_CASE("hierarchical: the loss is scrubbed, and who asks for other channels is shown them") {
    Shown shown("hierarchical", kSmall);
    auto changes = shown.afterMove("place", 3);
    REQUIRE(changes.size() == 2);
    CHECK(changes[0].key == "play");
    CHECK(changes[1].key == "at");
    CHECK(std::get<double>(changes[1].value) == 4);
    std::vector<std::string> warnings;
    shown.state = apply(shown.state, Change::param("channels", 6.0), warnings);
    changes = shown.draw();
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "at");
    CHECK(std::get<double>(changes[0].value) == 6);
}

TEST_CASE("hierarchical: along the timeline the bars are those of the channels that stand there") {
    for (const double channels : {1.0, 2.0, 4.0}) {
        Shown shown("hierarchical", with({{"at", channels}}));
        shown.draw();
        CHECK(shown.says(channels == 1 ? "1 channel" : inWords(channels) + " channels"));
        const auto& values = shown.report.array("totalCapacityAlong")->values;
        const auto& axis = shown.report.array("totalCapacityAlong")->axes[0].values;
        const auto index = static_cast<std::size_t>(std::find(axis.begin(), axis.end(), channels) - axis.begin());
        CHECK(shown.says("= " + inWords(values[index]) + " of 16"));
    }
}

TEST_CASE("hierarchical: model and target have six panels, and the first frame's others stay away") {
    Shown shown("hierarchical", with({{"panels", std::string("fit")}}));
    shown.draw();
    for (const char* id : {"coefficients/measured", "coefficients/theory", "coefficients-error/measured", "coefficients-relative/measured",
                           "covariance/measured", "covariance/theory", "covariance-error/measured", "covariance-relative/measured"})
        CHECK_MESSAGE(!shown.recorder.find(id).empty(), id);
    CHECK(shown.recorder.find("tree/node").empty());
}

TEST_CASE("hierarchical: no text covers another or leaves the picture, from desktop to a small figure" * doctest::test_suite("long")) {
    for (const Settings& settings :
         std::vector<Settings>{{},
                               {{"panels", std::string("fit")}, {"channels", 4.0}},
                               {{"compare", std::string("recurrent")}, {"channels", 1.0}, {"otherChannels", 2.0}},
                               {{"watch", std::string("optimisation")}, {"start", std::string("random")}},
                               {{"channels", 1.0}, {"pull", std::vector<double>{1, 1.7}}, {"basis", std::string("fourier")}}}) {
        Shown shown("hierarchical", settings);
        checkLabels(shown);
    }
}
