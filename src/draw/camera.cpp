#include "draw/camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace kappaflow {
namespace {

constexpr double kNearest = 0.01;

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

}  // namespace

double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

Vec3 OrbitCamera::right() const { return {std::cos(radians(azimuth)), std::sin(radians(azimuth)), 0}; }

Vec3 OrbitCamera::up() const {
    const double a = radians(azimuth), e = radians(elevation);
    return {-std::sin(a) * std::sin(e), std::cos(a) * std::sin(e), std::cos(e)};
}

Vec3 OrbitCamera::forward() const {
    const double a = radians(azimuth), e = radians(elevation);
    return {-std::sin(a) * std::cos(e), std::cos(a) * std::cos(e), -std::sin(e)};
}

Vec3 OrbitCamera::position() const { return target - forward() * distance; }

ProjectedPoint OrbitCamera::project(Vec3 point) const {
    const Vec3 q = point - target;
    const double w = std::max(1 + dot(forward(), q) / distance, kNearest);
    return {centre + Vec2{dot(right(), q), -dot(up(), q)} * (scale / w), w};
}

PlanePlace OrbitCamera::level(double z, const PlanePlace& flat) const {
    const Vec3 corner = Vec3{flat.origin.x, flat.origin.y, z} - target;
    const auto along = [&](Vec3 axis) {
        return Vec3{axis.x * flat.scale.x, axis.y * flat.scale.y, dot(axis, corner)};
    };  // by x, by y, at 0
    const Vec3 x = along(right()) * scale, y = along(up()) * -scale, w = along(forward()) * (1 / distance) + Vec3{0, 0, 1};
    const double share = 1 / w.z;
    const Vec3 across = (x + w * centre.x) * share, down = (y + w * centre.y) * share;
    return {{across.z, down.z}, {across.x, down.y}, {across.y, down.x}, {w.x * share, w.y * share}};
}

std::optional<Vec3> OrbitCamera::onLevel(Vec2 screen, double z) const {
    const Vec2 p = (screen - centre) * (1 / scale);
    const Vec3 ray = right() * p.x - up() * p.y + forward() * distance, from = position();
    const double steps = (z - from.z) / ray.z;
    if (!std::isfinite(steps) || steps <= 0) return std::nullopt;
    return from + ray * steps;
}

void fitCylinder(OrbitCamera& camera, double radius, double halfHeight, Rect area) {
    camera.scale = 1, camera.centre = {};
    // The two rims; a cylinder looks the same from every azimuth.
    const OrbitCamera front{0, camera.elevation, camera.distance, {}, {}, 1};
    Rect seen{{0, 0}, {0, 0}};
    for (int step = 0; step <= 64; ++step)
        for (const double z : {-halfHeight, halfHeight}) {
            const double turn = std::numbers::pi * step / 32;
            const Vec2 p = front.project({radius * std::cos(turn), radius * std::sin(turn), z}).at;
            seen.lo = {std::min(seen.lo.x, p.x), std::min(seen.lo.y, p.y)};
            seen.hi = {std::max(seen.hi.x, p.x), std::max(seen.hi.y, p.y)};
        }
    camera.scale = std::min(area.width() / std::max(seen.width(), 1e-9), area.height() / std::max(seen.height(), 1e-9));
    camera.centre = area.centre() - seen.centre() * camera.scale;
}

std::vector<std::size_t> backToFront(const OrbitCamera& camera, std::span<const double> heights) {
    const double eye = camera.position().z;
    std::vector<std::size_t> order(heights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Farther from the eye's own level first; across that level planes cannot hide each other.
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(heights[a] - eye) > std::abs(heights[b] - eye); });
    return order;
}

}  // namespace kappaflow
