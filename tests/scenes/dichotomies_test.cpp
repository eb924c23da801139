#include <doctest/doctest.h>

#include <cmath>

#include "support/scene_runs.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runChecked("dichotomies", settings); }

}  // namespace

const SummaryOf kSummary{"dichotomies",
                         {{{"depthRemaining", "3"}, {"depths", "2,3"}, {"width", "8"}, {"widths", "4"}},
                          {},
                          {{"running", Of::Axes}},
                          {},
                          [](const Report& r, Numbers& n) {
                              const Array& running = *r.array("running");
                              for (std::size_t d = 0; d < running.axes[0].size(); ++d) n.push_back(running.row(d)[running.rowLength() - 1]);
                              const auto& offsets = r.array("labelFlipsOffsets")->values;
                              const std::size_t samples = r.array("labelStart")->axes[1].size();
                              for (std::size_t i = samples; i < offsets.size(); i += samples)
                                  n.push_back(offsets[i] - offsets[i - samples]);
                          }}};

TEST_CASE("dichotomies: strips, changes and running count tell the same numbers") {
    const Report report = run({{"draws", "1"}, {"widths", "12"}, {"width", "12"}});
    const auto &start = arrayOf(report, "labelStart"), &flips = arrayOf(report, "labelFlips"),
               &offsets = arrayOf(report, "labelFlipsOffsets"), &changes = arrayOf(report, "changes"),
               &distinct = arrayOf(report, "distinct"), &changesOffsets = arrayOf(report, "changesOffsets"),
               &running = arrayOf(report, "running");
    CHECK(arrayOf(report, "curveWidth").values == std::vector<double>{12});
    for (std::size_t r = 0; r < 7; ++r) {
        const double all = offsets.values[(r + 1) * 15] - offsets.values[r * 15];
        CHECK(all == arrayOf(report, "flips").row(0)[r]);
        for (std::size_t s = 0; s < 15; ++s) {
            const auto from = static_cast<std::size_t>(offsets.values[r * 15 + s]),
                       to = static_cast<std::size_t>(offsets.values[r * 15 + s + 1]);
            for (std::size_t i = from + 1; i < to; ++i) CHECK(flips.values[i - 1] < flips.values[i]);
            // Half a turn negates an odd network.
            CHECK((to - from) % 4 == 2);
            CHECK(std::abs(start.row(r)[s] - 0.5) == 0.5);
        }
        const auto last = static_cast<std::size_t>(changesOffsets.values[r + 1]);
        CHECK(changesOffsets.values[r + 1] - changesOffsets.values[r] == all);
        CHECK(distinct.values[last - 1] == arrayOf(report, "dichotomies").row(0)[r]);
        CHECK(running.row(r)[72] == distinct.values[last - 1]);
        CHECK(running.row(r)[0] == 1);
        CHECK(changes.values[last - 1] <= 360);
    }
}

TEST_CASE("dichotomies: the reference's counts at width 16 within the scatter of three nets, and its growth" *
          doctest::test_suite("long")) {
    // Means of 3 nets, each scattering by a quarter; here 12.
    const Report report = run({{"width", "16"}, {"widths", "16"}, {"draws", "12"}, {"depthRemaining", "5"}, {"seed", "3"}});
    const double expected[] = {39, 52, 78, 118, 197, 271};
    const auto& dichotomies = arrayOf(report, "dichotomies");
    for (std::size_t r = 0; r < 6; ++r) {
        CAPTURE(r);
        const double own = dichotomies.standardError[r], theirs = expected[r] * 0.25 / std::sqrt(3.0);
        CHECK(std::abs(dichotomies.values[r] - expected[r]) < 4 * std::hypot(own, theirs));
        CHECK(own < 0.12 * expected[r]);
    }
    CHECK(report.scalar("growth")->value == doctest::Approx(1.39).epsilon(0.1));
    CHECK(report.scalar("growthMeanField")->value == doctest::Approx(1.572).epsilon(1e-3));
}

TEST_CASE("dichotomies: flips lie beside Crofton's prediction, and beside mean field in wide networks" * doctest::test_suite("long")) {
    const Report report =
        run({{"width", "48"}, {"widths", "48"}, {"draws", "3"}, {"depthRemaining", "2"}, {"samples", "20"}, {"seed", "5"}});
    const auto &flips = arrayOf(report, "flips"), &predicted = arrayOf(report, "flipsPredicted"),
               &field = arrayOf(report, "flipsMeanField");
    for (std::size_t r = 0; r < 3; ++r) {
        CAPTURE(r);
        // 60 samples of nearly independent curves, each flipping with a spread below its mean.
        CHECK(std::abs(flips.values[r] / predicted.values[r] - 1) < 4 / std::sqrt(60.0));
        CHECK(predicted.values[r] == doctest::Approx(field.values[r]).epsilon(0.12));
    }
}

TEST_CASE("dichotomies: only the remaining depth counts, whichever layer turns" * doctest::test_suite("long")) {
    const Report report = run({{"swept", "every"}, {"depths", "3,6"}, {"draws", "8"}, {"width", "16"}});
    const auto& dichotomies = arrayOf(report, "dichotomies");
    CHECK(arrayOf(report, "curveDepth").values == std::vector<double>{3, 6});
    for (std::size_t r = 0; r < 3; ++r) {
        CAPTURE(r);
        const double error = std::hypot(dichotomies.standardError[r], dichotomies.standardError[6 + r]);
        CHECK(std::abs(dichotomies.row(0)[r] - dichotomies.row(1)[r]) < 4 * error);
        CHECK(error < 0.3 * dichotomies.row(1)[r]);
    }
    CHECK(std::isnan(dichotomies.row(0)[3]));
    CHECK(dichotomies.row(1)[5] > 2 * dichotomies.row(1)[0]);
}

TEST_CASE("dichotomies: turning the inputs gives flips of the same mean as turning the first layer" * doctest::test_suite("long")) {
    const Settings common{{"width", "16"}, {"widths", "16"}, {"draws", "12"}, {"depthRemaining", "3"}};
    Settings circle = common;
    circle.push_back({"sweep", "circle"});
    const Report weights = run(common), inputs = run(circle);
    const auto &a = arrayOf(weights, "flips"), &b = arrayOf(inputs, "flips");
    for (std::size_t r = 0; r < 4; ++r) CHECK(std::abs(a.values[r] - b.values[r]) < 4 * std::hypot(a.standardError[r], b.standardError[r]));
    CHECK(a.values != b.values);
}

TEST_CASE("dichotomies: few samples meet their cap and never pass it") {
    const Report report = run({{"samples", "4"}, {"depthRemaining", "6"}});
    CHECK(report.scalar("cap")->value == 16);
    for (const double value : arrayOf(report, "dichotomies").values) CHECK(value <= 16);
    CHECK(arrayOf(report, "dichotomies").row(2)[6] > 14);
}

TEST_CASE("dichotomies: ReLU after He does not grow, nor does hard-tanh with small weights" * doctest::test_suite("long")) {
    for (const Settings& settings : {Settings{{"activation", "relu"}, {"weightVariance", "2"}}, Settings{{"weightVariance", "1"}}}) {
        auto all = settings;
        all.insert(all.end(), {{"width", "32"}, {"widths", "32"}, {"depthRemaining", "8"}, {"draws", "6"}});
        const Report report = run(all);
        CHECK(report.scalar("growthMeanField")->value == doctest::Approx(1).epsilon(1e-9));
        CHECK(report.scalar("growth")->value < 1.1);
    }
}

TEST_CASE("dichotomies: a sweep over its limit leaves the deeper layers out and says so" * doctest::test_suite("long")) {
    const Report report =
        run({{"width", "96"}, {"widths", "96"}, {"samples", "1"}, {"draws", "1"}, {"weightVariance", "64"}, {"depthRemaining", "4"}});
    const auto& dichotomies = arrayOf(report, "dichotomies");
    CHECK(dichotomies.values[0] == 2);
    CHECK(std::isnan(dichotomies.values[4]));
    CHECK(report.summary.find("stopped at their limit") != std::string::npos);
}
