#include "core/capacity/decoupling.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "core/linalg/decompositions.h"
#include "support/matrices.h"
#include "support/reference.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

struct Named {
    Activation activation;
    double slope;
};

Named activationOf(const std::string& name) {
    if (name == "linear") return {Activation::Identity, 0};
    if (name == "hardtanh") return {Activation::HardTanh, 0};
    if (name.rfind("leaky", 0) == 0) return {Activation::LeakyRelu, std::stod(name.substr(5))};
    return {activationFromKey(name), 0};
}

Matrix ar1(Size n, double phi) {
    Matrix sigma(n, n);
    for (Size i = 0; i < n; ++i)
        for (Size j = 0; j < n; ++j) sigma(i, j) = std::pow(phi, std::abs(static_cast<double>(i) - static_cast<double>(j)));
    return sigma;
}

/// Worst |measured − exact| in standard errors.
double worstDeviation(const SigmaTildeMeasurement& measurement, const Matrix& exact) {
    const auto mean = measurement.mean(), error = measurement.standardError();
    double worst = 0;
    for (Size k = 0; k < mean.values.size(); ++k) worst = std::max(worst, std::abs(mean.values[k] - exact.values[k]) / error.values[k]);
    return worst;
}

}  // namespace

TEST_CASE("the three decoupling coefficients of every activation and width are those of the reference") {
    int compared = 0;
    const auto nus = reference("case_09_nu.json");
    for (const auto& row : nus["quadrature"]) {
        const std::string name = row["act"];
        if (name == "sigmoid_centred") continue;  // sigmoid − ½ is no activation of the program
        INFO(name << " σ = " << row["sigma"]);
        const auto [activation, slope] = activationOf(name);
        const auto scale = decouplingScale(activation, slope, row["sigma"]);
        CHECK(std::abs(scale.nuIndependent - row["nu_ind"].get<double>()) < 1e-9);
        CHECK(std::abs(scale.nuEnergy - row["nu_energy"].get<double>()) < 1e-9);
        CHECK(std::abs(scale.nuCorrelation - row["nu_centred"].get<double>()) < 1e-9);
        CHECK(scale.etaSquareDiverges == (name == "sigmoid"));
        ++compared;
    }
    CHECK(compared == 27);
}

TEST_CASE("the sigmoid less its mean is half the tanh of half its argument, and decouples like it") {
    int compared = 0;
    const auto nus = reference("case_09_nu.json");
    for (const auto& row : nus["quadrature"]) {
        if (row["act"] != "sigmoid_centred") continue;
        const auto scale = decouplingScale(Activation::Tanh, 0, 0.5 * row["sigma"].get<double>());
        CHECK(std::abs(scale.nuIndependent - row["nu_ind"].get<double>()) < 1e-9);
        CHECK(std::abs(scale.nuEnergy - row["nu_energy"].get<double>()) < 1e-9);
        CHECK(std::abs(scale.nuCorrelation - row["nu_centred"].get<double>()) < 1e-9);
        ++compared;
    }
    CHECK(compared == 3);
}

TEST_CASE("two slopes have the closed forms, and the quadrature meets them to rounding") {
    const auto nus = reference("case_09_nu.json");
    for (const auto& row : nus["two_slope"]) {
        const TwoSlopes slopes{row["alpha"], row["beta"]};
        const double nu = twoSlopeNu(slopes);
        CHECK(std::abs(nu - row["nu"].get<double>()) < 1e-14);
        CHECK(std::abs(twoSlopeNuCorrelation(nu) - row["nu_c"].get<double>()) < 1e-14);
        for (const double sigma : {0.01, 0.3, 1.0, 50.0}) {
            const auto scale = decouplingScale(Activation::LeakyRelu, slopes.negative, sigma);
            CHECK(std::abs(scale.nuIndependent - nu) < 1e-13);
            CHECK(std::abs(scale.nuEnergy - nu) < 1e-13);
            CHECK(std::abs(scale.nuCorrelation - twoSlopeNuCorrelation(nu)) < 1e-13);
        }
    }
}

TEST_CASE("a hard tanh far inside or far outside its linear part has the limits that can be worked out") {
    // Narrow: the identity. Wide: ±1, so ν_energy = ν_c = E|z|²/E z² = 2/π.
    CHECK(decouplingScale(Activation::HardTanh, 0, 0.01).nuCorrelation == doctest::Approx(1).epsilon(1e-12));
    CHECK(decouplingScale(Activation::HardTanh, 0, 1e5).nuCorrelation == doctest::Approx(2 / std::numbers::pi).epsilon(1e-4));
    CHECK(decouplingScale(Activation::Tanh, 0, 1e5).nuEnergy == doctest::Approx(2 / std::numbers::pi).epsilon(1e-4));
    // Second moment of clamp(z, −1, 1), z ~ N(0, 1): erf(1/√2) − √(2/π) e^{−1/2} + erfc(1/√2).
    const double inside = std::erf(std::sqrt(0.5)) - std::sqrt(2 / std::numbers::pi) * std::exp(-0.5);
    CHECK(decouplingScale(Activation::HardTanh, 0, 1).energy == doctest::Approx(inside + std::erfc(std::sqrt(0.5))).epsilon(1e-13));
}

TEST_CASE("η is f(z)/z, at 0 the slope on the left, and infinite where f(0) is not 0") {
    CHECK(decouplingFactor(Activation::Tanh, 2, 0) == std::tanh(2.0) / 2);
    CHECK(decouplingFactor(Activation::LeakyRelu, -3, 0.2) == doctest::Approx(0.2));
    CHECK(decouplingFactor(Activation::LeakyRelu, 0, 0.2) == 0.2);
    CHECK(decouplingFactor(Activation::Abs, 0, 0) == -1);
    CHECK(decouplingFactor(Activation::Tanh, 0, 0) == 1);
    CHECK(std::isinf(decouplingFactor(Activation::Sigmoid, 0, 0)));
    CHECK(std::abs(decouplingFactor(Activation::PseudoRandom, 1.5, 0, 7)) == 1);
}

TEST_CASE("widths that are no widths are refused") {
    for (const double sigma : {0.0, -1.0, 1e7, std::nan("")})
        CHECK(isOneSentence(refusal([&] { decouplingScale(Activation::Tanh, 0, sigma); })));
    CHECK(isOneSentence(refusal([] { twoSlopeNu({0, 0}); })));
}

TEST_CASE("approximate and exact blocks are those of the reference") {
    const auto c = reference("case_10_sigma_tilde.json");
    const Matrix P = matrixFrom(c["P"]), sigma = matrixFrom(c["Sigma"]);
    for (const auto& [nu, expected] : c["approx"].items())
        CHECK(largestDifference(approximateSigmaTilde(std::stod(nu), 3, sigma), matrixFrom(expected)) < 1e-15);
    for (const auto& [name, row] : c["exact"].items())
        CHECK(largestDifference(exactSigmaTilde({row["alpha"], row["beta"]}, P, sigma), matrixFrom(row["Sigma_tilde"])) < 1e-12);
}

TEST_CASE("the exact blocks give the arc-cosine kernel of the features and the arcsine law of the signs") {
    const auto c = reference("case_10_sigma_tilde.json");
    const Matrix P = matrixFrom(c["P"]), sigma = matrixFrom(c["Sigma"]);
    const auto relu = exactSigmaTilde({0, 1}, P, sigma), expected = matrixFrom(c["Sigma_phi_relu"]);
    const Matrix inverse = pseudoInverse(sigma).inverse, variance = congruence(P, sigma);
    for (Size i = 0; i < 3; ++i)
        for (Size j = 0; j < 3; ++j) {
            double phi = 0, trace = 0;
            for (Size k = 0; k < 4; ++k)
                for (Size l = 0; l < 4; ++l) {
                    phi += P(k, i) * relu(4 * i + k, 4 * j + l) * P(l, j);
                    trace += inverse(k, l) * relu(4 * i + l, 4 * j + k);
                }
            CHECK(std::abs(phi - expected(i, j)) < 1e-12);
            const double rho = std::min(1.0, variance(i, j) / std::sqrt(variance(i, i) * variance(j, j)));
            CHECK(std::abs(trace / 4 - (0.5 + 0.5 * 2 / std::numbers::pi * std::asin(rho))) < 1e-12);
        }
}

TEST_CASE("equal features are one feature: their blocks are Σ, and −Σ for opposite ones under |z|") {
    const Matrix sigma = ar1(2, 0.3), P(2, 3, {0.6, 0.6, -0.6, 0.8, 0.8, -0.8});
    const auto tilde = exactSigmaTilde({-1, 1}, P, sigma);
    for (Size k = 0; k < 2; ++k)
        for (Size l = 0; l < 2; ++l) {
            CHECK(tilde(k, 2 + l) == doctest::Approx(sigma(k, l)));
            CHECK(tilde(k, 4 + l) == doctest::Approx(-sigma(k, l)));
        }
}

TEST_CASE("40000 draws meet the exact blocks within five standard errors in all of 144 entries" * doctest::test_suite("long")) {
    const auto c = reference("case_10_sigma_tilde.json");
    const Matrix P = matrixFrom(c["P"]), sigma = matrixFrom(c["Sigma"]);
    for (const Named& a : {Named{Activation::Relu, 0}, {Activation::Abs, 0}, {Activation::LeakyRelu, 0.2}, {Activation::Identity, 0}}) {
        SigmaTildeMeasurement measurement(P, sigma, a.activation, a.slope, 11);
        measurement.add(40000);
        CHECK(worstDeviation(measurement, exactSigmaTilde(*twoSlopes(a.activation, a.slope), P, sigma)) < 5);
        CHECK(measurement.largestStandardError() < 0.02);
    }
    SigmaTildeMeasurement hashed(P, sigma, Activation::PseudoRandom, 0, 11);
    hashed.add(40000);
    CHECK(worstDeviation(hashed, approximateSigmaTilde(0, 3, sigma)) < 5);
}

TEST_CASE("diagonal blocks of a smooth activation have mean η² one at the feature's own width") {
    // One input, two features of different norm: Σ̃_jj = E[η² y²]/E η², worked out by the quadrature of another activation width.
    const Matrix P(2, 2, {1.5, 0, 0, 0.4});
    SigmaTildeMeasurement measurement(P, identityMatrix(2), Activation::Tanh, 0, 5);
    measurement.add(40000);
    // y_2 is independent of z_1 = 1.5 y_1, so its entry in block 1 is E η_1² E y_2² = 1 within five standard errors.
    CHECK(std::abs(measurement.mean()(1, 1) - 1) < 5 * measurement.standardError()(1, 1));
    CHECK(std::abs(measurement.mean()(2, 2) - 1) < 5 * measurement.standardError()(2, 2));
}

TEST_CASE("draws do not depend on how they are sliced, and four times as many halve the error") {
    const Matrix P = gaussianMatrix(3, 2, 2), sigma = identityMatrix(3);
    SigmaTildeMeasurement whole(P, sigma, Activation::Tanh, 0, 3), sliced = whole;
    whole.add(2000);
    const double before = whole.largestStandardError();
    for (const Size slice : {1u, 499u, 1500u}) sliced.add(slice);
    CHECK(sliced.draws() == 2000);
    CHECK(sliced.mean().values == whole.mean().values);
    CHECK(sliced.standardError().values == whole.standardError().values);
    whole.add(6000);
    CHECK(whole.largestStandardError() / before == doctest::Approx(0.5).epsilon(0.15));
    CHECK(SigmaTildeMeasurement(P, sigma, Activation::Tanh, 0, 3).mean().values == std::vector<double>(36, 0.0));
}

TEST_CASE("features without weights, flat covariances and wrong sizes are refused") {
    const auto measure = [](const Matrix& P, const Matrix& sigma) {
        return refusal([&] { SigmaTildeMeasurement(P, sigma, Activation::Relu, 0, 1); });
    };
    CHECK(isOneSentence(measure(Matrix(2, 1), identityMatrix(2))));
    CHECK(isOneSentence(measure(Matrix(2, 1, {1, 0}), Matrix(2, 2, {1, 1, 1, 1}))));
    CHECK(isOneSentence(measure(Matrix(3, 1, {1, 0, 0}), identityMatrix(2))));
}
