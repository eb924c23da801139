#include "core/capacity/diffusion_theory.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "support/matrices.h"

using namespace kappaflow;
using Vector = std::vector<double>;

namespace {

double density(double x, double variance) { return std::exp(-0.5 * x * x / variance) / std::sqrt(2 * std::numbers::pi * variance); }

// The density's integral from x − 1/2 to x + 1/2 by Gauss and Legendre's rule of three points in each of a dozen parts.
double normal(double x, double variance) {
    const int parts = variance < 1 ? 200 : 12;
    const double h = 1.0 / parts, node = std::sqrt(0.6) * h / 2;
    double sum = 0;
    for (int i = 0; i < parts; ++i) {
        const double middle = x - 0.5 + h * (i + 0.5);
        sum += 5 * density(middle - node, variance) + 8 * density(middle, variance) + 5 * density(middle + node, variance);
    }
    return sum * h / 18;
}

// Two thousand images, nearest or not; those too far out for the sum to see are not integrated.
double slowWrapped(double d, double mean, double variance, int period) {
    double sum = 0;
    for (int n = -1000; n <= 1000; ++n)
        if (const double x = d + n * period - mean; std::abs(x) < 1 + 12 * std::sqrt(variance)) sum += normal(x, variance);
    return sum;
}

// The start on an endless line of mirror images.
Vector slowReflected(const Vector& start, double mean, double variance, int width) {
    Vector row(static_cast<std::size_t>(width));
    for (int image = -400; image <= 400; ++image)
        for (int x = 0; x < width; ++x)
            for (std::size_t y = 0; y < start.size(); ++y) {
                const double at = image % 2 == 0 ? image * width + x : image * width + (width - 1 - x);
                if (start[y] != 0 && std::abs(at - static_cast<double>(y) - mean) < 12 * std::sqrt(variance))
                    row[static_cast<std::size_t>(x)] += start[y] * normal(at - static_cast<double>(y) - mean, variance);
            }
    return row;
}

}  // namespace

TEST_CASE("the normal density on a cell is its integral, in the middle and in the tails") {
    for (const double variance : {0.02, 0.5, 1.0, 7.0, 400.0})
        for (const double x : {0.0, 0.2, -0.5, 1.0, -3.25, 4.0})
            CHECK(normalOnCell(x, variance) == doctest::Approx(normal(x, variance)).epsilon(variance < 0.1 ? 1e-7 : 1e-12));
    // erf(1/√8) and (erfc(9.5/√2) − erfc(10.5/√2))/2, to their last digits.
    CHECK(normalOnCell(0, 1) == doctest::Approx(0.38292492254802624).epsilon(1e-14));
    CHECK(normalOnCell(-10, 1) == doctest::Approx(1.0494083174730946e-21).epsilon(1e-10));
}

TEST_CASE("the wrapped normal density on the cells is the sum over all images, narrow or wide") {
    for (const double variance : {0.02, 0.8, 7.0, 60.0, 900.0, 1e5}) {
        for (const double mean : {0.0, 0.3, -41.7, 1000.25}) {
            const auto density = wrappedNormal(mean, variance, 13);
            for (int d = 0; d < 13; ++d)
                CHECK(density[static_cast<std::size_t>(d)] == doctest::Approx(slowWrapped(d, mean, variance, 13)).epsilon(1e-11));
        }
    }
}

TEST_CASE("a wrapped Gaussian sums to 1, however much narrower or wider than a position") {
    for (const double variance : {1e-4, 0.03, 0.2, 2.0, 16.0, 500.0, 1e7})
        for (const int period : {1, 2, 65, 400}) CHECK(total(wrappedNormal(0.4, variance, period)) == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("without variance the density is the shifted start itself") {
    CHECK(wrappedNormal(0, 0, 3) == Vector{1, 0, 0});
    CHECK(wrappedNormal(-1, 0, 3) == Vector{0, 0, 1});
    CHECK(diffused({0.2, 0.8, 0}, 1, 0, 0, 3, false) == Vector{0.2, 0.8, 0});
    CHECK(diffused({0.2, 0.8, 0}, 1, 1, 0, 3, true) == Vector{0, 0.2, 0.8});
}

TEST_CASE("on a ring the overlay is the start's convolution with the wrapped density") {
    const Vector start{0.5, 0, 0.2, 0, 0, 0.3};
    const auto row = diffused(start, 1, 0.7, 3, 6, true);
    for (int x = 0; x < 6; ++x) {
        double expected = 0;
        for (int y = 0; y < 6; ++y) expected += start[static_cast<std::size_t>(y)] * slowWrapped(x - y, 0.7, 3, 6);
        CHECK(row[static_cast<std::size_t>(x)] == doctest::Approx(expected).epsilon(1e-12));
    }
    CHECK(total(row) == doctest::Approx(1).epsilon(1e-11));
}

TEST_CASE("on a line both ends reflect") {
    const Vector start{0.6, 0, 0, 0.4, 0, 0, 0};
    for (const double variance : {1.5, 20.0, 300.0}) {
        const auto row = diffused(start, 1, 0, variance, 7, false), expected = slowReflected(start, 0, variance, 7);
        for (std::size_t x = 0; x < 7; ++x) CHECK(row[x] == doctest::Approx(expected[x]).epsilon(1e-11));
    }
}

TEST_CASE("a strided stack's overlay stands at the scaled positions") {
    const auto row = diffused({0, 1, 0}, 4, 0, 0, 12, false);
    CHECK(row[4] == 1);
    CHECK(total(row) == 1);
}
