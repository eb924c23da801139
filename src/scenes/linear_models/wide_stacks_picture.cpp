#include "scenes/linear_models/wide_stacks_picture.h"

#include <algorithm>
#include <cmath>

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

Layout waiting(PictureFrame& f) {
    return {0, {}, [&f](Rect) { emptyPicture(f, "Weights are being looked for."); }};
}

Vector definedRowAt(Vector rows, Size length, double index) {
    for (double& value : rows)
        if (std::isnan(value)) value = 0;
    return rowAt(rows, length, index);
}

AxisSpec lagAxis(Size n, bool named) {
    return {
        .label = named ? "lag *τ*" : "", .lo = -0.5, .hi = static_cast<double>(n) - 0.5, .whole = true, .ticks = named, .reversed = true};
}

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

Color orderedColor(const PictureFrame& f, Size index, Size count) {
    const double place = count < 2 ? 0.5 : static_cast<double>(index) / static_cast<double>(count - 1);
    return sample(ColorMap::Viridis, f.theme.dark ? 0.25 + 0.7 * place : 0.1 + 0.7 * place, f.theme.dark);
}

void drawStack(PictureFrame& f, const Parts& parts, const std::string& capacity, const std::string& title, Rect rect) {
    const Size n = parts.values[0].size();
    const Vector lags = countUp(n);
    // The ceiling's name stands above it.
    const double top = parts.top * (1 + 28 / std::max(rect.height() - 50, 100.0));
    Plot plot = plotIn(f, "stack", rect, lagAxis(n), {.label = capacity, .lo = 0, .hi = top});
    std::vector<Vector> sums = parts.values;
    for (Size k = 1; k < sums.size(); ++k)
        for (Size i = 0; i < n; ++i) sums[k][i] += sums[k - 1][i];
    // The highest sum first, each later one over its lower end.
    for (Size k = sums.size(); k-- > 0;) plot.bars("stack/capacity", lags, sums[k], n > 100 ? 1 : 0.86, parts.colors[k]);
    plot.horizontal("stack/ceiling", parts.ceiling, {f.theme.muted, Dash::Dotted, 1.4, "at most " + numberText(parts.ceilingTold, 3)});
    finishPlot(f, plot, "stack", title);
}

void drawRows(PictureFrame& f, const Parts& parts, const std::string& part, const std::string& title, Rect rect) {
    const Size n = parts.values[0].size(), rows = parts.values.size();
    const Vector lags = countUp(n), ys = countUp(rows, 1);
    Vector values;
    for (const Vector& row : parts.values) values.insert(values.end(), row.begin(), row.end());
    Plot plot =
        plotIn(f, "field", rect, lagAxis(n, false), {.label = part, .lo = 0.5, .hi = static_cast<double>(rows) + 0.5, .whole = true});
    plot.heat("field/capacity", lags, ys, {rows, n, values, 0, 1, false, ColorMap::Capacity});
    finishPlot(f, plot, "field", title);
    // The colour of every part's bars, beside its row.
    const Rect inner = plot.inner();
    for (Size k = 0; k < rows; ++k) {
        const double y = plot.toScreen(0, ys[k]).y, half = std::max(1.0, 0.42 * inner.height() / static_cast<double>(rows));
        f.painter.rect("field/key", {{inner.hi.x + 2, y - half}, {inner.hi.x + 7, y + half}}, parts.colors[k]);
    }
}

Curves totalsPlot(const PictureFrame& f, const Totals& t) {
    Curves curves{.id = "totals", .x = t.axis, .fit = Fit::Decades};
    curves.curves = {{"parameters", t.steps, t.parameters, Role::Measurement, "weights *p*", f.theme.series[7], 1.3},
                     {"bound", t.steps, t.bound, Role::Bound, t.bounds, f.theme.muted, 1.6},
                     {"capacity", t.steps, t.capacity, Role::Measurement, "capacity *κ*", f.theme.series[0], 2.2, false, true}};
    curves.more = [place = t.place, handle = t.handle](PictureFrame& frame, Plot& plot) {
        const std::string label = std::string(handle) + " shown";
        scrub(frame, plot, "totals",
              {handle, label, label + " " + inWords(place.steps[place.nearest()], 3), place.steps, place.steps, place.value()});
    };
    return curves;
}

}  // namespace kappaflow::linear
