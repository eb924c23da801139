#include <cmath>

#include "support/followed.h"
#include "support/scene_runs.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runChecked("layer-contributions", settings); }

struct Table {
    const char* channels;
    std::vector<double> alone, forward, backward, marginal;
};

/// By layer, from the input up.
std::vector<Table> tables() {
    return {{"4", {8, 16, 32, 32, 16, 8}, {8, 8, 16, 16, 0, 0}, {0, 0, 16, 16, 8, 8}, {0, 0, 4, 4, 0, 0}},
            {"2", {4, 8, 8, 8, 8, 4}, {4, 4, 4, 4, 4, 0}, {0, 4, 4, 4, 4, 4}, {0, 2, 2, 2, 2, 0}},
            {"1", {2, 2, 2, 2, 2, 2}, {2, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 2}, {1, 1, 1, 1, 1, 1}}};
}

}  // namespace

const SummaryOf kSummary{"layer-contributions",
                         {{{"layers", "4"}, {"channels", "2"}},
                          {},
                          {{"chainTotal", Of::All}, {"chainReverseTotal", Of::All}},
                          {},
                          [](const Report& r, Numbers& n) {
                              for (std::size_t l = 0; l < r.array("redundant")->values.size(); ++l)
                                  if (r.array("redundant")->values[l] != 0) n.push_back(static_cast<double>(l + 1));
                          }}};

TEST_CASE("layer contributions: totals of every layer, alone, in both chains and given the rest, are the specification's") {
    for (const Table& table : tables()) {
        CAPTURE(table.channels);
        const Report forward = run({{"channels", table.channels}}), backward = run({{"channels", table.channels}, {"order", "backward"}});
        CHECK(arrayOf(forward, "aloneTotal").values == table.alone);
        CHECK(arrayOf(forward, "marginalTotal").values == table.marginal);
        CHECK(arrayOf(forward, "chainTotal").values == table.forward);
        CHECK(arrayOf(forward, "chainReverseTotal").values == table.backward);
        CHECK(arrayOf(backward, "chainTotal").values == table.backward);
        CHECK(arrayOf(backward, "chainReverseTotal").values == table.forward);
        // The same by counting modulo a prime, without a threshold.
        CHECK(arrayOf(forward, "chainTotalExact").values == table.forward);
        CHECK(arrayOf(backward, "chainTotalExact").values == table.backward);
        CHECK(arrayOf(forward, "marginalTotalExact").values == table.marginal);
        for (std::size_t l = 0; l < 6; ++l) CHECK(arrayOf(forward, "redundant").values[l] == (table.marginal[l] == 0 ? 1 : 0));
    }
}

TEST_CASE("layer contributions: a request can be left between any two decompositions") {
    const Request request = requestWith(requireDeclaration("layer-contributions"), {{"channels", 2.0}, {"layers", 6.0}});
    Following whole;
    runRequest(request, whole);
    // Two chains, each layer alone, each after all others, one check, and ranks for both theories.
    const int pieces = 2 * 6 + 6 + 6 * 6 + 1 + 3 * 6 + 1;
    for (const int before : {1, pieces / 2, pieces}) {
        Following left;
        left.ticksAllowed = whole.ticks - before;
        CHECK_THROWS_AS(runRequest(request, left), Cancelled);
        CHECK(left.reached() >= 0.5);  // the search for the optimum is behind
    }
}

TEST_CASE("layer contributions: both chains sum to the capacity of all layers, lag by lag") {
    const Report report = run({{"channels", "3"}, {"layers", "5"}});
    const auto& capacity = arrayOf(report, "capacity").values;
    for (const char* name : {"chain", "chainReverse"}) {
        const Array& chain = arrayOf(report, name);
        for (std::size_t lag = 0; lag < capacity.size(); ++lag) {
            double sum = 0;
            for (std::size_t l = 0; l < 5; ++l) sum += chain.row(l)[lag];
            CHECK(sum == doctest::Approx(capacity[lag]).epsilon(1e-9));
        }
    }
    CHECK(scalarOf(report, "numericalRank") == scalarOf(report, "totalCapacity"));
    CHECK(scalarOf(report, "smallestSine") > 100 * 1e-5);
    CHECK(scalarOf(report, "largestDropped") < 1e-7);
}

TEST_CASE("layer contributions: given the rest a layer has no more than alone, and the first of a chain all it has alone") {
    const Report report = run({{"channels", "2"}, {"layers", "4"}});
    const Array &alone = arrayOf(report, "alone"), &marginal = arrayOf(report, "marginal"), &chain = arrayOf(report, "chain");
    for (std::size_t l = 0; l < 4; ++l) CHECK(arrayOf(report, "marginalTotal").values[l] <= arrayOf(report, "aloneTotal").values[l]);
    for (std::size_t lag = 0; lag < alone.rowLength(); ++lag) {
        CHECK(chain.row(0)[lag] == doctest::Approx(alone.row(0)[lag]).epsilon(1e-9));
        CHECK(chain.row(3)[lag] == doctest::Approx(marginal.row(3)[lag]).epsilon(1e-9));
    }
}

TEST_CASE("layer contributions: layers that do not exist are named, and one is always left to learn") {
    const Report odd = run({{"layers", "3"}, {"channels", "2"}, {"freeze", "1,7"}});
    CHECK(warnsOf(odd, "no layer 7"));
    const Report all = run({{"layers", "3"}, {"channels", "2"}, {"freeze", "3,2,1,1"}});
    CHECK(warnsOf(all, "layer 3 is"));
    CHECK(all.array("frozenLossByDraw") != nullptr);
}
