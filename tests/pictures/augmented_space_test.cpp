// The layer redrawn: nothing appears or vanishes on the way, capacities stay, inputs are dragged, and no text covers another.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

Shown shownAt(double at, std::vector<std::pair<std::string, Value>> values = {}) {
    values.emplace_back("at", at);
    return Shown("augmented-space", values);
}

// Ends of the edges into the units, where they leave an input or a copy.
std::set<std::pair<long, long>> lowerEnds(double at) {
    Shown shown = shownAt(at);
    shown.draw();
    std::set<std::pair<long, long>> ends;
    for (const auto* mark : shown.recorder.find("redrawing/edge"))
        ends.insert({std::lround(mark->points[0].x), std::lround(mark->points[0].y)});
    return ends;
}

}  // namespace

TEST_CASE("the layer has as many edges before as after, leaving 3 inputs, then 12 copies, then 3 inputs again") {
    for (const double at : {0.0, 0.5, 1.0, 2.0, 2.5, 3.0}) {
        Shown shown = shownAt(at);
        shown.draw();
        CHECK(shown.recorder.find("redrawing/edge").size() == 12);
    }
    CHECK(lowerEnds(0).size() == 3);
    CHECK(lowerEnds(1).size() == 12);
    CHECK(lowerEnds(2) == lowerEnds(1));
    CHECK(lowerEnds(3) == lowerEnds(0));
}

TEST_CASE("a scrub moves copies steadily: no edge jumps between two near times") {
    for (double at = 0; at < 2.98; at += 0.05) {
        Shown a = shownAt(at), b = shownAt(at + 0.01);
        a.draw(), b.draw();
        const auto from = a.recorder.find("redrawing/edge"), to = b.recorder.find("redrawing/edge");
        REQUIRE(from.size() == to.size());
        for (std::size_t k = 0; k < from.size(); ++k) {
            CHECK(std::abs(from[k]->points[0].x - to[k]->points[0].x) < 8);
            CHECK(std::abs(from[k]->points[0].y - to[k]->points[0].y) < 12);
        }
    }
}

TEST_CASE("discs have the area of the capacities: what the copies hold is what their inputs get") {
    const auto area = [](double at) {
        Shown shown = shownAt(at, {{"activation", std::string("relu")}});
        shown.draw();
        double sum = 0;
        for (const auto* mark : shown.recorder.find("redrawing/halo")) sum += mark->numbers.at(0) * mark->numbers.at(0);
        return sum;
    };
    CHECK(area(1) == 0);
    CHECK(area(2) > 0);
    CHECK(area(3) == doctest::Approx(area(2)).epsilon(0.02));
}

TEST_CASE("the blocks are Σ all over before the copies carry their η, and Σ̃ after") {
    const auto blocks = [](double at) {
        Shown shown = shownAt(at, {{"activation", std::string("pseudo-random")}, {"covariance", std::string("ar1")}});
        shown.draw();
        std::vector<std::vector<double>> found;
        for (const auto* mark : shown.recorder.find("covariance"))
            if (mark->kind == "field" && mark->id == "covariance") found.emplace_back(mark->numbers.begin() + 4, mark->numbers.end());
        return found;
    };
    const auto repeated = blocks(1), own = blocks(2);
    REQUIRE(repeated.size() == 16);
    for (const auto& block : repeated) CHECK(block == repeated[0]);
    CHECK(own[0] == repeated[0]);
    CHECK(own[5] == repeated[0]);
    CHECK(own[1] == std::vector<double>(9, 0.0));
}

TEST_CASE("dragging an input writes the whole input, in steps of a twentieth") {
    Shown shown = shownAt(2);
    const auto changes = shown.afterMove("y2", -1.234);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "sample");
    const auto& wanted = std::get<std::vector<double>>(changes[0].value);
    REQUIRE(wanted.size() == 3);
    CHECK(wanted[1] == -1.25);
    CHECK(wanted[0] == doctest::Approx(shown.report.array("sample")->values[0]).epsilon(0.02));
}

TEST_CASE("dragging a weight along its edge writes all weights, that one new") {
    Shown shown = shownAt(1);
    const auto changes = shown.afterMove("p2,3", 0.5);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "weights");
    const auto& wanted = std::get<std::vector<double>>(changes[0].value);
    const auto& were = shown.report.array("weights")->values;
    REQUIRE(wanted.size() == 12);
    for (std::size_t k = 0; k < 12; ++k) CHECK(wanted[k] == doctest::Approx(k == 7 ? 0.5 : were[k]).epsilon(0.01));
    Shown many = shownAt(1, {{"inputs", 8.0}, {"features", 8.0}});
    CHECK(many.afterMove("p2,3", 0.5).empty());
}

TEST_CASE("bars are stacked to the capacity, with the direct route dashed on top of a linear layer's") {
    Shown shown = shownAt(2);
    shown.draw();
    const auto bars = shown.recorder.find("bars/copy");
    const auto direct = shown.recorder.find("bars/theory");
    REQUIRE(bars.size() == 12);
    REQUIRE(direct.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        double top = 1e9;
        for (std::size_t j = 0; j < 4; ++j)
            for (const Vec2& p : bars[4 * i + j]->points) top = std::min(top, p.y);
        CHECK(top == doctest::Approx(direct[i]->points[0].y).epsilon(1e-9));
    }
}
