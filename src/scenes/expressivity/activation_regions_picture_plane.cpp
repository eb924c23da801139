// How the plane lies in its three dimensions, turned and shifted by its knobs; the trajectory laid over the regions.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions_picture.h"
#include "scenes/expressivity/picture_curves.h"

namespace kappaflow::activation_regions {
namespace {

using region_mesh::Stage;

struct Point3 {
    double a, b, c;
};

/// Seen from above at an angle.
Vec2 project(Point3 p, Vec2 middle, double scale) {
    return middle + Vec2{0.9 * p.a - 0.5 * p.b, 0.22 * p.a + 0.42 * p.b - 0.85 * p.c} * scale;
}

struct Knob {
    const char *key, *label;
    double value;
    Vec2 at;
    double least, most, step;
    Vec2 perPixel;  ///< change of the value for a pixel right, and for one down
};

void offer(const Seen& s, const Knob& k, MarkerShape shape) {
    const double value = k.value;
    const bool angle = k.most == 180;
    const Vec2 moved = s.f.handles.pointer().moved;
    const double far = value + moved.x * k.perPixel.x + moved.y * k.perPixel.y, dragged = angle ? far - 360 * std::round(far / 360) : far;
    const auto grip =
        s.f.handles.offer({k.key, k.label, inWords(value, 4) + (angle ? "°" : ""), value, k.least, k.most, k.step, knobRect(k.at)});
    // The keyboard goes by steps, a drag also between them.
    const double to = grip.held ? dragged : grip.moved ? grip.value : value;
    if (to != value) s.f.changes.push_back(Change::param(k.key, std::round(std::clamp(to, k.least, k.most) * 1000) / 1000));
    drawKnob(s.f, "plane/knob", k.at, grip, shape);
}

}  // namespace

void drawPlane(const Seen& s, Rect panel) {
    const Params& p = s.params;
    const double degree = 3.14159265358979 / 180, a = p.azimuth * degree, t = p.tilt * degree;
    const Vec2 middle = panel.centre() + Vec2{0, 6};
    const double scale = 0.36 * std::min(panel.width(), panel.height());
    const double half = p.half, lift = std::clamp(p.shift / half, -0.7, 0.7);
    const Point3 u{std::cos(a), std::sin(a), 0}, w{-std::sin(a) * std::cos(t), std::cos(a) * std::cos(t), std::sin(t)};
    const Point3 n{std::sin(a) * std::sin(t), -std::cos(a) * std::sin(t), std::cos(t)};
    const auto at = [&](double s, double r) {
        return project({s * u.a + r * w.a + lift * n.a, s * u.b + r * w.b + lift * n.b, s * u.c + r * w.c + lift * n.c}, middle, scale);
    };
    const TextStyle style{
        .color = s.f.theme.muted, .size = s.f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Middle, .halo = s.f.theme.ground};
    for (const auto& [axis, name] : {std::pair<Point3, const char*>{{1.15, 0, 0}, "1"}, {{0, 1.15, 0}, "2"}, {{0, 0, 1.15}, "3"}}) {
        const Vec2 tip = project(axis, middle, scale);
        s.f.painter.line("plane/axis", middle, tip, {s.f.theme.muted, 1});
        s.f.painter.text("plane/axis/name", tip + (tip - middle) * (9 / std::max(1.0, std::hypot(tip.x - middle.x, tip.y - middle.y))),
                         name, style);
    }
    const Vec2 quad[] = {at(-0.8, -0.8), at(0.8, -0.8), at(0.8, 0.8), at(-0.8, 0.8)};
    s.f.painter.polygon("plane/quad", quad, s.f.theme.accent.withAlpha(0.22f));
    s.f.painter.line("plane/quad", quad, {s.f.theme.accent, 1.4}, true);
    offer(s, {"azimuth", "direction of the plane", p.azimuth, at(0.8, 0), -180, 180, 5, {-0.7, 0.7}}, MarkerShape::Circle);
    offer(s, {"tilt", "tilt of the plane", p.tilt, at(0, 0.8), -180, 180, 5, {0.3, -0.7}}, MarkerShape::Square);
    offer(s, {"shift", "shift of the plane", p.shift, at(0, 0), -100, 100, 0.05 * half, {0, -0.02 * half}}, MarkerShape::Diamond);
}

namespace {

// The trajectory laid over the regions, and its knobs.

constexpr double kMost = 1e4, kLeastRadius = 1e-5, kMostRadius = 1000;
constexpr Size kMostKnobs = 64;

/// Point at a share of a line's length.
Vec2 pointAt(const std::vector<Vec2>& line, double share) {
    double length = 0;
    for (Size i = 1; i < line.size(); ++i) length += std::hypot(line[i].x - line[i - 1].x, line[i].y - line[i - 1].y);
    double left = share * length;
    for (Size i = 1; i < line.size(); ++i) {
        const double step = std::hypot(line[i].x - line[i - 1].x, line[i].y - line[i - 1].y);
        if (left <= step && step > 0) return line[i - 1] + (line[i] - line[i - 1]) * (left / step);
        left -= step;
    }
    return line.empty() ? Vec2{} : line.back();
}

/// A point of the plane as a knob. Where it was moved to, if it was.
std::optional<Vec2> offerPoint(const Seen& s, const Stage& stage, const std::string& id, const std::string& label, Vec2 point) {
    const Vec2 at = stage.toScreen(point), far{kMost, kMost};
    Handles::Grip grip;
    const auto moved = dragPoint(
        s.f, {id, label, point, far * -1, far, stage.half / 50, knobRect(at), stage.dragged(point, s.f.handles.pointer().moved)}, grip);
    drawKnob(s.f, "path/knob", at, grip);
    return moved;
}

/// Coordinates are kept to a share of this of a unit.
double perUnit(const Stage& stage) { return std::pow(10, 4 - std::floor(std::log10(stage.half))); }

double rounded(double value, const Stage& stage) {
    const double scale = perUnit(stage);
    return std::clamp(std::round(value * scale) / scale, -kMost, kMost);
}

void offerCircle(const Seen& s, const Stage& stage, Vec2 centre, double radius) {
    if (const auto to = offerPoint(s, stage, "pathCentre", "centre of the circle", centre))
        s.f.changes.push_back(Change::param("pathCentre", std::vector<double>{rounded(to->x, stage), rounded(to->y, stage)}));
    const Vec2 at = stage.toScreen(centre + Vec2{radius, 0});
    const auto grip = s.f.handles.offer({"pathRadius", "radius of the circle", inWords(radius), radius, kLeastRadius, kMostRadius,
                                         std::max(0.01 * stage.half, kLeastRadius), around(at, 13)},
                                        [&](Vec2 p) { return std::hypot(stage.toPlane(p).x - centre.x, stage.toPlane(p).y - centre.y); });
    if (grip.moved) s.f.changes.push_back(Change::param("pathRadius", std::clamp(rounded(grip.value, stage), kLeastRadius, kMostRadius)));
    drawKnob(s.f, "path/radius", at, grip, MarkerShape::Diamond);
}

/// True when a click was meant for the line.
bool offerCorners(const Seen& s, const Stage& stage, const std::vector<Vec2>& corners) {
    auto changed = corners;
    std::vector<Vec2> screen;
    for (const Vec2& p : corners) screen.push_back(stage.toScreen(p));
    for (Size i = 0; i < std::min(corners.size(), kMostKnobs); ++i)
        if (const auto to =
                offerPoint(s, stage, "corner" + std::to_string(i), "corner " + std::to_string(i + 1) + " of the line", corners[i]))
            changed[i] = *to;
    if (offerCornerChanges(s.f, "drawn", screen, perUnit(stage))) return true;
    if (changed == corners) return false;
    std::vector<double> list;
    for (const Vec2& p : changed) list.insert(list.end(), {rounded(p.x, stage), rounded(p.y, stage)});
    s.f.changes.push_back(Change::param("drawn", list));
    return false;
}

}  // namespace

bool drawPath(const Seen& s, const Stage& stage) {
    const Params& p = s.params;
    const auto points = [](const std::vector<double>& list) {
        std::vector<Vec2> made;
        for (Size i = 0; i + 1 < list.size(); i += 2) made.push_back({list[i], list[i + 1]});
        return made;
    };
    if (p.path == Path::None) return false;
    if (const auto line = points(s.result.path); !line.empty()) {
        std::vector<Vec2> seen;
        for (const Vec2& point : line) seen.push_back(stage.toScreen(point));
        s.f.painter.line("path/rim", seen, {s.f.theme.ground.withAlpha(0.7f), 5}, false);
        s.f.painter.line("path/line", seen, {s.f.theme.accent, 2.5}, false);
        std::vector<PointMark> marks;
        const auto breaks = s.result.pathBreaks.value_or(std::vector<double>());
        const auto radius = breaks.size() > 150 ? 2.0 : 3.2;
        for (const double share : breaks)
            if (share > 0) marks.push_back({stage.toScreen(pointAt(line, share)), radius, s.f.theme.text});
        s.f.painter.points("path/breaks", marks);
    }
    const auto corners = points(p.path == Path::Circle ? p.pathCentre : p.drawn);
    if (p.path == Path::Drawn) return offerCorners(s, stage, corners);
    offerCircle(s, stage, corners.empty() ? Vec2{} : corners[0], p.pathRadius);
    return false;
}

}  // namespace kappaflow::activation_regions
