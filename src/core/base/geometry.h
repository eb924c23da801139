#pragma once
#include <algorithm>
#include <cmath>
#include <span>

namespace kappaflow {

struct Vec2 {
    double x = 0, y = 0;
    friend Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
    friend Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
    friend Vec2 operator*(Vec2 a, double s) { return {a.x * s, a.y * s}; }
    friend bool operator==(Vec2, Vec2) = default;
};
inline double dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
/// Positive when b lies counter-clockwise from a, y upwards.
inline double cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
inline double length(Vec2 v) { return std::hypot(v.x, v.y); }
inline bool finite(Vec2 v) { return std::isfinite(v.x) && std::isfinite(v.y); }
inline bool finite(std::span<const Vec2> points) {
    return std::all_of(points.begin(), points.end(), [](Vec2 p) { return finite(p); });
}

/// Axis-aligned, y downwards, half open: a point on `hi` lies outside.
struct Rect {
    Vec2 lo, hi;
    double width() const { return hi.x - lo.x; }
    double height() const { return hi.y - lo.y; }
    Vec2 centre() const { return (lo + hi) * 0.5; }
    bool contains(Vec2 p) const { return p.x >= lo.x && p.x < hi.x && p.y >= lo.y && p.y < hi.y; }
    Rect inset(double left, double top, double right, double bottom) const {
        return {{lo.x + left, lo.y + top}, {std::max(lo.x + left, hi.x - right), std::max(lo.y + top, hi.y - bottom)}};
    }
    friend bool operator==(Rect, Rect) = default;
};
inline bool overlap(const Rect& a, const Rect& b) { return a.lo.x < b.hi.x && b.lo.x < a.hi.x && a.lo.y < b.hi.y && b.lo.y < a.hi.y; }
inline Rect around(Vec2 centre, Vec2 half) { return {centre - half, centre + half}; }
inline Rect around(Vec2 centre, double half) { return around(centre, Vec2{half, half}); }
inline bool finite(const Rect& rect) { return finite(rect.lo) && finite(rect.hi); }

}  // namespace kappaflow
