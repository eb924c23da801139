// The decoupling scale: the blocks measured against Eq 14 and the exact form, when drawing stops, and what is said of a sigmoid.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "core/capacity/decoupling.h"
#include "support/followed.h"
#include "support/matrices.h"
#include "support/report_checks.h"
#include "support/scene_runs.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

Request requestOf(const Settings& settings) {
    std::vector<std::pair<std::string, Value>> values(settings.begin(), settings.end());
    return requestWith(*findDeclaration("decoupling"), std::move(values));
}
Report run(const Settings& settings) { return runRequest(requestOf(settings)); }

Matrix matrixOf(const Report& report, const char* name) {
    const Array& array = arrayOf(report, name);
    return {array.axes[0].size(), array.axes[1].size(), array.values};
}

}  // namespace

const SummaryOf kSummary{"decoupling",
                         {{{"draws", "4000"}},
                          {{{"compare", "four"}}},
                          {{"distanceFromExact", Of::Last}, {"distanceFromApproximate", Of::Last}, {"fourNu", Of::All}},
                          {}}};

TEST_CASE("the mean of η, which Fig 3 prints as ν, is its square root: 1/√2 for a ReLU") {
    const Report relu = run({{"activation", "relu"}, {"draws", "100"}});
    CHECK(scalarOf(relu, "meanEta") == doctest::Approx(std::numbers::sqrt2 / 2).epsilon(1e-12));
    CHECK(scalarOf(relu, "nuIndependent") == 0.5);
    CHECK(relu.summary.find("0.707") != std::string::npos);
    const Report identity = run({{"activation", "identity"}, {"draws", "100"}});
    CHECK(scalarOf(identity, "meanEta") == doctest::Approx(1).epsilon(1e-12));
    CHECK(identity.summary.find("Fig 3") == std::string::npos);
    for (const char* slope : {"0.2", "-0.5", "0.7"}) {
        const Report leaky = run({{"slope", slope}, {"draws", "100"}});
        CHECK(std::pow(scalarOf(leaky, "meanEta"), 2) == doctest::Approx(scalarOf(leaky, "nuIndependent")).epsilon(1e-12));
    }
}

TEST_CASE("the curve is f, η is f(z)/z, and the density integrates to 1") {
    for (const char* name : {"identity", "leaky-relu", "relu", "abs", "tanh", "hard-tanh", "sigmoid", "pseudo-random"}) {
        CAPTURE(name);
        const Report report = run({{"activation", name}, {"sigma", "0.7"}, {"draws", "100"}});
        const auto &f = arrayOf(report, "activationCurve"), &eta = arrayOf(report, "eta"), &density = arrayOf(report, "density");
        const auto& z = f.axes[0].values;
        double sum = 0;
        for (std::size_t i = 0; i < z.size(); ++i) {
            CHECK(f.values[i] == activate(activationFromKey(name), z[i], 0.2, 1));
            if (z[i] != 0) CHECK(eta.values[i] * z[i] == doctest::Approx(f.values[i]).epsilon(1e-14));
            sum += density.values[i] * (z[1] - z[0]);
        }
        CHECK(sum == doctest::Approx(1).epsilon(1e-6));
        const std::size_t middle = z.size() / 2;
        CHECK(z[middle] == 0);
        CHECK(std::isnan(eta.values[middle]) == (std::string(name) == "sigmoid"));
    }
}

TEST_CASE("the measured blocks lie within five standard errors of the exact ones, and far from Eq 14") {
    for (const char* name : {"relu", "abs", "leaky-relu"}) {
        CAPTURE(name);
        const Report report = run({{"activation", name}, {"draws", "50000"}});
        const Array &measured = arrayOf(report, "sigmaTildeMeasured"), &exact = arrayOf(report, "sigmaTildeExact"),
                    &approximate = arrayOf(report, "sigmaTildeApproximate");
        double fromExact = 0, fromApproximate = 0;
        REQUIRE(measured.standardError.size() == 256);
        for (std::size_t k = 0; k < 256; ++k) {
            fromExact = std::max(fromExact, std::abs(measured.values[k] - exact.values[k]) / measured.standardError[k]);
            fromApproximate = std::max(fromApproximate, std::abs(measured.values[k] - approximate.values[k]) / measured.standardError[k]);
        }
        CHECK(fromExact < 5);
        CHECK(fromApproximate > 15);
        CHECK(scalarOf(report, "relativeErrorExact") ==
              doctest::Approx(relativeDifference(matrixOf(report, "sigmaTildeApproximate"), matrixOf(report, "sigmaTildeExact"))));
        CHECK(scalarOf(report, "relativeError") == doctest::Approx(scalarOf(report, "relativeErrorExact")).epsilon(0.1));
        CHECK(arrayOf(report, "distanceFromExact").values.back() < scalarOf(report, "relativeError") / 5);
    }
}

TEST_CASE("for identity and pseudo-random units Eq 14 is exact: its distance is chance alone") {
    for (const char* name : {"identity", "pseudo-random"}) {
        CAPTURE(name);
        const Report report = run({{"activation", name}, {"draws", "50000"}});
        const double noise = arrayOf(report, "noise").values.back();
        CHECK(scalarOf(report, "relativeError") < 2 * noise);
        CHECK(scalarOf(report, "relativeError") > noise / 4);
    }
    CHECK(run({{"activation", "pseudo-random"}, {"draws", "100"}}).array("sigmaTildeExact") == nullptr);
    CHECK(run({{"activation", "tanh"}, {"draws", "100"}}).array("sigmaTildeExact") == nullptr);
}

TEST_CASE("Eq 14 has Σ on the diagonal and νΣ elsewhere, whatever the covariance") {
    for (const char* covariance : {"identity", "ar1", "random"}) {
        const Report report =
            run({{"covariance", covariance}, {"activation", "tanh"}, {"inputs", "3"}, {"features", "2"}, {"draws", "100"}});
        const Matrix tilde = matrixOf(report, "sigmaTildeApproximate");
        const double nu = scalarOf(report, "nuIndependent");
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k) {
                CHECK(tilde(3 + i, 3 + k) == tilde(i, k));
                CHECK(tilde(i, 3 + k) == doctest::Approx(nu * tilde(i, k)).epsilon(1e-14));
            }
    }
}

TEST_CASE("Fig 3's four side by side are the four by themselves, from coupled to decoupled; a sigmoid has none beside it") {
    const Settings settings{{"draws", "3000"}, {"slope", "0.4"}, {"stopAt", "0.0001"}};
    const auto with = [&](const char* key, const char* value) {
        Settings all = settings;
        all.emplace_back(key, value);
        return all;
    };
    const Report report = run(with("compare", "four"));
    const Array &four = arrayOf(report, "fourByDraws"), &distance = arrayOf(report, "fourDistance"), &nu = arrayOf(report, "fourNu");
    REQUIRE(nu.axes[0].keys == std::vector<std::string>{"identity", "leaky-relu", "relu", "pseudo-random"});
    for (std::size_t k = 0; k < 4; ++k) {
        const std::string& key = nu.axes[0].keys[k];
        CAPTURE(key);
        const Report one = run(with("activation", key.c_str()));
        const Array& alone = arrayOf(one, "measuredByDraws");
        CHECK(nu.values[k] == scalarOf(one, "nuIndependent"));
        CHECK((k == 0 || nu.values[k] < nu.values[k - 1]));
        for (std::size_t d = 0; d < alone.axes[0].size(); ++d) {
            CHECK(std::equal(alone.row(d), alone.row(d) + 256, four.row(d) + 256 * k));
            CHECK(distance.row(d)[k] == arrayOf(one, "distanceFromApproximate").values[d]);
        }
        const Array &curve = arrayOf(report, "fourCurve"), &eta = arrayOf(report, "fourEta");
        for (std::size_t i = 0; i < 241; ++i) {
            CHECK(curve.row(k)[i] == arrayOf(one, "activationCurve").values[i]);
            CHECK(eta.row(k)[i] == arrayOf(one, "eta").values[i]);
        }
    }
    Settings sigmoid = with("compare", "four");
    sigmoid.emplace_back("activation", "sigmoid");
    CHECK_FALSE(run(sigmoid).array("fourNu"));
}

TEST_CASE("drawing stops at the stated standard error, or when the draws are used up") {
    const Report early = run({{"stopAt", "0.02"}, {"draws", "1000000"}});
    CHECK(scalarOf(early, "standardError") <= 0.02);
    CHECK(scalarOf(early, "standardError") > 0.008);
    CHECK(scalarOf(early, "drawsMade") < 1e5);
    const Report spent = run({{"stopAt", "0.0001"}, {"draws", "3000"}});
    CHECK(scalarOf(spent, "drawsMade") == 3000);
    CHECK(scalarOf(spent, "standardError") > 0.0001);
}

TEST_CASE("results on the way are those of fewer draws: kept at 10, 20, 50, … and at the end") {
    const Report many = run({{"draws", "3000"}, {"stopAt", "0.0001"}}), few = run({{"draws", "500"}, {"stopAt", "0.0001"}});
    const Array& kept = arrayOf(many, "measuredByDraws");
    CHECK(kept.axes[0].values == std::vector<double>{10, 20, 50, 100, 200, 500, 1000, 2000, 3000});
    const Array& last = arrayOf(few, "sigmaTildeMeasured");
    for (std::size_t k = 0; k < last.values.size(); ++k) CHECK(kept.row(5)[k] == last.values[k]);
    CHECK(std::vector<double>(kept.row(8), kept.row(8) + 256) == arrayOf(many, "sigmaTildeMeasured").values);
    CHECK(arrayOf(many, "largestError").values[5] == scalarOf(few, "standardError"));
    CHECK(arrayOf(many, "largestError").values.back() == scalarOf(many, "standardError"));
}

TEST_CASE("partial results come with their standard error and get better") {
    double before = 1e9;
    int partials = 0;
    const Report whole = follow(requestOf({{"draws", "200000"}}), [&](const Report& partial, double) {
        const Scalar* error = partial.scalar("standardError");
        if (!error || partial.scalar("drawsMade")->value < 1000) return;
        CHECK(error->value < before * 1.05);
        before = error->value;
        ++partials;
    });
    CHECK(partials > 5);
    CHECK(scalarOf(whole, "standardError") < 0.01);
}

TEST_CASE("what would take too long is refused, naming the draws") {
    const Request request = requestOf({{"draws", "10000000"}, {"inputs", "8"}, {"features", "8"}});
    CHECK(costOf(request).operations > kCostLimit.operations);
    CHECK(modelOf("decoupling").open(request)->costliest() == "draws");
    CHECK_THROWS_WITH(openRequest(request), doctest::Contains("lower draws"));
    CHECK_THROWS(parseValue(*findDeclaration("decoupling")->param("sigma"), "wide"));
    CHECK_THROWS(parseValue(*findDeclaration("decoupling")->param("activation"), "softplus"));
    CHECK_FALSE(parseValue(*findDeclaration("decoupling")->param("slope"), "7").warning.empty());
}
