#include "scenes/linear_models/picture_wide.h"

#include <algorithm>
#include <cmath>

#include "draw/number_text.h"

namespace kappaflow::wide {
namespace {

using Size = std::size_t;

double defined(double value) { return std::isnan(value) ? 0 : value; }

}  // namespace

Step stepOf(const PictureFrame& f, const Axis& axis, Size known) {
    Step step{{axis.values.begin(), axis.values.begin() + static_cast<std::ptrdiff_t>(known)}, {}, 0};
    const double at = f.state.params.number("at");
    Size above = 0;
    while (above + 1 < known && step.values[above] < at) ++above;
    const Size below = above > 0 && step.values[above] > at ? above - 1 : above;
    const double gap = step.values[above] - step.values[below];
    step.between = {below, above, gap > 0 ? (at - step.values[below]) / gap : 0};
    step.nearest = step.between.fraction < 0.5 ? below : above;
    return step;
}

double mixed(const Step& step, double below, double above) {
    const double from = defined(below), to = defined(above);
    return step.between.fraction == 0 ? from : from + (to - from) * step.between.fraction;
}

AxisSpec lagAxis(Size n, bool named) {
    return {
        .label = named ? "lag *τ*" : "", .lo = -0.5, .hi = static_cast<double>(n) - 0.5, .whole = true, .ticks = named, .reversed = true};
}

std::vector<double> lagsOf(Size n) { return countUp(n); }

void drawHeadline(PictureFrame& f, const std::vector<std::string>& sentences, Rect rect) {
    const TextStyle style{.color = f.theme.text, .size = f.compact ? f.theme.smallSize : f.theme.textSize, .v = AlignV::Middle};
    for (const auto& sentence : sentences) {
        if (f.painter.measure(sentence, style).x > rect.width()) continue;
        return f.painter.text("headline", {rect.lo.x, rect.centre().y}, sentence, style);
    }
}

Color orderedColor(const PictureFrame& f, Size index, Size count) {
    const double place = count < 2 ? 0.5 : static_cast<double>(index) / static_cast<double>(count - 1);
    return sample(ColorMap::Viridis, f.theme.dark ? 0.25 + 0.7 * place : 0.1 + 0.7 * place, f.theme.dark);
}

namespace {

/// Stacked bars under the ceiling.
void drawStack(PictureFrame& f, const Stack& stack, Rect rect, const StackWords& words, std::string_view title) {
    const Size n = stack.parts[0].size();
    const auto lags = lagsOf(n);
    const bool named = rect.height() > 150;
    const double top = stack.top * (named ? 1 + 28 / (rect.height() - 50) : 1.08);  // the ceiling's name stands above it
    Plot plot(f.painter, f.theme, "stack", rect, lagAxis(n), {.label = words.capacity, .lo = 0, .hi = top}, zoomOf(f, "stack"));
    std::vector<std::vector<double>> sums;
    for (const auto& part : stack.parts) {
        sums.push_back(part);
        for (Size i = 0; sums.size() > 1 && i < n; ++i) sums.back()[i] += sums[sums.size() - 2][i];
    }
    // The highest sum first, each later one over its lower end.
    const double width = n > 100 ? 1 : 0.86;
    for (Size k = sums.size(); k-- > 0;) plot.bars("stack/capacity", lags, sums[k], width, stack.colors[k]);
    plot.horizontal("stack/ceiling", stack.ceiling,
                    {f.theme.muted, Dash::Dotted, 1.4, named ? "at most " + numberText(stack.ceiling, 3) : ""});
    finishPlot(f, plot, "stack", title);
}

/// The same as a field.
void drawField(PictureFrame& f, const Stack& stack, Rect rect, const StackWords& words) {
    const Size n = stack.parts[0].size(), rows = stack.parts.size();
    std::vector<double> values, ys;
    for (Size k = 0; k < rows; ++k) {
        ys.push_back(static_cast<double>(k + 1));
        values.insert(values.end(), stack.parts[k].begin(), stack.parts[k].end());
    }
    const auto lags = lagsOf(n);
    Plot plot(f.painter, f.theme, "field", rect, lagAxis(n, false),
              {.label = words.part, .lo = 0.5, .hi = static_cast<double>(rows) + 0.5, .whole = true}, zoomOf(f, "field"));
    plot.heat("field/capacity", lags, ys, {rows, n, values, 0, 1, false, ColorMap::Capacity});
    finishPlot(f, plot, "field", words.field);
    // The colour of every part's bars, beside its row.
    const Rect inner = plot.inner();
    for (Size k = 0; k < rows; ++k) {
        const double y = plot.toScreen(0, ys[k]).y, half = std::max(1.0, 0.42 * inner.height() / static_cast<double>(rows));
        f.painter.rect("field/key", {{inner.hi.x + 2, y - half}, {inner.hi.x + 7, y + half}}, stack.colors[k]);
    }
}

}  // namespace

Rect drawStacked(PictureFrame& f, const std::vector<std::string>& sentences, const Stack& stack, const StackWords& words) {
    f.compact = f.compact && f.area.width() < 600;
    const double headline = f.area.height() < 200 ? 0 : f.compact ? 20 : 26;
    if (headline > 0) drawHeadline(f, sentences, {f.area.lo + Vec2{4, 0}, {f.area.hi.x - 4, f.area.lo.y + headline}});
    const Rect area{{f.area.lo.x, f.area.lo.y + headline + 2}, f.area.hi};
    if (f.compact) {
        const double split = area.height() < 260 ? area.hi.y : area.lo.y + area.height() * 0.56;
        drawStack(f, stack, {area.lo, {area.hi.x, split - 4}}, words, "");
        return {{area.lo.x, std::min(split + 4, area.hi.y)}, area.hi};
    }
    const double middle = area.lo.x + area.width() * 0.6;
    const bool field = area.height() > 340 && stack.parts.size() > 1;
    const double split = field ? area.lo.y + area.height() * 0.7 : area.hi.y;
    drawStack(f, stack, {area.lo, {middle - 8, split - (field ? 4 : 0)}}, words, words.stack);
    if (field) drawField(f, stack, {{area.lo.x, split + 4}, {middle - 8, area.hi.y}}, words);
    return {{middle + 8, area.lo.y}, area.hi};
}

void drawTotals(PictureFrame& f, const Step& step, const Totals& t, Rect rect) {
    const std::span<const double> x = step.values;
    double top = 1, least = 1e300;
    for (Size i = 0; i < x.size(); ++i) {
        top = std::max({top, t.bound->values[i], t.parameters->values[i]});
        least = std::min(least, t.total->values[i]);
    }
    const double room = t.logarithmic ? x.back() * 1.15 : x.back() + 0.4 + 0.06 * x.back();
    Plot plot(
        f.painter, f.theme, "totals", rect,
        {.label = t.axis, .lo = t.logarithmic ? 0.8 : 0.6, .hi = room, .scale = t.logarithmic ? Scale::Log : Scale::Linear, .whole = true},
        {.label = "", .lo = least / 1.5, .hi = top * 2, .scale = Scale::Log}, zoomOf(f, "totals"));
    plot.line("totals/parameters", x, t.parameters->values, {f.theme.series[7], Dash::Solid, 1.3, "weights *p*"});
    plot.line("totals/bound", x, t.bound->values, {f.theme.muted, Dash::Dotted, 1.6, t.bounds});
    plot.line("totals/capacity", x, t.total->values, {f.theme.series[0], Dash::Solid, 2.2, "capacity *κ*"});
    plot.markers("totals/points", x, t.total->values, {f.theme.series[0], Dash::Solid, 1, ""}, MarkerShape::Circle, 3.6);
    offerStep(f, step, plot, t.id, t.label);
    finishPlot(f, plot, "totals", "");
}

void offerStep(PictureFrame& f, const Step& step, Plot& plot, const char* id, const char* label) {
    plot.vertical("step/now", step.value(), {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (step.values.size() < 2) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(step.value(), 1).x;
    const Handle handle{id,
                        label,
                        std::string(label) + " " + inWords(step.values[step.nearest], 3),
                        step.place(),
                        0,
                        static_cast<double>(step.values.size() - 1),
                        1,
                        {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) {
        const double value = plot.toData(p).x;
        Size i = 0;
        while (i + 2 < step.values.size() && step.values[i + 1] < value) ++i;
        return static_cast<double>(i) + std::clamp((value - step.values[i]) / (step.values[i + 1] - step.values[i]), 0.0, 1.0);
    });
    drawKnob(f, "step/knob", {x, inner.hi.y - 7}, grip);
    if (!grip.moved) return;
    const Between b = between(grip.value, step.values.size() - 1);
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", step.values[b.below] + (step.values[b.above] - step.values[b.below]) * b.fraction));
}

double offerDots(PictureFrame& f, const char* id, const std::string& name, Vec2 last, double value, double most) {
    const double step = 15;
    const Vec2 first{last.x - step * (most - 1), last.y}, at = first + Vec2{step * (value - 1), 0};
    const Handle handle{id, name, inWords(value, 3), value, 1, most, 1, {at + Vec2{-11, -11}, at + Vec2{11, 11}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return 1 + (p.x - first.x) / step; });
    const bool lively = grip.hovered || grip.held || grip.focused;
    for (int k = 1; k <= static_cast<int>(most); ++k)
        f.painter.marker("dots", first + Vec2{step * (k - 1), 0}, k == value ? (lively ? 7 : 5.5) : 2.5, MarkerShape::Circle,
                         k == value ? f.theme.accent : f.theme.line);
    f.painter.text("dots/name", first + Vec2{-12, 0}, name,
                   {.color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Middle});
    const double moved = std::round(grip.value);
    return grip.moved && moved != value ? moved : 0;
}

}  // namespace kappaflow::wide
