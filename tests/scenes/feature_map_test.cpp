#include <doctest/doctest.h>

#include <cmath>

#include "support/linear_summaries.h"
#include "support/scene_runs.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

Report run(const Settings& settings) { return runChecked("feature-map", settings); }

}  // namespace

const SummaryOf kSummary{"feature-map",
                         {{{"degree", "2"}, {"channels", "1"}, {"layers", "3"}, {"steps", "60"}},
                          {},
                          {{"capacity", Of::First}, {"meanLag", Of::All}, {"optimality", Of::All}},
                          kOptimalStackOrNot}};

TEST_CASE("feature-map: the first Hermite function alone is the linear model") {
    const Report report = run({{"degree", "1"}, {"layers", "6"}});
    CHECK(scalarOf(report, "total") == 20);
    CHECK(arrayOf(report, "loss").values[0] == doctest::Approx(1.225163e-5).epsilon(1e-6));
    CHECK(scalarOf(report, "lowerBound") == doctest::Approx(0.475157298156805).epsilon(1e-12));
}

TEST_CASE("feature-map: an input's capacity is the sum over its functions (Eq 28), and a model has its own functions only") {
    for (const char* functions : {"hermite", "fourier"}) {
        const Report report = run({{"functions", functions}, {"degree", "2"}, {"layers", "4"}});
        const Array &by = arrayOf(report, "capacityByDegree"), &capacity = arrayOf(report, "capacity");
        const Size m = by.axes[2].size();
        CHECK(m == (std::string(functions) == "hermite" ? 2 : 4));
        for (Size i = 0; i < 16; ++i) {
            double sum = 0;
            for (Size j = 0; j < m; ++j) {
                sum += by.row(1)[i * m + j];
                CHECK(std::isnan(by.row(0)[i * m + j]) == (j >= m / 2));
            }
            CHECK(capacity.values[i] == doctest::Approx(sum).epsilon(1e-12));
        }
    }
}

TEST_CASE("feature-map: unusable requests are refused in a sentence") {
    CHECK(isOneSentence(refusal([] { requestOf("feature-map", {{"functions", "wavelets"}}); })));
    const Report clamped = run({{"functions", "fourier"}, {"degree", "8"}, {"layers", "2"}, {"steps", "none"}});
    CHECK(arrayOf(clamped, "totals").values.size() == 4);
    CHECK(warnsOf(clamped, "degree"));
}
