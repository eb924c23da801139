#include "draw/stroke.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kappaflow {
namespace {

std::vector<std::vector<Vec2>> finiteParts(std::span<const Vec2> points) {
    std::vector<std::vector<Vec2>> parts(1);
    for (const Vec2 p : points) {
        if (finite(p))
            parts.back().push_back(p);
        else if (!parts.back().empty())
            parts.emplace_back();
    }
    if (parts.back().empty()) parts.pop_back();
    return parts;
}

std::vector<Vec2> withoutCrowding(const std::vector<Vec2>& points, double nearest) {
    std::vector<Vec2> kept;
    for (const Vec2 p : points)
        if (kept.empty() || length(p - kept.back()) >= nearest) kept.push_back(p);
    if (kept.size() > 1)
        kept.back() = points.back();
    else if (kept.size() == 1 && !(points.back() == kept[0]))
        kept.push_back(points.back());
    return kept;
}

// Points within `tolerance` of the line between their kept neighbours are dropped: lines from the last kept point that pass all since so
// near make a fan, and a point outside of it, or nearer than one before, ends the stretch. Linear in the number of points.
std::vector<Vec2> withoutStraight(const std::vector<Vec2>& points, double tolerance) {
    if (points.size() < 3) return points;
    const auto cross = [](Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; };
    std::vector<Vec2> kept{points[0]};
    Vec2 first{}, last{};  // the fan's edges, once a point is farther than the tolerance
    double farthest = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        Vec2 d = points[i] - kept.back();
        const bool open = farthest <= tolerance;
        if (length(d) < farthest || (!open && (cross(first, d) < 0 || cross(d, last) < 0))) {
            kept.push_back(points[i - 1]);
            d = points[i] - kept.back();
            farthest = 0;
        }
        const double far = length(d), sine = tolerance / far, cosine = std::sqrt(std::max(0.0, 1 - sine * sine));
        if (far > tolerance) {
            const Vec2 from{d.x * cosine + d.y * sine, d.y * cosine - d.x * sine}, to{d.x * cosine - d.y * sine, d.y * cosine + d.x * sine};
            if (farthest <= tolerance || cross(first, from) > 0) first = from;
            if (farthest <= tolerance || cross(to, last) > 0) last = to;
        }
        farthest = std::max(farthest, far);
    }
    kept.push_back(points.back());
    return kept;
}

// A corner sharper than a right angle becomes two blunter ones.
void addBlunted(std::vector<Vec2>& to, Vec2 before, Vec2 corner, Vec2 after, double width) {
    const Vec2 in = corner - before, out = after - corner;
    const double lengthIn = length(in), lengthOut = length(out);
    if (lengthIn == 0 || lengthOut == 0 || dot(in, out) >= 0) {
        to.push_back(corner);
        return;
    }
    const double cut = std::min({0.3 * width, 0.4 * lengthIn, 0.4 * lengthOut});
    to.push_back(corner - in * (cut / lengthIn));
    to.push_back(corner + out * (cut / lengthOut));
}

std::vector<Vec2> withBluntCorners(const std::vector<Vec2>& points, bool closed, double width) {
    const std::size_t n = points.size();
    if (n < 3) return points;
    std::vector<Vec2> blunt;
    blunt.reserve(n + n / 4);
    for (std::size_t i = 0; i < n; ++i) {
        if (!closed && (i == 0 || i + 1 == n))
            blunt.push_back(points[i]);
        else
            addBlunted(blunt, points[(i + n - 1) % n], points[i], points[(i + 1) % n], width);
    }
    return blunt;
}

}  // namespace

std::vector<std::vector<Vec2>> drawableParts(std::span<const Vec2> points, bool closed, double width, double nearest) {
    auto parts = finiteParts(points);
    const bool ring = closed && parts.size() == 1 && parts[0].size() == points.size();
    for (auto& part : parts) {
        part = withoutStraight(withoutCrowding(part, nearest), nearest / 2);
        if (ring && part.size() > 2 && length(part.front() - part.back()) < nearest) part.pop_back();
        part = withBluntCorners(part, ring, width);
    }
    parts.erase(std::remove_if(parts.begin(), parts.end(), [](const auto& part) { return part.size() < 2; }), parts.end());
    return parts;
}

DashPattern dashPattern(double width, Dash dash) {
    if (dash == Dash::Dashed) return {std::max(6.0, 4 * width), std::max(4.0, 2.6 * width)};
    return {width, 1.6 * std::max(width, 1.0)};
}

std::vector<std::vector<Vec2>> dashes(std::span<const Vec2> points, double width, Dash dash) {
    std::vector<std::vector<Vec2>> stretches;
    if (points.size() < 2) return stretches;
    double total = 0;
    for (std::size_t i = 1; i < points.size(); ++i) total += length(points[i] - points[i - 1]);
    const auto [on, off] = dashPattern(width, dash);
    if (dash == Dash::Solid || !(total / (on + off) < 20000)) return {{points.begin(), points.end()}};

    bool painting = true;
    double left = on;  // of the present dash or gap
    stretches.push_back({points[0]});
    for (std::size_t i = 1; i < points.size(); ++i) {
        Vec2 from = points[i - 1];
        const Vec2 to = points[i];
        for (double rest = length(to - from); rest > left; rest = length(to - from)) {
            from = from + (to - from) * (left / rest);
            if (painting) stretches.back().push_back(from);
            painting = !painting;
            left = painting ? on : off;
            if (painting) stretches.push_back({from});
        }
        left -= length(to - from);
        if (painting) stretches.back().push_back(to);
    }
    if (stretches.back().size() < 2) stretches.pop_back();
    return stretches;
}

bool clipSegment(Vec2& a, Vec2& b, const Rect& rect) {
    double first = 0, last = 1;
    const Vec2 d = b - a;
    const double step[] = {-d.x, d.x, -d.y, d.y};
    const double room[] = {a.x - rect.lo.x, rect.hi.x - a.x, a.y - rect.lo.y, rect.hi.y - a.y};
    for (int edge = 0; edge < 4; ++edge) {
        if (step[edge] == 0) {
            if (room[edge] < 0) return false;
            continue;
        }
        const double at = room[edge] / step[edge];
        if (step[edge] < 0)
            first = std::max(first, at);
        else
            last = std::min(last, at);
    }
    if (first > last) return false;
    const Vec2 start = a;
    if (last < 1) b = start + d * last;
    if (first > 0) a = start + d * first;
    return true;
}

std::vector<std::vector<Vec2>> clipPolyline(std::span<const Vec2> points, const Rect& rect) {
    std::vector<std::vector<Vec2>> inside;
    bool open = false;
    for (std::size_t i = 1; i < points.size(); ++i) {
        Vec2 a = points[i - 1], b = points[i];
        if (!finite(a) || !finite(b) || !clipSegment(a, b, rect)) {
            open = false;
            continue;
        }
        if (!open || !(inside.back().back() == a)) inside.push_back({a});
        inside.back().push_back(b);
        open = b == points[i];
    }
    return inside;
}

namespace {

double cross(Vec2 o, Vec2 a, Vec2 b) { return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x); }

bool isEar(std::span<const Vec2> points, const std::vector<int>& ring, std::size_t i, double turn) {
    const std::size_t n = ring.size();
    const int before = ring[(i + n - 1) % n], here = ring[i], after = ring[(i + 1) % n];
    const Vec2 a = points[before], b = points[here], c = points[after];
    if (turn * cross(a, b, c) <= 0) return false;
    return std::none_of(ring.begin(), ring.end(), [&](int other) {
        const Vec2 p = points[other];
        if (other == before || other == here || other == after || p == a || p == b || p == c) return false;
        return turn * cross(a, b, p) >= 0 && turn * cross(b, c, p) >= 0 && turn * cross(c, a, p) >= 0;
    });
}

}  // namespace

std::vector<int> triangulate(std::span<const Vec2> points) {
    std::vector<int> ring, triangles;
    double area = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        ring.push_back(static_cast<int>(i));
        area += cross({}, points[i], points[(i + 1) % points.size()]);
    }
    const double turn = area < 0 ? -1 : 1;
    while (ring.size() >= 3) {
        std::size_t ear = 0;
        while (ear < ring.size() && !isEar(points, ring, ear, turn)) ++ear;
        if (ear == ring.size()) ear = 0;  // a degenerate rest: any triangle of it covers nothing wrong worth seeing
        const std::size_t n = ring.size();
        triangles.insert(triangles.end(), {ring[(ear + n - 1) % n], ring[ear], ring[(ear + 1) % n]});
        ring.erase(ring.begin() + static_cast<std::ptrdiff_t>(ear));
    }
    return triangles;
}

RibbonShape shapeOf(const Ribbon& ribbon, Vec2 axis, int segments) {
    constexpr double kSteepest = 0.35;  // as in the shader
    const Vec2 span = ribbon.to - ribbon.from, across{-axis.y, axis.x};
    const Vec2 reach = axis * (0.5 * (span.x * axis.x + span.y * axis.y));
    const Vec2 first = ribbon.from + reach, second = ribbon.to - reach;
    RibbonShape shape;
    for (int i = 0; i <= segments; ++i) {
        const double t = static_cast<double>(i) / segments, s = 1 - t;
        const Vec2 at = ribbon.from * (s * s * s) + first * (3 * s * s * t) + second * (3 * s * t * t) + ribbon.to * (t * t * t);
        const Vec2 slope = (first - ribbon.from) * (s * s) + (second - first) * (2 * s * t) + (ribbon.to - second) * (t * t);
        const double along = std::abs(slope.x * axis.x + slope.y * axis.y) / std::max(std::hypot(slope.x, slope.y), 1e-6);
        const Vec2 half = across * (0.5 * (ribbon.widthFrom * s + ribbon.widthTo * t) / std::max(along, kSteepest));
        shape.upper.push_back(at - half);
        shape.middle.push_back(at);
        shape.lower.push_back(at + half);
    }
    return shape;
}

}  // namespace kappaflow
