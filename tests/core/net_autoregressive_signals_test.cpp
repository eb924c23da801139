#include <doctest/doctest.h>

#include <cmath>

#include "core/net/data_sets.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

const std::vector<Autoregression> kProcesses = {{0.9, 0}, {-0.5, 0}, {1.2, -0.6}};

}  // namespace

TEST_CASE("autocorrelations follow the recursion of Yule and Walker") {
    const auto ar1 = autocorrelation({0.9, 0}, 4);
    for (std::size_t k = 0; k < 4; ++k) CHECK(ar1[k] == doctest::Approx(std::pow(0.9, k)).epsilon(1e-14));
    const auto ar2 = autocorrelation({1.2, -0.6}, 3);
    CHECK(ar2[1] == doctest::Approx(0.75));
    CHECK(ar2[2] == doctest::Approx(0.3));
}

TEST_CASE("signals of each class have their process's autocovariance, from the first value on") {
    constexpr std::size_t kSamples = 6000, kLength = 24;
    const LabelledPoints set = autoregressiveSignals(kProcesses, kSamples, kLength, 3);
    REQUIRE(set.points.rows == kLength);
    REQUIRE(set.classes.size() == 3);
    for (std::size_t c = 0; c < 3; ++c) {
        const auto rho = autocorrelation(kProcesses[c], kLength);
        for (const std::size_t from : {0, 1, 7, 15})
            for (std::size_t lag = 0; lag < 8; ++lag) {
                double sum = 0, squares = 0;
                for (std::size_t s = c; s < kSamples; s += 3) {
                    REQUIRE(set.labels[s] == static_cast<int>(c));
                    const double product = set.points(from, s) * set.points(from + lag, s);
                    sum += product, squares += product * product;
                }
                const double n = kSamples / 3, mean = sum / n, error = std::sqrt((squares / n - mean * mean) / n);
                CAPTURE(c);
                CAPTURE(from);
                CAPTURE(lag);
                CHECK(std::abs(mean - rho[lag]) < 4 * error);
            }
    }
}

TEST_CASE("more signals keep the earlier ones") {
    const Matrix few = autoregressiveSignals(kProcesses, 10, 9, 3).points, many = autoregressiveSignals(kProcesses, 30, 9, 3).points;
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t s = 0; s < 10; ++s) CHECK(few(i, s) == many(i, s));
}

TEST_CASE("processes that are not stationary, and signals of no size, are refused in a sentence") {
    const auto refused = [](std::vector<Autoregression> p, std::size_t samples, std::size_t length) {
        return isOneSentence(refusal([&] { autoregressiveSignals(p, samples, length, 1); }));
    };
    CHECK(refused({{1, 0}, {0.5, 0}}, 10, 10));
    CHECK(refused({{0.5, 0}, {0, -1}}, 10, 10));
    CHECK(refused({{0.5, 0}, {double(NAN), 0}}, 10, 10));
    CHECK(refused({{0.5, 0}}, 10, 10));
    CHECK(refused(kProcesses, 1, 10));
    CHECK(refused(kProcesses, kMaxSamples + 1, 10));
    CHECK(refused(kProcesses, 10, 1));
    CHECK(refused(kProcesses, 10, 5000));
}
