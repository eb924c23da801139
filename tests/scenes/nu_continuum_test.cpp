// The ν continuum: dense networks of the reference, rings of the spec's line, trees, and what the sweep makes of them.
#include <doctest/doctest.h>

#include <cmath>

#include "core/capacity/augmented_space.h"
#include "core/capacity/nu_continuum.h"
#include "support/followed.h"
#include "support/matrices.h"
#include "support/reference.h"
#include "support/report_checks.h"
#include "support/scene_runs.h"
#include "support/sentence.h"
#include "support/summary_reader.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

Report run(std::vector<std::pair<std::string, Value>> settings) {
    return runRequest(requestWith(*findDeclaration("nu-continuum"), std::move(settings)));
}

}  // namespace

const SummaryOf kSummary{"nu-continuum",
                         {{},
                          {{{"nu", "0.5"}}},
                          {{"capacity", Of::Axes},
                           {"total", Of::First},
                           {"total", Of::Last},
                           {"total", Of::Largest},
                           {"total", Of::Least},
                           {"variance", Of::Least}},
                          {{"for every ν below 1 and falls to",
                            [](const Report& r) {
                                const auto& total = r.array("total")->values;
                                return *std::min_element(total.begin(), total.end()) < *std::max_element(total.begin(), total.end());
                            }}},
                          [](const Report& r, Numbers& n) {
                              n.insert(n.end(), {0, 1, 1 / std::sqrt(r.params.number("features"))});
                          }}};

TEST_CASE("both ends of a dense layer are the reference's, by ways of their own") {
    const auto cases = reference("case_11_nu_continuum.json");
    for (const auto& c : cases["cases"]) {
        const ContinuumNetwork network = normalised({matrixFrom(c["Sigma"]), {matrixFrom(c["P"])}, matrixFrom(c["U"])});
        CHECK(largestDifference(diffusedCapacity(network), c["D_kappa_phi"].get<Vector>()) < 1e-12);
        CHECK(largestDifference(linearNetworkCapacity(network), c["linear"].get<Vector>()) < 1e-12);
    }
}

TEST_CASE("two dense layers of independent inputs diffuse by Eq 28 at ν = 0") {
    const auto c = reference("case_12_deep_nu.json");
    int compared = 0;
    for (const auto& row : c["cases"]) {
        const auto nu = row["nu"].get<Vector>();
        if (row["Sigma"] != "I" || nu[0] != 0 || nu[1] != 0) continue;
        const ContinuumNetwork network = normalised({identityMatrix(3), {matrixFrom(c["P1"]), matrixFrom(c["P2"])}, matrixFrom(c["U"])});
        CHECK(largestDifference(diffusedCapacity(network), row["kappa"].get<Vector>()) < 1e-12);
        ++compared;
    }
    CHECK(compared >= 1);
}

TEST_CASE("the ring's report: one number for every ring, ends that convolutions give, least width in between") {
    const auto small = run({{"kernel", std::string("ring3")}}), large = run({{"kernel", std::string("ring3")}, {"extent", 129.0}});
    const auto& variance = arrayOf(small, "variance").values;
    CHECK(largestDifference(variance, arrayOf(large, "variance").values) < 1e-11);
    CHECK(variance.front() == doctest::Approx(16.0 / 3).epsilon(1e-12));
    CHECK(small.scalar("varianceDiffused")->value == doctest::Approx(16.0 / 3).epsilon(1e-12));
    CHECK(small.scalar("varianceLinear")->value == doctest::Approx(variance.back()).epsilon(1e-12));
    CHECK(std::abs(variance.back() - 2.799) < 1e-3);
    CHECK(*std::min_element(variance.begin(), variance.end()) < 2.5);
    CHECK(small.summary.find("least") != std::string::npos);
    CHECK(small.scalar("crossover")->value == doctest::Approx(large.scalar("crossover")->value).epsilon(1e-9));
    const auto& offsets = arrayOf(small, "capacity").axes[1].values;
    CHECK(offsets.front() == -16);
    CHECK(offsets.back() == 16);
}

TEST_CASE("half of the change is made at the crossover, near 1/√m in wide layers") {
    for (const int features : {4, 16, 64}) {
        const auto m = static_cast<Size>(features);
        const ContinuumNetwork network = normalised({identityMatrix(8), {randomFeatures(8, m, true, 1, 1)}, randomFreeDirections(m, 1, 1)});
        const auto at = [&](double nu) { return continuumCapacity(network, nu).capacity; };
        const double nu = scalarOf(run({{"seed", 1.0}, {"inputs", 8.0}, {"features", static_cast<double>(features)}}), "crossover");
        CHECK(changedShare(at(nu), at(0), at(1)) == doctest::Approx(0.5).epsilon(1e-10));
        CHECK(nu * std::sqrt(features) > 0.3);
        CHECK(nu * std::sqrt(features) < 1.5);
    }
}

TEST_CASE("Eq 25 holds for independent inputs and is off by a stated amount for correlated ones") {
    const auto independent = run({{"free", 2.0}}), correlated = run({{"free", 2.0}, {"covariance", std::string("ar1")}});
    CHECK_FALSE(independent.scalar("equation25Gap"));
    const auto &capacity = arrayOf(independent, "capacity"), &diffused = arrayOf(independent, "diffused");
    CHECK(largestDifference(Vector(capacity.row(0), capacity.row(0) + 5), diffused.values) < 1e-13);
    double gap = 0;
    for (Size i = 0; i < 5; ++i)
        gap = std::max(gap, std::abs(arrayOf(correlated, "capacity").row(0)[i] - arrayOf(correlated, "diffused").values[i]));
    CHECK(gap > 0.05);
    REQUIRE(correlated.scalar("equation25Gap"));
    CHECK(correlated.scalar("equation25Gap")->value == gap);
    CHECK(correlated.summary.find("Eq 25") != std::string::npos);
}

TEST_CASE("random weights on a ring change their roughness with ν more than their width") {
    const auto report = run({{"kernel", std::string("ring3")}, {"filter", std::string("random")}, {"layers", 16.0}, {"extent", 65.0}});
    const auto& capacity = arrayOf(report, "capacity");
    const auto roughness = [&](Size row) {
        double sum = 0;
        for (Size i = 1; i < 65; ++i) sum += std::abs(capacity.row(row)[i] - capacity.row(row)[i - 1]);
        return sum;
    };
    CHECK(roughness(20) > 1.2 * roughness(0));
}

TEST_CASE("the grid holds 0, 0.999 and 1, is in order, and is close near 0") {
    for (int points = 5; points <= 101; ++points) {
        const Report report = run({{"inputs", 1.0}, {"nuPoints", static_cast<double>(points)}});
        const auto& grid = arrayOf(report, "total").axes[0].values;
        REQUIRE(grid.size() == static_cast<Size>(points));
        CHECK(grid.front() == 0);
        CHECK(grid[grid.size() - 2] == 0.999);
        CHECK(grid.back() == 1);
        for (Size i = 1; i < grid.size(); ++i) CHECK(grid[i] > grid[i - 1]);
        if (points >= 21) CHECK(grid[1] < 0.01);
    }
}

TEST_CASE("results on the way are exact rows of the result, the ends and the middle first, and undefined elsewhere") {
    for (const char* kernel : {"dense", "ring3", "tree"}) {
        const auto request = requestWith(*findDeclaration("nu-continuum"), {{"kernel", std::string(kernel)}, {"nuPoints", 11.0}});
        const auto final = runRequest(request);
        Size reports = 0;
        follow(request, [&](const Report& partial, double) {
            const auto* capacity = partial.array("capacity");
            if (!capacity) return;
            ++reports;
            Size known = 0;
            for (Size k = 0; k < 11; ++k) {
                if (std::isnan(capacity->row(k)[0])) continue;
                ++known;
                for (Size i = 0; i < capacity->rowLength(); ++i) CHECK(capacity->row(k)[i] == arrayOf(final, "capacity").row(k)[i]);
            }
            CHECK(known >= 1);
            if (known >= 2) CHECK(!std::isnan(capacity->row(10)[0]));
            if (known >= 3) CHECK(!std::isnan(capacity->row(5)[0]));
        });
        CHECK(reports >= 10);
    }
}

TEST_CASE("what does not fit together is lowered with a warning, what takes too long is refused by name") {
    const auto& declaration = *findDeclaration("nu-continuum");
    const auto lowered = run({{"features", 3.0}, {"free", 9.0}});
    CHECK(arrayOf(lowered, "total").values[0] == 3);
    REQUIRE(lowered.warnings.size() == 1);
    CHECK(isOneSentence(lowered.warnings[0]));
    for (const double channels : {1.0, 2.0, 3.0, 4.0}) {
        const auto request = requestWith(declaration, {{"kernel", std::string("tree")}, {"layers", 64.0}, {"channels", channels}});
        const double layers = request.params.number("layers");
        CHECK(std::pow(2, layers) * std::pow(channels, layers - 1) <= 512);
        CHECK(costOf(request).operations <= kCostLimit.operations);
    }
    CHECK(requestWith(declaration, {{"kernel", std::string("ring3")}}).params.number("layers") == 8);
    CHECK(requestWith(declaration, {{"kernel", std::string("tree")}}).params.number("layers") == 4);
    CHECK_THROWS(requestWith(declaration, {{"kernel", std::string("torus")}}));
    const auto dear =
        requestWith(declaration, {{"inputs", 64.0}, {"features", 64.0}, {"layers", 64.0}, {"free", 48.0}, {"nuPoints", 41.0}});
    const auto sentence = refusal([&] { openRequest(dear); });
    CHECK(isOneSentence(sentence));
    CHECK(sentence.find("lower layers") != std::string::npos);
}
