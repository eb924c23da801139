// Every sample's label along the great circle, the flips as exact edges, and below them the label vectors met so far.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/expressivity/dichotomies/picture_view.h"

namespace kappaflow::dichotomies {
namespace {

constexpr double kFull = 360;

/// Where angles and samples lie on the screen.
struct Strips {
    const Plot& plot;  ///< of the running count: gives the angles their places
    Rect rect;
    double row;  ///< height of one

    double x(double angle) const { return plot.toScreen(angle, 0).x; }
    Rect box(double from, double to, std::size_t sample) const {
        const double top = rect.lo.y + row * static_cast<double>(sample), gap = row > 7 ? 1 : 0;
        return {{std::max(x(from), rect.lo.x), top}, {std::min(x(to), rect.hi.x), top + row - gap}};
    }
};

void drawRow(PictureFrame& f, const View& view, const Strips& strips, std::size_t sample) {
    const Color colors[] = {f.theme.series[1].withAlpha(0.55f), f.theme.series[0].withAlpha(0.85f)};
    const auto flips = view.flipsOf(sample);
    bool positive = view.start->row(view.shown)[sample] > 0;
    double from = 0;
    for (std::size_t i = 0; i <= flips.size(); ++i) {
        const double to = i < flips.size() ? flips[i] : kFull;
        const Rect box = strips.box(from, to, sample);
        if (box.hi.x > box.lo.x) f.painter.rect("strips/label", box, colors[positive]);
        if (view.angle >= from && (view.angle < to || to == kFull)) {
            const Rect now{{strips.rect.hi.x + 4, box.lo.y}, {strips.rect.hi.x + 13, box.hi.y}};
            f.painter.rect("strips/now", now, colors[positive].withAlpha(1));
        }
        positive = !positive;
        from = to;
    }
}

/// A mark for every stretch whose label vector had not been met before.
void drawNovelty(PictureFrame& f, const View& view, const Strips& strips, double top) {
    const auto angles = view.changeAngles(), met = view.metAfter();
    double before = 1;
    for (std::size_t i = 0; i < angles.size(); ++i) {
        const double to = i + 1 < angles.size() ? angles[i + 1] : kFull;
        const double left = std::max(strips.x(angles[i]), strips.rect.lo.x), right = std::min(strips.x(to), strips.rect.hi.x);
        if (met[i] > before && right > left) f.painter.rect("strips/new", {{left, top}, {right, top + 4}}, f.theme.accent.withAlpha(0.8f));
        before = met[i];
    }
}

void offerAngle(PictureFrame& f, const View& view, const Plot& plot, Rect rect) {
    const double x = std::clamp(plot.toScreen(view.angle, 0).x, rect.lo.x, rect.hi.x);
    const Handle handle{"angle",
                        "angle of the great circle",
                        numberText(view.angle, 3) + " degrees",
                        view.angle,
                        0,
                        kFull,
                        5,
                        {{x - 9, rect.lo.y}, {x + 9, rect.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return plot.toData(p).x; });
    const bool lively = grip.hovered || grip.held || grip.focused;
    const double crisp = f.painter.crisp(x);
    f.painter.line("strips/playhead", {crisp, rect.lo.y}, {crisp, rect.hi.y}, {f.theme.text, lively ? 2.0 : 1.4});
    if (!f.kept)
        f.painter.marker("strips/knob", {x, rect.lo.y}, lively ? 7.5 : 5.5, MarkerShape::Circle, f.theme.accent,
                         Stroke{f.theme.ground, 1.5});
    if (!grip.moved) return;
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", std::clamp(grip.value, 0.0, kFull)));
}

void drawTip(PictureFrame& f, const View& view, const Strips& strips) {
    const Pointer pointer = f.handles.freePointer();
    if (!pointer.inside || !strips.rect.contains(pointer.at)) return;
    const auto sample = std::min(view.samples - 1, static_cast<std::size_t>((pointer.at.y - strips.rect.lo.y) / strips.row));
    const double angle = strips.plot.toData(pointer.at).x;
    const auto flips = view.flipsOf(sample);
    const auto passed = std::upper_bound(flips.begin(), flips.end(), angle) - flips.begin();
    const bool positive = (view.start->row(view.shown)[sample] > 0) != (passed % 2 == 1);
    tooltip(f, pointer.at,
            {"sample " + std::to_string(sample + 1) + " at " + numberText(angle, 4) + "°: label " + (positive ? "+1" : "−1"),
             std::to_string(flips.size()) + " flips in the whole turn"});
}

std::string titleOf(const PictureFrame& f, const View& view, double width) {
    const double all = view.metAt(kFull);
    const std::string layers = view.shown == 1 ? " layer after" : " layers after", depth = numberText(static_cast<double>(view.shown));
    if (width < 420) return depth + layers + ": " + numberText(all, 6) + " dichotomies";
    const char* what = f.report.params.is("sweep", "circle") ? " the first" : " the one that turns";
    return "*k* = " + numberText(view.widths->values[view.shownCurve]) + ", " + depth + layers + what + ": " + numberText(all, 6) +
           " dichotomies";
}

void drawRunning(PictureFrame& f, const View& view, Plot& plot) {
    const auto angles = view.changeAngles(), met = view.metAfter();
    std::vector<double> x{0}, y{1};
    for (std::size_t i = 0; i < angles.size(); ++i) {
        x.insert(x.end(), {angles[i], angles[i]});
        y.insert(y.end(), {y.back(), met[i]});
    }
    x.push_back(kFull);
    y.push_back(y.back());
    plot.line("running/measured", x, y, {f.theme.series[0], Dash::Solid, 2, ""});
    const double now = view.metAt(view.angle);
    plot.markers("running/now", std::span(&view.angle, 1), std::span(&now, 1), {f.theme.accent, Dash::Solid, 1, ""});
    const Vec2 at = plot.toScreen(view.angle, now);
    const bool late = view.angle > 0.7 * kFull;
    f.painter.text("running/value", at + Vec2{late ? -8.0 : 8.0, late ? -12.0 : 12.0}, numberText(now, 6),
                   {.color = f.theme.text,
                    .size = f.theme.smallSize,
                    .h = late ? AlignH::Right : AlignH::Left,
                    .v = AlignV::Middle,
                    .halo = f.theme.ground});
}

}  // namespace

void drawStrips(PictureFrame& f, const View& view, Rect rect) {
    const double title = 26, below = std::clamp(rect.height() * 0.36, 78.0, 190.0);
    Plot plot(f.painter, f.theme, "running", {{rect.lo.x, rect.hi.y - below}, {rect.hi.x - 16, rect.hi.y}},
              {.label = "angle *t* (degrees)", .lo = 0, .hi = kFull, .whole = true},
              {.label = below > 110 ? "label vectors met" : "vectors", .lo = 0, .hi = view.metAt(kFull) * 1.18 + 1, .whole = true});
    const Rect inner = plot.inner();
    const Rect area{{inner.lo.x, rect.lo.y + title + 6}, {inner.hi.x, inner.lo.y - 16}};
    const Strips strips{plot, area, area.height() / static_cast<double>(view.samples)};
    f.painter.text("strips/title", {rect.lo.x + 6, rect.lo.y + 6}, titleOf(f, view, rect.width()),
                   {.color = f.theme.text, .size = rect.width() < 420 ? f.theme.smallSize : f.theme.textSize});
    for (std::size_t sample = 0; sample < view.samples; ++sample) drawRow(f, view, strips, sample);
    drawNovelty(f, view, strips, area.hi.y + 3);
    const double now = std::clamp(strips.x(view.angle), area.lo.x, area.hi.x);
    f.painter.rect("strips/future", {{now, area.lo.y}, {area.hi.x, area.hi.y + 8}}, f.theme.ground.withAlpha(0.55f));
    f.painter.text("strips/axis", {area.lo.x - 8, area.centre().y}, "samples",
                   {.color = f.theme.muted, .size = f.theme.smallSize, .h = AlignH::Centre, .v = AlignV::Bottom, .upright = false});
    drawRunning(f, view, plot);
    plot.finish(f.handles.freePointer());
    offerAngle(f, view, plot, {area.lo, inner.hi});
    drawTip(f, view, strips);
}

}  // namespace kappaflow::dichotomies
