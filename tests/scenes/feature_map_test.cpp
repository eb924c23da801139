#include <doctest/doctest.h>

#include <cmath>

#include "core/linear/constraints.h"
#include "core/linear/hierarchical_model.h"
#include "core/linear/subspace.h"
#include "support/matrices.h"
#include "support/reference.h"
#include "support/scene_runs.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

Report run(const Settings& settings) { return runChecked("feature-map", settings); }

}  // namespace

TEST_CASE("feature-map: two Hermite functions have the reference's capacities per position") {
    const auto c = reference("case_08_multidim_features.json");
    const auto& features = c["feature_map"];
    const HierarchicalModel model(dilatedTree(c["L"].get<int>(), 2, c["c"].get<int>(), 2));
    const GaussianProcess process{.alpha = features["alpha"].get<double>()};
    const auto covariance = featureCovariance(FeatureFamily::Hermite, 2, autocovariance(process, model.length()));
    const Constraints k = constraints(model, c["w"].get<std::vector<double>>(), covariance);
    CHECK(k.rank == features["kappa"].get<Size>());
    const auto positions = capacityPerPosition(capacityPerInput(k.basis), 2);
    CHECK(largestDifference(positions, features["cpi_positions_oldest_first"].get<std::vector<double>>()) < 1e-9);
}

TEST_CASE("feature-map: the first Hermite function alone is the linear model") {
    const Report report = run({{"degree", "1"}, {"layers", "6"}});
    CHECK(scalarOf(report, "total") == 20);
    CHECK(arrayOf(report, "loss").values[0] == doctest::Approx(1.225163e-5).epsilon(1e-6));
    CHECK(scalarOf(report, "lowerBound") == doctest::Approx(0.475157298156805).epsilon(1e-12));
}

TEST_CASE("feature-map: every function's capacity lies between 0 and 1, an input's is their sum (Eq 28), all sum to the rank") {
    for (const char* functions : {"hermite", "fourier"}) {
        const Report report = run({{"functions", functions}, {"degree", "2"}, {"layers", "4"}});
        const auto &by = arrayOf(report, "capacityByDegree"), &capacity = arrayOf(report, "capacity"),
                   &rank = arrayOf(report, "numericalRank");
        const Size m = by.axes[2].size(), n = 16;
        CHECK(m == (std::string(functions) == "hermite" ? 2 : 4));
        for (Size degree = 0; degree < 2; ++degree) {
            const Size there = m / 2 * (degree + 1);
            double sum = 0;
            for (Size i = 0; i < n; ++i) {
                double input = 0;
                for (Size j = 0; j < m; ++j) {
                    const double kappa = by.row(degree)[i * m + j];
                    CHECK(std::isnan(kappa) == (j >= there));
                    if (std::isnan(kappa)) continue;
                    CHECK(kappa >= 0);
                    CHECK(kappa <= 1 + 1e-12);
                    input += kappa;
                }
                if (degree == 1) CHECK(capacity.values[i] == doctest::Approx(input).epsilon(1e-12));
                sum += input;
            }
            CHECK(sum == doctest::Approx(rank.values[degree]).epsilon(1e-9));
            CHECK(rank.values[degree] == arrayOf(report, "totals").values[degree]);
        }
    }
}

TEST_CASE("feature-map: the task is the covariance that features of Gaussian samples have" * doctest::test_suite("long")) {
    // 10⁵ draws of (φ(y₁), φ(y₂)) with correlation c₁ = 2^−½: products of two functions, 4.5 standard errors.
    for (const FeatureFamily family : {FeatureFamily::Hermite, FeatureFamily::Fourier}) {
        const auto samples = autocovariance(GaussianProcess{}, 2);
        const InputCovariance covariance = featureCovariance(family, 2, samples);
        const Size m = covariance.components(), draws = 100000;
        const double c = samples[1], s = std::sqrt(1 - c * c);
        Matrix sum(2 * m, 2 * m), squares(2 * m, 2 * m);
        Rng rng(11, Purpose::MonteCarlo);
        std::vector<double> phi(2 * m);
        for (Size i = 0; i < draws; ++i) {
            const double y1 = rng.gaussian(), y2 = c * y1 + s * rng.gaussian();
            for (Size j = 0; j < m; ++j) {
                phi[j] = featureValue(family, j, y1);
                phi[m + j] = featureValue(family, j, y2);
            }
            for (Size a = 0; a < 2 * m; ++a)
                for (Size b = 0; b < 2 * m; ++b) {
                    const double product = phi[a] * phi[b];
                    sum(a, b) += product;
                    squares(a, b) += product * product;
                }
        }
        const Matrix exact = covariance.dense();
        for (Size i = 0; i < exact.values.size(); ++i) {
            const double mean = sum.values[i] / draws, variance = squares.values[i] / draws - mean * mean;
            CHECK(std::abs(mean - exact.values[i]) < 4.5 * std::sqrt(variance / draws) + 1e-12);
        }
    }
}

TEST_CASE("feature-map: functions are drawn as they are, of mean 0 and variance 1 under the density drawn with them") {
    const Report report = run({{"functions", "fourier"}, {"degree", "1"}, {"layers", "2"}});
    const auto& function = arrayOf(report, "function");
    const auto& ys = function.axes[1].values;
    for (Size j = 0; j < 2; ++j) {
        double mean = 0, square = 0;
        for (Size i = 0; i < ys.size(); ++i) {
            CHECK(function.row(j)[i] == featureValue(FeatureFamily::Fourier, j, ys[i]));
            const double weight = arrayOf(report, "density").values[i] * (ys[1] - ys[0]);
            mean += weight * function.row(j)[i];
            square += weight * function.row(j)[i] * function.row(j)[i];
        }
        CHECK(std::abs(mean) < 0.01);
        CHECK(square == doctest::Approx(1).epsilon(0.02));
    }
    CHECK(function.axes[0].keys.size() == 2);
}

TEST_CASE("feature-map: with every function the ceiling rises by one an input, the model by two weights for each channel") {
    const Report report = run({{"degree", "5"}, {"steps", "1"}});
    const auto &dimensions = arrayOf(report, "dimensions").values, &parameters = arrayOf(report, "parameters").values;
    for (Size k = 1; k < 5; ++k) {
        CHECK(dimensions[k] - dimensions[k - 1] == 32);
        CHECK(parameters[k] - parameters[k - 1] == 4);
    }
}

TEST_CASE("feature-map: unusable requests are refused in a sentence") {
    CHECK(isOneSentence(refusal([] { requestOf("feature-map", {{"functions", "wavelets"}}); })));
    const Report clamped = run({{"functions", "fourier"}, {"degree", "8"}, {"layers", "2"}, {"steps", "none"}});
    CHECK(arrayOf(clamped, "totals").values.size() == 4);
    CHECK(warnsOf(clamped, "degree"));
}
