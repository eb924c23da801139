#include <doctest/doctest.h>

#include <cmath>

#include "draw/number_text.h"
#include "support/picture_checks.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

using Settings = std::vector<std::pair<std::string, Value>>;

Shown shown(Settings settings = {}) {
    if (settings.empty()) settings.emplace_back("layers", 4.0);
    settings.emplace_back("steps", 2.0);
    return {"multi-input", settings};
}

}  // namespace

TEST_CASE("multi-input's picture: bars of a lag are stacked to the position's capacity, to scale under the ceiling") {
    Shown picture = shown();
    picture.state.params.set("at", 4.0);
    picture.draw();
    const auto& shares = *picture.report.array("capacityByChannels");
    const auto bars = picture.recorder.find("stack/capacity");
    // From the top part down: the first sixteen reach the sums.
    REQUIRE(bars.size() == 4 * 16);
    const auto height = [&](Size i) { return std::abs(bars[i]->points[0].y - bars[i]->points[1].y); };
    for (Size lag = 1; lag < 16; ++lag)
        CHECK(height(lag) / height(0) == doctest::Approx(shares.row(3)[lag] / shares.row(3)[0]).epsilon(1e-5));
    for (Size lag = 0; lag < 16; ++lag)
        for (Size k = 1; k < 4; ++k) CHECK(height(k * 16 + lag) <= height((k - 1) * 16 + lag) + 1e-9);
}

TEST_CASE("multi-input's picture: a part that is picked stands on the axis, the others pale above it") {
    Shown picture = shown();
    picture.state.params.set("at", 4.0);
    picture.draw();
    const auto bars = [&] {
        std::vector<DrawnMark> all;
        for (const auto* mark : picture.recorder.find("stack/capacity")) all.push_back(*mark);
        return all;
    };
    const auto before = bars();
    picture.set("part", 3.0);
    picture.draw();
    const auto after = bars();
    REQUIRE(after.size() == before.size());
    // From the top part down: the second sixteen are the third part's.
    CHECK(after.back().color == before[16].color);
    CHECK(std::abs(after[0].points[0].y - before[0].points[0].y) < 1e-9);
    CHECK(std::abs(after[0].points[1].y - before[0].points[1].y) < 1e-9);
    CHECK_FALSE(after[0].color == before[0].color);
}

TEST_CASE("multi-input's picture: under the pointer a bar tells its capacity, and that of the part there") {
    Shown picture = shown();
    picture.draw();
    const auto lowest = picture.recorder.find("stack/capacity").back()->points;  // the oldest lag's longest memory
    Pointer pointer;
    pointer.inside = true, pointer.at = (lowest[0] + lowest[1]) * 0.5;
    picture.draw(pointer);
    const double kappa = picture.report.array("capacityByChannels")->row(3)[15] * 4;
    CHECK(picture.says("lag 15: " + numberText(kappa, 3) + " of 4"));
    CHECK(picture.says("*α* = 0.3: " + numberText(picture.report.array("componentsByChannels")->row(3)[15], 3) + " of 1"));
}

TEST_CASE("multi-input's picture: it rests at whole numbers of channels, whose curves stay") {
    Shown picture = shown();
    const auto barsAt = [&](double at) {
        picture.state.params.set("at", at);
        picture.draw();
        return picture.recorder.find("stack/capacity")[0]->points;
    };
    CHECK(barsAt(2.2) == barsAt(2));
    CHECK(barsAt(2.8) == barsAt(3));
    CHECK_FALSE(barsAt(2.5) == barsAt(2));
    barsAt(4);
    CHECK(picture.recorder.find("passed/capacity").size() == 4);
}

TEST_CASE("multi-input's picture: who asks for other channels is shown all of them") {
    Shown picture = shown();
    picture.state.params.set("at", 1.0);
    picture.draw();
    picture.set("channels", 3.0);
    const auto changes = picture.draw();
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].key == "at");
    CHECK(std::get<double>(changes[0].value) == 16);
}

TEST_CASE("multi-input's picture: what is known so far is drawn, the rest left out") {
    Shown picture = shown();
    for (auto& array : picture.report.arrays)
        if (array.name == "meanLag" || array.name == "scaled")
            for (Size i = 1; i < array.values.size(); ++i) array.values[i] = NAN;
    picture.draw();
    CHECK(picture.says("With 1 channel the stack holds"));
    for (auto& array : picture.report.arrays)
        if (array.name == "meanLag") array.values[0] = NAN;
    picture.picture = makePicture("multi-input");  // one picture reads a report once
    picture.draw();
    CHECK(picture.recorder.marks.size() == 1);
}
