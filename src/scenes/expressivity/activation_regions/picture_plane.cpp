// How the plane lies in its three dimensions: turned and shifted by its knobs.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions/picture_view.h"

namespace kappaflow::regions {
namespace {

struct Point3 {
    double a, b, c;
};

/// Seen from above at an angle.
Vec2 project(Point3 p, Vec2 middle, double scale) {
    return middle + Vec2{0.9 * p.a - 0.5 * p.b, 0.22 * p.a + 0.42 * p.b - 0.85 * p.c} * scale;
}

struct Knob {
    const char *key, *label;
    Vec2 at;
    double least, most, step;
    Vec2 perPixel;  ///< change of the value for a pixel right, and for one down
};

void offer(PictureFrame& f, const Knob& k, MarkerShape shape) {
    const double value = f.state.params.number(k.key);
    const bool angle = k.most == 180;
    const Vec2 moved = f.handles.pointer().moved;
    const double far = value + moved.x * k.perPixel.x + moved.y * k.perPixel.y, dragged = angle ? far - 360 * std::round(far / 360) : far;
    const auto grip = f.handles.offer({k.key,
                                       k.label,
                                       inWords(value, 4) + (angle ? "°" : ""),
                                       value,
                                       k.least,
                                       k.most,
                                       k.step,
                                       {k.at - Vec2{13, 13}, k.at + Vec2{13, 13}}},
                                      [&](Vec2) { return value; });
    // The keyboard goes by steps, a drag also between them.
    const double to = grip.held ? dragged : grip.moved ? grip.value : value;
    if (to != value) f.changes.push_back(Change::param(k.key, std::round(std::clamp(to, k.least, k.most) * 1000) / 1000));
    if (f.kept) return;
    const bool lively = grip.hovered || grip.held || grip.focused;
    f.painter.marker("plane/knob", k.at, lively ? 7.5 : 5.5, shape, f.theme.accent, Stroke{f.theme.ground, 1.5});
}

}  // namespace

bool hasPlane(const PictureFrame& f) {
    const Values& v = f.state.params;
    return v.is("plane", "turned") && (!v.is("network", "") || v.number("inputs") > 2);
}

void drawPlane(PictureFrame& f, Rect panel) {
    const Values& v = f.state.params;
    const double degree = 3.14159265358979 / 180, a = v.number("azimuth") * degree, t = v.number("tilt") * degree;
    const Vec2 middle = panel.centre() + Vec2{0, 6};
    const double scale = 0.36 * std::min(panel.width(), panel.height());
    const double half = v.number("half"), lift = std::clamp(v.number("shift") / half, -0.7, 0.7);
    const Point3 u{std::cos(a), std::sin(a), 0}, w{-std::sin(a) * std::cos(t), std::cos(a) * std::cos(t), std::sin(t)};
    const Point3 n{std::sin(a) * std::sin(t), -std::cos(a) * std::sin(t), std::cos(t)};
    const auto at = [&](double s, double r) {
        return project({s * u.a + r * w.a + lift * n.a, s * u.b + r * w.b + lift * n.b, s * u.c + r * w.c + lift * n.c}, middle, scale);
    };
    const TextStyle style{
        .color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Middle, .halo = f.theme.ground};
    for (const auto& [axis, name] : {std::pair<Point3, const char*>{{1.15, 0, 0}, "1"}, {{0, 1.15, 0}, "2"}, {{0, 0, 1.15}, "3"}}) {
        const Vec2 tip = project(axis, middle, scale);
        f.painter.line("plane/axis", middle, tip, {f.theme.muted, 1});
        f.painter.text("plane/axis/name", tip + (tip - middle) * (9 / std::max(1.0, std::hypot(tip.x - middle.x, tip.y - middle.y))), name,
                       style);
    }
    const Vec2 quad[] = {at(-0.8, -0.8), at(0.8, -0.8), at(0.8, 0.8), at(-0.8, 0.8)};
    f.painter.polygon("plane/quad", quad, f.theme.accent.withAlpha(0.22f));
    f.painter.line("plane/quad", quad, {f.theme.accent, 1.4}, true);
    offer(f, {"azimuth", "direction of the plane", at(0.8, 0), -180, 180, 5, {-0.7, 0.7}}, MarkerShape::Circle);
    offer(f, {"tilt", "tilt of the plane", at(0, 0.8), -180, 180, 5, {0.3, -0.7}}, MarkerShape::Square);
    offer(f, {"shift", "shift of the plane", at(0, 0), -100, 100, 0.05 * half, {0, -0.02 * half}}, MarkerShape::Diamond);
}

}  // namespace kappaflow::regions
