// The trajectory's image as a unit of the next layer sees it, and what that unit counts while it turns.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/number_text.h"
#include "scenes/expressivity/transitions/picture_view.h"

namespace kappaflow::transitions {
namespace {

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

}  // namespace

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
    const std::string prediction = std::isfinite(predicted) ? ", length/π gives " + numberText(predicted, 3) : "";
    finishPlot(f, plot, "turns", "mean " + numberText(mean, 3) + prediction);
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

}  // namespace kappaflow::transitions
