// The ribbons of the flow: what leaves a unit is what arrives, side by side without gaps; a start is painted.
#include <cmath>
#include <map>

#include "scenes/capacity_flow/picture_flow.h"
#include "support/picture_checks.h"

using namespace kappaflow;

TEST_CASE("edges stacked at a unit fill its capacity from both sides") {
    const Report report = Shown("capacity-diffusion", {{"kernel", std::string("random")}, {"layers", 6.0}, {"extent", 31.0}}).report;
    const auto flow =
        capacity_flow::stackFlow(report.array("flowFrom")->values, report.array("flowTo")->values, report.array("flowAmount")->values,
                                 report.array("flowOffsets")->values, report.array("flowBinSize")->values);
    const Array& capacity = *report.array("capacity");
    for (std::size_t l = 0; l < 6; ++l) {
        REQUIRE_FALSE(flow[l].empty());
        std::map<float, double> leaving, arriving;
        for (const auto& edge : flow[l]) {
            leaving[edge.from] += edge.amount;
            arriving[edge.to] += edge.amount;
            // An edge lies inside its unit's bar.
            CHECK(std::abs(edge.fromAt) + edge.amount / 2 <= capacity.row(l + 1)[static_cast<std::size_t>(edge.from)] / 2 + 1e-5);
            CHECK(std::abs(edge.toAt) + edge.amount / 2 <= capacity.row(l)[static_cast<std::size_t>(edge.to)] / 2 + 1e-5);
        }
        for (const auto& [unit, sum] : leaving)
            CHECK(sum == doctest::Approx(capacity.row(l + 1)[static_cast<std::size_t>(unit)]).epsilon(1e-4));
        for (const auto& [unit, sum] : arriving)
            CHECK(sum == doctest::Approx(capacity.row(l)[static_cast<std::size_t>(unit)]).epsilon(1e-4));
    }
}

TEST_CASE("painting over the output layer writes the start") {
    Shown shown("capacity-diffusion", {{"top", std::string("painted")}});
    shown.area = {{0, 0}, {800, 560}};
    Pointer pointer;
    pointer.at = {300, 12};
    pointer.inside = pointer.down = pointer.pressed = true;
    const auto changes = shown.draw(pointer);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "profile");
    const auto& painted = std::get<std::vector<double>>(changes[0].value);
    CHECK(*std::max_element(painted.begin(), painted.end()) > 0.5);
}
