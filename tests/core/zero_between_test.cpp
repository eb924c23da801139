#include "core/base/zero_between.h"

#include <doctest/doctest.h>

using namespace kappaflow;

TEST_CASE("zeros are found between places of different sign within a dozen values") {
    const auto solve = [](double (*f)(double), double a, double b, int& asked) {
        asked = 0;
        return zeroBetween([&](double x) { return ++asked, f(x); }, a, f(a), b, f(b));
    };
    int asked = 0;
    CHECK(solve([](double x) { return x * x - 2; }, 0, 2, asked) == doctest::Approx(std::sqrt(2)).epsilon(1e-12));
    CHECK(asked <= 12);
    CHECK(solve([](double x) { return std::tanh(10 * (x - 0.3)); }, 0, 1, asked) == doctest::Approx(0.3).epsilon(1e-12));
    CHECK(asked <= 14);
    CHECK(solve([](double x) { return 1 - 4 * x; }, 0, 1, asked) == doctest::Approx(0.25).epsilon(1e-12));
    CHECK(asked <= 2);
    // A step has no zero; the search ends all the same, at the step.
    CHECK(std::abs(solve([](double x) { return x < 0.7 ? -1.0 : 1.0; }, 0, 1, asked) - 0.7) < 1e-3);
    CHECK(asked <= 60);
}
