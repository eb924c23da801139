#include "scenes/linear_models/wide_stacks_picture.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "draw/number_text.h"

namespace kappaflow::linear {

using Size = std::size_t;
using Vector = std::vector<double>;

Place placeOf(const Vector& steps, const Vector& known, double at) {
    Place place;
    while (place.steps.size() < steps.size() && !std::isnan(known[place.steps.size()])) place.steps.push_back(steps[place.steps.size()]);
    if (!place.steps.empty()) place.index = indexAlong(place.steps, at);
    return place;
}

double Place::resting() const {
    const double below = std::floor(index), t = std::clamp(2 * (index - below) - 0.5, 0.0, 1.0);
    return below + t * t * (3 - 2 * t);
}

Layout waiting(PictureFrame& f) {
    return {0, {}, [&f](Rect) { emptyPicture(f, "Weights are being looked for."); }};
}

Vector definedRowAt(Vector rows, Size length, double index) {
    for (double& value : rows)
        if (std::isnan(value)) value = 0;
    return rowAt(rows, length, index);
}

AxisSpec lagAxis(Size n) { return {.label = "lag *τ*", .lo = -0.5, .hi = static_cast<double>(n) - 0.5, .whole = true, .reversed = true}; }

Layout headline(PictureFrame& f, std::vector<std::string> sentences) {
    const auto draw = [&f, sentences = std::move(sentences)](Rect rect) {
        const bool small = f.compact && rect.width() < 600;
        const TextStyle style{.color = f.theme.text, .size = small ? f.theme.smallSize : f.theme.textSize, .v = AlignV::Middle};
        for (const auto& sentence : sentences)
            if (f.painter.measure(sentence, style).x <= rect.width() - 8)
                return f.painter.text("headline", {rect.lo.x + 4, rect.centre().y}, sentence, style);
    };
    return Layout(1, {0, 22}, draw).share(0.01);
}

Color partColor(const PictureFrame& f, Size part, Size parts) {
    return orderColor(f.theme, parts > 1 ? static_cast<double>(part) / static_cast<double>(parts - 1) : 0);
}

namespace {

std::string modelName(const Stacked& s, Size step) {
    return numberText(s.counts[step]) + " " + s.counted + (s.counts[step] == 1 ? "" : "s");
}

double at(const Stacked& s, Size step, Size part, Size lag) {
    const double value = s.capacity[step * s.lags * s.parts.size() + part * s.partStride + lag * s.lagStride];
    return std::isnan(value) ? 0 : value;
}

/// Capacity of every lag in the parts up to each, the picked one first, at a fractional step; the last row: the whole.
std::vector<Vector> sumsOf(const Stacked& s, const std::vector<Size>& order, double step) {
    const Between b = between(step, s.steps.size() - 1);
    std::vector<Vector> sums(order.size(), Vector(s.lags));
    for (Size k = 0; k < order.size(); ++k)
        for (Size lag = 0; lag < s.lags; ++lag)
            sums[k][lag] = (k > 0 ? sums[k - 1][lag] : 0) + (1 - b.fraction) * at(s, b.below, order[k], lag) +
                           b.fraction * at(s, b.above, order[k], lag);
    return sums;
}

constexpr double kKeyWidth = 74;

/// A full lag beside the axis, a unit for every part, to pick from; the part that is picked or pointed at, counted from 1.
int drawKey(PictureFrame& f, const Stacked& s, const Plot& plot, double ceiling) {
    int picked = s.picked;
    const Size count = s.parts.size();
    const Rect inner = plot.inner();
    const double left = inner.hi.x + 8, unit = plot.toScreen(0, 0).y - plot.toScreen(0, 1).y;
    const auto every = static_cast<Size>(std::max(1.0, std::ceil(13 / unit)));
    for (Size k = 0; k < count && count > 1; ++k) {
        const double y = plot.toScreen(0, static_cast<double>(k)).y;
        if (y > inner.hi.y + 1 || y - unit < inner.lo.y - 1) continue;
        const Rect swatch{{left, y - unit + 1}, {left + 13, y}};
        const int part = static_cast<int>(k) + 1;
        const auto grip = f.handles.toggle("part " + std::to_string(part), s.parts[k], s.picked == part ? "on the axis" : "stacked",
                                           s.picked == part, {{left - 4, y - unit}, {inner.hi.x + kKeyWidth, y}});
        if (grip.moved) f.changes.push_back(Change::param("part", grip.value > 0.5 ? part : 0.0));
        if (grip.lively()) picked = part;
        const bool there = static_cast<double>(k) < ceiling, strong = picked == part;
        f.painter.rect("stack/key", swatch, partColor(f, k, count).withAlpha(there ? 1 : 0.2f));
        if (strong) f.painter.frame("stack/key", swatch, {f.theme.text, 1.5});
        if (k % every == 0)
            f.painter.text("stack/part", {left + 13 + 5, 0.5 * (2 * y - unit)}, s.parts[k],
                           {.color = strong ? f.theme.text : f.theme.muted, .size = f.theme.tinySize, .v = AlignV::Middle, .bold = strong});
    }
    return picked <= static_cast<int>(count) ? picked : 0;
}

/// What the bar under the pointer holds, and the part of it there, at the nearest step.
void tellBar(PictureFrame& f, const Stacked& s, const Plot& plot, const std::vector<Size>& order) {
    const Pointer pointer = f.handles.freePointer();
    const Vec2 at = plot.toData(pointer.at);
    if (!pointer.inside || !plot.inner().contains(pointer.at) || at.x <= -0.5 || at.x >= static_cast<double>(s.lags) - 0.5) return;
    const auto lag = static_cast<Size>(std::lround(at.x));
    const auto sums = sumsOf(s, order, static_cast<double>(s.place.nearest()));
    std::vector<std::string> lines{"lag " + std::to_string(lag) + ": " + numberText(sums.back()[lag], 3) + " of " +
                                   numberText(s.ceilings[s.place.nearest()])};
    const auto part = std::find_if(sums.begin(), sums.end(), [&](const Vector& sum) { return sum[lag] > at.y; }) - sums.begin();
    if (const auto k = static_cast<Size>(part); sums.size() > 1 && k < sums.size())
        lines.push_back(s.parts[order[k]] + ": " + numberText(sums[k][lag] - (k > 0 ? sums[k - 1][lag] : 0), 3) + " of 1");
    tooltip(f, pointer.at, lines);
}

void drawStack(PictureFrame& f, const Stacked& s, Rect rect) {
    const double step = s.place.resting(), ceiling = rowAt(s.ceilings, 1, step)[0];
    // The ceiling's name stands above it.
    const double top = s.ceilings.back() * (1 + 28 / std::max(rect.height() - 50, 100.0));
    const Vector lags = countUp(s.lags), edges{-0.5, static_cast<double>(s.lags) - 0.5};
    if (s.parts.size() > 1) rect.hi.x -= kKeyWidth;
    Plot plot = plotIn(f, "stack", rect, lagAxis(s.lags), {.label = "capacity *κ*_{*τ*}", .lo = 0, .hi = top});
    const int picked = drawKey(f, s, plot, ceiling);
    std::vector<Size> order(s.parts.size());
    std::iota(order.begin(), order.end(), Size{0});
    if (picked > 0) std::rotate(order.begin(), order.begin() + picked - 1, order.begin() + picked);
    plot.area("stack/room", edges, Vector{ceiling, ceiling}, f.theme.muted.withAlpha(0.06f));
    const auto sums = sumsOf(s, order, step);
    // The highest sum first, each later one over its lower end.
    for (Size k = sums.size(); k-- > 0;) {
        const Color color = partColor(f, order[k], order.size());
        plot.bars("stack/capacity", lags, sums[k], s.lags > 100 ? 1 : 0.86, picked > 0 && k > 0 ? mix(color, f.theme.ground, 0.7) : color);
    }
    plot.horizontal("stack/ceiling", ceiling, {f.theme.muted, Dash::Dotted, 1.4, "full: " + numberText(s.ceilings[s.place.nearest()], 3)});
    finishPlot(f, plot, "stack", s.parts.size() > 1 ? "capacity of every lag, in parts" : "capacity of every lag");
    tellBar(f, s, plot, order);
}

/// The share of each lag that is full, at every step that the timeline has passed.
Curves passedPlot(const PictureFrame& f, const Stacked& s) {
    Curves curves{.id = "passed",
                  .title = "how full every lag is",
                  .x = lagAxis(s.lags),
                  .y = {.label = "*κ*_{*τ*} / full", .lo = 0, .hi = 1.12},
                  .fit = Fit::Given};
    const double step = s.place.resting(), last = static_cast<double>(std::max<Size>(s.steps.size() - 1, 1));
    for (double i = 0; i <= step; ++i) {
        const Size k = static_cast<Size>(i);
        Vector share(s.lags);
        for (Size lag = 0; lag < s.lags; ++lag)
            for (Size part = 0; part < s.parts.size(); ++part) share[lag] += at(s, k, part, lag) / s.ceilings[k];
        const bool newest = i == std::floor(step);
        curves.curves.push_back({"capacity", countUp(s.lags), share, Role::Measurement, newest ? modelName(s, k) : numberText(s.counts[k]),
                                 sample(ColorMap::Capacity, 0.55 + 0.4 * i / last, f.theme.dark), newest ? 2.2 : 1.4});
    }
    return curves;
}

/// Exact capacity, its bound and the weights of each model against the timeline's axis.
Curves totalsPlot(const PictureFrame& f, const Stacked& s) {
    Curves curves{.id = "totals", .title = "capacity and weights", .x = s.axis, .y = {.label = "number"}, .fit = Fit::Decades};
    curves.curves = {{"parameters", s.steps, s.r.parameters, Role::Measurement, "weights *p*", f.theme.series[7], 1.3},
                     {"bound", s.steps, s.inputs, Role::Bound, s.bound, f.theme.muted, 1.6},
                     {"capacity", s.steps, s.r.totals, Role::Measurement, "capacity *κ*", f.theme.series[0], 2.2, false, true}};
    curves.more = [place = s.place, handle = s.handle](PictureFrame& frame, Plot& plot) {
        const std::string label = std::string(handle) + " shown";
        scrub(frame, plot, "totals",
              {handle, label, label + " " + inWords(place.steps[place.nearest()], 3), place.steps, place.steps, place.value()});
    };
    return curves;
}

/// Longest first.
std::vector<std::string> headlines(const Stacked& s) {
    const Size i = s.place.nearest();
    double newest = 0;
    for (Size part = 0; part < s.parts.size(); ++part) newest += at(s, i, part, 0);
    const std::string held = "*κ* = " + numberText(s.r.totals[i]) + " of " + numberText(s.inputs[i]);
    const std::string full = "newest lag " + numberText(100 * newest / s.ceilings[i], 3) + " % full";
    return {"With " + modelName(s, i) + " the stack holds " + held + " units of capacity; " + full,
            modelName(s, i) + ": " + held + ", " + full, held};
}

}  // namespace

Layout stackedLayout(PictureFrame& f, Stacked s, Layout other) {
    s.place = placeOf(s.steps, s.r.found.meanLag, s.at);
    if (s.place.steps.empty()) return waiting(f);
    const auto plot = [&f](int rank, const Curves& curves) {
        return Layout(rank, {220, 130}, [&f, curves](Rect rect) { drawCurves(f, curves, rect); });
    };
    std::vector<Layout> right;
    if (s.steps.size() > 1) right = {plot(3, totalsPlot(f, s)), plot(2, passedPlot(f, s))};  // a lone model has no curve
    right.push_back(std::move(other));
    Layout bars(0, {220, 150}, [&f, s](Rect rect) { drawStack(f, s, rect); });
    return Layout::rows({headline(f, headlines(s)), Layout::columns({std::move(bars).share(1.9), Layout::rows(std::move(right))})});
}

}  // namespace kappaflow::linear
