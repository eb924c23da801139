// Dichotomies (survey 2.1): labels along a great circle of weights as strips, and how many label vectors appear against the depth after.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/picture.h"

namespace kappaflow {
namespace dichotomies {
namespace {

/// What the panels read.
struct View {
    const Array *dichotomies, *flips, *flipsPredicted, *flipsMeanField, *widths, *depths, *start, *labelFlips, *offsets, *changes,
        *distinct, *changesOffsets, *running;
    std::size_t curves = 0, samples = 0, shownCurve = 0;
    std::size_t deepest = 0;  ///< remaining depths with strips: 0 … deepest
    std::size_t shown = 0;    ///< the one drawn
    double angle = 0, cap = 1;
    bool everyLayer = false;

    /// Angles at which a sample of the drawn strips flips.
    std::span<const double> flipsOf(std::size_t sample) const;
    /// Changes of the whole label vector in the drawn strips, and what has been met by then.
    std::span<const double> changeAngles() const { return changesIn(*changes); }
    std::span<const double> metAfter() const { return changesIn(*distinct); }
    /// Distinct label vectors met up to an angle.
    double metAt(double angle) const;
    std::string curveName(std::size_t curve) const;

private:
    std::span<const double> changesIn(const Array&) const;
};

// Dichotomies against the layers that remain, beside what infinitely wide networks would flip, and the numbers of the drawn strips.

/// The upright line of the strips' depth, which is also the handle that chooses them.
void offerDepth(PictureFrame& f, const View& view, Plot& plot) {
    const double shown = static_cast<double>(view.shown);
    plot.vertical("growth/shown", shown, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (view.deepest == 0) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(shown, 1).x;
    const Handle handle{"depth", "remaining depth of the strips",           numberText(shown), shown, 0, static_cast<double>(view.deepest),
                        1,       {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return plot.toData(p).x; });
    const bool lively = grip.hovered || grip.held || grip.focused;
    if (!f.kept)
        f.painter.marker("growth/knob", {x, inner.hi.y - 7}, lively ? 7.5 : 5.5, MarkerShape::Circle, f.theme.accent,
                         Stroke{f.theme.ground, 1.5});
    const double wanted = std::round(grip.value);
    if (grip.moved && wanted != f.state.params.number("shown")) f.changes.push_back(Change::param("shown", wanted));
}

void drawCurve(PictureFrame& f, const View& view, Plot& plot, std::size_t curve, const std::vector<double>& depths) {
    static constexpr std::size_t kOthers[] = {2, 1, 3, 5, 6, 7, 4};
    const bool own = curve == view.shownCurve;
    const Color color = f.theme.series[own ? 0 : kOthers[curve % 7]];
    const std::span row(view.dichotomies->row(curve), depths.size());
    plot.line("growth/measured", depths, row, {color, Dash::Solid, own ? 2.6 : 1.8, view.curveName(curve)});
    plot.markers("growth/measured", depths, row, {color, Dash::Solid, 1, ""}, MarkerShape::Circle, own ? 3.5 : 2.5);
}

void drawGrowth(PictureFrame& f, const View& view, Rect rect) {
    const auto& depths = view.dichotomies->axes[1].values;
    double lo = 1e300, hi = 2;
    for (const double value : view.dichotomies->values)
        if (value > 0) lo = std::min(lo, value), hi = std::max(hi, value);
    hi = largest(view.flipsMeanField->values, hi);
    lo = std::min(lo, largest({view.flipsMeanField->values[0]}, 1));
    const bool capInSight = view.cap <= 120 * hi;
    Plot plot(f.painter, f.theme, "growth", rect,
              {.label = "remaining depth *r*", .lo = -0.3, .hi = std::max(1.0, depths.back()) + 0.3, .whole = true},
              {.label = "dichotomies", .lo = lo / 1.4, .hi = std::max(hi, capInSight ? view.cap : 0) * 1.6, .scale = Scale::Log},
              zoomOf(f, "growth"));
    if (capInSight) {
        const double x[] = {depths.front() - 0.3, std::max(1.0, depths.back()) + 0.3}, y[] = {view.cap, view.cap};
        plot.line("growth/bound", x, y, {f.theme.muted, Dash::Dotted, 1.6, "2^{" + numberText(static_cast<double>(view.samples)) + "}"});
    }
    plot.line("growth/theory", depths, view.flipsMeanField->values, {f.theme.theory, Dash::Dashed, 1.6, "flips, *k* → ∞"});
    for (std::size_t curve = 0; curve < view.curves; ++curve) drawCurve(f, view, plot, curve, depths);
    offerDepth(f, view, plot);
    const Scalar* growth = f.report.scalar("growth");
    const std::string factor = growth ? "each layer × " + numberText(growth->value, 3) : "dichotomies and depth";
    finishPlot(f, plot, "growth", view.everyLayer ? "only what remains counts" : factor);
}

void drawReadings(PictureFrame& f, const View& view, Rect rect) {
    const auto at = [&](const Array& array) { return numberText(array.row(view.shownCurve)[view.shown], 4); };
    const auto value = [&](const char* name) {
        const Scalar* scalar = f.report.scalar(name);
        return scalar ? numberText(scalar->value, 3) : std::string("–");
    };
    const std::string lines[] = {"*r* = " + numberText(static_cast<double>(view.shown)) + ", mean over draws:",
                                 "dichotomies " + at(*view.dichotomies) + ", label flips " + at(*view.flips),
                                 "flips by Crofton (length/π) " + at(*view.flipsPredicted),
                                 "flips for *k* → ∞ " + numberText(view.flipsMeanField->values[view.shown], 4),
                                 "growth a layer " + value("growth") + "; √χ = " + value("growthMeanField")};
    const double height = std::min(24.0, rect.height() / 5);
    for (std::size_t i = 0; i < 5; ++i)
        f.painter.text("readings", {rect.lo.x, rect.lo.y + height * (static_cast<double>(i) + 0.5)}, lines[i],
                       {.color = i == 0 ? f.theme.muted : f.theme.text, .size = f.theme.smallSize, .v = AlignV::Middle});
}

// Every sample's label along the great circle, the flips as exact edges, and below them the label vectors met so far.

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

/// Strips of all samples above the running count of label vectors, with one playhead through both.
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

std::span<const double> View::flipsOf(std::size_t sample) const {
    const double* from = offsets->values.data() + shown * samples + sample;
    return {labelFlips->values.data() + static_cast<std::size_t>(from[0]), static_cast<std::size_t>(from[1] - from[0])};
}

std::span<const double> View::changesIn(const Array& array) const {
    const double* from = changesOffsets->values.data() + shown;
    return {array.values.data() + static_cast<std::size_t>(from[0]), static_cast<std::size_t>(from[1] - from[0])};
}

double View::metAt(double at) const {
    const auto angles = changeAngles();
    const auto passed = std::upper_bound(angles.begin(), angles.end(), at) - angles.begin();
    return passed ? metAfter()[static_cast<std::size_t>(passed) - 1] : 1;
}

std::string View::curveName(std::size_t curve) const {
    return everyLayer ? "*n* = " + numberText(depths->values[curve]) : "*k* = " + numberText(widths->values[curve]);
}

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {
        {&view.dichotomies, "dichotomies"}, {&view.flips, "flips"},           {&view.flipsPredicted, "flipsPredicted"},
        {&view.widths, "curveWidth"},       {&view.depths, "curveDepth"},     {&view.flipsMeanField, "flipsMeanField"},
        {&view.start, "labelStart"},        {&view.labelFlips, "labelFlips"}, {&view.offsets, "labelFlipsOffsets"},
        {&view.changes, "changes"},         {&view.distinct, "distinct"},     {&view.changesOffsets, "changesOffsets"},
        {&view.running, "running"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    view.curves = view.widths->values.size();
    view.samples = view.start->axes[1].size();
    view.deepest = view.start->axes[0].size();
    while (view.deepest > 0 && std::isnan(view.start->row(view.deepest - 1)[0])) --view.deepest;
    if (view.deepest-- == 0) return false;
    view.shown = std::min(view.deepest, static_cast<std::size_t>(f.state.params.number("shown")));
    view.angle = std::clamp(f.state.params.number("at"), 0.0, 360.0);
    view.cap = r.scalar("cap")->value;
    view.everyLayer = r.params.is("sweep", "weights") && r.params.is("swept", "every");
    view.shownCurve = view.curves - 1;
    for (std::size_t c = 0; c < view.curves && !view.everyLayer; ++c)
        if (view.widths->values[c] == r.params.number("width")) view.shownCurve = c;
    return true;
}

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawStrips(f, view, a);
    const double split = a.lo.y + a.height() * 0.57;
    drawStrips(f, view, {a.lo, {a.hi.x, split - 4}});
    drawGrowth(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.38, 230.0, 440.0);
    const bool tall = a.height() > 420;
    drawStrips(f, view, {a.lo, {right - 14, a.hi.y}});
    drawGrowth(f, view, {{right, a.lo.y + 4}, {a.hi.x, tall ? a.hi.y - 150 : a.hi.y}});
    if (tall) drawReadings(f, view, {{right + 12, a.hi.y - 138}, {a.hi.x, a.hi.y - 6}});
}

class DichotomiesPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The weights are being turned.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace dichotomies

PictureEntry dichotomies_picture() {
    return {"dichotomies", [] { return std::unique_ptr<Picture>(std::make_unique<dichotomies::DichotomiesPicture>()); }};
}

}  // namespace kappaflow
