#pragma once
#include <span>
#include <vector>

#include "draw/painter.h"

namespace kappaflow {

/// x to the right, y away from the reader, z up (seen from azimuth 0).
struct Vec3 {
    double x = 0, y = 0, z = 0;
    friend Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend Vec3 operator*(Vec3 a, double s) { return {a.x * s, a.y * s, a.z * s}; }
    friend bool operator==(Vec3, Vec3) = default;
};
double dot(Vec3, Vec3);

/// A camera that circles around `target` and looks at it. With right, up and forward its own axes and q = point − target:
/// w = 1 + forward·q / distance, at = centre + scale · (right·q, −up·q) / w; so the target's depth has w = 1 and shows one unit of the
/// scene as `scale` pixels.
struct OrbitCamera {
    double azimuth = 0;    ///< degrees; the camera goes to the right round the target as it grows, so the scene turns to the left
    double elevation = 0;  ///< degrees above the horizon, −90 … 90
    double distance = 4;   ///< from the target, in units of the scene; large: no perspective
    Vec3 target;
    Vec2 centre;       ///< of the target on the screen
    double scale = 1;  ///< pixels per unit at the target

    Vec3 right() const;
    Vec3 up() const;
    Vec3 forward() const;
    Vec3 position() const;
    /// Points at the camera's depth or behind it have no place on the screen; they are taken as just before it (w = 0.01).
    ProjectedPoint project(Vec3) const;
    /// Where a point p of the level plane at height z is seen, whose x and y in the scene are flat.at(p); `flat` has neither skew nor lean,
    /// all of the plane that is drawn lies before the camera.
    PlanePlace level(double z, const PlanePlace& flat) const;
    /// The point of the level plane at height z under a place on the screen; nothing when the view runs along the plane or
    /// meets it behind the camera.
    std::optional<Vec3> onLevel(Vec2 screen, double z) const;
};

/// Sets scale and centre so that an upright cylinder around the target, seen from anywhere at this elevation, just fills the rectangle:
/// turning never changes the size. `halfHeight` and `radius` in units of the scene, the distance is larger than both together.
void fitCylinder(OrbitCamera&, double radius, double halfHeight, Rect);

/// Indices of level planes in an order in which none is drawn before one it may hide. Exact for planes that do not meet: those below
/// the camera from the lowest up, those above it from the highest down.
std::vector<std::size_t> backToFront(const OrbitCamera&, std::span<const double> heights);

}  // namespace kappaflow
