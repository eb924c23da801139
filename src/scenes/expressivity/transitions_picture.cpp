// Transitions (survey Fig 3): the curve of every layer crossing a unit of the next one, and transitions in proportion to length.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "draw/number_text.h"
#include "scenes/expressivity/transitions.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace transitions {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

/// Last layer of the drawn network's images, and of the charts.
Size lastDrawn(const Seen& s) { return s.result.drawnLayers.size() - 1; }
Size lastLayer(const Seen& s) { return s.result.layers.size() - 1; }
/// The layer shown, and the nearer one of two.
double shown(const Seen& s) { return std::clamp(s.params.at, 0.0, static_cast<double>(lastDrawn(s))); }
Size nearest(const Seen& s) { return static_cast<Size>(shown(s) + 0.5); }
Size turn(const Seen& s) { return std::min(s.result.turns.size() - 1, static_cast<Size>(s.params.turn)); }
/// Units pass ±1.
bool hardTanh(const Seen& s) { return s.asked.network.empty() && s.asked.activation == CurveActivation::HardTanh; }

/// Colours of the two signs.
Color positive(const Theme& theme) { return theme.series[0]; }
Color negative(const Theme& theme) { return theme.series[1]; }

/// t of the sign changes of the unit that reads a drawn layer, as it is turned.
std::span<const double> crossings(const Seen& s, Size layer) {
    const double* from = &s.result.turnCrossingsOffsets[layer * s.result.turns.size() + turn(s)];
    return std::span(s.result.turnCrossings).subspan(static_cast<Size>(from[0]), static_cast<Size>(from[1] - from[0]));
}

// Transitions against length for all curves, and layer by layer for the drawn network.

struct Range {
    double lo = 1e300, hi = 0;
    void include(double value) {
        if (value > 1e-9) lo = std::min(lo, value), hi = std::max(hi, value);
    }
    AxisSpec axis(std::string label, bool logarithmic, double room) const {
        if (!(hi > 0)) return {.label = std::move(label), .lo = 0, .hi = 1};
        if (!logarithmic) return {.label = std::move(label), .lo = 0, .hi = hi * (1 + room / 8)};
        return {.label = std::move(label), .lo = lo / 1.3, .hi = hi * (1 + room), .scale = Scale::Log};
    }
};

/// A curve's values in the layers 1, 2, …
Vector fromFirst(const Seen& s, const Vector& byLayer, Size curve) {
    const auto row = byLayer.begin() + static_cast<std::ptrdiff_t>(curve * s.result.layers.size());
    return {row + 1, row + static_cast<std::ptrdiff_t>(s.result.layers.size())};
}

/// Transitions of every layer against the length that it reads, all curves.
void drawProportion(const Seen& s, Rect rect) {
    static constexpr MarkerShape kShapes[] = {MarkerShape::Circle, MarkerShape::Square, MarkerShape::Diamond, MarkerShape::Cross};
    struct Points {
        Vector length, transitions, predicted;
    };
    const Result& r = s.result;
    const bool logarithmic = s.params.axes == Axes::Logarithmic, named = !r.curveWidth.empty();
    std::vector<Points> curves;
    Range lengths, counts;
    for (Size c = 0; c < r.curves.size(); ++c) {
        const auto row = r.length.values.begin() + static_cast<std::ptrdiff_t>(c * r.layers.size());
        curves.push_back(
            {{row, row + static_cast<std::ptrdiff_t>(lastLayer(s))}, fromFirst(s, r.transitions.values, c), fromFirst(s, r.predicted, c)});
        for (Size i = 0; i < lastLayer(s); ++i) {
            if (std::isnan(curves[c].transitions[i])) continue;
            lengths.include(curves[c].length[i]);
            counts.include(curves[c].transitions[i]);
            counts.include(curves[c].predicted[i]);
        }
    }
    Plot plot = plotIn(s.f, "proportion", rect, lengths.axis("length of the image", logarithmic, 1.2),
                       counts.axis("sign changes of a unit", logarithmic, 0.6));
    for (Size c = curves.size(); c-- > 0;) {
        // Only the drawn network has a colour; the others show by their marks that they lie on one line with it.
        const Color color = c == 0 ? s.f.theme.series[0] : s.f.theme.muted;
        const std::string name = named ? "*k* " + numberText(r.curveWidth[c]) + ", *σ*² " + numberText(r.curveWeightVariance[c], 3) : "";
        plot.line("proportion/theory", curves[c].length, curves[c].predicted, {color, Dash::Dashed, c == 0 ? 1.8 : 1.1, ""});
        plot.markers("proportion/measured", curves[c].length, curves[c].transitions, {color, Dash::Solid, 1, name}, kShapes[c % 4],
                     c == 0 ? 4.6 : 3.4);
    }
    if (const Size layer = nearest(s); layer < lastLayer(s) && !std::isnan(curves[0].transitions[layer])) {
        const double x[] = {curves[0].length[layer]}, y[] = {curves[0].transitions[layer]};
        plot.markers("proportion/now", x, y, {s.f.theme.accent, Dash::Solid, 1, ""}, MarkerShape::Diamond, 6.5);
    }
    std::string title = named ? "dashed: length/π" : "dashed: random units";
    if (r.slope && rect.width() > 330) title = "slope " + numberText(*r.slope, 3) + ", *r*² " + numberText(*r.r2, 4);
    finishPlot(s.f, plot, "proportion", title);
}

/// Transitions, passages of ±1 and patterns layer by layer, beside their predictions.
Curves byLayer(const Seen& s) {
    const Result& r = s.result;
    const Vector layers = countUp(lastLayer(s), 1), changes = fromFirst(s, r.transitions.values, 0),
                 bends = fromFirst(s, r.saturations.values, 0);
    const bool apart = hardTanh(s) || !std::equal(changes.begin(), changes.end(), bends.begin(),
                                                  [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
    Curves curves{.id = "layers", .title = "counted, and length/π", .fit = Fit::Given};
    Range range;
    const auto add = [&](const Vector& values, const Vector& predicted, Color color, const char* label) {
        for (const double value : values) range.include(value);
        curves.curves.push_back({"measured", layers, values, Role::Measurement, label, color, 2.2, false, true});
        curves.curves.push_back({"theory", layers, fromFirst(s, predicted, 0), Role::Theory, "", std::nullopt, 1.5});
    };
    add(fromFirst(s, r.pieces.values, 0), r.piecesPredicted, s.f.theme.series[2], "patterns");
    add(changes, r.predicted, s.f.theme.series[0], apart ? "sign" : "sign changes");
    if (apart) add(bends, r.saturationsPredicted, s.f.theme.series[3], hardTanh(s) ? "±1" : "bends");
    const double last = static_cast<double>(lastLayer(s));
    curves.x = {.label = "layer that reads", .lo = 0.6, .hi = last + std::max(1.0, 0.16 * last), .whole = true};
    curves.y = range.axis("a unit's changes; patterns", true, 1);
    curves.more = [&s](PictureFrame& f, Plot& plot) {
        const Vector readers = countUp(s.result.drawnLayers.size(), 1);
        scrub(f, plot, "layers", {"layer", "layer shown", "layer " + std::to_string(nearest(s)), s.result.drawnLayers, readers, shown(s)});
    };
    return curves;
}

// The trajectory's image as a unit of the next layer sees it, and what that unit counts while it turns.

/// The curve in the plane of the unit's pre-activation h (across) and the direction of the principal plane that does not vary with h (up).
struct UnitView {
    Vector h, up;
};

UnitView unitView(const Seen& s, Size layer) {
    const double angle = s.result.turns[turn(s)] * std::numbers::pi / 180, c = std::cos(angle), sine = std::sin(angle);
    const Size n = s.result.places.size();
    const double *image = &s.result.image[layer * n * 2], *pair = &s.result.pair[layer * n * 2];
    UnitView view;
    double mean = 0;
    for (Size i = 0; i < n; ++i) {
        view.h.push_back(c * pair[2 * i] + sine * pair[2 * i + 1]);
        mean += view.h.back() / static_cast<double>(n);
    }
    double first = 0, second = 0;
    for (Size i = 0; i < n; ++i) {
        first += (view.h[i] - mean) * image[2 * i];
        second += (view.h[i] - mean) * image[2 * i + 1];
    }
    const double norm = std::hypot(first, second), a = norm > 0 ? -second / norm : 0, b = norm > 0 ? first / norm : 1;
    for (Size i = 0; i < n; ++i) view.up.push_back(a * image[2 * i] + b * image[2 * i + 1]);
    return view;
}

/// What the curves of all layers reach: across to either side, downwards and upwards.
struct Reach {
    double across = 1.2, down = 1e-9, up = 1e-9;
};
Reach reachOf(const Seen& s) {
    Reach reach;
    for (Size layer = 0; layer <= lastDrawn(s); ++layer) {
        const UnitView view = unitView(s, layer);
        for (const double h : view.h) reach.across = std::max(reach.across, std::abs(h));
        for (const double y : view.up) reach.down = std::max(reach.down, -y), reach.up = std::max(reach.up, y);
    }
    return reach;
}

void blend(Vector& values, const Vector& other, double share) {
    for (Size i = 0; i < values.size(); ++i) values[i] += share * (other[i] - values[i]);
}

/// The parts of the curve on one side of the line, cut exactly where h is 0.
void drawSide(Plot& plot, std::string_view id, const UnitView& view, double side, Color color) {
    Vector x, y;
    const auto flush = [&] {
        if (x.size() > 1) plot.line(id, x, y, {color, Dash::Solid, 2.6, ""});
        x.clear();
        y.clear();
    };
    for (Size i = 0; i < view.h.size(); ++i) {
        const bool in = side * view.h[i] > 0;
        if (i > 0 && in != (side * view.h[i - 1] > 0)) {
            const double part = view.h[i - 1] / (view.h[i - 1] - view.h[i]);
            x.push_back(0);
            y.push_back(view.up[i - 1] + part * (view.up[i] - view.up[i - 1]));
        }
        if (in) {
            x.push_back(view.h[i]);
            y.push_back(view.up[i]);
        } else {
            flush();
        }
    }
    flush();
}

/// Where the exact sign changes lie, for a picture at rest in its layer.
void drawCrossings(const Seen& s, Plot& plot, const UnitView& view) {
    const Vector& t = s.result.places;
    Vector x, y;
    Size i = 1;
    for (const double crossing : crossings(s, nearest(s))) {
        while (i + 1 < t.size() && t[i] < crossing) ++i;
        x.push_back(0);
        y.push_back(view.up[i - 1] + (crossing - t[i - 1]) / (t[i] - t[i - 1]) * (view.up[i] - view.up[i - 1]));
    }
    plot.markers("curve/crossings", x, y, {s.f.theme.accent, Dash::Solid, 1, ""}, MarkerShape::Circle, x.size() > 60 ? 2.5 : 4.5);
}

/// The curve as a unit of the next layer sees it: the unit's pre-activation across, so that its zero is one upright line.
void drawCurve(const Seen& s, Rect rect) {
    const Between b = between(shown(s), lastDrawn(s));
    // Rests at every layer, and moves between them.
    const double moved = std::clamp((b.fraction - 0.25) / 0.5, 0.0, 1.0), share = moved * moved * (3 - 2 * moved);
    UnitView view = unitView(s, b.below);
    if (share > 0) {
        const UnitView next = unitView(s, b.above);
        blend(view.h, next.h, share);
        blend(view.up, next.up, share);
    }
    const auto [across, down, up] = reachOf(s);
    const double room = 0.05 * (down + up);
    Plot plot = plotIn(s.f, "curve", rect, {.label = "pre-activation *h* of the unit", .lo = -1.06 * across, .hi = 1.06 * across},
                       {.label = rect.height() > 300 ? "across it, in the principal plane" : "across it",
                        .lo = -down - room,
                        .hi = up + room,
                        .ticks = rect.height() > 260});
    const Rect inner = plot.inner();
    const double zero = std::clamp(plot.toScreen(0, 0).x, inner.lo.x, inner.hi.x);
    s.f.painter.rect("curve/side", {inner.lo, {zero, inner.hi.y}}, negative(s.f.theme).withAlpha(0.07f));
    s.f.painter.rect("curve/side", {{zero, inner.lo.y}, inner.hi}, positive(s.f.theme).withAlpha(0.07f));
    if (hardTanh(s))
        for (const double threshold : {-1.0, 1.0})
            plot.vertical("curve/saturation", threshold, {s.f.theme.muted.withAlpha(0.7f), Dash::Dotted, 1.2, ""});
    plot.vertical("curve/unit", 0, {s.f.theme.text, Dash::Solid, 1.6, ""});
    drawSide(plot, "curve/positive", view, 1, positive(s.f.theme));
    drawSide(plot, "curve/negative", view, -1, negative(s.f.theme));
    if (share == 0 || share == 1) drawCrossings(s, plot, view);
    const Size layer = nearest(s), count = crossings(s, nearest(s)).size();
    const std::string where = layer == 0 ? "input" : "layer " + std::to_string(layer);
    const std::string seen = rect.width() < 420 ? "" : ", seen by a unit of layer " + std::to_string(layer + 1);
    finishPlot(s.f, plot, "curve", where + seen + ": " + std::to_string(count) + (count == 1 ? " crossing" : " crossings"));
}

/// The sign of the unit along the trajectory, a strip for every layer: the one shown strong and framed.
void drawSigns(const Seen& s, Rect rect) {
    const Size layers = lastDrawn(s) + 1;
    Plot plot = plotIn(s.f, "signs", rect, {.label = "place *t* on the trajectory", .lo = 0, .hi = s.result.places.back()},
                       {.label = "layer that reads", .lo = 0.5, .hi = static_cast<double>(layers) + 0.5, .whole = true, .reversed = true});
    const Rect inner = plot.inner();
    const auto columns = static_cast<Size>(std::clamp(inner.width(), 1.0, 480.0));
    const auto place = [&](double t, double row) { return plot.toScreen(t, row); };
    s.f.painter.pushClip(inner);
    for (Size layer = 0; layer < layers; ++layer) {
        const auto changes = crossings(s, layer);
        const double row = static_cast<double>(layer) + 1, end = s.result.places.back();
        const float near = static_cast<float>(std::max(0.0, 1 - std::abs(shown(s) - static_cast<double>(layer))));
        bool up = unitView(s, layer).h.front() > 0;
        const auto fill = [&](double from, double to) {
            s.f.painter.rect("signs/strip", {place(from, row - 0.4), place(to, row + 0.4)},
                             (up ? positive(s.f.theme) : negative(s.f.theme)).withAlpha(0.4f + 0.5f * near));
        };
        // Column by column where changes lie closer than these.
        double from = 0;
        Size passed = 0;
        for (Size c = 1; c <= columns; ++c) {
            const double to = end * static_cast<double>(c) / static_cast<double>(columns);
            Size more = passed;
            while (more < changes.size() && changes[more] < to) ++more;
            if ((more - passed) % 2 == 1) {
                fill(from, changes[more - 1]);
                from = changes[more - 1];
                up = !up;
            }
            passed = more;
        }
        fill(from, end);
    }
    const double here = shown(s) + 1;
    s.f.painter.frame("signs/shown", {place(0, here - 0.5), place(s.result.places.back(), here + 0.5)}, {s.f.theme.accent, 1.6});
    s.f.painter.popClip();
    finishPlot(s.f, plot, "signs", "the sign of such a unit, layer by layer");
}

/// Crossings of that line while the unit turns.
void drawTurns(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const Vector &angles = r.turns, counts = rowAt(r.turnTransitions, angles.size(), static_cast<double>(nearest(s)));
    // What Crofton expects of a unit that reads the nearest layer, if it was followed on.
    const Size next = nearest(s) + 1;
    const double predicted = next <= lastLayer(s) ? r.predicted[next] : std::nan("");
    const double step = angles[1] - angles[0], here = angles[turn(s)];
    // One axis for all layers: the number grows exponentially with depth.
    const double most = largest(r.turnTransitions, 1);
    const bool logarithmic = most > 30;
    Plot plot(s.f.painter, s.f.theme, "turns", rect, {.label = "angle *θ* of the unit (degrees)", .lo = -step, .hi = 180},
              {.label = "crossings",
               .lo = logarithmic ? 0.5 : 0,
               .hi = most * (logarithmic ? 2 : 1.35),
               .scale = logarithmic ? Scale::Log : Scale::Linear,
               .whole = true});
    plot.bars("turns/measured", angles, counts, step * 0.8, s.f.theme.series[0].withAlpha(0.45f));
    plot.bars("turns/now", std::span(&here, 1), std::span(&counts[turn(s)], 1), step * 0.8, s.f.theme.accent);
    double mean = 0;
    for (const double count : counts) mean += count / static_cast<double>(counts.size());
    // All turns are mixtures of the same two units: their mean is none over random ones, whose layer is named beside the prediction.
    std::string title = "mean " + numberText(mean, 3) + " of these two units";
    if (std::isfinite(predicted)) {
        const double x[] = {-step, 180}, y[] = {predicted, predicted};
        plot.line("turns/theory", x, y, {s.f.theme.theory, Dash::Dashed, 1.8, ""});
        if (rect.width() > 420)
            title += ", " + numberText(r.transitions.values[next], 3) + " of all in layer " + std::to_string(next) + "; length/π " +
                     numberText(predicted, 3);
    }
    finishPlot(s.f, plot, "turns", title);
    const Rect inner = plot.inner();
    const auto grip = s.f.handles.offer({"turn", "turn of the unit", numberText(here, 4) + " degrees", static_cast<double>(turn(s)), 0,
                                         static_cast<double>(angles.size() - 1), 1, inner},
                                        [&](Vec2 p) { return std::round(plot.toData(p).x / step); });
    drawKnob(s.f, "turns/knob", {plot.toScreen(here, 1).x, inner.hi.y - 8}, grip);
    if (grip.moved) s.f.changes.push_back(Change::param("turn", std::round(grip.value)));
}

Layout layout(const Seen& s) {
    const auto of = [&s](void (*draw)(const Seen&, Rect)) { return [&s, draw](Rect rect) { draw(s, rect); }; };
    return Layout::columns({Layout::rows({s.panel(0, {260, 220}, of(drawCurve)).share(2), s.panel(3, {240, 130}, of(drawSigns)).share(1.1),
                                          s.panel(2, {240, 130}, of(drawTurns)).share(0.8)})
                                .share(1.38),
                            Layout::rows({s.panel(1, {250, 180}, of(drawProportion)), s.panel(4, {250, 190}, byLayer(s))})});
}

}  // namespace
}  // namespace transitions

PictureEntry transitions_picture() { return tablePicture<transitions::kScene, transitions::layout>(); }

}  // namespace kappaflow
