#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/capacity/diffusion_theory.h"
#include "support/matrices.h"

using namespace kappaflow;
using Vector = std::vector<double>;

namespace {

double densityAt(const PlaneNormal& g, double y, double x) {
    const double det = g.varianceY * g.varianceX - g.covariance * g.covariance;
    const double square = (g.varianceX * y * y - 2 * g.covariance * y * x + g.varianceY * x * x) / det;
    return square > 80 ? 0 : std::exp(-0.5 * square) / (2 * std::numbers::pi * std::sqrt(det));
}

// Integral over the unit cell around (y, x): five parts along each axis, in each Gauss and Legendre's four points.
double onCell(const PlaneNormal& g, double y, double x) {
    constexpr int kParts = 5;
    const double nodes[] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526};
    const double weights[] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538};
    double sum = 0;
    for (int i = 0; i < 4 * kParts; ++i)
        for (int j = 0; j < 4 * kParts; ++j) {
            const double dy = (i / 4 + (1 + nodes[i % 4]) / 2) / kParts - 0.5, dx = (j / 4 + (1 + nodes[j % 4]) / 2) / kParts - 0.5;
            sum += weights[i % 4] * weights[j % 4] * densityAt(g, y + dy, x + dx);
        }
    return sum / (4 * kParts * kParts);
}

// So many images along each axis that what lies beyond is below 1e-16.
Vector slowTorus(const PlaneProfile& start, double scale, const PlaneNormal& g, int height, int width) {
    Vector plane(static_cast<std::size_t>(height * width));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int s = 0; s < start.height * start.width; ++s) {
                if (start.values[static_cast<std::size_t>(s)] == 0) continue;
                for (int i = -7; i <= 7; ++i)
                    for (int j = -7; j <= 7; ++j) {
                        const double dy = y + i * height - scale * (s / start.width) - g.meanY,
                                     dx = x + j * width - scale * (s % start.width) - g.meanX;
                        if (densityAt(g, dy, dx) < 1e-22 && std::abs(dy) + std::abs(dx) > 20) continue;
                        plane[static_cast<std::size_t>(y * width + x)] += start.values[static_cast<std::size_t>(s)] * onCell(g, dy, dx);
                    }
            }
    return plane;
}

PlaneProfile startOf(int height, int width) {
    PlaneProfile start{height, width, Vector(static_cast<std::size_t>(height * width))};
    start.values[1] = 0.5;
    start.values[static_cast<std::size_t>(width + 2)] = 0.2;
    start.values.back() = 0.3;
    return start;
}

}  // namespace

TEST_CASE("on a torus the overlay is the start's convolution with all images of the normal density, correlated or not") {
    for (const PlaneNormal& g :
         {PlaneNormal{0.4, -0.7, 1.5, 0.6, 0.0}, {0.4, -0.7, 1.5, 0.6, 0.5}, {12.25, 3, 2, 3, -2.3}, {0, 0, 20, 6, 9}})
        for (const double scale : {1.0, 2.0}) {
            const auto start = startOf(4, 5);
            const auto plane = diffusedPlane(start, scale, g, 8, 5, true);
            const auto slow = slowTorus(start, scale, g, 8, 5);
            for (std::size_t i = 0; i < slow.size(); ++i) CHECK(plane.values[i] == doctest::Approx(slow[i]).epsilon(1e-11));
        }
}

TEST_CASE("without covariance the overlay is the product of both axes' overlays") {
    for (const bool periodic : {true, false}) {
        PlaneProfile start{5, 7, Vector(35)};
        const Vector y{0, 0.3, 0.7, 0, 0}, x{0.5, 0, 0, 0.5, 0, 0, 0};
        for (std::size_t i = 0; i < 35; ++i) start.values[i] = y[i / 7] * x[i % 7];
        const auto plane = diffusedPlane(start, 1, {0.5, -0.25, 1.5, 4, 0}, 5, 7, periodic);
        const auto alongY = diffused(y, 1, 0.5, 1.5, 5, periodic), alongX = diffused(x, 1, -0.25, 4, 7, periodic);
        for (std::size_t i = 0; i < 35; ++i) CHECK(plane.values[i] == doctest::Approx(alongY[i / 7] * alongX[i % 7]).epsilon(1e-12));
    }
}

TEST_CASE("edges reflect: nothing is lost however narrow, wide and correlated the density") {
    for (const double variance : {0.05, 0.4, 6.0, 15.0, 4000.0})
        for (const double correlation : {0.0, 0.6, -0.7}) {
            const auto plane = diffusedPlane(startOf(6, 9), 1, {0.3, -0.4, variance, variance, correlation * variance}, 6, 9, false);
            CHECK(total(plane.values) == doctest::Approx(1).epsilon(1e-9));
            CHECK(*std::min_element(plane.values.begin(), plane.values.end()) >= 0);
        }
}

TEST_CASE("a density that is a line, or a point, gives finite numbers") {
    for (const PlaneNormal& g : {PlaneNormal{0, 0, 0, 0, 0}, {0, 0, 1, 1, 1}, {0.5, 0.5, 3, 0, 0}, {0, 0, 1e9, 1e9, 1e9}}) {
        const auto plane = diffusedPlane(startOf(5, 5), 1, g, 5, 5, true);
        for (const double p : plane.values) {
            CHECK(std::isfinite(p));
            CHECK(p >= 0);
        }
    }
    CHECK(diffusedPlane(startOf(5, 5), 1, {}, 5, 5, true).values == startOf(5, 5).values);
}
