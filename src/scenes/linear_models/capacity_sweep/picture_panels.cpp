// The four plots: counts and losses against channels, losses against counts, losses on the way down.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/linear_models/capacity_sweep/picture_view.h"
#include "scenes/linear_models/optimal.h"

namespace kappaflow::capacity_sweep {
namespace {

using Vector = std::vector<double>;

/// Numbers of channels that the reader can put at the list's end by pulling at the last point.
constexpr double kMostChannels = 256;
using linear::kOptimal;

struct Look {
    Color capacity, weights, random, optimal;
};
Look lookOf(const Theme& theme) {
    return {sample(ColorMap::Capacity, theme.dark ? 0.75 : 0.7, theme.dark), theme.series[2], theme.series[3], theme.theory};
}

AxisSpec channelAxis(const View& view) {
    const double last = view.channels.back();
    return {.label = "channels *c*",
            .lo = view.channels.front() / 1.25,
            .hi = std::max(last, view.channels.front() * 2) * 1.6,
            .scale = Scale::Log};
}

AxisSpec lossAxis(const View& view) {
    double highest = 0;
    for (const Array* array : {view.loss, view.optimal})
        for (double value : array->values)
            if (value > highest) highest = value;
    return {.label = "loss *L*", .lo = view.rounding / 30, .hi = std::max(highest * 20, 5.0), .scale = Scale::Log};
}

Vector shown(const View& view, const Vector& losses) {
    Vector values;
    for (double loss : losses) values.push_back(shownLoss(view, loss));
    return values;
}

/// Filled where an optimum was reached, hollow where the search stopped short of one or is still under way.
void drawSearchPoints(PictureFrame& f, const Plot& plot, const char* id, const View& view, const Vector& x, Color color, double radius) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double loss = shownLoss(view, view.loss->values[i]);
        if (std::isnan(loss)) continue;
        const bool reached = view.converged->values[i] == 1;
        f.painter.marker(id, plot.toScreen(x[i], loss), radius, MarkerShape::Circle, reached ? color : f.theme.ground, Stroke{color, 1.6});
    }
}

Color nowColor(const Theme& theme) { return theme.accent.withAlpha(0.55f); }

/// The upright line of the number of channels looked at, which is also a handle.
void offerChannels(PictureFrame& f, const View& view, Plot& plot) {
    const double c = view.channels[view.chosen];
    plot.vertical("loss/now", c, {nowColor(f.theme), Dash::Solid, 1.2, ""});
    if (view.last() == 0) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(c, 1).x;
    const Handle handle{"channels",
                        "channels looked at",
                        "c = " + inWords(c, 4),
                        static_cast<double>(view.chosen),
                        0,
                        static_cast<double>(view.last()),
                        1,
                        {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto indexAt = [&](Vec2 p) {
        std::size_t nearest = 0;
        for (std::size_t i = 1; i <= view.last(); ++i)
            if (std::abs(plot.toScreen(view.channels[i], 1).x - p.x) < std::abs(plot.toScreen(view.channels[nearest], 1).x - p.x))
                nearest = i;
        return static_cast<double>(nearest);
    };
    const auto grip = f.handles.offer(handle, indexAt);
    drawKnob(f, "loss/knob", {x, inner.lo.y + 7}, grip);
    if (grip.moved) f.changes.push_back(Change::param("shown", view.channels[static_cast<std::size_t>(std::lround(grip.value))]));
}

/// The upright line of the iteration shown, which scrubs through the search.
void offerIteration(PictureFrame& f, const View& view, Plot& plot) {
    const double at = std::max(view.iteration(), 1.0), last = static_cast<double>(view.iterations.size() - 1);
    plot.vertical("descent/now", at, {nowColor(f.theme), Dash::Solid, 1.2, ""});
    const Rect inner = plot.inner();
    const double x = plot.toScreen(at, 1).x;
    const Handle handle{"iteration",
                        "iteration shown",
                        inWords(std::round(view.iteration()), 5),
                        view.step,
                        0,
                        last,
                        1,
                        {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto indexAt = [&](Vec2 p) {
        const double iteration = plot.toData(p).x;
        std::size_t k = 0;
        while (k + 1 < view.iterations.size() && view.iterations[k + 1] <= iteration) ++k;
        const double next = k + 1 < view.iterations.size() ? view.iterations[k + 1] : view.iterations[k] + 1;
        return static_cast<double>(k) + std::clamp((iteration - view.iterations[k]) / (next - view.iterations[k]), 0.0, 1.0);
    };
    const auto grip = f.handles.offer(handle, indexAt);
    drawKnob(f, "descent/knob", {x, inner.lo.y + 7}, grip);
    if (!grip.moved) return;
    const Between b = between(std::min(grip.value, last), view.iterations.size() - 1);
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", view.iterations[b.below] + (view.iterations[b.above] - view.iterations[b.below]) * b.fraction));
}

/// The list with its end at 2^exponent: doublings beyond its last entry, or without what lies above.
Vector listUpTo(const Vector& channels, double exponent) {
    const double most = std::ldexp(1.0, static_cast<int>(std::lround(exponent)));
    Vector list;
    for (double c : channels)
        if (c <= most || list.empty()) list.push_back(c);
    while (list.back() < most) list.push_back(std::min(2 * list.back(), most));
    return list;
}

/// The last point is pulled along the axis: more channels, or fewer.
void offerLast(PictureFrame& f, const View& view, const Plot& plot) {
    const double exponent = std::log2(view.channels.back());
    const double loss = shownLoss(view, view.loss->values.back());
    Vec2 at = plot.toScreen(view.channels.back(), std::isnan(loss) ? 1 : loss);
    at.y = std::clamp(at.y, plot.inner().lo.y + 8, plot.inner().hi.y - 24);
    const Handle handle{"most",
                        "largest number of channels",
                        inWords(view.channels.back(), 4),
                        exponent,
                        0,
                        std::log2(kMostChannels),
                        1,
                        {at + Vec2{-14, -14}, at + Vec2{14, 14}}};
    // An axis that grows under the pointer would run away from it: a doubling every 40 pixels.
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return exponent + (p.x - at.x) / 40; });
    if (!f.kept) {
        const bool lively = grip.hovered || grip.held || grip.focused;
        const Vec2 tip = at + Vec2{lively ? 21.0 : 18.0, 0}, arrow[] = {tip + Vec2{-6, -5}, tip, tip + Vec2{-6, 5}};
        f.painter.line("loss/arrow", arrow, Stroke{f.theme.accent, lively ? 2.6 : 1.8});
    }
    if (!grip.moved) return;
    const Vector list = listUpTo(view.channels, grip.value);
    if (list != view.channels && list.size() <= 16) f.changes.push_back(Change::param("channelsList", list));
}

std::string lossTitle(const View& view, bool wide) {
    const std::size_t i = view.chosen;
    const std::string at = "*c* = " + numberText(view.channels[i]) + ": ";
    const auto words = [&](double loss) {
        return std::isnan(loss) ? std::string("…") : loss <= view.rounding ? std::string("0") : numberText(loss, wide ? 3 : 2);
    };
    if (!view.random) return at + (wide ? "optimum " : "") + words(view.optimal->values[i]);
    if (!wide) return at + words(view.loss->values[i]) + ", optimum " + words(view.optimal->values[i]);
    return at + "random start " + words(view.loss->values[i]) + ", optimum " + words(view.optimal->values[i]);
}

}  // namespace

void drawLosses(PictureFrame& f, const View& view, Rect rect) {
    const Look look = lookOf(f.theme);
    Plot plot(f.painter, f.theme, "loss", rect, channelAxis(view), lossAxis(view), zoomOf(f, "loss"));
    if (const Scalar* full = f.report.scalar("fullyConnectedLoss"))
        plot.horizontal("loss/full", shownLoss(view, full->value), {f.theme.muted, Dash::Dotted, 1.4, ""});
    offerChannels(f, view, plot);
    const Vector optimal = shown(view, view.optimal->values);
    plot.line("loss/optimal", view.channels, optimal, {look.optimal, Dash::Dashed, 1.8, "optimum"});
    for (std::size_t i = 0; i <= view.last(); ++i) {
        if (std::isnan(optimal[i])) continue;
        const bool reached = view.optimality->values[i] <= kOptimal;
        f.painter.marker("loss/optimum", plot.toScreen(view.channels[i], optimal[i]), 4, MarkerShape::Diamond,
                         reached ? look.optimal : f.theme.ground, Stroke{look.optimal, 1.4});
    }
    Vector now;
    for (std::size_t i = 0; i <= view.last(); ++i) now.push_back(view.lossNow(i));
    const Color moving = view.random ? look.random : look.optimal;
    plot.line("loss/moving", view.channels, now, {moving.withAlpha(0.45f), Dash::Solid, 5, ""});
    if (view.random) {
        plot.line("loss/random", view.channels, shown(view, view.loss->values), {look.random, Dash::Solid, 2.2, "random start"});
        drawSearchPoints(f, plot, "loss/point", view, view.channels, look.random, 4);
    }
    finishPlot(f, plot, "loss", lossTitle(view, rect.width() > 420));
    offerLast(f, view, plot);
}

void drawCounts(PictureFrame& f, const View& view, Rect rect) {
    const Look look = lookOf(f.theme);
    double most = view.length;
    for (double p : view.parameters->values) most = std::max(most, p);
    Plot plot(f.painter, f.theme, "counts", rect, channelAxis(view),
              {.label = "count", .lo = std::max(1.0, view.capacity->values.front() / 1.6), .hi = most * 2, .scale = Scale::Log},
              zoomOf(f, "counts"));
    plot.horizontal("counts/inputs", view.length, {f.theme.muted, Dash::Dashed, 1.4, ""});
    plot.vertical("counts/now", view.channels[view.chosen], {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    plot.line("counts/weights", view.channels, view.parameters->values, {look.weights, Dash::Solid, 2.2, "weights *p*"});
    plot.markers("counts/weights", view.channels, view.parameters->values, {look.weights, Dash::Solid, 1, ""});
    plot.line("counts/capacity", view.channels, view.capacity->values, {look.capacity, Dash::Solid, 2.4, "capacity *κ*"});
    plot.markers("counts/capacity", view.channels, view.capacity->values, {look.capacity, Dash::Solid, 1, ""});
    if (view.recurrent)
        plot.markers("counts/rank", view.channels, view.rank->values, {look.capacity, Dash::Solid, 1, "rank found"}, MarkerShape::Cross,
                     4.5);
    const std::size_t i = view.chosen;
    finishPlot(f, plot, "counts",
               "*κ* = " + numberText(view.capacity->values[i]) + " of *n* = " + numberText(view.length) +
                   ", *p* = " + numberText(view.parameters->values[i], 6));
}

void drawAgainstCounts(PictureFrame& f, const View& view, Rect rect) {
    const Look look = lookOf(f.theme);
    const auto& p = view.parameters->values;
    const auto& kappa = view.capacity->values;
    Plot plot(f.painter, f.theme, "against", rect,
              {.label = "count",
               .lo = std::max(1.0, kappa.front() / 1.6),
               .hi = std::max(view.length, *std::max_element(p.begin(), p.end())) * 2.5,
               .scale = Scale::Log},
              lossAxis(view), zoomOf(f, "against"));
    const Vector losses = shown(view, view.loss->values);
    if (const Scalar* full = f.report.scalar("fullyConnectedLoss")) {
        const double x[] = {view.length}, y[] = {shownLoss(view, full->value)};
        plot.horizontal("against/full", y[0], {f.theme.muted, Dash::Dotted, 1.4, ""});
        plot.markers("against/full", x, y, {f.theme.muted, Dash::Solid, 1, "full connection"}, MarkerShape::Square, 4.5);
    }
    plot.line("against/weights", p, losses, {look.weights, Dash::Solid, 2, "weights *p*"});
    plot.line("against/capacity", kappa, losses, {look.capacity, Dash::Solid, 2, "capacity *κ*"});
    drawSearchPoints(f, plot, "against/point", view, p, look.weights, 3.4);
    drawSearchPoints(f, plot, "against/point", view, kappa, look.capacity, 3.4);
    const Scalar* exponent = f.report.scalar("exponent");
    finishPlot(f, plot, "against", exponent ? "*L* ∝ *c*^{" + numberText(exponent->value, 2) + "}" : "loss against count");
}

void drawDescents(PictureFrame& f, const View& view, Rect rect) {
    double last = 4;
    for (std::size_t k = 0; k < view.iterations.size(); ++k)
        for (std::size_t i = 0; i < view.channels.size(); ++i)
            if (!std::isnan(view.descent->row(i)[k])) last = std::max(last, view.iterations[k]);
    const AxisSpec losses = lossAxis(view);
    Plot plot(f.painter, f.theme, "descent", rect, {.label = "iteration", .lo = 1, .hi = last, .scale = Scale::Log}, losses,
              zoomOf(f, "descent"));
    const std::size_t chosen = view.chosen;
    const auto draw = [&](std::size_t i) {
        const Vector row = shown(view, Vector(view.descent->row(i), view.descent->row(i) + view.iterations.size()));
        const double share = view.last() == 0 ? 1 : static_cast<double>(i) / static_cast<double>(view.last());
        const Color color = sample(ColorMap::Viridis, f.theme.dark ? 0.35 + 0.6 * share : 0.75 - 0.7 * share, f.theme.dark);
        plot.line("descent/line", view.iterations, row,
                  {i == chosen ? color : color.withAlpha(0.55f), Dash::Solid, i == chosen ? 3.2 : 1.6, numberText(view.channels[i])});
    };
    offerIteration(f, view, plot);
    for (std::size_t i = 0; i < view.channels.size(); ++i)
        if (i != chosen) draw(i);
    draw(chosen);
    const double optimum = shownLoss(view, view.optimal->values[chosen]);
    if (!std::isnan(optimum)) plot.horizontal("descent/optimum", optimum, {lookOf(f.theme).optimal, Dash::Dashed, 1.6, ""});
    finishPlot(f, plot, "descent",
               (view.random      ? "L-BFGS"
                : view.recurrent ? "unit by unit"
                                 : "Gauss–Newton") +
                   (" after " + numberText(std::round(view.iteration()))) +
                   (rect.width() > 330 ? " iterations, by channels" : " iterations"));
}

}  // namespace kappaflow::capacity_sweep
