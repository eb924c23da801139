#include <cmath>
#include <numeric>

#include "support/reference.h"
#include "support/scene_runs.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runChecked("layer-contributions", settings); }

std::vector<double> reversed(std::vector<double> values) { return {values.rbegin(), values.rend()}; }

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
    CHECK(reversed(tables()[0].forward) != tables()[0].forward);
}

TEST_CASE("layer contributions: both chains sum to the capacity of all layers, lag by lag, and no part is negative") {
    const Report report = run({{"channels", "3"}, {"layers", "5"}});
    const auto& capacity = arrayOf(report, "capacity").values;
    for (const char* name : {"chain", "chainReverse"}) {
        const Array& chain = arrayOf(report, name);
        for (std::size_t lag = 0; lag < capacity.size(); ++lag) {
            double sum = 0;
            for (std::size_t l = 0; l < 5; ++l) {
                CHECK(chain.row(l)[lag] >= -1e-12);
                sum += chain.row(l)[lag];
            }
            CHECK(sum == doctest::Approx(capacity[lag]).epsilon(1e-9));
        }
        for (std::size_t l = 0; l < 5; ++l)
            CHECK(rowTotal(chain, l) == doctest::Approx(arrayOf(report, (std::string(name) + "Total").c_str()).values[l]).epsilon(1e-9));
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

TEST_CASE("layer contributions: chains of the reference's optima, lag by lag") {
    int compared = 0;
    const auto reference = kappaflow::reference("case_06_hier_optimum.json");
    for (const auto& row : reference["cases"]) {
        INFO(row["L"].dump(), " layers, ", row["c"].dump(), " channels");
        const Report report = run({{"layers", row["L"].dump()}, {"channels", row["c"].dump()}});
        const auto totals = [&](const char* name) { return row[name].get<std::vector<double>>(); };
        CHECK(arrayOf(report, "aloneTotal").values == totals("layer_independent_kappa"));
        CHECK(arrayOf(report, "chainTotal").values == totals("chain_forward"));
        CHECK(reversed(arrayOf(report, "chainReverseTotal").values) == totals("chain_backward"));
        CHECK(arrayOf(report, "marginalTotal").values == totals("marginal"));
        if (row["chain_forward_cpi"].is_null()) continue;
        const Array& chain = arrayOf(report, "chain");
        for (std::size_t l = 0; l < chain.axes[0].size(); ++l) {
            const auto expected = reversed(row["chain_forward_cpi"][l].get<std::vector<double>>());
            REQUIRE(expected.size() == chain.rowLength());
            for (std::size_t lag = 0; lag < expected.size(); ++lag) CHECK(std::abs(chain.row(l)[lag] - expected[lag]) < 2e-4);
        }
        ++compared;
    }
    CHECK(compared >= 2);
}

TEST_CASE("layer contributions: freezing a redundant set costs nothing, freezing another one does (Conjectures 1 and 2)" *
          doctest::test_suite("long")) {
    int compared = 0;
    const auto reference = kappaflow::reference("case_18_redundancy.json");
    for (const auto& row : reference["rows"]) {
        if (!row.contains("frozen_layers") || !row.contains("equals_full_optimum")) continue;
        std::string freeze;
        for (const auto& layer : row["frozen_layers"]) freeze += (freeze.empty() ? "" : ",") + layer.dump();
        INFO(row["c"].dump(), " channels, frozen ", freeze);
        const Report report = run({{"channels", row["c"].dump()}, {"freeze", freeze}});
        CHECK(scalarOf(report, "freeCapacity") == row["kappa_free"].get<double>());
        CHECK(scalarOf(report, "frozenMarginal") == scalarOf(report, "totalCapacity") - scalarOf(report, "freeCapacity"));
        if (row["equals_full_optimum"].get<bool>()) {
            CHECK(scalarOf(report, "frozenMarginal") == 0);
            CHECK(scalarOf(report, "frozenLoss") == doctest::Approx(row["loss_free_optimum"].get<double>()).epsilon(1e-3));
            CHECK(scalarOf(report, "frozenLoss") == doctest::Approx(scalarOf(report, "freeLoss")).epsilon(1e-3));
        } else {
            CHECK(scalarOf(report, "frozenMarginal") > 0);
            for (const double loss : arrayOf(report, "frozenLossByDraw").values) CHECK(loss > 10 * scalarOf(report, "freeLoss"));
        }
        ++compared;
    }
    CHECK(compared >= 3);
}

TEST_CASE("layer contributions: with eight channels every layer is redundant, layers 3 and 4 together are not" *
          doctest::test_suite("long")) {
    const Report report = run({{"channels", "8"}, {"freeze", "3,4"}, {"draws", "1"}});
    for (const double redundant : arrayOf(report, "redundant").values) CHECK(redundant == 1);
    CHECK(scalarOf(report, "totalCapacity") == 64);
    CHECK(scalarOf(report, "freeCapacity") == 63);
    CHECK(scalarOf(report, "frozenMarginal") == 1);
}

TEST_CASE("layer contributions: layers that do not exist are named, and one is always left to learn") {
    const Report odd = run({{"layers", "3"}, {"channels", "2"}, {"freeze", "1,7"}});
    CHECK(warnsOf(odd, "no layer 7"));
    const Report all = run({{"layers", "3"}, {"channels", "2"}, {"freeze", "3,2,1,1"}});
    CHECK(warnsOf(all, "layer 3 is"));
    CHECK(all.array("frozenLossByDraw") != nullptr);
}
