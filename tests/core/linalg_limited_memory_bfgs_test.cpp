#include <doctest/doctest.h>
#include <lbfgs.h>

#include <cmath>

#include "core/base/rng.h"
#include "core/linalg/limited_memory_bfgs.h"

using namespace kappaflow;

namespace {

using Vector = std::vector<double>;

/// Rosenbrock's valley in pairs of coordinates; its minimum 0 is at (1, 1, …).
double rosenbrock(const Vector& x, Vector& gradient) {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); i += 2) {
        const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
        value += a * a + 100 * b * b;
        gradient[i] = -2 * a - 400 * x[i] * b;
        gradient[i + 1] = 200 * b;
    }
    return value;
}

/// ½ Σ d_i (x_i − i)², d from 1 to `condition`.
double quadratic(const Vector& x, Vector& gradient, double condition) {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double d = 1 + (condition - 1) * static_cast<double>(i) / static_cast<double>(x.size() - 1),
                     e = x[i] - static_cast<double>(i);
        value += d * e * e / 2;
        gradient[i] = d * e;
    }
    return value;
}

Vector valleyStart(std::size_t n) {
    Vector x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = i % 2 ? 1.0 : -1.2;
    return x;
}

/// Values after each iteration of liblbfgs's own loop.
Vector libraryValues(Vector x, int corrections, int iterations) {
    struct Run {
        Vector values, gradient;
    } run{{}, Vector(x.size())};
    lbfgs_parameter_t params;
    lbfgs_parameter_init(&params);
    params.m = corrections;
    params.epsilon = 0;
    params.max_iterations = iterations;
    const auto evaluate = [](void* self, const double* at, double* g, int n, double) {
        auto& gradient = static_cast<Run*>(self)->gradient;
        const double value = rosenbrock(Vector(at, at + n), gradient);
        std::copy(gradient.begin(), gradient.end(), g);
        return value;
    };
    const auto progress = [](void* self, const double*, const double*, double fx, double, double, double, int, int, int) {
        static_cast<Run*>(self)->values.push_back(fx);
        return 0;
    };
    double fx = 0;
    lbfgs(static_cast<int>(x.size()), x.data(), &fx, evaluate, progress, &run, &params);
    return run.values;
}

}  // namespace

TEST_CASE("stepping goes where liblbfgs's own loop goes") {
    for (int corrections : {1, 3, 6}) {
        CAPTURE(corrections);
        const Vector expected = libraryValues(valleyStart(8), corrections, 25);
        REQUIRE(expected.size() == 25);
        LimitedMemoryBfgs search(valleyStart(8), rosenbrock, static_cast<std::size_t>(corrections));
        for (std::size_t k = 0; k < expected.size(); ++k) {
            REQUIRE(search.step());
            // Sums in another order differ by rounding, which the valley magnifies from step to step.
            CHECK(search.value() == doctest::Approx(expected[k]).epsilon(1e-6));
        }
        CHECK(search.iterations() == 25);
        CHECK(search.evaluations() >= 26);
    }
}

TEST_CASE("the minimum of a valley is found to rounding, and then no step is left") {
    LimitedMemoryBfgs search(valleyStart(20), rosenbrock);
    double before = search.value();
    while (search.step()) {
        CHECK(search.value() <= before);
        before = search.value();
    }
    CHECK(search.value() < 1e-20);
    for (double x : search.point()) CHECK(x == doctest::Approx(1).epsilon(1e-9));
    CHECK_FALSE(search.step());
}

TEST_CASE("a quadratic of n variables takes about n iterations with n corrections, its gradient falls to rounding") {
    const auto objective = [](const Vector& x, Vector& g) { return quadratic(x, g, 50); };
    LimitedMemoryBfgs search(Vector(12, 0.0), objective, 12);
    while (search.step()) {
    }
    CHECK(search.iterations() < 60);
    for (std::size_t i = 0; i < 12; ++i) CHECK(search.point()[i] == doctest::Approx(static_cast<double>(i)).epsilon(1e-8));
}

TEST_CASE("a start at the minimum, and a function without one, end in a step that says so") {
    LimitedMemoryBfgs still(Vector{1, 1}, rosenbrock);
    CHECK_FALSE(still.step());
    CHECK(still.iterations() == 0);
    const auto falling = [](const Vector& x, Vector& g) {
        g[0] = -1;
        return -x[0];
    };
    LimitedMemoryBfgs endless(Vector{0}, falling);
    int steps = 0;
    while (steps < 200 && endless.step()) ++steps;
    CHECK(steps < 200);
    const auto broken = [](const Vector& x, Vector& g) {
        g[0] = 1;
        return x[0] < -0.5 ? std::nan("") : x[0];
    };
    LimitedMemoryBfgs lost(Vector{0}, broken);
    steps = 0;
    while (steps < 200 && lost.step()) ++steps;
    CHECK(steps < 200);
    CHECK(std::isfinite(lost.value()));
    CHECK(std::isfinite(lost.point()[0]));
}
