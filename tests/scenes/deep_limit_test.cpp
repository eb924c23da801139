#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/capacity/deep_limit.h"
#include "support/followed.h"
#include "support/scene_runs.h"
#include "support/slow_forward.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runChecked("deep-limit", settings); }

Settings differential(const Settings& more) {
    Settings all{{"layer", "differential"}, {"depths", "2,8,32"}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// Value of a [.., position] array at a position.
double at(const Array& array, std::size_t row, double position) {
    const auto& x = array.axes.back().values;
    const auto found = std::find(x.begin(), x.end(), position);
    return found == x.end() ? 0 : array.row(row)[found - x.begin()];
}

}  // namespace

const SummaryOf kSummary{
    "deep-limit",
    {{{"depths", "20,40"}},
     {{{"exponent", "0.25"}}, {{"exponent", "1"}}, {{"weights", "0,0,1"}}},
     {{"totalVariationToFlow", Of::Last},
      {"totalVariation", Of::Last},
      {"step", Of::AxisEnd},
      {"varianceChain", Of::Axes},
      {"checkCapacity", Of::Errors}},
     {{"a distance that falls as",
       [](const Report& r) { return valueIn(r, "slope") > 0 && lastIn(r, "totalVariationToFlow") < firstIn(r, "totalVariationToFlow"); }},
      {"Depths below",
       [](const Report& r) { return !r.warnings.empty() || r.array("step")->axes[0].values.front() > r.params.list("depths").front(); }},
      {"its mean square grows beyond",
       [](const Report& r) { return r.array("forward") != nullptr || r.params.is("layer", "differential"); }},
      {"capacity scatters without end", [](const Report& r) { return lastIn(r, "varianceChain") > firstIn(r, "varianceChain"); }},
      {"in the limit nothing moves", [](const Report& r) { return lastIn(r, "varianceChain") < firstIn(r, "varianceChain"); }}},
     [](const Report& r, Numbers& n) {
         for (const double variance : r.array("varianceChain")->values) n.push_back(std::sqrt(variance));
         if (!r.array("checkCapacity")) return;
         double gap = 0;
         const auto &measured = r.array("checkCapacity")->values, &predicted = r.array("checkPredicted")->values;
         for (std::size_t i = 0; i < predicted.size(); ++i) gap = std::max(gap, std::abs(measured[i] - predicted[i]));
         n.push_back(gap);
     }}};

TEST_CASE("deep limit: the distance to the Gaussian stays, and is that of two Poisson variables") {
    // The flow is a difference of two Poisson variables of mean 10; the sum over cells was made beside by a program of its own.
    const auto report = run({{"depths", "60,100"}});
    const auto& gaussian = arrayOf(report, "totalVariation").values;
    const double gap = scalarOf(report, "gaussianGap");
    CHECK(gap == doctest::Approx(0.003704479433996077).epsilon(1e-9));
    CHECK(gaussian[1] == doctest::Approx(0.0019893853092155973).epsilon(1e-8));
    CHECK(gaussian[0] < gaussian[1]);
}

TEST_CASE("deep limit: no distance is above 1, and the Gaussian's masses sum to 1, however narrow it is") {
    for (const char* rate : {"0", "0.005", "0.05", "0.5", "3"})
        for (const char* other : {"0", "0.01", "1"}) {
            const auto report = run({{"up", rate}, {"down", other}, {"depths", "16,64"}});
            const auto& gaussian = arrayOf(report, "gaussian").values;
            CHECK(std::accumulate(gaussian.begin(), gaussian.end(), 0.0) == doctest::Approx(1).epsilon(1e-9));
            for (const double distance : arrayOf(report, "totalVariation").values) CHECK(distance <= 1);
            CHECK(scalarOf(report, "gaussianGap") <= 1);
        }
}

TEST_CASE("deep limit: depths are sorted, and raised to the sum of the rates, which is said") {
    const auto report = run({{"up", "10"}, {"down", "5.5"}, {"depths", "64,3,16,8"}});
    CHECK(arrayOf(report, "chain").axes[0].values == std::vector<double>{16, 64});
    CHECK(report.summary.find("raised to it") != std::string::npos);
    for (double step : arrayOf(report, "step").values) CHECK(step * 15.5 <= 1);
    CHECK(run({{"exponent", "0.2"}}).summary.find("moves all of it") != std::string::npos);
    CHECK(arrayOf(run({{"exponent", "0.2"}}), "step").values[0] == doctest::Approx(1.0 / 20));
}

TEST_CASE("deep limit: a kernel that moves nothing leaves a Dirac and says so") {
    const auto report = run({{"up", "0"}, {"down", "0"}});
    CHECK(at(arrayOf(report, "chain"), 0, 0) == 1);
    CHECK(scalarOf(report, "gaussianGap") == 0);
    CHECK(report.summary.find("moves nothing") != std::string::npos);
}

TEST_CASE("deep limit: the forward equation's mean square is (1 + ε|p|²)^L times the backward capacity, within its standard error") {
    const auto report = run(differential({{"weights", "-0.6,0.3,0.9"}, {"precision", "0.02"}}));
    const auto &square = arrayOf(report, "forwardMeanSquare"), &predicted = arrayOf(report, "forwardMeanSquarePredicted");
    const auto &growth = arrayOf(report, "forwardGrowth"), &draws = arrayOf(report, "forwardDraws");
    for (std::size_t d = 0; d < 3; ++d) {
        const double layers = square.axes[0].values[d];
        CHECK(arrayOf(report, "forwardGrowthPredicted").values[d] == doctest::Approx(std::pow(1 + 1.26 / layers, layers)).epsilon(1e-12));
        CHECK(std::abs(growth.values[d] - arrayOf(report, "forwardGrowthPredicted").values[d]) < 4 * growth.standardError[d]);
        CHECK((growth.standardError[d] <= 0.02 * growth.values[d] || draws.values[d] == 2000));
        CHECK(arrayOf(report, "forwardEffectiveDraws").values[d] <= draws.values[d]);
        for (std::size_t i = 0; i < square.rowLength(); ++i) {
            const double error = square.standardError[d * square.rowLength() + i];
            if (predicted.row(d)[i] > 0.05) CHECK(std::abs(square.row(d)[i] - predicted.row(d)[i]) < 4.5 * error + 1e-12);
        }
    }
}

TEST_CASE("deep limit: the mean square predicted from the backward capacity is the forward equation's exact second moment") {
    const auto report = run(differential({{"weights", "-0.6,0.3,0.9"}, {"draws", "100"}}));
    const auto& predicted = arrayOf(report, "forwardMeanSquarePredicted");
    const std::size_t n = predicted.rowLength();
    for (std::size_t d = 0; d < 3; ++d) {
        const int layers = static_cast<int>(predicted.axes[0].values[d]);
        std::vector<double> start(n);
        start[n / 2] = 1;
        const auto exact = slow::forwardSecondMoment({{-0.6, 0.3, 0.9}, 1.0 / layers, layers}, start).back();
        for (std::size_t x = 0; x < n; ++x) CHECK(std::abs(predicted.row(d)[x] - exact[x]) < 1e-8);
    }
}

TEST_CASE("deep limit: no one factor joins 𝒟 and the coefficient of the forward equation") {
    const auto ratio = [](const char* weights) {
        const auto report = run({{"layer", "differential"}, {"weights", weights}, {"depths", "4"}, {"draws", "100"}});
        return scalarOf(report, "diffusion") / std::pow(scalarOf(report, "sdeCoefficient"), 2);
    };
    CHECK(ratio("-1.5,0,1.5") == doctest::Approx(0.25));
    CHECK(ratio("0,-1.5,1.5") == doctest::Approx(0.5));
}

TEST_CASE("deep limit: where the mean square explodes nothing is simulated, and even lists of weights are completed") {
    const auto report = run(differential({{"weights", "-3,0,3"}}));
    CHECK(std::isnan(arrayOf(report, "forwardMeanSquare").values.back()));
    CHECK(arrayOf(report, "forwardDraws").values.back() == 0);
    CHECK(report.summary.find("not simulated") != std::string::npos);
    const auto even = run(differential({{"weights", "1,0.5"}, {"draws", "100"}}));
    REQUIRE(even.warnings.size() == 1);
    CHECK(even.warnings[0].find("odd number") != std::string::npos);
    CHECK(scalarOf(even, "v") == doctest::Approx(-1));
}

TEST_CASE("deep limit: partial reports come while the simulations run, with falling standard errors") {
    const auto& declaration = *findDeclaration("deep-limit");
    const Request request = requestWith(declaration, {{"layer", std::string("differential")}, {"depths", std::vector<double>{16, 64}}});
    double first = 0, last = 0;
    int partial = 0;
    follow(request, [&](const Report& report, double) {
        const Array* growth = report.array("forwardGrowth");
        if (!growth || !(growth->standardError[1] > 0)) return;
        ++partial;
        last = growth->standardError[1];
        if (first == 0) first = last;
    });
    CHECK(partial > 5);
    CHECK(last < first);
}
