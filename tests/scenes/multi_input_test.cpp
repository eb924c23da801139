#include <doctest/doctest.h>

#include <cmath>

#include "support/followed.h"
#include "support/linear_summaries.h"
#include "support/reference.h"
#include "support/scene_runs.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

Report run(const Settings& settings) { return runChecked("multi-input", settings); }

/// What is known before any weights are.
Report closedForms(const Settings& settings) {
    Report seen;
    Following following([&](const Report& partial, double) { seen = partial; });
    following.ticksAllowed = 1;
    CHECK_THROWS_AS(runRequest(requestOf("multi-input", settings), following), Cancelled);
    return seen;
}

}  // namespace

const SummaryOf kSummary{"multi-input",
                         {{{"components", "2"}, {"channels", "2"}, {"layers", "4"}, {"steps", "60"}},
                          {},
                          {{"meanLag", Of::All}, {"optimality", Of::All}, {"totals", Of::All}},
                          kOptimalStackOrNot,
                          [](const Report& r, Numbers& n) {
                              const Array& capacity = *r.array("capacity");
                              double newest = 0, oldest = 0;
                              const auto components = static_cast<double>(capacity.axes[0].size());
                              for (std::size_t c = 0; c < capacity.axes[0].size(); ++c)
                                  newest += capacity.row(c)[0], oldest += capacity.row(c)[capacity.axes[1].size() - 1];
                              n.insert(n.end(), {newest / components, oldest / components, components});
                          }}};

TEST_CASE("multi-input: totals are the reference's for every number of components and channels") {
    const auto cases = reference("case_05_generic_ranks.json");
    for (const char* name : {"multidim", "multidim_L6_formula"})
        for (const auto& c : cases[name]) {
            CAPTURE(c);
            const Report report = closedForms({{"components", std::to_string(c["d"].get<int>())},
                                               {"layers", std::to_string(c["L"].get<int>())},
                                               {"channels", std::to_string(c["c"].get<int>())}});
            CHECK(scalarOf(report, "total") == c["kappa"].get<double>());
            CHECK(scalarOf(report, "dimension") == c["N"].get<double>());
            if (c.contains("p")) CHECK(arrayOf(report, "parameters").values.back() == c["p"].get<double>());
        }
}

TEST_CASE("multi-input: a position's share is the mean of its inputs' capacities, and the largest stack's are given once more") {
    const Report report = run({{"layers", "4"}});
    const Array &inputs = arrayOf(report, "componentsByChannels"), &shares = arrayOf(report, "capacityByChannels");
    const Size d = 4, n = 16;
    CHECK(shares.axes[0].values == std::vector<double>{1, 2, 3, 4});
    for (Size i = 0; i < 4; ++i)
        for (Size lag = 0; lag < n; ++lag) {
            double position = 0;
            for (Size k = 0; k < d; ++k) position += inputs.row(i)[k * n + lag];
            CHECK(shares.row(i)[lag] == doctest::Approx(position / 4).epsilon(1e-12));
        }
    for (const double optimality : arrayOf(report, "optimality").values) CHECK(optimality < 1e-5);
    for (Size i = 0; i < d * n; ++i) CHECK(arrayOf(report, "capacity").values[i] == inputs.row(3)[i]);
}

TEST_CASE("multi-input: the same ratio c²/d is taken to every number of components that allows it") {
    using Pairs = std::vector<std::pair<double, double>>;
    const auto scaled = [](const char* d, const char* c) {
        const Report report = closedForms({{"components", d}, {"channels", c}});
        const Array& channels = arrayOf(report, "scaledChannels");
        Pairs pairs;
        for (Size i = 0; i < channels.values.size(); ++i) pairs.emplace_back(channels.axes[0].values[i], channels.values[i]);
        return pairs;
    };
    CHECK(scaled("4", "4") == Pairs{{1, 2}, {4, 4}});
    CHECK(scaled("4", "2") == Pairs{{1, 1}, {4, 2}, {16, 4}});
    CHECK(scaled("16", "8") == Pairs{{1, 2}, {4, 4}, {16, 8}});
    CHECK(scaled("16", "16") == Pairs{{1, 4}, {4, 8}, {16, 16}});
    CHECK(scaled("16", "4") == Pairs{{1, 1}, {4, 2}, {16, 4}});
    CHECK(scaled("16", "2") == Pairs{{4, 1}, {16, 2}});
    CHECK(scaled("5", "3") == Pairs{{5, 3}});
    CHECK(scaled("3", "16") == Pairs{{3, 16}});
}

TEST_CASE("multi-input: components of the same memory hold the same capacity when the target treats them alike") {
    const Report report = run({{"components", "2"}, {"alphaLow", "0.5"}, {"alphaHigh", "0.5"}, {"layers", "4"}, {"channels", "1"}});
    const auto& capacity = arrayOf(report, "capacity");
    for (Size lag = 0; lag < 16; ++lag) CHECK(capacity.row(0)[lag] == doctest::Approx(capacity.row(1)[lag]).epsilon(1e-6));
}
