#include "draw/contour.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "random.h"

using namespace kappaflow;

namespace {

constexpr double kShare = 0.68;

std::vector<double> gaussian(std::size_t rows, std::size_t cols, Vec2 centre, double sigmaX, double sigmaY) {
    std::vector<double> values;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < cols; ++c) {
            const double x = (static_cast<double>(c) - centre.x) / sigmaX, y = (static_cast<double>(r) - centre.y) / sigmaY;
            values.push_back(std::exp(-0.5 * (x * x + y * y)));
        }
    return values;
}

double total(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v > 0 ? v : 0;
    return sum;
}

double heldAbove(const std::vector<double>& values, double level) {
    double sum = 0;
    for (const double v : values) sum += v > level ? v : 0;
    return sum / total(values);
}

/// Winding number by adding up angles: the slow way to tell whether a cell lies inside.
int windings(const std::vector<Vec2>& loop, Vec2 p) {
    double turned = 0;
    for (std::size_t i = 0; i < loop.size(); ++i) {
        const Vec2 a = loop[i] - p, b = loop[(i + 1) % loop.size()] - p;
        turned += std::atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y);
    }
    return static_cast<int>(std::lround(turned / (2 * M_PI)));
}

}  // namespace

TEST_CASE("the contour of a Gaussian is a circle of radius σ √(−2 ln(1 − share)), closed, one piece") {
    for (const double sigma : {1.5, 3.0, 4.5})
        for (const double shift : {0.0, 0.37}) {
            const Vec2 centre{20 + shift, 20 - shift};
            const auto values = gaussian(41, 41, centre, sigma, sigma);
            const auto loops = contourLoops(41, 41, values, levelHolding(values, kShare));
            REQUIRE(loops.size() == 1);
            const double radius = sigma * std::sqrt(-2 * std::log(1 - kShare));
            for (const Vec2& p : loops[0]) CHECK(std::abs(std::hypot(p.x - centre.x, p.y - centre.y) - radius) < 0.25);
            CHECK(loopArea(loops[0]) == doctest::Approx(M_PI * radius * radius).epsilon(0.08));
        }
}

TEST_CASE("cells inside the contour hold the share, whatever the numbers and their order") {
    Random random(5);
    for (int trial = 0; trial < 50; ++trial) {
        std::vector<double> values(400);
        for (double& v : values) v = std::pow(random.uniform(), 3);
        std::vector<double> sorted = values;
        std::sort(sorted.begin(), sorted.end());
        for (const double share : {0.001, 0.3, 0.68, 0.95}) {
            const double level = levelHolding(values, share);
            if (share > 0.1) CHECK(heldAbove(values, level) == doctest::Approx(share).epsilon(0.02));
            CHECK(levelHolding(sorted, share) == doctest::Approx(level).epsilon(1e-12));
        }
    }
}

TEST_CASE("every cell above the level is surrounded once, every cell below it not at all") {
    Random random(6);
    for (int trial = 0; trial < 20; ++trial) {
        const std::size_t rows = 1 + random.below(9), cols = 1 + random.below(9);
        std::vector<double> values(rows * cols);
        for (double& v : values) v = random.uniform();
        const auto loops = contourLoops(rows, cols, values, 0.5);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < cols; ++c) {
                int round = 0;
                for (const auto& loop : loops) round += windings(loop, {static_cast<double>(c), static_cast<double>(r)});
                CHECK(round == (values[r * cols + c] > 0.5 ? 1 : 0));
            }
    }
}

TEST_CASE("holes are lines the other way round") {
    const std::vector<double> ring{1, 1, 1, 1, 0, 1, 1, 1, 1};
    const auto loops = contourLoops(3, 3, ring, 0.5);
    REQUIRE(loops.size() == 2);
    CHECK(loopArea(loops[0]) * loopArea(loops[1]) < 0);
    CHECK(loopArea(loops[0]) + loopArea(loops[1]) > 0);
}

TEST_CASE("lines stay inside the outermost cells") {
    const std::vector<double> full(12, 1.0);
    const auto loops = contourLoops(3, 4, full, 0.1);
    REQUIRE(loops.size() == 1);
    for (const Vec2& p : loops[0]) {
        CHECK(p.x >= -0.5);
        CHECK(p.x <= 3.5);
        CHECK(p.y >= -0.5);
        CHECK(p.y <= 2.5);
    }
    CHECK(loopArea(loops[0]) == doctest::Approx(12).epsilon(0.1));
}

TEST_CASE("the level scales with the numbers, and a flat field holds its share above a level below its own") {
    const auto values = gaussian(9, 9, {4, 4}, 2, 2);
    auto tenfold = values;
    for (double& v : tenfold) v *= 10;
    CHECK(levelHolding(tenfold, kShare) == doctest::Approx(10 * levelHolding(values, kShare)));
    const std::vector<double> flat(9, 0.25);
    CHECK(levelHolding(flat, 0.5) == doctest::Approx(0.25));
    CHECK(levelHolding(flat, kShare) == doctest::Approx(0.25 * (1 - 0.18 / 0.5)));
    CHECK(contourLoops(3, 3, flat, levelHolding(flat, kShare)).size() == 1);
}

TEST_CASE("nothing has no contour") {
    const std::vector<double> nothing{0, 0, NAN, -1};
    CHECK(std::isnan(levelHolding(nothing, kShare)));
    CHECK(contourLoops(2, 2, nothing, levelHolding(nothing, kShare)).empty());
    CHECK(contourLoops(2, 2, nothing, 0.5).empty());
    CHECK(contourLoops(3, 3, nothing, 0.5).empty());
    CHECK(contourLoops(0, 0, {}, 0.5).empty());
}

TEST_CASE("NaN cells count as nothing") {
    const std::vector<double> values{NAN, NAN, NAN, NAN, 1, NAN, NAN, NAN, NAN};
    CHECK(contourLoops(3, 3, values, 0.5).size() == 1);
}

TEST_CASE("the convex hull surrounds all points, turns one way, and is made of them") {
    Random random(7);
    for (int trial = 0; trial < 30; ++trial) {
        std::vector<Vec2> points(3 + random.below(40));
        for (Vec2& p : points) p = {std::floor(10 * random.uniform()), std::floor(10 * random.uniform())};
        const auto hull = convexHull(points);
        if (hull.size() < 3) continue;
        for (std::size_t i = 0; i < hull.size(); ++i) {
            const Vec2 a = hull[i], b = hull[(i + 1) % hull.size()];
            CHECK(std::find(points.begin(), points.end(), a) != points.end());
            for (const Vec2& p : points) CHECK((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) >= -1e-9);
        }
        CHECK(loopArea(hull) > 0);
    }
    CHECK(convexHull({{1, 1}, {1, 1}}).size() == 1);
    CHECK(convexHull({{0, 0}, {1, 1}, {2, 2}}).size() <= 2);
}
