// Capacity, weights and loss against channels (P2 Figs 4, 10): what a random start reaches beside the optimum.
#include "scenes/linear_models/capacity_sweep.h"

#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace capacity_sweep {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

/// Numbers of channels that the reader can put at the list's end by pulling at the last point.
constexpr double kMostChannels = 256;

bool isRandom(const Seen& s) { return s.asked.start == Start::Random; }
bool isRecurrent(const Seen& s) { return s.asked.model == Models::Recurrent; }
double lengthOf(const Seen& s) { return isRecurrent(s) ? s.asked.length : std::ldexp(1.0, s.asked.layers); }

Color weightsInk(const Theme& theme) { return theme.series[2]; }
Color randomInk(const Theme& theme) { return theme.series[3]; }

/// Number of channels looked at: the nearest of the list.
Size chosen(const Seen& s) {
    const Vector& channels = s.result.channels;
    Size nearest = 0;
    for (Size i = 1; i < channels.size(); ++i)
        if (std::abs(std::log(channels[i] / s.params.shown)) < std::abs(std::log(channels[nearest] / s.params.shown))) nearest = i;
    return nearest;
}

/// Losses that are rounding lie on one line.
double shownLoss(const Seen& s, double loss) { return std::isnan(loss) ? loss : std::max(loss, s.result.roundingLoss); }
Vector shownLosses(const Seen& s, Vector losses) {
    for (double& loss : losses) loss = shownLoss(s, loss);
    return losses;
}

/// Loss of one number of channels at the iteration shown; its last one after the end.
double lossNow(const Seen& s, Size channel) {
    const Size steps = s.result.iterations.size();
    const double* row = &s.result.descent[channel * steps];
    Between b = between(indexAlong(s.result.iterations, s.params.at), steps - 1);
    while (b.below > 0 && std::isnan(row[b.below])) b = {b.below - 1, b.below - 1, 0};
    const double here = shownLoss(s, row[b.below]), next = shownLoss(s, row[b.above]);
    return std::isnan(next) ? here : here * std::pow(next / here, b.fraction);
}

AxisSpec channelAxis(const Seen& s) {
    const double first = s.result.channels.front(), last = s.result.channels.back();
    return {.label = "channels *c*", .lo = first / 1.25, .hi = std::max(last, first * 2) * 1.6, .scale = Scale::Log};
}

AxisSpec countAxis(const Seen& s, double beyond) {
    return {.label = "count",
            .lo = std::max(1.0, s.result.totalCapacity.front() / 1.6),
            .hi = largest(s.result.parameters, lengthOf(s)) * beyond,
            .scale = Scale::Log};
}

AxisSpec lossAxis(const Seen& s) {
    double highest = 0;
    for (const Vector* losses : {&s.result.loss, &s.result.lossOptimal})
        for (const double value : *losses)
            if (value > highest) highest = value;
    return {.label = "loss *L*", .lo = s.result.roundingLoss / 30, .hi = std::max(highest * 20, 5.0), .scale = Scale::Log};
}

/// Filled where an optimum was reached, hollow where the search stopped short of one or is still under way.
void drawSearchPoints(const Seen& s, const Plot& plot, const char* id, const Vector& x, Color color, double radius) {
    for (Size i = 0; i < x.size(); ++i) {
        const double loss = shownLoss(s, s.result.loss[i]);
        if (std::isnan(loss)) continue;
        const Color fill = s.result.converged[i] == 1 ? color : s.f.theme.ground;
        s.f.painter.marker(id, plot.toScreen(x[i], loss), radius, MarkerShape::Circle, fill, Stroke{color, 1.6});
    }
}

/// The upright line of the number of channels looked at, which is also a handle.
void offerChannels(const Seen& s, Plot& plot) {
    const Vector& channels = s.result.channels;
    const Size now = chosen(s);
    plot.vertical("loss/now", channels[now], {s.f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (channels.size() < 2) return;
    const Rect inner = plot.inner();
    const auto xOf = [&](Size i) { return plot.toScreen(channels[i], 1).x; };
    const double x = xOf(now);
    const Handle handle{"channels",
                        "channels looked at",
                        "c = " + inWords(channels[now], 4),
                        static_cast<double>(now),
                        0,
                        static_cast<double>(channels.size() - 1),
                        1,
                        {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = s.f.handles.offer(handle, [&](Vec2 p) {
        Size nearest = 0;
        for (Size i = 1; i < channels.size(); ++i)
            if (std::abs(xOf(i) - p.x) < std::abs(xOf(nearest) - p.x)) nearest = i;
        return static_cast<double>(nearest);
    });
    drawKnob(s.f, "loss/knob", {x, inner.lo.y + 7}, grip);
    if (grip.moved) s.f.changes.push_back(Change::param("shown", channels[static_cast<Size>(std::lround(grip.value))]));
}

/// The list with its end at 2^exponent: doublings beyond its last entry, or without what lies above.
Vector listUpTo(const Vector& channels, double exponent) {
    const double most = std::ldexp(1.0, static_cast<int>(std::lround(exponent)));
    Vector list;
    for (const double c : channels)
        if (c <= most || list.empty()) list.push_back(c);
    while (list.back() < most) list.push_back(std::min(2 * list.back(), most));
    return list;
}

/// The last point is pulled along the axis: more channels, or fewer.
void offerLast(const Seen& s, const Plot& plot) {
    const Vector& channels = s.result.channels;
    const double exponent = std::log2(channels.back()), loss = shownLoss(s, s.result.loss.back());
    Vec2 at = plot.toScreen(channels.back(), std::isnan(loss) ? 1 : loss);
    at.y = std::clamp(at.y, plot.inner().lo.y + 8, plot.inner().hi.y - 24);
    const Handle handle{"most",        "largest number of channels", inWords(channels.back(), 4), exponent, 0, std::log2(kMostChannels), 1,
                        around(at, 14)};
    // An axis that grows under the pointer would run away from it: a doubling every 40 pixels.
    const auto grip = s.f.handles.offer(handle, [&](Vec2 p) { return exponent + (p.x - at.x) / 40; });
    if (!s.f.kept) {
        const bool lively = grip.lively();
        const Vec2 tip = at + Vec2{lively ? 21.0 : 18.0, 0}, arrow[] = {tip + Vec2{-6, -5}, tip, tip + Vec2{-6, 5}};
        s.f.painter.line("loss/arrow", arrow, Stroke{s.f.theme.accent, lively ? 2.6 : 1.8});
    }
    if (!grip.moved) return;
    const Vector list = listUpTo(channels, grip.value);
    if (list != channels && list.size() <= 16) s.f.changes.push_back(Change::param("channelsList", list));
}

std::string lossTitle(const Seen& s, bool wide) {
    const Size i = chosen(s);
    const std::string at = "*c* = " + numberText(s.result.channels[i]) + ": ";
    const auto words = [&](double loss) {
        return std::isnan(loss) ? std::string("…") : loss <= s.result.roundingLoss ? std::string("0") : numberText(loss, wide ? 3 : 2);
    };
    const std::string best = (s.result.convergedOptimal[i] == 0 ? "best found " : "optimum ") + words(s.result.lossOptimal[i]);
    return isRandom(s) ? at + (wide ? "random start " : "") + words(s.result.loss[i]) + ", " + best : at + best;
}

void drawLosses(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const Theme& theme = s.f.theme;
    Plot plot = plotIn(s.f, "loss", rect, channelAxis(s), lossAxis(s));
    if (r.fullyConnectedLoss) plot.horizontal("loss/full", shownLoss(s, *r.fullyConnectedLoss), {theme.muted, Dash::Dotted, 1.4, ""});
    offerChannels(s, plot);
    const Vector optimal = shownLosses(s, r.lossOptimal);
    const bool allReached = std::none_of(r.convergedOptimal.begin(), r.convergedOptimal.end(), [](double c) { return c == 0; });
    plot.line("loss/optimal", r.channels, optimal, {theme.theory, Dash::Dashed, 1.8, allReached ? "optimum" : "best found"});
    Vector now;
    for (Size i = 0; i < r.channels.size(); ++i) {
        now.push_back(lossNow(s, i));
        if (std::isnan(optimal[i])) continue;
        s.f.painter.marker("loss/optimum", plot.toScreen(r.channels[i], optimal[i]), 4, MarkerShape::Diamond,
                           r.convergedOptimal[i] == 1 ? theme.theory : theme.ground, Stroke{theme.theory, 1.4});
    }
    const Color moving = isRandom(s) ? randomInk(theme) : theme.theory;
    plot.line("loss/moving", r.channels, now, {moving.withAlpha(0.45f), Dash::Solid, 5, ""});
    if (isRandom(s)) {
        plot.line("loss/random", r.channels, shownLosses(s, r.loss), {randomInk(theme), Dash::Solid, 2.2, "random start"});
        drawSearchPoints(s, plot, "loss/point", r.channels, randomInk(theme), 4);
    }
    finishPlot(s.f, plot, "loss", lossTitle(s, rect.width() > 420));
    offerLast(s, plot);
}

Curves counts(const Seen& s) {
    const Result& r = s.result;
    const Size i = chosen(s);
    Curves curves{
        .id = "counts",
        .title = "*κ* = " + numberText(r.totalCapacity[i]) + " of *n* = " + numberText(lengthOf(s)) +
                 ", *p* = " + numberText(r.parameters[i], 6),
        .x = channelAxis(s),
        .y = countAxis(s, 2),
        .fit = Fit::Given,
        .curves = {{"weights", r.channels, r.parameters, Role::Measurement, "weights *p*", weightsInk(s.f.theme), 2.2, false, true},
                   {"capacity", r.channels, r.totalCapacity, Role::Measurement, "capacity *κ*", capacityColor(s.f.theme), 2.4, false,
                    true}},
        .now = r.channels[i]};
    curves.more = [s](PictureFrame& f, Plot& plot) {
        plot.horizontal("counts/inputs", lengthOf(s), {f.theme.muted, Dash::Dashed, 1.4, ""});
        if (isRecurrent(s))
            plot.markers("counts/rank", s.result.channels, s.result.numericalRank, {capacityColor(f.theme), Dash::Solid, 1, "rank found"},
                         MarkerShape::Cross, 4.5);
    };
    return curves;
}

Curves againstCounts(const Seen& s) {
    const Result& r = s.result;
    const Vector losses = shownLosses(s, r.loss);
    Curves curves{.id = "against",
                  .title = r.exponent ? "*L* ∝ *c*^{" + numberText(*r.exponent, 2) + "}" : "loss against count",
                  .x = countAxis(s, 2.5),
                  .y = lossAxis(s),
                  .fit = Fit::Given,
                  .curves = {{"weights", r.parameters, losses, Role::Measurement, "weights *p*", weightsInk(s.f.theme)},
                             {"capacity", r.totalCapacity, losses, Role::Measurement, "capacity *κ*", capacityColor(s.f.theme)}}};
    curves.more = [s](PictureFrame& f, Plot& plot) {
        if (s.result.fullyConnectedLoss) {
            const double x[] = {lengthOf(s)}, y[] = {shownLoss(s, *s.result.fullyConnectedLoss)};
            plot.horizontal("against/full", y[0], {f.theme.muted, Dash::Dotted, 1.4, ""});
            plot.markers("against/full", x, y, {f.theme.muted, Dash::Solid, 1, "full connection"}, MarkerShape::Square, 4.5);
        }
        drawSearchPoints(s, plot, "against/point", s.result.parameters, weightsInk(f.theme), 3.4);
        drawSearchPoints(s, plot, "against/point", s.result.totalCapacity, capacityColor(f.theme), 3.4);
    };
    return curves;
}

Curves descents(const Seen& s) {
    const Result& r = s.result;
    const Size now = chosen(s), steps = r.iterations.size(), all = r.channels.size();
    double last = 4;
    for (Size i = 0; i < r.descent.size(); ++i)
        if (!std::isnan(r.descent[i])) last = std::max(last, r.iterations[i % steps]);
    // The nearest one that is reported.
    const double at = r.iterations[static_cast<Size>(std::lround(indexAlong(r.iterations, s.params.at)))];
    const char* const method = isRandom(s) ? "L-BFGS" : isRecurrent(s) ? "unit by unit" : "Gauss–Newton";
    Curves curves{.id = "descent",
                  .title = method + (" after " + numberText(at)) + " iterations, by channels",
                  .x = {.label = "iteration", .lo = 1, .hi = last, .scale = Scale::Log},
                  .y = lossAxis(s),
                  .fit = Fit::Given};
    const auto add = [&](Size i) {
        const double share = all == 1 ? 1 : static_cast<double>(i) / static_cast<double>(all - 1);
        const bool dark = s.f.theme.dark;
        const Color color = sample(ColorMap::Viridis, dark ? 0.35 + 0.6 * share : 0.75 - 0.7 * share, dark);
        curves.curves.push_back({"line", r.iterations, shownLosses(s, rowAt(r.descent, steps, static_cast<double>(i))), Role::Measurement,
                                 numberText(r.channels[i]), i == now ? color : color.withAlpha(0.55f), i == now ? 3.2 : 1.6});
    };
    for (Size i = 0; i < all; ++i)
        if (i != now) add(i);
    add(now);
    curves.more = [s, now, at](PictureFrame& f, Plot& plot) {
        const double optimum = shownLoss(s, s.result.lossOptimal[now]);
        if (!std::isnan(optimum)) plot.horizontal("descent/optimum", optimum, {f.theme.theory, Dash::Dashed, 1.6, ""});
        // The axis begins at 1.
        Vector places = s.result.iterations;
        places.front() = std::max(places.front(), 1.0);
        scrub(f, plot, "descent", {"iteration", "iteration shown", inWords(at, 5), s.result.iterations, places, s.params.at});
    };
    return curves;
}

Layout layout(const Seen& s) {
    return Layout::columns(
        {Layout::rows({s.panel(0, {260, 190}, [s](Rect rect) { drawLosses(s, rect); }).share(1.2), s.panel(2, {240, 150}, descents(s))})
             .share(1.27),
         Layout::rows({s.panel(1, {240, 150}, counts(s)).share(1.2), s.panel(3, {240, 150}, againstCounts(s))})});
}

}  // namespace
}  // namespace capacity_sweep

PictureEntry capacity_sweep_picture() { return tablePicture<capacity_sweep::kScene, capacity_sweep::layout>(); }

}  // namespace kappaflow
