// Trajectory length (survey Fig 2): the image of a curve in each layer's principal plane, its length, and how fast it grows.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/number_text.h"
#include "scenes/expressivity/picture_curves.h"
#include "scenes/expressivity/trajectory_length/picture_view.h"

namespace kappaflow {
namespace trajectory_length {
namespace {

// The curve itself: between two layers' images, and in the plane of its two inputs.

/// The curve (a, b) of the state at hand, so that it follows the hand before the layers do.
std::vector<Vec2> inputCurve(const Values& v) {
    std::vector<Vec2> points;
    if (v.is("trajectory", "line")) return {{1, 0}, {0, 1}};
    if (v.is("trajectory", "drawn")) {
        const auto& path = v.list("path");
        for (std::size_t i = 0; i + 1 < path.size(); i += 2) points.push_back({path[i], path[i + 1]});
        return points;
    }
    const double degree = std::numbers::pi / 180, start = v.number("start") * degree, span = v.number("span") * degree;
    for (int i = 0; i <= 128; ++i) points.push_back({std::cos(start + span * i / 128), std::sin(start + span * i / 128)});
    return points;
}

/// Coordinates a, b about the origin in the middle of a square.
struct InputPlane {
    Vec2 origin;
    double unit;
    Vec2 at(Vec2 p) const { return {origin.x + unit * p.x, origin.y - unit * p.y}; }
    Vec2 from(Vec2 screen) const { return {(screen.x - origin.x) / unit, (origin.y - screen.y) / unit}; }
    double degrees(Vec2 screen) const {
        const double angle = std::atan2(origin.y - screen.y, screen.x - origin.x) * 180 / std::numbers::pi;
        return std::round(angle < 0 ? angle + 360 : angle);
    }
};

void offerArc(PictureFrame& f, const InputPlane& plane) {
    const Values& v = f.state.params;
    const double start = v.number("start"), span = v.number("span"), degree = std::numbers::pi / 180;
    const auto place = [&](double angle) { return plane.at({std::cos(angle * degree), std::sin(angle * degree)}); };
    // Where the ends of a circle meet, the second knob stands inside.
    const Vec2 begin = place(start), meet = place(start + span), end = span > 340 ? plane.origin + (meet - plane.origin) * 0.66 : meet;
    const Handle first{"start", "start of the arc", inWords(start) + "°", start, 0, 360, 5, knobRect(begin)};
    const auto moved = f.handles.offer(first, [&](Vec2 p) { return plane.degrees(p); });
    const Handle last{"span", "length of the arc", inWords(span) + "°", span, 0, 360, 5, knobRect(end)};
    const auto turned = f.handles.offer(last, [&](Vec2 p) {
        const double angle = std::fmod(plane.degrees(p) - start + 720, 360);
        // A whole circle and none end in the same place: what is nearer to the span there was.
        return angle < 1 || (span > 300 && angle < 30) ? (span > 180 ? 360.0 : 1.0) : angle;
    });
    if (!f.kept) {
        drawKnob(f, "input/start", begin, moved);
        drawKnob(f, "input/end", end, turned);
    }
    if (moved.moved) f.changes.push_back(Change::param("start", moved.value));
    if (turned.moved) f.changes.push_back(Change::param("span", std::max(turned.value, 1.0)));
}

constexpr double kCornersPerUnit = 20, kCornerStep = 1 / kCornersPerUnit;

double snapped(double x) { return std::round(std::clamp(x, -3.0, 3.0) * kCornersPerUnit) / kCornersPerUnit; }

/// Every corner is dragged in both coordinates; from the keyboard there is one handle for each.
void offerCorners(PictureFrame& f, const InputPlane& plane, const std::vector<Vec2>& corners, std::span<const Vec2> screen) {
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const std::string name = std::to_string(i + 1);
        const Vec2 at = plane.at(corners[i]);
        Vec2 wanted = corners[i];
        const Handle a{"a" + name, "corner " + name + ", x₀", inWords(wanted.x), wanted.x, -3, 3, kCornerStep, knobRect(at)};
        const auto grip = f.handles.offer(a, [&](Vec2 p) {
            wanted = {snapped(plane.from(p).x), snapped(plane.from(p).y)};
            return wanted.x;
        });
        if (grip.moved) wanted.x = snapped(grip.value);
        const Handle b{"b" + name, "corner " + name + ", x₁", inWords(wanted.y), corners[i].y, -3, 3, kCornerStep, {at, at}};
        const auto up = f.handles.offer(b, [&](Vec2) { return corners[i].y; });
        if (up.moved) wanted.y = snapped(up.value);
        drawKnob(f, "input/corner", at, grip);
        if (wanted == corners[i]) continue;
        std::vector<double> path = f.state.params.list("path");
        path[2 * i] = wanted.x;
        path[2 * i + 1] = wanted.y;
        f.changes.push_back(Change::param("path", std::move(path)));
    }
    offerCornerChanges(f, "path", screen, kCornersPerUnit);
}

}  // namespace

void drawImage(PictureFrame& f, const View& view, Rect rect) {
    const std::vector<Vec2> screen = curve_image::mixedImage(*view.image, view.between(), rect.inset(10, 10, 10, 10));
    const double first = std::max(view.length->values[0], 1e-300);
    curve_image::drawColored(f, "image", screen, curve_image::widthOf(view.length->values[view.layer()] / first));
    curve_image::drawEnds(f, screen);
}

void drawInput(PictureFrame& f, Rect rect) {
    const std::vector<Vec2> corners = inputCurve(f.state.params);
    double reach = 1.2;
    for (const Vec2 p : corners) reach = std::max({reach, std::abs(p.x) * 1.15, std::abs(p.y) * 1.15});
    const InputPlane plane{rect.centre(), (rect.width() / 2 - 6) / reach};
    f.painter.rect("input/ground", rect, f.theme.ground.withAlpha(0.82f), 6);
    f.painter.frame("input/frame", rect, {f.theme.line, 1}, 6);
    const Vec2 o = plane.origin, x = plane.at({1, 0}), y = plane.at({0, 1});
    f.painter.line("input/axis", o, x, {f.theme.muted, 1.2});
    f.painter.line("input/axis", o, y, {f.theme.muted, 1.2});
    const TextStyle style{.color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Top, .italic = true};
    if (rect.width() > 100) {
        f.painter.text("input/x0", {x.x - 2, x.y + 3}, "x₀", style);
        f.painter.text("input/x1", {y.x - 5, y.y + 3}, "x₁", style);
    }
    std::vector<Vec2> screen;
    for (const Vec2 p : corners) screen.push_back(plane.at(p));
    // Straight stretches change colour along the way too.
    std::vector<Vec2> fine;
    for (std::size_t i = 0; i + 1 < screen.size(); ++i)
        for (int part = 0; part < 16; ++part) fine.push_back(screen[i] + (screen[i + 1] - screen[i]) * (part / 16.0));
    if (!screen.empty()) fine.push_back(screen.back());
    curve_image::drawColored(f, "input", fine, 2.4);
    if (f.state.params.is("trajectory", "circle")) offerArc(f, plane);
    if (f.state.params.is("trajectory", "drawn")) offerCorners(f, plane, corners, screen);
}

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> all[] = {{&view.image, "image"},
                                                         {&view.length, "length"},
                                                         {&view.meanField, "meanField"},
                                                         {&view.upperBound, "upperBound"},
                                                         {&view.planeShare, "planeShare"},
                                                         {&view.theoremBase, "theoremBase"},
                                                         {&view.exactLength, "exactLength"},
                                                         {&view.pieces, "pieces"},
                                                         {&view.growth, "growth"},
                                                         {&view.sweep, "sweepGrowth"},
                                                         {&view.sweepMeanField, "sweepMeanField"},
                                                         {&view.sweepUpperBound, "sweepUpperBound"},
                                                         {&view.sweepTheoremBase, "sweepTheoremBase"},
                                                         {&view.sweepExact, "sweepExact"}};
    for (const auto& [array, name] : all) *array = r.array(name);
    if (!view.image || !view.length || !view.planeShare) return false;
    view.layers = view.image->axes[0].size() - 1;
    view.at = std::clamp(f.state.params.number("at"), 0.0, static_cast<double>(view.layers));
    return true;
}

namespace {

/// The first of these sentences that fits.
void drawFitting(PictureFrame& f, std::string_view id, Vec2 at, double width, const TextStyle& style,
                 std::initializer_list<std::string> texts) {
    for (const std::string& text : texts)
        if (f.painter.measure(text, style).x <= width) return f.painter.text(id, at, text, style);
}

std::string timesText(const View& view) {
    const double first = view.length->values[0], here = view.length->values[view.layer()];
    return first > 0 ? numberText(here / first, 3) + " times" : "0 times";
}

/// Height that it took.
double drawHeadline(PictureFrame& f, const View& view, Rect area) {
    const std::string layer = view.layer() == 0 ? "Input" : "Layer " + std::to_string(view.layer());
    const std::string times = timesText(view);
    const TextStyle style{.color = f.theme.text, .size = f.theme.textSize, .bold = true};
    std::string pieces;
    if (view.pieces && view.layer() > 0 && std::isfinite(view.pieces->values[view.layer()]))
        pieces = ", in " + numberText(view.pieces->values[view.layer()], 5) + " linear pieces";
    drawFitting(
        f, "headline", area.lo + Vec2{4, 2}, area.width() - 8, style,
        {layer + ": " + times + " the input's length" + pieces, layer + ": " + times + " the input's length", layer + ": " + times, layer});
    const TextStyle small{.color = f.theme.muted, .size = f.theme.smallSize};
    const std::string share = numberText(100 * view.planeShare->values[view.layer()], 2) + " %";
    if (area.height() < 200) return 22;
    drawFitting(f, "share", area.lo + Vec2{4, 23}, area.width() - 8, small,
                {"seen in its principal plane, which holds " + share + " of its spread; to scale within a layer",
                 "its principal plane holds " + share + " of its spread", "plane: " + share + " of its spread", ""});
    return 42;
}

/// The image under its headline, the input plane in its lower left corner.
void drawMain(PictureFrame& f, const View& view, Rect area) {
    const double top = drawHeadline(f, view, area);
    const Rect below{area.lo + Vec2{0, top}, area.hi};
    const double side = std::clamp(std::min(below.width() * 0.26, below.height() * 0.34), 0.0, 170.0);
    const bool inset = side >= 64;
    // The image keeps clear of it on the side where there is more room.
    const bool high = below.height() > below.width();
    const Rect clear = high ? Rect{below.lo, below.hi - Vec2{0, side * 0.6}} : Rect{below.lo + Vec2{side * 0.8, 0}, below.hi};
    drawImage(f, view, inset && below.width() > 420 ? clear : below);
    if (inset) drawInput(f, {{below.lo.x, below.hi.y - side}, {below.lo.x + side, below.hi.y}});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.38, 220.0, 460.0);
    drawMain(f, view, {a.lo, {right - 14, a.hi.y}});
    if (!view.sweep || a.height() < 460) return drawLengths(f, view, {{right, a.lo.y}, a.hi});
    const double first = a.lo.y + a.height() * 0.4, second = a.lo.y + a.height() * 0.7;
    drawLengths(f, view, {{right, a.lo.y}, {a.hi.x, first - 6}});
    drawGrowthByWidth(f, view, {{right, first + 2}, {a.hi.x, second - 4}});
    drawGrowthByVariance(f, view, {{right, second + 2}, a.hi});
}

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawMain(f, view, a);
    const double split = a.lo.y + a.height() * 0.6;
    drawMain(f, view, {a.lo, {a.hi.x, split - 4}});
    drawLengths(f, view, {{a.lo.x, split + 4}, a.hi});
}

class TrajectoryPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The trajectory is being followed.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace trajectory_length

PictureEntry trajectory_length_picture() {
    return {"trajectory-length", [] { return std::unique_ptr<Picture>(std::make_unique<trajectory_length::TrajectoryPicture>()); }};
}

}  // namespace kappaflow
