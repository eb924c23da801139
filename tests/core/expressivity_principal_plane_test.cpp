#include "core/expressivity/curve_plane.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

/// Gaussian points with spreads 3, 2, 1, 0.5, … along random orthogonal directions.
std::vector<double> spreadPoints(std::size_t count, std::size_t units, std::uint64_t seed) {
    Rng rng(seed, Purpose::Data);
    Matrix mixing(units, units);
    for (double& value : mixing.values) value = rng.gaussian();
    const Matrix turn = spanBasis(mixing).basis;
    std::vector<double> points(count * units);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t a = 0; a < units; ++a) {
            const double along = rng.gaussian() * (a == 0 ? 3 : a == 1 ? 2 : 1 / static_cast<double>(a));
            for (std::size_t u = 0; u < units; ++u) points[i * units + u] += 5 + along * turn(u, a);
        }
    return points;
}

/// The slow way: all eigenvectors of the covariance.
PlaneImage slowPlane(const std::vector<double>& points, std::size_t units) {
    const std::size_t count = points.size() / units;
    Matrix deviations(count, units, points);
    for (std::size_t u = 0; u < units; ++u) {
        double mean = 0;
        for (std::size_t i = 0; i < count; ++i) mean += points[i * units + u] / static_cast<double>(count);
        for (std::size_t i = 0; i < count; ++i) deviations(i, u) -= mean;
    }
    const SymmetricEigen eigen = symmetricEigen(transposedProduct(deviations, deviations));
    double all = 0;
    for (const double value : eigen.values) all += value;
    PlaneImage image{{}, (eigen.values[units - 1] + eigen.values[units - 2]) / all};
    for (std::size_t i = 0; i < count; ++i) {
        image.at.push_back({0, 0});
        for (std::size_t a = 0; a < 2; ++a)
            for (std::size_t u = 0; u < units; ++u) image.at[i][a] += deviations(i, u) * eigen.vectors(u, units - 1 - a);
    }
    return image;
}

}  // namespace

TEST_CASE("principal plane: the two leading eigenvectors of the covariance, up to their signs") {
    // Many points of few units, and fewer points than units, whose own products are shorter.
    const std::pair<std::size_t, std::size_t> sizes[] = {{3, 300}, {8, 300}, {40, 300}, {40, 25}, {200, 60}};
    for (const auto& [units, count] : sizes) {
        const auto points = spreadPoints(count, units, units);
        const PlaneImage plane = principalPlane(points, units), slow = slowPlane(points, units);
        CHECK(plane.share == doctest::Approx(slow.share).epsilon(1e-9));
        for (std::size_t a = 0; a < 2; ++a) {
            const double sign = plane.at[0][a] * slow.at[0][a] > 0 ? 1 : -1;
            for (std::size_t i = 0; i < plane.at.size(); ++i) CHECK(plane.at[i][a] == doctest::Approx(sign * slow.at[i][a]).epsilon(1e-6));
        }
    }
}

TEST_CASE("principal plane: points of a plane keep their distances, and points of a line or at one place have a share of 1") {
    Rng rng(3, Purpose::Data);
    std::vector<double> flat;
    std::vector<std::array<double, 2>> drawn;
    for (int i = 0; i < 50; ++i) {
        drawn.push_back({rng.gaussian(), rng.gaussian()});
        // Along (1, 2, 2)/3 and (2, 1, −2)/3.
        const double x = drawn.back()[0] / 3, y = drawn.back()[1] / 3;
        flat.insert(flat.end(), {x + 2 * y, 2 * x + y, 2 * x - 2 * y});
    }
    const PlaneImage plane = principalPlane(flat, 3);
    CHECK(plane.share == doctest::Approx(1));
    for (std::size_t i = 1; i < drawn.size(); ++i)
        CHECK(std::hypot(plane.at[i][0] - plane.at[0][0], plane.at[i][1] - plane.at[0][1]) ==
              doctest::Approx(std::hypot(drawn[i][0] - drawn[0][0], drawn[i][1] - drawn[0][1])));
    CHECK(principalPlane(std::vector<double>(12, 4.0), 3).share == 1);
    const PlaneImage line = principalPlane(std::vector<double>{0, 0, 1, 1, 2, 2}, 2);
    CHECK(line.share == doctest::Approx(1));
    CHECK(std::abs(line.at[2][0] - line.at[0][0]) == doctest::Approx(2 * std::sqrt(2.0)));
    CHECK(std::abs(line.at[2][1]) < 1e-12);
    CHECK(principalPlane(std::vector<double>{1, 2, 3}, 1).share == doctest::Approx(1));
}

TEST_CASE("principal plane: beside other points it is turned and mirrored to lie nearest to them") {
    const auto points = spreadPoints(200, 6, 9);
    const PlaneImage plane = principalPlane(points, 6);
    for (const double mirror : {1.0, -1.0})
        for (const double angle : {0.3, 2.0, 4.5}) {
            std::vector<std::array<double, 2>> wanted;
            for (const auto& p : plane.at)
                wanted.push_back(
                    {std::cos(angle) * p[0] - std::sin(angle) * mirror * p[1], std::sin(angle) * p[0] + std::cos(angle) * mirror * p[1]});
            const PlaneImage aligned = principalPlane(points, 6, wanted);
            for (std::size_t i = 0; i < wanted.size(); ++i)
                for (int a = 0; a < 2; ++a) CHECK(aligned.at[i][a] == doctest::Approx(wanted[i][a]).epsilon(1e-9));
        }
}

TEST_CASE("principal plane: a point of weight 2 counts as two, one of weight 0 as none") {
    const auto points = spreadPoints(40, 5, 12);
    std::vector<double> weights(40, 1.0), repeated = points;
    for (std::size_t i = 0; i < 10; ++i) weights[i] = 2, weights[39 - i] = 0;
    repeated.resize(30 * 5);
    repeated.insert(repeated.end(), points.begin(), points.begin() + 50);
    const PlaneImage weighted = principalPlane(points, 5, {}, weights), plain = principalPlane(repeated, 5);
    CHECK(weighted.share == doctest::Approx(plain.share).epsilon(1e-9));
    for (std::size_t i = 0; i < 30; ++i)
        for (std::size_t a = 0; a < 2; ++a) CHECK(weighted.at[i][a] == doctest::Approx(plain.at[i][a]).epsilon(1e-6));
}

TEST_CASE("principal plane: sizes that do not fit and numbers that are none are refused in a sentence") {
    const std::vector<double> points{1, 2, 3, 4}, broken{1, std::numeric_limits<double>::infinity()};
    const std::vector<std::array<double, 2>> one{{0, 0}};
    CHECK(isOneSentence(refusal([&] { principalPlane(points, 3); })));
    CHECK(isOneSentence(refusal([&] { principalPlane(points, 0); })));
    CHECK(isOneSentence(refusal([&] { principalPlane({}, 2); })));
    CHECK(isOneSentence(refusal([&] { principalPlane(points, 2, one); })));
    CHECK(isOneSentence(refusal([&] { principalPlane(broken, 2); })));
}
