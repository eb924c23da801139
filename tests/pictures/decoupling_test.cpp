// The picture of the decoupling scale: what can be pulled, what stands where, and that no text covers another at any size.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "scenes/capacity_flow/picture_blocks.h"
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

Shown shownWith(const std::vector<std::pair<std::string, Value>>& values) { return Shown("decoupling", values); }

}  // namespace

TEST_CASE("dragged to a ν, the mark asks for the slope that has it, between −1 and 1") {
    Shown shown = shownWith({{"draws", 1000.0}, {"activation", std::string("tanh")}});
    const auto slopeAt = [&](double nu) { return std::get<double>(shown.afterMove("scale", nu).at(1).value); };
    for (int step = 0; step <= 50; ++step) {
        const double nu = 0.02 * step, slope = slopeAt(nu);
        CHECK((1 + slope) * (1 + slope) / (2 * (1 + slope * slope)) == doctest::Approx(nu).epsilon(1e-3).scale(1));
    }
    CHECK(slopeAt(0.5) == 0);
    CHECK(std::get<std::string>(shown.afterMove("scale", 0.5).at(0).value) == "leaky-relu");
    CHECK(slopeAt(7) == 1);
}

TEST_CASE("the leg follows the hand before the next result is there") {
    Shown shown = shownWith({{"draws", 1000.0}});
    shown.state.params.set("slope", -0.5);
    shown.draw();
    const auto curves = shown.recorder.find("f/curve");
    const auto knobs = shown.recorder.find("slope/knob");
    REQUIRE(curves.size() == 1);
    REQUIRE(knobs.size() == 1);
    double nearest = 1e9;
    for (const Vec2& p : curves[0]->points)
        nearest = std::min(nearest, std::hypot(p.x - knobs[0]->points[0].x, p.y - knobs[0]->points[0].y));
    CHECK(nearest < 2);
}

TEST_CASE("a press on a name chooses that activation") {
    Shown shown = shownWith({{"draws", 1000.0}});
    shown.draw();
    for (const auto* mark : shown.recorder.find("scale/name")) {
        Pointer pointer;
        pointer.at = mark->points.front() + Vec2{6, 0};
        pointer.inside = pointer.down = pointer.pressed = true;
        Shown again = shownWith({{"draws", 1000.0}});
        const auto changes = again.draw(pointer);
        if (mark->text == "leaky ReLU") {
            CHECK(changes.empty());
            continue;
        }
        REQUIRE(changes.size() == 1);
        CHECK(changes[0].key == "activation");
    }
}

TEST_CASE("the timeline shows the blocks after as many draws as it says, mixed between two results") {
    Shown end = shownWith({{"draws", 1000.0}, {"at", 1e7}}), start = shownWith({{"draws", 1000.0}, {"at", 10.0}}),
          between = shownWith({{"draws", 1000.0}, {"at", 15.0}});
    const auto blocks = [](Shown& shown) {
        shown.draw();
        for (const auto* mark : shown.recorder.find("blocks/measured"))
            if (mark->kind == "field") return std::vector<double>(mark->numbers.begin() + 4, mark->numbers.end());
        return std::vector<double>{};
    };
    const auto &all = *end.report.array("measuredByDraws"), &measured = *end.report.array("sigmaTildeMeasured");
    CHECK(blocks(end) == measured.values);
    CHECK(blocks(start) == std::vector<double>(all.row(0), all.row(1)));
    CHECK(blocks(between)[1] == doctest::Approx(all.row(0)[1] + (all.row(1)[1] - all.row(0)[1]) * 0.5));
}

TEST_CASE("what Eq 14 and the exact form leave is the measured less each, in colours that stay as draws add up") {
    const auto drawn = [](Shown& shown, const char* id) {
        shown.draw();
        for (const auto* mark : shown.recorder.find(id))
            if (mark->kind == "field") return mark->numbers;
        return std::vector<double>{};
    };
    Shown start = shownWith({{"draws", 1000.0}, {"at", 10.0}}), end = shownWith({{"draws", 1000.0}});
    for (const auto& square : {std::pair("blocks/approximate", "sigmaTildeApproximate"), {"blocks/exact", "sigmaTildeExact"}}) {
        CAPTURE(square.first);
        const auto rest = drawn(end, square.first), before = drawn(start, square.first);
        const auto &form = end.report.array(square.second)->values, &measured = end.report.array("sigmaTildeMeasured")->values;
        REQUIRE(rest.size() == form.size() + 4);
        for (std::size_t i = 0; i < form.size(); ++i) CHECK(rest[i + 4] == measured[i] - form[i]);
        CHECK(std::vector(before.begin(), before.begin() + 4) == std::vector(rest.begin(), rest.begin() + 4));
        CHECK(std::vector(before.begin() + 4, before.end()) != std::vector(rest.begin() + 4, rest.end()));
    }
}

TEST_CASE("places glide to a new result, and are there at once under reduced motion or in a kept figure") {
    Shown shown = shownWith({{"draws", 1000.0}});
    shown.draw();
    capacity_flow::Glide glide;
    const auto at = [&](double seconds, double target, bool still = false) {
        PictureFrame frame = shown.frame({});
        frame.seconds = seconds;
        frame.still = still;
        const double value = glide.towards(frame, {target})[0];
        return std::pair(value, frame.animating);
    };
    CHECK(at(0, 1) == std::pair(1.0, false));
    CHECK(at(1, 0) == std::pair(1.0, true));
    const auto half = at(1.2, 0);
    CHECK(half.first == doctest::Approx(0.5));
    CHECK(half.second);
    CHECK(at(1.5, 0) == std::pair(0.0, false));
    CHECK(at(1.6, 3, true) == std::pair(3.0, false));
    at(2, 5);
    CHECK(at(0, 5) == std::pair(5.0, false));  // the clock started over
}
