// Lanes of what hidden units remember, and that the picture's panels fit.
#include <doctest/doctest.h>

#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;

TEST_CASE("recurrent: a lane a unit, as high as its memory at every lag") {
    Shown shown("recurrent", {{"length", 16.0}});
    shown.draw();
    const auto lanes = shown.recorder.find("lanes/memory");
    REQUIRE(lanes.size() == 2);
    const Array& rec = *shown.report.array("recWeights");
    const std::size_t frame = 1;
    REQUIRE(rec.axes[0].values[frame] == 2);
    for (std::size_t j = 0; j < 2; ++j) {
        const auto& points = lanes[j]->points;
        const std::size_t half = points.size() / 2;
        REQUIRE(half == 16);
        const auto height = [&](std::size_t lag) { return std::abs(points[half + lag].y - points[lag].y); };
        const double expected = rec.row(frame)[j];
        if (height(1) > 2) CHECK(height(1) / height(0) == doctest::Approx(expected).epsilon(1e-6));
    }
}
