// Transitions (survey Fig 3): the curve of every layer crossing a unit of the next one, and transitions in proportion to length.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/number_text.h"
#include "scenes/picture.h"

namespace kappaflow {
namespace transitions {
namespace {

/// What the panels read.
struct View {
    const Array *image, *pair, *turnTransitions, *turnCrossings, *offsets, *length, *transitions, *predicted, *saturations,
        *saturationsPredicted, *pieces, *piecesPredicted;
    const Array *widths, *variances;     ///< null of a given network
    bool hardTanh = false;               ///< drawn here with it: units pass ±1
    std::size_t curves = 0, layers = 0;  ///< layers of the charts
    double at = 0;                       ///< layer shown, at most the drawn network's last
    double last = 0;                     ///< of the drawn network's images
    std::size_t turn = 0;

    std::size_t nearest() const { return static_cast<std::size_t>(at + 0.5); }
    double turnAngle() const { return turnTransitions->axes[1].values[turn]; }
    /// t of the sign changes of the unit as it is turned, in the nearest layer.
    std::span<const double> crossings() const;
};

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

/// Transitions of every layer beside the length that it reads: the first entry is layer 1.
struct Points {
    std::vector<double> length, transitions, predicted;
};
Points pointsOf(const View& view, std::size_t curve) {
    Points points;
    for (std::size_t l = 1; l <= view.layers; ++l) {
        points.length.push_back(view.length->row(curve)[l - 1]);
        points.transitions.push_back(view.transitions->row(curve)[l]);
        points.predicted.push_back(view.predicted->row(curve)[l]);
    }
    return points;
}

Color colorOf(const PictureFrame& f, std::size_t curve) {
    static constexpr std::size_t kOrder[] = {0, 2, 1, 3, 5, 6, 7, 4};
    return f.theme.series[kOrder[curve % 8]];
}

std::string nameOf(const View& view, std::size_t curve) {
    if (!view.widths) return "";
    return "*k* " + numberText(view.widths->values[curve]) + ", *σ*² " + numberText(view.variances->values[curve], 3);
}

/// The upright line of the layer shown, which is also the handle that scrubs.
void offerLayer(PictureFrame& f, const View& view, Plot& plot) {
    plot.vertical("layers/now", view.at + 1, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (view.last < 1) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(view.at + 1, 1).x;
    const Handle handle{"layer",
                        "layer shown",
                        "layer " + std::to_string(view.nearest()),
                        view.at,
                        0,
                        view.last,
                        1,
                        {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return plot.toData(p).x - 1; });
    drawKnob(f, "layers/knob", {x, inner.hi.y - 7}, grip);
    if (!grip.moved) return;
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", grip.value));
}

/// Whether the first curve's rows hold the same numbers, or none.
bool sameRow(const Array& a, const Array& b) {
    return std::equal(a.row(0), a.row(0) + a.rowLength(), b.row(0),
                      [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

/// Transitions against length, all curves.
void drawProportion(PictureFrame& f, const View& view, Rect rect) {
    const bool logarithmic = f.state.params.is("axes", "logarithmic");
    Range lengths, counts;
    for (std::size_t c = 0; c < view.curves; ++c) {
        const Points p = pointsOf(view, c);
        for (std::size_t i = 0; i < p.length.size(); ++i)
            if (!std::isnan(p.transitions[i])) {
                lengths.include(p.length[i]);
                counts.include(p.transitions[i]);
                counts.include(p.predicted[i]);
            }
    }
    Plot plot(f.painter, f.theme, "proportion", rect, lengths.axis("length of the image", logarithmic, 1.2),
              counts.axis("sign changes of a unit", logarithmic, 0.6), zoomOf(f, "proportion"));
    for (std::size_t c = view.curves; c-- > 0;) {
        const Points p = pointsOf(view, c);
        const Color color = colorOf(f, c);
        plot.line("proportion/theory", p.length, p.predicted, {color, Dash::Dashed, 1.4, ""});
        plot.markers("proportion/measured", p.length, p.transitions, {color, Dash::Solid, 1, nameOf(view, c)}, MarkerShape::Circle,
                     c == 0 ? 4.2 : 3);
    }
    const std::size_t next = view.nearest() + 1;
    if (next <= view.layers && !std::isnan(view.transitions->row(0)[next])) {
        const double x[] = {view.length->row(0)[next - 1]}, y[] = {view.transitions->row(0)[next]};
        plot.markers("proportion/now", x, y, {f.theme.accent, Dash::Solid, 1, ""}, MarkerShape::Diamond, 6.5);
    }
    const Scalar* slope = f.report.scalar("slope");
    std::string title = view.widths ? "dashed: length/π" : "dashed: random units";
    if (slope && rect.width() > 330)
        title = "slope " + numberText(slope->value, 3) + ", *r*² " + numberText(f.report.scalar("r2")->value, 4);
    finishPlot(f, plot, "proportion", title);
}

/// Transitions, passages of ±1 and patterns layer by layer, beside their predictions.
void drawLayers(PictureFrame& f, const View& view, Rect rect) {
    struct Kind {
        const Array *measured, *theory;
        Color color;
        const char* label;
    };
    const bool apart = view.hardTanh || !sameRow(*view.saturations, *view.transitions);
    std::vector<Kind> kinds{{view.pieces, view.piecesPredicted, f.theme.series[2], "patterns"},
                            {view.transitions, view.predicted, f.theme.series[0], apart ? "sign" : "sign changes"}};
    if (apart) kinds.push_back({view.saturations, view.saturationsPredicted, f.theme.series[3], view.hardTanh ? "±1" : "bends"});
    std::vector<double> layers;
    Range range;
    for (std::size_t l = 1; l <= view.layers; ++l) {
        layers.push_back(static_cast<double>(l));
        for (const Kind& kind : kinds) range.include(kind.measured->row(0)[l]);
    }
    Plot plot(f.painter, f.theme, "layers", rect,
              {.label = "layer that reads",
               .lo = 0.6,
               .hi = static_cast<double>(view.layers) + std::max(1.0, 0.16 * static_cast<double>(view.layers)),
               .whole = true},
              range.axis("a unit's changes; patterns", true, 1), zoomOf(f, "layers"));
    for (const Kind& kind : kinds) {
        plot.line("layers/measured", layers, std::span(kind.measured->row(0) + 1, view.layers), {kind.color, Dash::Solid, 2.2, kind.label});
        plot.line("layers/theory", layers, std::span(kind.theory->row(0) + 1, view.layers), {f.theme.theory, Dash::Dashed, 1.5, ""});
    }
    offerLayer(f, view, plot);
    finishPlot(f, plot, "layers", "counted, and length/π");
}

// The trajectory's image as a unit of the next layer sees it, and what that unit counts while it turns.

/// The curve in the plane of the unit's pre-activation h (across) and the direction of the principal plane that does not vary with h (up).
struct Seen {
    std::vector<double> h, up;
};

Seen seenIn(const View& view, std::size_t layer) {
    const double angle = view.turnAngle() * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
    const double *image = view.image->row(layer), *pair = view.pair->row(layer);
    const std::size_t n = view.image->axes[1].size();
    Seen seen;
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) {
        seen.h.push_back(c * pair[2 * i] + s * pair[2 * i + 1]);
        mean += seen.h.back() / static_cast<double>(n);
    }
    double first = 0, second = 0;
    for (std::size_t i = 0; i < n; ++i) {
        first += (seen.h[i] - mean) * image[2 * i];
        second += (seen.h[i] - mean) * image[2 * i + 1];
    }
    const double norm = std::hypot(first, second), a = norm > 0 ? -second / norm : 0, b = norm > 0 ? first / norm : 1;
    for (std::size_t i = 0; i < n; ++i) seen.up.push_back(a * image[2 * i] + b * image[2 * i + 1]);
    return seen;
}

double reach(const std::vector<double>& values) {
    double most = 1e-9;
    for (const double value : values) most = std::max(most, std::abs(value));
    return most;
}

/// Least and largest.
Vec2 extent(const std::vector<double>& values) {
    const auto [lo, hi] = std::minmax_element(values.begin(), values.end());
    return {std::min(*lo, -1e-9), std::max(*hi, 1e-9)};
}

/// Rests at every layer, and moves between them.
double paused(double fraction) {
    const double x = std::clamp((fraction - 0.25) / 0.5, 0.0, 1.0);
    return x * x * (3 - 2 * x);
}

void blend(std::vector<double>& values, const std::vector<double>& other, double share) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += share * (other[i] - values[i]);
}

/// The parts of the curve on one side of the line, cut exactly where h is 0.
void drawSide(Plot& plot, std::string_view id, const Seen& seen, double side, const Series& series) {
    std::vector<double> x, y;
    const auto flush = [&] {
        if (x.size() > 1) plot.line(id, x, y, series);
        x.clear();
        y.clear();
    };
    for (std::size_t i = 0; i < seen.h.size(); ++i) {
        const bool in = side * seen.h[i] > 0;
        if (i > 0 && in != (side * seen.h[i - 1] > 0)) {
            const double part = seen.h[i - 1] / (seen.h[i - 1] - seen.h[i]);
            x.push_back(0);
            y.push_back(seen.up[i - 1] + part * (seen.up[i] - seen.up[i - 1]));
        }
        if (in) {
            x.push_back(seen.h[i]);
            y.push_back(seen.up[i]);
        } else {
            flush();
        }
    }
    flush();
}

/// Where the exact sign changes lie, for a picture at rest in its layer.
void drawCrossings(PictureFrame& f, const View& view, Plot& plot, const Seen& seen) {
    const auto& t = view.image->axes[1].values;
    std::vector<double> x, y;
    std::size_t i = 1;
    for (const double crossing : view.crossings()) {
        while (i + 1 < t.size() && t[i] < crossing) ++i;
        x.push_back(0);
        y.push_back(seen.up[i - 1] + (crossing - t[i - 1]) / (t[i] - t[i - 1]) * (seen.up[i] - seen.up[i - 1]));
    }
    const double radius = x.size() > 60 ? 2.5 : 4.5;
    plot.markers("curve/crossings", x, y, {f.theme.accent, Dash::Solid, 1, ""}, MarkerShape::Circle, radius);
}

std::string titleOf(const View& view, double width) {
    const std::size_t layer = view.nearest(), count = view.crossings().size();
    const std::string where = layer == 0 ? "input" : "layer " + std::to_string(layer);
    const std::string changes = std::to_string(count) + (count == 1 ? " crossing" : " crossings");
    if (width < 420) return where + ": " + changes;
    return where + ", seen by a unit of layer " + std::to_string(layer + 1) + ": " + changes;
}

/// What Crofton expects of a unit that reads the nearest layer, if it was followed on.
double predictedNext(const View& view) {
    const std::size_t next = view.nearest() + 1;
    return next <= view.layers ? view.predicted->row(0)[next] : std::nan("");
}

/// The curve as a unit of the next layer sees it: the unit's pre-activation across, so that its zero is one upright line.
void drawCurve(PictureFrame& f, const View& view, Rect rect) {
    const Between b = between(view.at, static_cast<std::size_t>(view.last));
    const double share = paused(b.fraction);
    Seen seen = seenIn(view, b.below);
    double across = reach(seen.h);
    Vec2 up = extent(seen.up);
    if (share > 0) {
        const Seen next = seenIn(view, b.above);
        across += share * (reach(next.h) - across);
        up = up + (extent(next.up) - up) * share;
        blend(seen.h, next.h, share);
        blend(seen.up, next.up, share);
    }
    across = std::max(across, 1.2);
    Plot plot(f.painter, f.theme, "curve", rect, {.label = "pre-activation *h* of the unit", .lo = -across * 1.06, .hi = across * 1.06},
              {.label = rect.height() > 300 ? "across it, in the principal plane" : "across it",
               .lo = up.x - 0.05 * (up.y - up.x),
               .hi = up.y + 0.05 * (up.y - up.x),
               .ticks = rect.height() > 260},
              zoomOf(f, "curve"));
    if (view.hardTanh)
        for (const double threshold : {-1.0, 1.0})
            plot.vertical("curve/saturation", threshold, {f.theme.muted.withAlpha(0.7f), Dash::Dotted, 1.2, ""});
    plot.vertical("curve/unit", 0, {f.theme.text, Dash::Solid, 1.6, ""});
    drawSide(plot, "curve/positive", seen, 1, {f.theme.series[0], Dash::Solid, 1.8, ""});
    drawSide(plot, "curve/negative", seen, -1, {f.theme.series[1], Dash::Solid, 1.8, ""});
    if (share == 0 || share == 1) drawCrossings(f, view, plot, seen);
    finishPlot(f, plot, "curve", titleOf(view, rect.width()));
}

/// Crossings of that line while the unit turns.
void drawTurns(PictureFrame& f, const View& view, Rect rect) {
    const std::size_t turns = view.turnTransitions->axes[1].size();
    const auto& angles = view.turnTransitions->axes[1].values;
    const std::vector<double> counts(view.turnTransitions->row(view.nearest()), view.turnTransitions->row(view.nearest()) + turns);
    const double predicted = predictedNext(view), step = angles[1] - angles[0];
    double mean = 0;
    for (const double count : counts) mean += count / static_cast<double>(turns);
    Plot plot(f.painter, f.theme, "turns", rect, {.label = "angle *θ* of the unit (degrees)", .lo = -step, .hi = 180},
              {.label = "crossings",
               .lo = 0,
               .hi = std::max(largest(counts, 1), std::isfinite(predicted) ? predicted : 0) * 1.35,
               .whole = true});
    plot.bars("turns/measured", angles, counts, step * 0.8, f.theme.series[0].withAlpha(0.45f));
    const double here[] = {angles[view.turn]}, count[] = {counts[view.turn]};
    plot.bars("turns/now", here, count, step * 0.8, f.theme.accent);
    if (std::isfinite(predicted)) {
        const double x[] = {-step, 180}, y[] = {predicted, predicted};
        plot.line("turns/theory", x, y, {f.theme.theory, Dash::Dashed, 1.8, ""});
    }
    // All turns are mixtures of the same two units: their mean is none over random ones, whose layer is named beside the prediction.
    std::string title = "mean " + numberText(mean, 3) + " of these two units";
    if (std::isfinite(predicted) && rect.width() > 420)
        title += ", " + numberText(view.transitions->row(0)[view.nearest() + 1], 3) + " of all in layer " +
                 std::to_string(view.nearest() + 1) + "; length/π " + numberText(predicted, 3);
    finishPlot(f, plot, "turns", title);
    const Rect inner = plot.inner();
    const Handle handle{"turn",
                        "turn of the unit",
                        numberText(view.turnAngle(), 4) + " degrees",
                        static_cast<double>(view.turn),
                        0,
                        static_cast<double>(turns - 1),
                        1,
                        inner};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return std::round(plot.toData(p).x / step); });
    drawKnob(f, "turns/knob", {plot.toScreen(angles[view.turn], 0).x, inner.hi.y - 8}, grip);
    if (grip.moved) f.changes.push_back(Change::param("turn", std::round(grip.value)));
}

std::span<const double> View::crossings() const {
    const double* from = offsets->values.data() + nearest() * turnTransitions->axes[1].size() + turn;
    return {turnCrossings->values.data() + static_cast<std::size_t>(from[0]), static_cast<std::size_t>(from[1] - from[0])};
}

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {{&view.image, "image"},
                                                            {&view.pair, "pair"},
                                                            {&view.turnTransitions, "turnTransitions"},
                                                            {&view.turnCrossings, "turnCrossings"},
                                                            {&view.offsets, "turnCrossingsOffsets"},
                                                            {&view.length, "length"},
                                                            {&view.transitions, "transitions"},
                                                            {&view.predicted, "predicted"},
                                                            {&view.saturations, "saturations"},
                                                            {&view.saturationsPredicted, "saturationsPredicted"},
                                                            {&view.pieces, "pieces"},
                                                            {&view.piecesPredicted, "piecesPredicted"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    view.widths = r.array("curveWidth");
    view.variances = r.array("curveWeightVariance");
    view.hardTanh = r.params.is("network", "") && r.params.is("activation", "hard-tanh");
    view.curves = view.length->axes[0].size();
    view.layers = view.length->axes[1].size() - 1;
    view.last = static_cast<double>(view.image->axes[0].size() - 1);
    view.at = std::clamp(f.state.params.number("at"), 0.0, view.last);
    view.turn = std::min(view.turnTransitions->axes[1].size() - 1, static_cast<std::size_t>(f.state.params.number("turn")));
    return true;
}

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawCurve(f, view, a);
    const double split = a.lo.y + a.height() * 0.55;
    drawCurve(f, view, {a.lo, {a.hi.x, split - 4}});
    drawProportion(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.42, 250.0, 480.0), middle = a.lo.y + a.height() / 2;
    const bool tall = a.height() > 420;
    const double below = tall ? std::clamp(a.height() * 0.27, 120.0, 190.0) : 0;
    drawCurve(f, view, {{a.lo.x, a.lo.y + 4}, {right - 12, a.hi.y - below}});
    if (tall) drawTurns(f, view, {{a.lo.x, a.hi.y - below + 4}, {right - 12, a.hi.y}});
    drawProportion(f, view, {{right, a.lo.y + 4}, {a.hi.x, tall ? middle - 6 : a.hi.y}});
    if (tall) drawLayers(f, view, {{right, middle + 6}, a.hi});
}

class TransitionsPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The trajectory is being followed.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace transitions

PictureEntry transitions_picture() {
    return {"transitions", [] { return std::unique_ptr<Picture>(std::make_unique<transitions::TransitionsPicture>()); }};
}

}  // namespace kappaflow
