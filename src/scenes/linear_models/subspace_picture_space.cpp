// The space of errors (P2 Fig 2): manifold, constraints and their complement, the loss's ellipse, S, and what can be pulled about.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/camera.h"
#include "scenes/linear_models/subspace_picture.h"

namespace kappaflow::subspace {
namespace {

using Size = std::size_t;

constexpr double kHalf = 1.95;  ///< half the height in sight
constexpr double kFar = 12;     ///< beyond every corner
constexpr double kDisc = 1.5;   ///< radius of planes

Point scaled(const Point& x, double s) { return plus({}, x, s); }

Point axisOf(Size i) {
    Point axis{};
    axis[i] = 1;
    return axis;
}

Stage stageIn(const View& v, Rect rect) {
    Stage s{v, rect, rect.centre(), std::min(rect.width(), rect.height()) / (2 * kHalf)};
    if (!v.spatial()) return s;
    OrbitCamera camera;
    camera.azimuth = v.now.orbit;
    camera.elevation = v.now.tilt;
    const Vec3 right = camera.right(), up = camera.up();
    s.right = {right.x, right.y, right.z};
    s.up = {up.x, up.y, up.z};
    return s;
}

void lineThrough(Stage& s, std::string_view id, const Point& d, const Stroke& stroke, double reach) {
    s.v.f.painter.line(id, s.seen(scaled(d, -reach)), s.seen(scaled(d, reach)), stroke);
}

void arrow(Stage& s, std::string_view id, Vec2 from, Vec2 to, Color color, double width) {
    const Vec2 along = to - from;
    const double size = std::hypot(along.x, along.y);
    if (size < 6) return;
    const Vec2 d = along * (1 / size), across{-d.y, d.x};
    s.v.f.painter.line(id, from, to - d * 7, {color, width});
    const Vec2 head[] = {to, to - d * 10 + across * 4.5, to - d * 10 - across * 4.5};
    s.v.f.painter.polygon(id, head, color);
}

void disc(Stage& s, std::string_view id, const Point& normal, Color color) {
    const Point least = std::abs(normal[2]) < 0.9 ? Point{0, 0, 1} : Point{1, 0, 0};
    const Point u = unit(crossOf(normal, least)), w = crossOf(normal, u);
    std::vector<Vec2> rim;
    for (int i = 0; i < 72; ++i) {
        const double t = 2 * std::numbers::pi * i / 72;
        rim.push_back(s.seen(plus(scaled(u, kDisc * std::cos(t)), w, kDisc * std::sin(t))));
    }
    s.v.f.painter.polygon(id, rim, color.withAlpha(0.1f));
    s.v.f.painter.line(std::string(id) + "/rim", rim, {color.withAlpha(0.6f), 1.2}, true);
}

void drawAxes(Stage& s) {
    for (Size i = 0; i < s.v.dimension(); ++i) {
        const Point axis = axisOf(i);
        lineThrough(s, "space/axis", axis, {s.v.f.theme.line, 1}, s.v.spatial() ? 1.7 : kFar);
        for (const double at : {-1.0, 1.0})
            s.v.f.painter.marker("space/unit", s.seen(scaled(axis, at)), 2, MarkerShape::Circle, s.v.f.theme.muted);
    }
}

void nameAxes(Stage& s) {
    for (Size i = 0; i < s.v.dimension(); ++i) {
        const Vec2 flat = i == 0 ? Vec2{s.rect.hi.x - 14, s.centre.y + 14} : Vec2{s.centre.x - 16, s.rect.lo.y + 13};
        const Vec2 places[] = {s.v.spatial() ? s.seen(scaled(axisOf(i), 1.82)) : flat};
        s.label("space/axis-name", "*X*_{" + std::to_string(i + 1) + "}", places, s.v.f.theme.muted);
    }
}

/// Where XᵀΣX is what it is now: the outline of the ellipse or ellipsoid, from the covariance of its shadow.
void drawEqualLoss(Stage& s) {
    const View& v = s.v;
    const double level = dotOf(v.error, covarianceTimes(v.asked.correlation, v.error, v.spatial()));
    if (level < 1e-6) return;
    // Columns of Σ⁻¹ as seen: Σ is tridiagonal up to a factor.
    const double r = v.asked.correlation, f = 1 / (1 - r * r);
    const auto inverse = [&](const Point& x) -> Point {
        if (!v.spatial()) return {f * (x[0] - r * x[1]), f * (x[1] - r * x[0]), 0};
        return {f * (x[0] - r * x[1]), f * ((1 + r * r) * x[1] - r * (x[0] + x[2])), f * (x[2] - r * x[1])};
    };
    const double a = dotOf(s.right, inverse(s.right)), b = dotOf(s.right, inverse(s.up)), c = dotOf(s.up, inverse(s.up));
    const double first = std::sqrt(level * a), mixed = level * b / first, second = std::sqrt(std::max(0.0, level * c - mixed * mixed));
    std::vector<Vec2> rim;
    for (int i = 0; i < 96; ++i) {
        const double t = 2 * std::numbers::pi * i / 96;
        rim.push_back(s.centre + Vec2{first * std::cos(t), -mixed * std::cos(t) - second * std::sin(t)} * s.scale);
    }
    s.v.f.painter.polygon("space/equal-loss", rim, s.v.errorColor().withAlpha(0.07f));
    s.v.f.painter.line("space/equal-loss", rim, {s.v.errorColor().withAlpha(0.65f), 1.2, Dash::Dotted}, true);
}

/// 𝒦 and what is orthogonal to it, each as a line or a plane.
void drawConstraints(Stage& s) {
    const View& v = s.v;
    const Color blue = s.v.constraintColor();
    const Color pale = blue.withAlpha(0.55f);
    const double reach = v.spatial() ? 1.75 : kFar;
    if (v.K.size() == v.dimension()) {
        s.v.f.painter.rect("space/constraint", s.rect, blue.withAlpha(0.08f));
        return;
    }
    if (v.K.size() == 2) {
        const Point normal = crossOf(v.K[0], v.K[1]);
        disc(s, "space/constraint", normal, blue);
        lineThrough(s, "space/complement", normal, {blue, 2.6}, reach);
        return;
    }
    if (v.spatial())
        disc(s, "space/complement", v.K[0], blue);
    else
        lineThrough(s, "space/complement", {-v.K[0][1], v.K[0][0], 0}, {blue, 2.6}, reach);
    lineThrough(s, "space/constraint", v.K[0], {pale, 1.4}, reach);
    arrow(s, "space/constraint", s.centre, s.seen(v.K[0]), blue, 2);
}

void nameConstraints(Stage& s) {
    const View& v = s.v;
    const Color blue = s.v.constraintColor();
    if (v.K.size() == v.dimension()) {
        const Vec2 corner[] = {s.rect.lo + Vec2{46, 18}};
        return s.label("space/constraint-name", "𝒦 = ℝ^{2}", corner, blue);
    }
    const bool planeIsK = v.K.size() == 2;
    const Point across = planeIsK ? crossOf(v.K[0], v.K[1]) : v.K[0];
    const auto nameLine = [&](const char* id, const char* name, const Point& d) {
        if (!v.spatial()) return s.labelBeside(id, name, d, blue);
        std::vector<Vec2> places;
        for (const double out : {1.75, -1.75, 1.5, -1.5})
            for (const Vec2 side : {Vec2{14, 0}, Vec2{-14, 0}, Vec2{0, 14}}) places.push_back(s.seen(scaled(d, out)) + side);
        s.label(id, name, places, blue);
    };
    nameLine("space/line-name", planeIsK || !v.spatial() ? "𝒦^{⊥}" : "𝒦", v.spatial() ? across : Point{-v.K[0][1], v.K[0][0], 0});
    if (!v.spatial()) return nameLine("space/constraint-name", "𝒦", v.K[0]);
    std::vector<Vec2> places;
    for (const Vec2 side : {Vec2{1, -0.6}, Vec2{-1, -0.6}, Vec2{1, 0.6}, Vec2{-1, 0.6}}) {
        // The rim's point farthest that way.
        const Point wanted = plus(scaled(s.right, side.x), s.up, -side.y), flat = plus(wanted, across, -dotOf(across, wanted));
        if (normOf(flat) > 1e-6) places.push_back(s.seen(scaled(flat, kDisc / normOf(flat))) + Vec2{side.x * 14, side.y * 12});
    }
    s.label("space/plane-name", planeIsK ? "𝒦" : "𝒦^{⊥}", places, blue);
}

Point pointOf(const View& v, const std::vector<double>& rows, Size index) { return pointIn(rows, index, v.dimension()); }

void drawManifold(Stage& s) {
    const View& v = s.v;
    const Color ink = s.v.f.theme.text;
    const Size count = v.r.points.size(), side = v.surface() ? kSurfacePoints : 1;
    std::vector<Vec2> line;
    const auto draw = [&](double width, float alpha) {
        s.v.f.painter.line("space/manifold", line, {ink.withAlpha(alpha), width});
        line.clear();
    };
    for (Size j = 0; j < side; ++j) {
        for (Size i = 0; i < count / side; ++i) line.push_back(s.seen(pointOf(v, v.r.errors, j * (count / side) + i)));
        const bool edge = j == 0 || j + 1 == side;
        v.surface() ? draw(edge ? 1.5 : 0.8, edge ? 0.7f : 0.28f) : draw(2.6, 1);
        if (!v.surface()) continue;
        for (Size i = 0; i < side; ++i) line.push_back(s.seen(pointOf(v, v.r.errors, i * side + j)));
        draw(edge ? 1.5 : 0.8, edge ? 0.7f : 0.28f);
    }
}

void nameManifold(Stage& s) {
    const Size count = s.v.r.points.size();
    std::vector<Vec2> places;
    for (const double share : {0.86, 0.14, 0.8, 0.2, 0.74, 0.26, 0.98, 0.02})
        for (const Vec2 side : {Vec2{16, 4}, Vec2{-16, 4}, Vec2{0, 16}})
            places.push_back(s.seen(pointOf(s.v, s.v.r.errors, static_cast<Size>(share * static_cast<double>(count - 1)))) + side);
    s.label("space/manifold-name", "𝒳", places, s.v.f.theme.text);
}

/// The error, the steps that led to it, and what keeps it from the complement.
void drawError(Stage& s) {
    const View& v = s.v;
    const Color color = s.v.errorColor();
    for (Size step = 0; step <= v.last; ++step) {
        s.v.f.painter.marker("space/step", s.seen(pointOf(v, v.r.path, step)), 2.5, MarkerShape::Circle,
                             color.withAlpha(static_cast<double>(step) <= v.at ? 0.9f : 0.35f));
    }
    const Vec2 at = s.seen(v.error), foot = s.seen(plus(v.error, v.projected(v.error), -1));
    arrow(s, "space/error", s.centre, at, color, 2.2);
    const bool apart = v.residual > 0.01;
    if (apart) s.v.f.painter.line("space/residual", at, foot, {s.v.f.theme.warning, 2});
    const Vec2 middle = (s.centre + at) * 0.5, between = (at + foot) * 0.5;
    const Vec2 places[] = {middle + Vec2{-14, -8}, middle + Vec2{14, 8}, middle + Vec2{14, -10}, middle + Vec2{-14, 10}};
    s.label("space/error-name", "*X*", places, color);
    if (!apart || std::hypot(at.x - foot.x, at.y - foot.y) < 26) return;
    const Vec2 beside[] = {between + Vec2{0, -14}, between + Vec2{0, 14}, between + Vec2{34, 0}, between + Vec2{-34, 0}};
    s.label("space/residual-name", "‖*K*^{T}*X*‖", beside, s.v.f.theme.warning);
}

/// S with its arrow of length 1 and the shadow that it casts on 𝒦, whose squared length is κ(S).
void drawSubspace(Stage& s) {
    const View& v = s.v;
    const Color green = s.v.subspaceColor();
    const Vec2 tip = s.seen(v.arrow);
    if (v.asked.planeIsS()) {
        disc(s, "space/subspace", v.arrow, green);
    } else {
        lineThrough(s, "space/subspace", v.arrow, {green.withAlpha(0.45f), 1.2}, v.spatial() ? 1.75 : kFar);
        const Point shadow = v.projected(v.arrow);
        const bool apart = v.K.size() < v.dimension();  // else S is its own shadow
        if (apart) s.v.f.painter.line("space/shadow", tip, s.seen(shadow), {green.withAlpha(0.8f), 1.2, Dash::Dotted});
        if (apart) s.v.f.painter.line("space/shadow", s.centre, s.seen(shadow), {green, 4.5});
    }
    arrow(s, "space/subspace", s.centre, tip, green, 2.2);
}

void nameEqualLoss(Stage& s) {
    if (s.v.spatial() || s.rect.width() < 320) return;
    const Vec2 knob = placeOfCorrelation(s, s.v.asked), places[] = {knob + Vec2{-6, 22}, knob + Vec2{-52, 6}, knob + Vec2{40, 24}};
    s.label("space/equal-loss-name", "equal loss", places, s.v.errorColor());
}

}  // namespace

void drawSpace(const View& v, Rect rect) {
    PictureFrame& f = v.f;
    Stage s = stageIn(v, rect);
    f.painter.rect("space/ground", rect, f.theme.panel);
    f.painter.pushClip(rect);
    drawAxes(s);
    drawEqualLoss(s);
    drawConstraints(s);
    drawManifold(s);
    drawSubspace(s);
    const Vec2 turnMark = rect.lo + Vec2{18, 18};
    if (v.spatial()) s.taken.push_back(around(turnMark, 12));
    drawError(s);
    nameConstraints(s);
    const Vec2 tip = s.seen(v.arrow);
    const Vec2 places[] = {tip + Vec2{16, -12}, tip + Vec2{-16, -12}, tip + Vec2{16, 13}, tip + Vec2{-16, 13}};
    s.label("space/subspace-name", "𝒮", places, v.subspaceColor());
    nameManifold(s);
    nameAxes(s);
    nameEqualLoss(s);
    offerSpace(s);
    f.painter.popClip();
}

}  // namespace kappaflow::subspace
