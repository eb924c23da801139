#include <doctest/doctest.h>

#include <numbers>

#include "core/expressivity/curve_pieces.h"

using namespace kappaflow;

namespace {

/// One piece of three units that share a profile: z(t) = (a cos t + b sin t + c)·direction, to rounding.
CurvePieces radial(double a, double b, double c) {
    CurvePieces curve;
    curve.units = 3;
    curve.ends = {0.1, 1.2};
    for (const double coefficient : {a, b, c})
        for (const double along : {1.0, 1.0 / 3, 0.7}) curve.coefficients.push_back(coefficient * along);
    return curve;
}

}  // namespace

TEST_CASE("Curves straight to or from the origin turn through no angle, and their crossings take no endless refinement") {
    for (const double c : {-3.0, 0.0, 0.1, 5.0}) {
        CHECK(angularLength(radial(1, 0.7, c), 2, 0) == 0);
        // A bias takes the origin off the line: (σ_w z, σ_b) turns by the angle between its ends where it runs one way.
        CHECK(angularLength(radial(1, 0.7, c), 2, 0.5) > 0);
    }
    const CurvePieces rising = radial(0, 1, 0);
    const double norm = std::sqrt(2.0 / 3 * (1 + 1.0 / 9 + 0.49));
    const double expected = std::atan2(norm * std::sin(1.2), 0.5) - std::atan2(norm * std::sin(0.1), 0.5);
    CHECK(angularLength(rising, 2, 0.25) == doctest::Approx(expected).epsilon(1e-9));
}

TEST_CASE("Crossings of a value by a curve straight away from the origin: those of one Gaussian number times its length") {
    // h = g·ρ(t), ρ from ρ₀ to ρ₁, crosses τ once where τ/ρ₁ < g <= τ/ρ₀.
    const CurvePieces rising = radial(0, 1, 0);
    const double norm = std::sqrt(2.0 / 3 * (1 + 1.0 / 9 + 0.49)), first = norm * std::sin(0.1), last = norm * std::sin(1.2);
    const auto above = [](double g) { return 0.5 * std::erfc(g / std::numbers::sqrt2); };
    CHECK(meanCrossings(rising, 2, 0, 0.8) == doctest::Approx(above(0.8 / last) - above(0.8 / first)).epsilon(1e-9));
}
