// The window of the plane: how it is moved, and what lies in it beside the regions.
#include "scenes/expressivity/picture_stage.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kappaflow::region_mesh {
namespace {

/// More would hide each other and the regions.
constexpr std::size_t kMostSamples = 4000;

struct Reach {
    double least = 1e-5, most = 1000;
};
Reach reachOf(const PictureFrame& f, const char* key) {
    const Param* param = requireDeclaration(f.state.scene).param(key);
    return param ? Reach{param->min, param->max} : Reach{};
}

void moveWindow(PictureFrame& f, const Stage& stage, Vec2 centre, double half) {
    const Reach sides = reachOf(f, "half"), places = reachOf(f, "centre");
    half = std::clamp(half, sides.least, sides.most);
    if (half != stage.half) f.changes.push_back(Change::param("half", std::strtod(inWords(half, 6).c_str(), nullptr)));
    const Stage to{stage.square, centre, half};
    const std::vector<double> list{std::clamp(to.rounded(centre.x), places.least, places.most),
                                   std::clamp(to.rounded(centre.y), places.least, places.most)};
    if (list != std::vector<double>{stage.centre.x, stage.centre.y}) f.changes.push_back(Change::param("centre", list));
}

void resetWindow(PictureFrame& f) {
    const Declaration& declaration = requireDeclaration(f.state.scene);
    for (const char* key : {"half", "centre"})
        if (const Param* param = declaration.param(key)) f.changes.push_back(Change::param(key, standardBeside(*param, f.state.params)));
}

void drawZoomKnob(PictureFrame& f, Vec2 at, bool lively) {
    f.painter.rect("window/zoom", {at - Vec2{10, 10}, at + Vec2{10, 10}}, f.theme.raised.withAlpha(lively ? 1.0f : 0.8f), 5);
    const Stroke stroke{lively ? f.theme.accent : f.theme.muted, 1.6};
    for (const double side : {-1.0, 1.0}) {
        const Vec2 arrow[] = {at + Vec2{-4, side * 2}, at + Vec2{0, side * 6}, at + Vec2{4, side * 2}};
        f.painter.line("window/zoom", arrow, stroke, false);
    }
}

void drawTicks(PictureFrame& f, const Stage& stage) {
    const Stroke stroke{f.theme.text.withAlpha(0.7f), 1};
    const Vec2 corner{stage.square.lo.x, stage.square.hi.y};
    TextStyle style{.color = f.theme.text, .size = f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Bottom, .halo = f.theme.ground};
    const auto ticks = [&](double middle) {
        return ticksFor({.label = "", .lo = middle - stage.half, .hi = middle + stage.half}, stage.square.width(), 56);
    };
    double taken = corner.x + 40;
    for (const Tick& tick : ticks(stage.centre.x)) {
        const double x = f.painter.crisp(stage.toScreen({tick.value, 0}).x), half = f.painter.measure(tick.label, style).x / 2 + 4;
        f.painter.line("window/tick", Vec2{x, corner.y}, Vec2{x, corner.y - 5}, stroke);
        if (tick.label.empty() || x - half < taken || x + half > stage.square.hi.x - 30) continue;
        f.painter.text("window/tick-label", {x, corner.y - 7}, tick.label, style);
        taken = x + half;
    }
    style.h = AlignH::Left, style.v = AlignV::Middle;
    for (const Tick& tick : ticks(stage.centre.y)) {
        const double y = f.painter.crisp(stage.toScreen({0, tick.value}).y);
        f.painter.line("window/tick", Vec2{corner.x, y}, Vec2{corner.x + 5, y}, stroke);
        if (tick.label.empty() || y > corner.y - 36 || y < stage.square.lo.y + 12) continue;
        f.painter.text("window/tick-label", {corner.x + 8, y}, tick.label, style);
    }
}

}  // namespace

PlanePlace Stage::placeOf(Vec2 otherCentre, double otherHalf) const {
    const double scale = square.width() / 2 * otherHalf / half;
    return {toScreen(otherCentre), {scale, -scale}};
}

double Stage::rounded(double value) const {
    const double scale = std::pow(10, 5 - std::floor(std::log10(half)));
    return std::round(value * scale) / scale;
}

Stage stageOf(const PictureFrame& f, Rect square) {
    const auto& centre = f.state.params.list("centre");
    return {square, {centre.empty() ? 0 : centre[0], centre.size() < 2 ? 0 : centre[1]}, f.state.params.number("half")};
}

void moveFreely(PictureFrame& f, const Stage& stage) {
    const Pointer p = f.handles.freePointer();
    if (!p.inside || !stage.square.contains(p.down ? p.pressedAt : p.at)) return;
    if (p.doubleClicked) {
        resetWindow(f);
    } else if (p.wheel != 0) {
        const Reach sides = reachOf(f, "half");
        const double half = std::clamp(stage.half * std::pow(1.2, -p.wheel), sides.least, sides.most);
        const Vec2 under = stage.toPlane(p.at);
        moveWindow(f, stage, under + (stage.centre - under) * (half / stage.half), half);
    } else if (p.down && !p.pressed && !p.touch && !(p.moved == Vec2{})) {
        const double scale = 2 * stage.half / stage.square.width();
        moveWindow(f, stage, stage.centre + Vec2{-p.moved.x, p.moved.y} * scale, stage.half);
    }
}

void offerWindow(PictureFrame& f, const Stage& stage) {
    const Vec2 at = stage.square.hi - Vec2{15, 15};
    const Rect knob{at - Vec2{13, 13}, at + Vec2{13, 13}};
    const double zoom = std::log10(stage.half);
    const Reach sides = reachOf(f, "half"), places = reachOf(f, "centre");
    const auto grip = f.handles.offer(
        {"zoom", "half side of the window", inWords(stage.half), zoom, std::log10(sides.least), std::log10(sides.most), 0.1, knob},
        [&](Vec2) { return zoom; });
    // The keyboard goes by steps, a drag also between them.
    const double dragged = zoom + f.handles.pointer().moved.y / 100, to = grip.held ? dragged : grip.moved ? grip.value : zoom;
    if (to != zoom) moveWindow(f, stage, stage.centre, std::pow(10, to));
    for (const bool upright : {false, true}) {
        const double value = upright ? stage.centre.y : stage.centre.x;
        const auto moved =
            f.handles.offer({upright ? "centreY" : "centreX", upright ? "window's middle, upwards" : "window's middle, to the right",
                             inWords(value), value, places.least, places.most, 0.1 * stage.half, knob},
                            [&](Vec2) { return value; });
        if (moved.moved && !moved.held)
            moveWindow(f, stage, upright ? Vec2{stage.centre.x, moved.value} : Vec2{moved.value, stage.centre.y}, stage.half);
    }
    if (!f.kept) drawZoomKnob(f, at, grip.hovered || grip.held || grip.focused);
}

Color classColor(const Theme& theme, double c, bool two) {
    constexpr std::size_t kOrder[] = {1, 0, 2, 3, 5, 6, 4, 7};
    if (!(c >= 0)) return theme.muted;
    const auto number = static_cast<std::size_t>(c);
    return theme.series[kOrder[two ? 1 - number : number % 8]];
}

void drawSamples(PictureFrame& f, const Stage& stage) {
    const Array *points = f.report.array("samplePoints"), *classes = f.report.array("sampleClass");
    if (!points || !classes) return;
    const std::size_t samples = std::min(classes->values.size(), kMostSamples);
    const double radius = std::clamp(stage.square.width() / (samples > 300 ? 190 : 150), 1.6, 4.0);
    const bool two = largest(classes->values, 0) < 2;
    std::vector<PointMark> rims, marks;
    for (std::size_t s = 0; s < samples; ++s) {
        const Vec2 at = stage.toScreen({points->row(s)[0], points->row(s)[1]});
        if (!stage.square.contains(at)) continue;
        rims.push_back({at, radius + 1.2, f.theme.ground});
        marks.push_back({at, radius, classColor(f.theme, classes->values[s], two)});
    }
    f.painter.points("samples/rim", rims);
    f.painter.points("samples", marks);
}

void drawFrame(PictureFrame& f, const Stage& stage) {
    drawTicks(f, stage);
    f.painter.frame("window/frame", stage.square, {f.theme.muted, 1});
}

}  // namespace kappaflow::region_mesh
