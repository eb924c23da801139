#include "draw/stroke.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "draw/random.h"

using namespace kappaflow;

namespace {

double lengthOf(const std::vector<Vec2>& line) {
    double sum = 0;
    for (std::size_t i = 1; i < line.size(); ++i) sum += std::hypot(line[i].x - line[i - 1].x, line[i].y - line[i - 1].y);
    return sum;
}

double totalLength(const std::vector<std::vector<Vec2>>& lines) {
    double sum = 0;
    for (const auto& line : lines) sum += lengthOf(line);
    return sum;
}

bool inside(Vec2 p, const Rect& r, double slack) {
    return p.x >= r.lo.x - slack && p.x <= r.hi.x + slack && p.y >= r.lo.y - slack && p.y <= r.hi.y + slack;
}

// The slow way: the share of a great many points of the segment that lie inside.
double sampledInside(Vec2 a, Vec2 b, const Rect& r) {
    constexpr int kSamples = 20000;
    int count = 0;
    for (int i = 0; i < kSamples; ++i) count += inside(a + (b - a) * ((i + 0.5) / kSamples), r, 0);
    return std::hypot(b.x - a.x, b.y - a.y) * count / kSamples;
}

double signedArea(const std::vector<Vec2>& p) {
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += p[i].x * p[(i + 1) % p.size()].y - p[(i + 1) % p.size()].x * p[i].y;
    return sum / 2;
}

}  // namespace

TEST_CASE("a clipped segment is the part inside, as sampling finds it") {
    Random rng(11);
    const Rect rect{{-1, -0.5}, {1, 0.7}};
    for (int round = 0; round < 200; ++round) {
        const auto coordinate = [&] { return 4 * rng.uniform() - 2; };
        Vec2 a{coordinate(), coordinate()}, b{coordinate(), coordinate()};
        if (round % 5 == 0) b.x = a.x;
        const double expected = sampledInside(a, b, rect);
        const bool any = clipSegment(a, b, rect);
        CHECK((any ? std::hypot(b.x - a.x, b.y - a.y) : 0) == doctest::Approx(expected).epsilon(0.001).scale(1));
        if (any) CHECK(inside(a, rect, 1e-12));
        if (any) CHECK(inside(b, rect, 1e-12));
    }
}

TEST_CASE("a clipped line keeps its length inside, breaks where it leaves and where it is not finite") {
    const Rect rect{{0, 0}, {10, 10}};
    const Vec2 zigzag[] = {{1, 5}, {5, 15}, {9, 5}, {9, 1}};
    const auto parts = clipPolyline(zigzag, rect);
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].back().y == doctest::Approx(10));
    CHECK(parts[1].size() == 3);
    const Vec2 broken[] = {{1, 1}, {2, 2}, {NAN, 3}, {4, 4}, {5, 5}, {INFINITY, 5}, {6, 6}};
    CHECK(clipPolyline(broken, rect).size() == 2);
    CHECK(clipPolyline({}, rect).empty());
    const Vec2 away[] = {{1e15, 1e15}, {-1e15, -1e15}};
    REQUIRE(clipPolyline(away, rect).size() == 1);
    CHECK(totalLength(clipPolyline(away, rect)) == doctest::Approx(std::sqrt(200.0)));
}

TEST_CASE("dashes have one length and one gap all along, around corners too") {
    std::vector<Vec2> spiral;
    for (int i = 0; i < 4000; ++i) spiral.push_back({i * 0.05 * std::cos(i * 0.01), i * 0.05 * std::sin(i * 0.01)});
    const double total = lengthOf(spiral);
    for (const double width : {1.0, 2.0, 5.0}) {
        const auto stretches = dashes(spiral, width, Dash::Dashed);
        const double on = std::max(6.0, 4 * width), off = std::max(4.0, 2.6 * width);
        REQUIRE(stretches.size() > 10);
        for (std::size_t i = 0; i + 1 < stretches.size(); ++i) CHECK(lengthOf(stretches[i]) == doctest::Approx(on).epsilon(1e-6));
        CHECK(static_cast<double>(stretches.size()) == doctest::Approx(total / (on + off)).epsilon(0.01));
    }
    for (const auto& dot : dashes(spiral, 2, Dash::Dotted)) CHECK(lengthOf(dot) <= 2 + 1e-9);
    CHECK(dashes(spiral, 2, Dash::Solid).size() == 1);
}

TEST_CASE("drawable parts have no crowding, no spikes, and the ends they were given") {
    const Vec2 line[] = {{0, 0}, {0, 0}, {1e-6, 0}, {10, 0}, {0.5, 0.1}, {NAN, 0}, {5, 5}, {6, 6}};
    const auto parts = drawableParts(line, false, 3, 0.1);
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].front() == Vec2{0, 0});
    CHECK(parts[0].back() == Vec2{0.5, 0.1});
    for (const auto& part : parts)
        for (std::size_t i = 1; i + 1 < part.size(); ++i) {
            const Vec2 in = part[i] - part[i - 1], out = part[i + 1] - part[i];
            const double cosine = (in.x * out.x + in.y * out.y) / (std::hypot(in.x, in.y) * std::hypot(out.x, out.y));
            CHECK(cosine > -0.02);
        }
    const Vec2 dot[] = {{3, 3}};
    CHECK(drawableParts(dot, false, 1, 0.1).empty());
}

TEST_CASE("a line drawn without its straight points passes all of them within a tenth of a pixel") {
    Random rng(7);
    std::vector<std::vector<Vec2>> lines(6);
    for (int i = 0; i < 3000; ++i) {
        const double t = i / 3000.0;
        lines[0].push_back({1000 * t, 100 * std::sin(12 * t)});
        lines[1].push_back({200 * std::cos(9 * t), 150 * std::sin(9 * t)});                   // round more than once
        lines[2].push_back({1000 * t, i % 2 ? 0.0 : 50.0});                                   // to and fro
        lines[3].push_back({300 * rng.uniform(), 300 * rng.uniform()});                       // anywhere
        lines[4].push_back({std::abs(1000 - 2000 * t), 1e-9 * rng.uniform()});                // back on itself
        lines[5].push_back({3000 * t + 0.3 * rng.uniform(), 200 * t + 0.3 * rng.uniform()});  // noise of three tolerances
    }
    const auto distance = [](Vec2 p, Vec2 a, Vec2 b) {
        const Vec2 d = b - a, q = p - a;
        const double along = std::clamp((q.x * d.x + q.y * d.y) / std::max(1e-300, d.x * d.x + d.y * d.y), 0.0, 1.0);
        return std::hypot(q.x - along * d.x, q.y - along * d.y);
    };
    const std::size_t most[] = {160, 160, 6000, 6000, 4, 6000};  // a sharp corner is two points
    for (std::size_t l = 0; l < lines.size(); ++l) {
        CAPTURE(l);
        const auto parts = drawableParts(lines[l], false, 1e-9, 0.2);
        REQUIRE(parts.size() == 1);
        CHECK(parts[0].front() == lines[l].front());
        CHECK(parts[0].back() == lines[l].back());
        CHECK(parts[0].size() <= most[l]);
        double worst = 0;
        for (const Vec2 p : lines[l]) {
            double nearest = 1e9;
            for (std::size_t i = 1; i < parts[0].size(); ++i) nearest = std::min(nearest, distance(p, parts[0][i - 1], parts[0][i]));
            worst = std::max(worst, nearest);
        }
        CHECK(worst <= 0.1 + 1e-6);
    }
}

TEST_CASE("triangles of a polygon cover its area exactly") {
    Random rng(5);
    for (int round = 0; round < 50; ++round) {
        // A star-shaped polygon, concave nearly everywhere, in either direction.
        std::vector<Vec2> polygon;
        const int n = 4 + static_cast<int>(rng.below(40));
        for (int i = 0; i < n; ++i) {
            const double angle = (round % 2 ? 1 : -1) * 2 * M_PI * i / n, radius = 0.2 + rng.uniform();
            polygon.push_back({radius * std::cos(angle), radius * std::sin(angle)});
        }
        const auto triangles = triangulate(polygon);
        REQUIRE(triangles.size() == 3 * static_cast<std::size_t>(n - 2));
        double covered = 0;
        for (std::size_t i = 0; i < triangles.size(); i += 3)
            covered += std::abs(signedArea({polygon[triangles[i]], polygon[triangles[i + 1]], polygon[triangles[i + 2]]}));
        CHECK(covered == doctest::Approx(std::abs(signedArea(polygon))));
    }
    const std::vector<Vec2> flat{{0, 0}, {1, 0}, {2, 0}, {3, 0}};
    CHECK(triangulate(flat).size() == 6);
}

TEST_CASE("endless dashed lines stay finite work") {
    const Vec2 endless[] = {{0, 0}, {1e12, 0}};
    CHECK(dashes(endless, 1, Dash::Dotted).size() == 1);
}
