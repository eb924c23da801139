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
        CHECK(height(lag) / height(0) == doctest::Approx(shares.row(2)[lag] / shares.row(2)[0]).epsilon(1e-5));
    for (Size lag = 0; lag < 16; ++lag)
        for (Size k = 1; k < 4; ++k) CHECK(height(k * 16 + lag) <= height((k - 1) * 16 + lag) + 1e-9);
}

TEST_CASE("multi-input's picture: what is known so far is drawn, the rest left out") {
    Shown picture = shown();
    for (auto& array : picture.report.arrays)
        if (array.name == "meanLag" || array.name == "scaled")
            for (Size i = 1; i < array.values.size(); ++i) array.values[i] = NAN;
    picture.draw();
    CHECK(picture.says("*c* = 1"));
    for (auto& array : picture.report.arrays)
        if (array.name == "meanLag") array.values[0] = NAN;
    picture.picture = makePicture("multi-input");  // one picture reads a report once
    picture.draw();
    CHECK(picture.recorder.marks.size() == 1);
}
