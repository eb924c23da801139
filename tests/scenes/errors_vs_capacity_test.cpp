#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/linear/constraints.h"
#include "core/linear/hierarchical_model.h"
#include "core/linear/optimum.h"
#include "core/linear/subspace.h"
#include "support/scene_runs.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runChecked("errors-vs-capacity", settings); }

/// Textbook form: covariance over the product of standard deviations.
double slowPearson(const std::vector<double>& a, const std::vector<double>& b) {
    const double n = static_cast<double>(a.size());
    double sumA = 0, sumB = 0, sumAA = 0, sumBB = 0, sumAB = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sumA += a[i], sumB += b[i];
        sumAA += a[i] * a[i], sumBB += b[i] * b[i], sumAB += a[i] * b[i];
    }
    return (n * sumAB - sumA * sumB) / std::sqrt((n * sumAA - sumA * sumA) * (n * sumBB - sumB * sumB));
}

double total(const Array& rows, std::size_t row) { return std::accumulate(rows.row(row), rows.row(row) + rows.rowLength(), 0.0); }

}  // namespace

const SummaryOf kSummary{
    "errors-vs-capacity",
    {{{"layers", "4"}, {"channels", "2"}, {"draws", "4"}, {"iterations", "60"}},
     {},
     {{"bound", Of::Count}},
     {{"ended in an optimum", [](const Report& r) { return valueIn(r, "optimalDraws") <= r.params.number("draws"); }}}}};

TEST_CASE("errors vs capacity: over thirty random targets errors follow 1 − κ along eigenvectors, at 0.8 or more, and not along lags" *
          doctest::test_suite("long")) {
    const auto report = run({});
    CHECK(scalarOf(report, "correlationInBasis") >= 0.8);
    CHECK(scalarOf(report, "correlation") <= 0.5);
    CHECK(scalarOf(report, "optimalDraws") == 30);
    CHECK(scalarOf(report, "totalCapacity") == 48);
    CHECK(report.scalar("correlationInBasis")->draws == 30);
    CHECK(report.scalar("correlationInBasis")->standardError.value() < 0.1);
}

TEST_CASE("errors vs capacity: every draw's bound and error are shares of one whole, at an optimum") {
    const auto report = run({{"draws", "4"}, {"channels", "2"}});
    for (const char* name : {"boundByDraw", "errorByDraw", "boundByDrawInBasis", "errorByDrawInBasis"}) {
        const Array& rows = arrayOf(report, name);
        for (std::size_t draw = 0; draw < 4; ++draw) {
            CHECK(total(rows, draw) == doctest::Approx(1).epsilon(1e-9));
            for (std::size_t i = 0; i < rows.rowLength(); ++i) CHECK(rows.row(draw)[i] >= -1e-12);
        }
    }
    for (const double value : arrayOf(report, "optimality").values) CHECK(value < 1e-6);
}

TEST_CASE("errors vs capacity: a draw is the optimum for its random target, its capacities those of the tangent space") {
    const auto report = run({{"draws", "2"}, {"channels", "2"}, {"layers", "5"}, {"seed", "9"}});
    const HierarchicalModel model(dilatedTree(5, 2, 2));
    GaussianProcess process;
    const LinearTask task = withTarget(predictionTask(process, 32), randomTarget(32, 9, 1));
    const Optimum optimum = findOptimum(model, task);
    const auto response = model.response(optimum.weights);
    const auto capacity = capacityPerInput(constraints(model, optimum.weights, task.covariance).basis);
    double squared = 0;
    for (std::size_t i = 0; i < 32; ++i) squared += std::pow(response[i] - task.target[i], 2);
    for (std::size_t lag = 0; lag < 32; ++lag) {
        const std::size_t i = 31 - lag;
        CHECK(arrayOf(report, "errorByDraw").row(1)[lag] ==
              doctest::Approx(std::pow(response[i] - task.target[i], 2) / squared).epsilon(1e-6));
        CHECK(arrayOf(report, "boundByDraw").row(1)[lag] ==
              doctest::Approx((1 - capacity[i]) / (32 - scalarOf(report, "totalCapacity"))).epsilon(1e-6));
    }
    CHECK(arrayOf(report, "loss").values[1] == doctest::Approx(optimum.loss).epsilon(1e-9));
}

TEST_CASE("errors vs capacity: means, deviations and correlations are those of the draws") {
    const auto report = run({{"draws", "5"}, {"channels", "2"}});
    for (const std::string suffix : {"", "InBasis"}) {
        const Array &errors = arrayOf(report, ("errorByDraw" + suffix).c_str()),
                    &bounds = arrayOf(report, ("boundByDraw" + suffix).c_str());
        std::vector<double> meanError, meanBound;
        for (std::size_t i = 0; i < errors.rowLength(); ++i) {
            double sum = 0, squares = 0, bound = 0;
            for (std::size_t draw = 0; draw < 5; ++draw) {
                sum += errors.row(draw)[i];
                squares += errors.row(draw)[i] * errors.row(draw)[i];
                bound += bounds.row(draw)[i];
            }
            meanError.push_back(sum / 5), meanBound.push_back(bound / 5);
            CHECK(arrayOf(report, ("errorMean" + suffix).c_str()).values[i] == doctest::Approx(sum / 5));
            CHECK(arrayOf(report, ("bound" + suffix).c_str()).values[i] == doctest::Approx(bound / 5));
            const double deviation = std::sqrt(std::max(0.0, squares - sum * sum / 5) / 4);
            CHECK(arrayOf(report, ("errorStd" + suffix).c_str()).values[i] == doctest::Approx(deviation).epsilon(1e-6));
        }
        const double r = slowPearson(meanBound, meanError);
        CHECK(scalarOf(report, ("correlation" + suffix).c_str()) == doctest::Approx(r).epsilon(1e-9));
        CHECK(arrayOf(report, suffix.empty() ? "correlationByDraws" : "correlationInBasisByDraws").values.back() ==
              doctest::Approx(r).epsilon(1e-9));
    }
}

TEST_CASE("errors vs capacity: errors along the eigenvectors are those along lags, turned") {
    const auto report = run({{"draws", "2"}, {"channels", "2"}, {"layers", "4"}});
    const Array &vectors = arrayOf(report, "eigenvectors"), &along = arrayOf(report, "errorInBasis"),
                &lags = arrayOf(report, "errorByDraw"), &components = arrayOf(report, "errorByDrawInBasis");
    const LinearTask task = predictionTask(GaussianProcess{}, 16);
    for (std::size_t k = 0; k < 16; ++k) {
        std::vector<double> oldestFirst(vectors.row(k), vectors.row(k) + 16);
        std::reverse(oldestFirst.begin(), oldestFirst.end());
        CHECK(task.covariance.quadratic(oldestFirst) == doctest::Approx(arrayOf(report, "eigenvalues").values[k]));
    }
    for (std::size_t draw = 0; draw < 2; ++draw)
        for (std::size_t i = 0; i < 16; ++i) {
            double error = 0;
            for (std::size_t k = 0; k < 16; ++k) error += along.row(draw)[k] * vectors.row(k)[i];
            CHECK(error * error == doctest::Approx(lags.row(draw)[i]).epsilon(1e-9));
            CHECK(along.row(draw)[i] * along.row(draw)[i] == doctest::Approx(components.row(draw)[i]).epsilon(1e-9));
        }
}

TEST_CASE("errors vs capacity: more draws keep those there were") {
    const auto few = run({{"draws", "2"}, {"channels", "2"}}), more = run({{"draws", "3"}, {"channels", "2"}});
    const auto &first = arrayOf(few, "errorByDraw").values, &all = arrayOf(more, "errorByDraw").values;
    CHECK(std::equal(first.begin(), first.end(), all.begin()));
    CHECK(arrayOf(run({{"draws", "2"}, {"channels", "2"}, {"seed", "2"}}), "errorByDraw").values != first);
}

TEST_CASE("errors vs capacity: four channels from random starts stall, each elsewhere, on the way to one target") {
    const auto report = run({{"targets", "fixed"}, {"draws", "3"}, {"iterations", "300"}});
    CHECK(scalarOf(report, "optimalDraws") == 0);
    const auto& loss = arrayOf(report, "loss").values;
    for (const double value : loss) CHECK(value > 2.9e-10);
    CHECK(loss[0] != loss[1]);
    CHECK(report.summary.find("0 of 3 searches") != std::string::npos);
}

TEST_CASE("errors vs capacity: with full capacity there is no error and nothing to correlate") {
    const auto report = run({{"channels", "8"}, {"draws", "2"}});
    CHECK(scalarOf(report, "totalCapacity") == 64);
    CHECK_FALSE(report.scalar("correlation"));
    for (const char* name : {"bound", "errorMean", "boundInBasis", "errorMeanInBasis"})
        for (const double value : arrayOf(report, name).values) CHECK(std::abs(value) < 1e-12);
    CHECK(report.summary.find("nothing to compare") != std::string::npos);
}
