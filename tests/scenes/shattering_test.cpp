#include <cmath>
#include <numeric>

#include "core/base/errors.h"
#include "support/scene_runs.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runRequest(requestOf("shattering", settings)); }

// Row of one kind in a [kind, layer] array.
const double* rowOf(const Report& report, const char* name, const std::string& kind) {
    const Array& array = arrayOf(report, name);
    const auto& keys = array.axes[0].keys;
    const auto found = std::find(keys.begin(), keys.end(), kind);
    REQUIRE(found != keys.end());
    return array.row(static_cast<std::size_t>(found - keys.begin()));
}

}  // namespace

const SummaryOf kSummary{"shattering",
                         {{{"layers", "20"}},
                          {{{"epsilon", "0.2"}}},
                          {{"maxPathWeight", Of::All}, {"log10MaxPathWeight", Of::All}},
                          {},
                          [](const Report& r, Numbers& n) {
                              for (const double entropy : r.array("pathEntropy")->values) n.push_back(std::exp(entropy));
                              for (const double log10 : r.array("log10MaxPathWeight")->values) n.push_back(std::pow(10, log10));
                          }}};

TEST_CASE("the straight path is (1 − ε)^L, and its limit e^−1 whatever way the steps vary along the depth") {
    for (const char* profile : {"constant", "varying"}) {
        const auto report = run({{"layers", "400"}, {"profile", profile}});
        CHECK(report.scalar("limit")->value == doctest::Approx(std::exp(-1)).epsilon(1e-12));
        const auto& epsilon = report.array("epsilonByLayer")->values;
        double straight = 1;
        for (const double e : epsilon) straight *= 1 - e;
        CHECK(rowOf(report, "maxPathWeight", "residual")[0] == doctest::Approx(straight).epsilon(1e-9));
        CHECK(straight == doctest::Approx(std::exp(-1)).epsilon(0.01));
    }
}

TEST_CASE("predictions: r^−L exactly, e^∫Δ and log L + 1 + log 2 in the limit") {
    const auto report = run({{"layers", "800"}, {"extent", "201"}});
    for (const std::size_t l : {0u, 300u, 800u}) {
        CHECK(rowOf(report, "log10MaxPathWeight", "uniform")[l] ==
              doctest::Approx(rowOf(report, "log10MaxPathWeightPredicted", "uniform")[l]).epsilon(1e-10));
        CHECK(rowOf(report, "pathEntropy", "uniform")[l] ==
              doctest::Approx(rowOf(report, "pathEntropyPredicted", "uniform")[l]).epsilon(1e-10));
        CHECK(rowOf(report, "pathEntropy", "residual")[l] ==
              doctest::Approx(rowOf(report, "pathEntropyPredicted", "residual")[l]).epsilon(2e-3));
        CHECK(rowOf(report, "maxPathWeight", "residual")[l] ==
              doctest::Approx(rowOf(report, "maxPathWeightPredicted", "residual")[l]).epsilon(2e-3));
    }
    CHECK(rowOf(report, "pathEntropyPredicted", "residual")[0] == doctest::Approx(std::log(800) + 1 + std::log(2)).epsilon(1e-9));
    CHECK(std::isfinite(rowOf(report, "log10MaxPathWeight", "uniform")[0]));
}

TEST_CASE("the diagonal is not the heaviest path when a step moves more than it keeps") {
    const auto report = run({{"epsilon", "0.9"}, {"layers", "6"}});
    CHECK(rowOf(report, "maxPathWeight", "residual")[0] == doctest::Approx(std::pow(0.45, 6)).epsilon(1e-12));
    CHECK(rowOf(report, "maxPathWeight", "residual")[0] > std::pow(0.1, 6));
}

TEST_CASE("capacity is conserved, starts in the middle, and has the walks' variances") {
    const auto report = run({{"layers", "40"}, {"epsilon", "0.2"}, {"extent", "201"}});
    const auto& capacity = *report.array("capacity");
    const auto& x = capacity.axes[2].values;
    for (std::size_t k = 0; k < 2; ++k) {
        const double perLayer = capacity.axes[0].keys[k] == "residual" ? 0.2 : 2.0 / 3;
        for (std::size_t l = 0; l <= 40; ++l) {
            const double* row = capacity.row(k) + l * x.size();
            CHECK(std::accumulate(row, row + x.size(), 0.0) == doctest::Approx(1).epsilon(1e-12));
            double variance = 0;
            for (std::size_t i = 0; i < x.size(); ++i) variance += x[i] * x[i] * row[i];
            CHECK(variance == doctest::Approx((40.0 - static_cast<double>(l)) * perLayer).epsilon(1e-9));
        }
        CHECK(capacity.row(k)[40 * x.size() + 100] == 1);
    }
}

TEST_CASE("strands are paths: their weights are products of steps, the heaviest comes first, and they go where the capacity is") {
    const auto report = run({{"strands", "400"}, {"layers", "30"}, {"epsilon", "0.1"}, {"extent", "101"}});
    const auto &position = *report.array("strandPosition"), &weight = *report.array("strandWeight");
    const std::size_t rows = 31;
    for (std::size_t k = 0; k < 2; ++k) {
        const bool residual = position.axes[0].keys[k] == "residual";
        double square = 0;
        for (std::size_t s = 0; s < 400; ++s) {
            const double *at = position.row(k) + s * rows, *w = weight.row(k) + s * rows;
            CHECK(at[30] == 0);
            CHECK(w[30] == 1);
            double product = 1;
            for (std::size_t l = 30; l > 0; --l) {
                const double step = std::abs(at[l - 1] - at[l]);
                CHECK((step == 0 || step == 1));
                product *= !residual ? 1.0 / 3 : step == 0 ? 0.9 : 0.05;
                CHECK(w[l - 1] == doctest::Approx(product).epsilon(1e-10));
            }
            if (s > 0) square += at[0] * at[0] / 399;
            CHECK(w[0] <= weight.row(k)[0] * (1 + 1e-9));
        }
        CHECK(weight.row(k)[0] == doctest::Approx(rowOf(report, "maxPathWeight", position.axes[0].keys[k])[0]).epsilon(1e-9));
        // Variance of 399 walkers: four standard errors, √(2/399) each.
        const double variance = residual ? 3 : 20;
        CHECK(std::abs(square / variance - 1) < 4 * std::sqrt(2.0 / 399) * 1.2);
    }
    for (std::size_t l = 0; l < rows; ++l) CHECK(position.row(0)[l] == 0);
}

TEST_CASE("steps above 1 are lowered, with a warning") {
    const auto report = run({{"profile", "varying"}, {"epsilon", "0.8"}});
    REQUIRE(report.warnings.size() == 1);
    for (const double e : report.array("epsilonByLayer")->values) CHECK(e <= 1);
}

TEST_CASE("even taps and rings are refused; all maxima at once fit the budget, and the param that costs most is known") {
    const auto& declaration = *findDeclaration("shattering");
    CHECK_THROWS_AS(parseValue(*declaration.param("taps"), "4"), InputError);
    CHECK_THROWS_AS(parseValue(*declaration.param("extent"), "64"), InputError);
    Request request;
    request.scene = "shattering";
    request.params = declaration.defaults();
    for (const char* key : {"layers", "extent", "strands", "taps"}) request.params.set(key, declaration.param(key)->max);
    const auto opened = modelOf("shattering").open(request);
    CHECK(opened->cost().bytes <= kCostLimit.bytes);
    CHECK(opened->cost().operations <= kCostLimit.operations);
    CHECK(opened->costliest() == "layers");
}
