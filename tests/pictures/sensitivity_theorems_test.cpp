// The kink of the unit drawn, the rows beside it, the line of the layer, and that texts keep apart.
#include <doctest/doctest.h>

#include <cmath>

#include "draw/number_text.h"
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

using Given = std::vector<std::pair<std::string, Value>>;

Given tiny(Given more) {
    const Given few{{"width", 16.0}, {"layers", 8.0}, {"samples", 16.0}, {"draws", 4.0}};
    more.insert(more.end(), few.begin(), few.end());
    return more;
}

/// What a unit's ReLU reads of every input.
std::vector<double> inputsOf(const Report& report, std::size_t layer, std::size_t unit) {
    const Array& u = *report.array("preactivations");
    const double* first = u.values.data() + ((layer - 1) * 12 + unit - 1) * 16;
    return {first, first + 16};
}

}  // namespace

TEST_CASE("sensitivity-theorems: the title counts the inputs on the rarer side of the kink, and gives the theorem's share") {
    for (const double kink : {0.0, 0.5}) {
        Shown shown("sensitivity-theorems", tiny({{"at", 2.0}, {"unit", 3.0}, {"kink", kink}}));
        shown.area = {{0, 0}, {1280, 700}};
        shown.draw();
        double above = 0, below = 0;
        std::size_t on = 0;
        for (const double u : inputsOf(shown.report, 2, 3)) on += u > kink, (u > kink ? above : below) += std::abs(u - kink) / 16;
        const double share = 2 * above * below / shown.report.array("preactivationVariance")->values[1];
        CHECK(shown.says(std::to_string(std::min(on, 16 - on)) + " of 16 inputs on the rarer side, share " + fixedText(share, 3)));
        CHECK(shown.says("kink at") == (kink != 0));
    }
}

TEST_CASE("sensitivity-theorems: the kink is dragged through the inputs, which change sides") {
    Shown shown("sensitivity-theorems", tiny({{"at", 1.0}}));
    shown.draw();
    const auto lit = [&] {
        std::size_t count = 0;
        const Color first = shown.recorder.find("unit/on").front()->color;
        for (const auto* mark : shown.recorder.find("unit/input")) count += mark->color.withAlpha(1) == first;
        return count;
    };
    CHECK(shown.recorder.find("unit/input").size() == 16);
    CHECK(lit() > 2);
    const Vec2 at = shown.recorder.find("unit/knob").front()->points[0];
    const auto changes = shown.afterDrag(at, at + Vec2{120, 0});
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "kink");
    CHECK(std::get<double>(changes[0].value) > 0.5);
    shown.set("kink", 3.0);
    shown.draw();
    CHECK(lit() == 0);
    CHECK(shown.says("share 0.000"));
}

TEST_CASE("sensitivity-theorems: inputs glide between two layers") {
    const auto places = [](double at) {
        Shown shown("sensitivity-theorems", tiny({{"at", at}}));
        shown.draw();
        std::vector<Vec2> dots;
        for (const auto* mark : shown.recorder.find("unit/input")) dots.push_back(mark->points[0]);
        return dots;
    };
    const auto a = places(3), b = places(3.25), c = places(4);
    REQUIRE(a.size() == 16);
    for (std::size_t i = 0; i < 16; ++i) {
        CHECK(b[i].x == doctest::Approx(0.75 * a[i].x + 0.25 * c[i].x));
        CHECK(b[i].y == doctest::Approx(0.75 * a[i].y + 0.25 * c[i].y));
    }
}

TEST_CASE("sensitivity-theorems: a press on a row draws its unit large") {
    Shown shown("sensitivity-theorems", tiny({}));
    shown.draw();
    const auto bars = shown.recorder.find("shares/measured");
    REQUIRE(bars.size() == 12);
    const Vec2 row = (bars[6]->points[0] + bars[6]->points[1]) * 0.5;
    const auto changes = shown.afterDrag(row, row);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "unit");
    CHECK(std::get<double>(changes[0].value) == 7);
}

TEST_CASE("sensitivity-theorems: the chart's title names the expectation, or why there is no theorem") {
    const std::pair<Given, const char*> cases[] = {{{{"expectation", std::string("fresh")}}, "fresh weights"},
                                                   {{{"expectation", std::string("channels")}}, "the drawn channels"},
                                                   {{{"expectation", std::string("exact")}}, "all weights, exactly"},
                                                   {{{"activation", std::string("tanh")}}, "about the ReLU"},
                                                   {{{"net", std::string("resnet-plain")}}, "dilution law"}};
    for (const auto& [given, text] : cases) {
        const char* words = text;  // clang 14 captures no structured binding
        Shown shown("sensitivity-theorems", tiny(given));
        shown.area = {{0, 0}, {1280, 700}};
        shown.draw();
        CHECK_MESSAGE(shown.says(words), words);
    }
}
