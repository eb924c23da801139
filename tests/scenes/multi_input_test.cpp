#include <doctest/doctest.h>

#include <cmath>

#include "core/linear/constraints.h"
#include "core/linear/hierarchical_model.h"
#include "core/linear/subspace.h"
#include "support/followed.h"
#include "support/matrices.h"
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

TEST_CASE("multi-input: sixteen components hold 37, 80, 176 and 384 units" * doctest::test_suite("long")) {
    const Report report = run({{"components", "16"}, {"channels", "8"}, {"steps", "2"}});
    CHECK(arrayOf(report, "totals").values == std::vector<double>{37, 80, 176, 384});
    CHECK(arrayOf(report, "numericalRank").values == std::vector<double>{37, 80, 176, 384});
    CHECK(scalarOf(report, "dimension") == 1024);
}

TEST_CASE("multi-input: every input's capacity lies between 0 and 1, every position's is their sum, all sum to the rank") {
    const Report report = run({{"layers", "4"}});
    const auto &inputs = arrayOf(report, "componentsByChannels"), &shares = arrayOf(report, "capacityByChannels"),
               &rank = arrayOf(report, "numericalRank");
    const Size d = 4, n = 16;
    REQUIRE(inputs.values.size() == 3 * d * n);
    for (Size i = 0; i < 3; ++i) {
        double sum = 0;
        for (Size lag = 0; lag < n; ++lag) {
            double position = 0;
            for (Size k = 0; k < d; ++k) {
                const double kappa = inputs.row(i)[k * n + lag];
                CHECK(kappa >= 0);
                CHECK(kappa <= 1 + 1e-12);
                position += kappa;
            }
            CHECK(shares.row(i)[lag] == doctest::Approx(position / 4).epsilon(1e-12));
            sum += position;
        }
        CHECK(sum == doctest::Approx(rank.values[i]).epsilon(1e-9));
        CHECK(rank.values[i] == arrayOf(report, "totals").values[i]);
        CHECK(arrayOf(report, "optimality").values[i] < 1e-5);
    }
    for (Size i = 0; i < d * n; ++i) CHECK(arrayOf(report, "capacity").values[i] == inputs.row(2)[i]);
}

TEST_CASE("multi-input: a task of two components has the reference's predictor, its stack the reference's capacities") {
    const auto c = reference("case_08_multidim_features.json");
    const LinearTask task = predictionTask(c["alphas"].get<std::vector<double>>(), 8);
    CHECK(largestDifference(task.target, c["Astar_flat"].get<std::vector<double>>()) < 1e-12);
    const HierarchicalModel model(dilatedTree(c["L"].get<int>(), c["n_l"].get<int>(), c["c"].get<int>(), c["d"].get<int>()));
    const Constraints k = constraints(model, c["w"].get<std::vector<double>>(), task.covariance);
    CHECK(k.rank == c["kappa"].get<Size>());
    const auto positions = capacityPerPosition(capacityPerInput(k.basis), 2);
    CHECK(largestDifference(positions, c["cpi_positions_oldest_first"].get<std::vector<double>>()) < 1e-9);
}

TEST_CASE("multi-input: a single component is the hierarchical model of Fig 5") {
    const Report report = run({{"components", "1"}, {"channels", "8"}});
    CHECK(arrayOf(report, "totals").values == std::vector<double>{7, 20, 48, 64});
    const double losses[] = {1.327756e-3, 1.225163e-5, 2.894214e-10};
    for (Size i = 0; i < 3; ++i) CHECK(arrayOf(report, "loss").values[i] == doctest::Approx(losses[i]).epsilon(1e-6));
    for (const double kappa : arrayOf(report, "capacity").values) CHECK(kappa == doctest::Approx(1).epsilon(1e-9));
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

TEST_CASE("multi-input: the largest stacks stay within what a request may take") {
    const Cost cost =
        costOf(requestOf("multi-input", {{"components", "16"}, {"channels", "16"}, {"layers", "7"}, {"steps", "5000"}, {"restarts", "8"}}));
    CHECK(cost.operations <= kCostLimit.operations);
    CHECK(cost.bytes <= kCostLimit.bytes);
    CHECK(cost.operations > 1e9);
}
