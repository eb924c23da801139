#include "draw/camera.h"

#include <doctest/doctest.h>

#include <cmath>

#include "random.h"

using namespace kappaflow;

namespace {

OrbitCamera camera(double azimuth, double elevation, double distance = 5) {
    return {azimuth, elevation, distance, {0.3, -0.2, 0.7}, {400, 300}, 120};
}

void checkSame(Vec2 a, Vec2 b) {
    CHECK(a.x == doctest::Approx(b.x).epsilon(1e-9));
    CHECK(a.y == doctest::Approx(b.y).epsilon(1e-9));
}

}  // namespace

TEST_CASE("the target stands at the centre with weight 1, whatever the view") {
    for (const double azimuth : {-170.0, 0.0, 33.0, 500.0})
        for (const double elevation : {-90.0, -10.0, 0.0, 45.0, 90.0}) {
            const OrbitCamera c = camera(azimuth, elevation);
            const ProjectedPoint p = c.project(c.target);
            checkSame(p.at, c.centre);
            CHECK(p.w == doctest::Approx(1));
        }
}

TEST_CASE("the camera's axes are orthonormal, right-handed, and right stays level") {
    for (const double azimuth : {-120.0, 0.0, 77.0})
        for (const double elevation : {-60.0, 0.0, 20.0, 90.0}) {
            const OrbitCamera c = camera(azimuth, elevation);
            const Vec3 r = c.right(), u = c.up(), f = c.forward();
            for (const Vec3 axis : {r, u, f}) CHECK(dot(axis, axis) == doctest::Approx(1));
            CHECK(dot(r, u) == doctest::Approx(0));
            CHECK(dot(r, f) == doctest::Approx(0));
            CHECK(dot(u, f) == doctest::Approx(0));
            const Vec3 turned{r.y * u.z - r.z * u.y, r.z * u.x - r.x * u.z, r.x * u.y - r.y * u.x};  // right × up looks at the reader
            CHECK(dot(turned, f) == doctest::Approx(-1));
            CHECK(r.z == 0);
        }
}

TEST_CASE("points at the camera and behind it keep a finite place and a positive weight") {
    const OrbitCamera c = camera(0, 0, 2);
    for (const double y : {-2.0, -3.0, -1e9}) {
        const ProjectedPoint p = c.project(c.target + Vec3{0.5, y, 0.5});
        CHECK(p.w > 0);
        CHECK(std::isfinite(p.at.x));
    }
}

TEST_CASE("a place on the screen finds the point of a level plane that is seen there") {
    Random random(3);
    const auto between = [&](double lo, double hi) { return lo + (hi - lo) * random.uniform(); };
    for (int i = 0; i < 200; ++i) {
        const OrbitCamera c = camera(between(-180, 180), between(5, 85));
        const Vec3 point{between(-1, 1), between(-1, 1), between(-1, 1)};
        const auto found = c.onLevel(c.project(point).at, point.z);
        REQUIRE(found);
        CHECK(found->x == doctest::Approx(point.x).epsilon(1e-6));
        CHECK(found->y == doctest::Approx(point.y).epsilon(1e-6));
        CHECK(found->z == doctest::Approx(point.z));
    }
    CHECK_FALSE(camera(0, 0).onLevel({400, 300}, 2));      // along the plane
    CHECK_FALSE(camera(0, 30).onLevel({400, -9000}, -1));  // above the horizon
}

TEST_CASE("the place of a level plane's points is where the camera sees them") {
    Random random(4);
    const auto between = [&](double lo, double hi) { return lo + (hi - lo) * random.uniform(); };
    for (int i = 0; i < 200; ++i) {
        const OrbitCamera c = camera(between(-180, 180), between(-85, 90));
        const PlanePlace flat{{between(-0.5, 0.5), between(-0.5, 0.5)}, {between(-1, 1), between(-1, 1)}};
        const Vec2 point{between(-1, 1), between(-1, 1)}, on = flat.at(point);
        const double z = between(-1, 1);
        checkSame(c.level(z, flat).at(point), c.project({on.x, on.y, z}).at);
    }
}

TEST_CASE("a point on a projected plane is the projection of the point on the plane") {
    const OrbitCamera c = camera(35, 20, 3);
    const auto at = [](double u, double v) { return Vec3{-1 + 2 * u, 1.5 - 3 * v, 0.2}; };
    const PlaneCorners corners{c.project(at(0, 0)), c.project(at(1, 0)), c.project(at(1, 1)), c.project(at(0, 1))};
    for (const double u : {0.0, 0.25, 0.5, 1.0})
        for (const double v : {0.0, 0.3, 1.0}) {
            const ProjectedPoint seen = pointOn(corners, u, v), direct = c.project(at(u, v));
            checkSame(seen.at, direct.at);
            CHECK(seen.w == doctest::Approx(direct.w));
        }
    // The middle of the plane is not the middle of its picture: the far half is foreshortened.
    const Vec2 middle = pointOn(corners, 0.5, 0.5).at, mean = (corners[0].at + corners[1].at + corners[2].at + corners[3].at) * 0.25;
    CHECK(std::hypot(middle.x - mean.x, middle.y - mean.y) > 1);
}

TEST_CASE("a fitted cylinder fills the rectangle and stays inside it all round") {
    const Rect area{{50, 20}, {650, 420}};
    for (const double elevation : {0.0, 20.0, 60.0, 90.0})
        for (const double halfHeight : {0.3, 1.0, 2.0}) {
            Rect seen{{1e9, 1e9}, {-1e9, -1e9}};
            for (const double azimuth : {0.0, 17.0, 160.0}) {
                OrbitCamera c{azimuth, elevation, 7, {1, 2, 3}};
                fitCylinder(c, 1.2, halfHeight, area);
                for (int i = 0; i < 720; ++i)
                    for (const double z : {-halfHeight, halfHeight}) {
                        const double turn = i * M_PI / 360;
                        const Vec2 p = c.project(c.target + Vec3{1.2 * std::cos(turn), 1.2 * std::sin(turn), z}).at;
                        seen.lo = {std::min(seen.lo.x, p.x), std::min(seen.lo.y, p.y)};
                        seen.hi = {std::max(seen.hi.x, p.x), std::max(seen.hi.y, p.y)};
                    }
            }
            CHECK(seen.lo.x >= area.lo.x - 1);
            CHECK(seen.lo.y >= area.lo.y - 1);
            CHECK(seen.hi.x <= area.hi.x + 1);
            CHECK(seen.hi.y <= area.hi.y + 1);
            CHECK((seen.width() > 0.99 * area.width() || seen.height() > 0.99 * area.height()));
        }
}

TEST_CASE("planes are drawn from the farthest level to the eye's own, on both sides of it") {
    const double heights[] = {0, 1, 2, 3, 4};
    OrbitCamera c{0, 80, 10};  // far above all
    CHECK(backToFront(c, heights) == std::vector<std::size_t>{0, 1, 2, 3, 4});
    c.elevation = -80;
    CHECK(backToFront(c, heights) == std::vector<std::size_t>{4, 3, 2, 1, 0});
    c.elevation = 0, c.target.z = 1.4;
    CHECK(backToFront(c, heights) == std::vector<std::size_t>{4, 3, 0, 2, 1});
}
