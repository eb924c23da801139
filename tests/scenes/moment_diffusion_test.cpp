#include <doctest/doctest.h>

#include <cmath>

#include "support/scene_runs.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runChecked("moment-diffusion", settings); }

double valueAt(const Report& report, const char* name, std::size_t layer) { return arrayOf(report, name).values[layer]; }
double errorAt(const Report& report, const char* name, std::size_t layer) { return arrayOf(report, name).standardError[layer]; }

}  // namespace

const SummaryOf kSummary{"moment-diffusion",
                         {{{"width", "16"}, {"layers", "20"}, {"draws", "100"}},
                          {},
                          {{"meanLog", Of::Last}, {"meanLogTheory", Of::Last}},
                          {},
                          [](const Report& r, Numbers& n) {
                              n.push_back(valueIn(r, "driftPredicted") * r.params.number("layers"));
                              n.push_back(std::sqrt(valueIn(r, "diffusionPredicted") * r.params.number("layers")));
                          }}};

TEST_CASE("moment-diffusion: histograms are densities whose mean is the reported one") {
    const Report report = run({{"layers", "30"}, {"draws", "400"}});
    for (const auto& [histogram, mean] : {std::pair{"histogramSignal", "meanLog"}, {"histogramNoise", "meanLogNoise"}}) {
        const Array& density = arrayOf(report, histogram);
        const auto& bins = density.axes[1].values;
        const double spacing = bins[1] - bins[0];
        for (std::size_t l = 1; l <= 30; ++l) {
            double total = 0, first = 0;
            for (std::size_t i = 0; i < bins.size(); ++i) {
                total += density.row(l - 1)[i] * spacing;
                first += density.row(l - 1)[i] * spacing * bins[i];
            }
            CHECK(total > 0.97);
            CHECK(total < 1 + 1e-9);
            CHECK(std::abs(first - valueAt(report, mean, l)) < 0.5 * spacing + 0.05);
        }
    }
}

TEST_CASE("moment-diffusion: Theorem 1: no drift of the mean, a small negative one of the logarithm, diffusion within the bounds" *
          doctest::test_suite("long")) {
    const Report report = run({{"layers", "40"}, {"draws", "1500"}});
    for (std::size_t l = 1; l <= 40; ++l) {
        CAPTURE(l);
        CHECK(std::abs(valueAt(report, "logMeanIncrement", l)) < 4.5 * errorAt(report, "logMeanIncrement", l));
        CHECK(valueAt(report, "incrementVariancePredicted", l) > valueAt(report, "incrementVarianceLow", l));
        CHECK(valueAt(report, "incrementVariancePredicted", l) < valueAt(report, "incrementVarianceHigh", l));
        CHECK(valueAt(report, "drift", l) < 4 * errorAt(report, "drift", l));
    }
    CHECK(scalarOf(report, "driftPerLayer") == doctest::Approx(scalarOf(report, "driftPredicted")).epsilon(0.15));
    CHECK(scalarOf(report, "diffusionPerLayer") == doctest::Approx(scalarOf(report, "diffusionPredicted")).epsilon(0.25));
    CHECK(std::abs(scalarOf(report, "skewness")) < 0.5);
    CHECK(std::abs(scalarOf(report, "excessKurtosis")) < 0.8);
    CHECK(valueAt(report, "meanLogFirstOrder", 40) == doctest::Approx(-2.5 * 40 / 32));
    CHECK(valueAt(report, "varLogFirstOrder", 40) == doctest::Approx(5.0 * 40 / 32));
}

TEST_CASE("moment-diffusion: a kurtosis is shown only as far as the draws can tell it") {
    const Report report = run({{"samples", "1"}, {"draws", "2000"}, {"layers", "30"}});
    const auto known = static_cast<std::size_t>(scalarOf(report, "kurtosisKnownTo"));
    CHECK(known >= 5);
    CHECK(known < 30);
    for (std::size_t l = 1; l <= 30; ++l) {
        CHECK(std::isnan(valueAt(report, "preactivationKurtosis", l)) == (l > known));
        CHECK(valueAt(report, "preactivationKurtosisTheory", l) == doctest::Approx(3 * std::pow(1 + 5.0 / 32, l - 1.0)));
    }
    for (std::size_t l = 1; l <= 5; ++l)
        CHECK(std::abs(valueAt(report, "preactivationKurtosis", l) - valueAt(report, "preactivationKurtosisTheory", l)) <
              4 * errorAt(report, "preactivationKurtosis", l));
    // Deeper down the middle is fuller and the tails are fatter than a Gaussian's.
    const Array &tails = arrayOf(report, "tails"), &gaussian = arrayOf(report, "tailsGaussian");
    CHECK(tails.row(29)[14] < 0.5 * gaussian.values[14]);
    CHECK(tails.row(29)[19] > 2 * gaussian.values[19]);
}

TEST_CASE("moment-diffusion: images and the other data are inputs too" * doctest::test_suite("long")) {
    // Inputs that lie closer to few lines, or are of many sizes, let the first layer vary more, and none more than those on one line.
    const auto first = [](const char* data) {
        const Report report = run({{"data", data}, {"layers", "2"}, {"draws", "200"}});
        CHECK(valueAt(report, "incrementVariancePredicted", 1) < valueAt(report, "incrementVarianceHigh", 1));
        return valueAt(report, "incrementVariancePredicted", 1);
    };
    const double white = first("gaussian");
    CHECK(first("spread") > 1.3 * white);
    CHECK(first("low-rank") > 1.3 * white);
    CHECK(first("images") != white);
    CHECK(first("images") < 1.3 * white);
}

TEST_CASE("moment-diffusion: convolutions keep the mean and drift down too; what holds for lone inputs is left out of them" *
          doctest::test_suite("long")) {
    for (const char* space : {"conv1d", "conv2d"}) {
        const Report report = run({{"space", space}, {"layers", "12"}, {"draws", "600"}, {"width", "16"}, {"samples", "1"}});
        for (std::size_t l = 1; l <= 12; ++l) {
            CAPTURE(l);
            CHECK(std::abs(valueAt(report, "logMeanIncrement", l)) < 4.5 * errorAt(report, "logMeanIncrement", l));
            CHECK(valueAt(report, "incrementVariancePredicted", l) > valueAt(report, "incrementVarianceLow", l));
            CHECK(valueAt(report, "incrementVariancePredicted", l) < valueAt(report, "incrementVarianceHigh", l));
            const double measured = valueAt(report, "incrementVariance", l);
            CHECK(measured == doctest::Approx(valueAt(report, "incrementVariancePredicted", l)).epsilon(0.4));
        }
        CHECK(valueAt(report, "incrementVarianceLow", 1) == doctest::Approx(2 / (16 * 16.0 * (space[4] == '1' ? 3 : 9))));
        for (const char* name : {"deadInputsTheory", "preactivationKurtosis", "preactivationKurtosisTheory", "tails", "tailsTheory"})
            CHECK_FALSE(report.array(name));
        CHECK(scalarOf(report, "kurtosisKnownTo") == 0);
    }
}
