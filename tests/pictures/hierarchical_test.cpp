// The tree with the capacity that flows down it, the knobs on its weights, and that its panels fit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

const std::vector<std::pair<std::string, Value>> kSmall{{"layers", 4.0}};

/// Width of a band at its lower end, and where that is.
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

TEST_CASE("hierarchical: a knob follows the pointer along its edge") {
    Shown shown("hierarchical", kSmall);
    shown.draw();
    const Vec2 before = shown.handleOf("weight 4 1").rect.centre();
    Pointer pointer;
    pointer.at = before;
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
    CHECK(shown.handleOf("weight 4 1").rect.centre().x > before.x + 10);
}

TEST_CASE("hierarchical: who asks for other channels is shown them") {
    Shown shown("hierarchical", kSmall);
    shown.draw();
    std::vector<std::string> warnings;
    shown.state = apply(shown.state, Change::param("channels", 6.0), warnings);
    const auto changes = shown.draw();
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "at");
    CHECK(std::get<double>(changes[0].value) == 6);
}
