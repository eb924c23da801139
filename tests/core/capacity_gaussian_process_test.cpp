#include "core/linear/linear_task.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/linalg/decompositions.h"
#include "support/matrices.h"
#include "support/reference.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

GaussianProcess powerLaw(double alpha) { return {.kind = ProcessKind::PowerLaw, .alpha = alpha}; }
GaussianProcess arfima(double d) { return {.kind = ProcessKind::Arfima, .memory = d}; }
GaussianProcess ar(double phi1) { return {.kind = ProcessKind::Ar1, .phi1 = phi1}; }
GaussianProcess ar(double phi1, double phi2) { return {.kind = ProcessKind::Ar2, .phi1 = phi1, .phi2 = phi2}; }
GaussianProcess mixture(Vector weights, Vector times) {
    return {.kind = ProcessKind::Exponentials, .weights = std::move(weights), .times = std::move(times)};
}

GaussianProcess processOf(const nlohmann::json& c) {
    const auto kind = c["kind"].get<std::string>();
    if (kind == "power") return powerLaw(c["params"]["alpha"]);
    if (kind == "arfima") return arfima(c["params"]["d"]);
    if (kind == "white") return ar(0);
    if (kind == "mixexp") return mixture(c["params"]["w"].get<Vector>(), c["params"]["tau"].get<Vector>());
    const auto phi = c["params"]["phi"].get<Vector>();
    return phi.size() == 1 ? ar(phi[0]) : ar(phi[0], phi[1]);
}

/// Σ⁻¹ r by an inverse of the whole matrix.
Vector slowPredictor(const Vector& c) {
    const Size n = c.size() - 1;
    Matrix sigma(n, n), r(n, 1);
    for (Size i = 0; i < n; ++i) {
        r(i, 0) = c[n - i];
        for (Size j = 0; j < n; ++j) sigma(i, j) = c[i > j ? i - j : j - i];
    }
    return slowProduct(pseudoInverse(sigma, 1e-15).inverse, r).values;
}

}  // namespace

TEST_CASE("autocovariances, predictors, partial autocorrelations and errors are the reference's") {
    const auto reference03 = reference("case_03_gp_predictor.json");
    for (const auto& c : reference03["cases"]) {
        INFO(c["kind"] << " " << c["params"].dump());
        const Size n = c["n"];
        const auto process = processOf(c);
        const auto covariance = autocovariance(process, n);
        CHECK(largestDifference(covariance, c["c"].get<Vector>()) < 1e-13);
        const auto prediction = predictNext(covariance);
        CHECK(largestDifference(prediction.coefficients, c["Astar_oldest_first"].get<Vector>()) < 1e-12);
        CHECK(largestDifference(prediction.partial, c["pacf"].get<Vector>()) < 1e-12);
        CHECK(prediction.error == doctest::Approx(c["vstar"].get<double>()).epsilon(1e-12));
    }
}

TEST_CASE("the reference's tasks of 64 and 766 samples") {
    const auto big = reference("case_03_gp_predictor.json")["big"];
    for (const Size n : {64, 766})
        for (const bool longMemory : {false, true}) {
            const auto name = std::string(longMemory ? "arfima_0.4_n" : "power_0.5_n") + std::to_string(n);
            INFO(name);
            const auto prediction = predictNext(autocovariance(longMemory ? arfima(0.4) : powerLaw(0.5), n));
            CHECK(prediction.error == doctest::Approx(big[name]["vstar"].get<double>()).epsilon(1e-12));
            CHECK(largestDifference(Vector(prediction.coefficients.rbegin(), prediction.coefficients.rbegin() + 8),
                                    big[name]["Astar_recent_first_8"].get<Vector>()) < 1e-12);
        }
    const auto eigen = covarianceEigenvectors(InputCovariance(autocovariance(powerLaw(0.5), 64)));
    CHECK(eigen.values.front() / eigen.values.back() == doctest::Approx(big["power_0.5_n64"]["cond"].get<double>()).epsilon(1e-10));
}

TEST_CASE("Levinson's predictor solves the normal equations of every process") {
    for (const auto& process : {powerLaw(0.2), powerLaw(2), arfima(0.1), arfima(0.45), GaussianProcess{.kind = ProcessKind::Exponentials},
                                ar(0.9), ar(-0.7), ar(1.2, -0.5), ar(0.1, 0.8)})
        for (const Size n : {1, 2, 7, 40}) {
            const auto c = autocovariance(process, n);
            const auto prediction = predictNext(c);
            const auto slow = slowPredictor(c);
            CHECK(largestDifference(prediction.coefficients, slow) < 1e-9);
            double error = 1;
            for (Size i = 0; i < n; ++i) error -= c[n - i] * slow[i];
            CHECK(prediction.error == doctest::Approx(error).epsilon(1e-8));
        }
}

TEST_CASE("autoregressions are predicted by their own coefficients, ARFIMA by quotients of Gamma functions") {
    CHECK(largestDifference(predictNext(autocovariance(ar(0.8), 5)).coefficients, {0, 0, 0, 0, 0.8}) < 1e-14);
    CHECK(largestDifference(predictNext(autocovariance(ar(1.2, -0.5), 5)).coefficients, {0, 0, 0, -0.5, 1.2}) < 1e-14);
    const double d = 0.3, n = 6;
    const auto found = predictNext(autocovariance(arfima(d), 6));
    for (int j = 1; j <= 6; ++j) {
        const double binomial = std::tgamma(n + 1) / std::tgamma(j + 1) / std::tgamma(n - j + 1);
        CHECK(found.coefficients[static_cast<Size>(6 - j)] ==
              doctest::Approx(-binomial * std::tgamma(j - d) * std::tgamma(n - d - j + 1) / std::tgamma(-d) / std::tgamma(n - d + 1)));
        CHECK(found.partial[static_cast<Size>(j - 1)] == doctest::Approx(d / (j - d)));
    }
    CHECK(found.error == doctest::Approx(std::tgamma(n + 1) * std::tgamma(n + 1 - 2 * d) / std::pow(std::tgamma(n + 1 - d), 2) *
                                         std::pow(std::tgamma(1 - d), 2) / std::tgamma(1 - 2 * d)));
}

TEST_CASE("a predictor's own process has its autocovariance, wherever it is stable") {
    for (const auto& process : {powerLaw(0.5), arfima(0.4), ar(0.8), ar(1.2, -0.5), GaussianProcess{.kind = ProcessKind::Exponentials}})
        for (const Size n : {1, 2, 10, 64}) {
            const auto c = autocovariance(process, n);
            const auto prediction = predictNext(c);
            const auto model = modelAutocovariance(prediction.coefficients);
            REQUIRE(model.stable);
            CHECK(largestDifference(model.autocovariance, c) < 1e-12);
        }
    // A predictor that is nobody's optimum: the Yule–Walker equations.
    const Vector rough{0.1, -0.3, 0.05, 0.5, 0.2};
    const auto model = modelAutocovariance(rough);
    REQUIRE(model.stable);
    for (Size k = 1; k <= 5; ++k) {
        double sum = 0;
        for (Size j = 1; j <= 5; ++j) sum += rough[5 - j] * model.autocovariance[k > j ? k - j : j - k];
        CHECK(model.autocovariance[k] == doctest::Approx(sum).epsilon(1e-12));
    }
}

TEST_CASE("an unstable predictor has no process, and the stable ones end exactly at a root on the unit circle") {
    for (const double a : {1.0, 1.0001, -1.0, -3.0}) {
        const auto model = modelAutocovariance({0, 0, a});
        CHECK(!model.stable);
        CHECK(model.autocovariance.empty());
        CHECK(model.largestPartial >= 1);
    }
    CHECK(modelAutocovariance({0, 0, 0.9999}).stable);
    CHECK(!modelAutocovariance({0.5, 0.6}).stable);  // φ₁ + φ₂ > 1
    CHECK(modelAutocovariance({-0.9, 1.8}).stable);  // complex roots of size √0.9
    CHECK(!modelAutocovariance({-1.1, 1.8}).stable);
    CHECK(modelAutocovariance({}).stable);
}

TEST_CASE("parameters out of range, unstable autoregressions and singular covariances are named in a sentence") {
    const auto sentence = [](const GaussianProcess& process, Size n = 8) {
        return refusal([&] { predictNext(autocovariance(process, n)); });
    };
    for (const auto& process :
         {powerLaw(0), powerLaw(-1), powerLaw(std::nan("")), powerLaw(INFINITY), arfima(0), arfima(0.5), arfima(std::nan("")), ar(1),
          ar(-1), ar(2), ar(std::nan("")), ar(0.6, 0.6), ar(0, -1), ar(-1.5, 0.2), ar(INFINITY, 0), mixture({1, 1, 1, 1}, {1, 2}),
          mixture({1, -1}, {1, 2}), mixture({0, 0}, {1, 2}), mixture({1, 1}, {1, 0})})
        CHECK(isOneSentence(sentence(process)));
    CHECK(sentence(ar(0.6, 0.6)).find("unstable") != std::string::npos);
    CHECK(sentence(powerLaw(0)).find("α") != std::string::npos);
    CHECK(sentence(mixture({1}, {1e30})).find("singular") != std::string::npos);

    const auto direct = [](Vector c) { return refusal([&] { predictNext(c); }); };
    CHECK(direct({1, 0.9, 0.1}).find("not positive definite") != std::string::npos);
    CHECK(direct({1, 1, 1}).find("singular") != std::string::npos);
    for (const auto& c : {Vector{}, Vector{1}, Vector{0, 0}, Vector{-1, 0}, Vector{1, std::nan("")}, Vector{1, INFINITY}})
        CHECK(isOneSentence(direct(c)));
    CHECK(isOneSentence(refusal([] { modelAutocovariance({0.1, std::nan("")}); })));
}
