// A linear model behind a feature map (P2 6.2): capacity of every function of every input while functions are added.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/linear_models/feature_map.h"
#include "scenes/linear_models/wide_stacks_picture.h"

namespace kappaflow {
namespace feature_map {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

linear::Parts partsOf(const Seen& s, const linear::Place& place) {
    const Size n = s.result.inputs.size(), m = s.result.functions.size();
    const Vector row = linear::definedRowAt(s.result.capacityByDegree, n * m, place.index);
    linear::Parts parts;
    for (Size j = 0; j < m; ++j) {
        Vector part;
        for (Size lag = 0; lag < n; ++lag) part.push_back(row[lag * m + j]);
        parts.values.push_back(std::move(part));
        parts.colors.push_back(m <= 8 ? s.f.theme.series[j] : linear::orderedColor(s.f, j, m));
    }
    parts.top = static_cast<double>(m);
    parts.ceiling = parts.top * place.value() / s.result.degrees.back();
    parts.ceilingTold = parts.top * place.steps[place.nearest()] / s.result.degrees.back();
    return parts;
}

std::vector<std::string> headlines(const Seen& s, const linear::Place& place, Size functions) {
    const double dimension = s.result.dimensions[place.nearest()], total = s.result.totals[place.nearest()];
    const std::string m = std::to_string(functions) + (functions == 1 ? " function" : " functions");
    const std::string of = numberText(total) + " of " + numberText(dimension), share = numberText(100 * total / dimension, 3) + " %";
    return {m + " of every input: the model holds *κ* = " + of + " units, " + share, m + ": *κ* = " + of + ", " + share, "*κ* = " + of};
}

/// The functions of the nearest degree over the density of an input.
void drawFunctions(const Seen& s, Size functions, const std::vector<Color>& colors, Rect rect) {
    const Vector& y = s.result.ys;
    Plot plot(s.f.painter, s.f.theme, "functions", rect, {.label = "input *y*", .lo = y.front(), .hi = y.back()},
              {.label = "", .lo = -3, .hi = 3, .whole = true});
    Vector ground(y.size(), -3), bell = s.result.density;
    for (double& value : bell) value = -3 + 4 * value;
    plot.band("functions/density", y, ground, bell, s.f.theme.muted.withAlpha(0.16f));
    for (Size j = functions; j-- > 0;)
        plot.line("functions/curve", y, rowAt(s.result.function, y.size(), static_cast<double>(j)),
                  {colors[j], Dash::Solid, j + 1 == functions ? 2.6 : 1.6, j + 3 > functions ? s.result.functions[j] : ""});
    finishPlot(s.f, plot, "functions", "functions *φ*^{*j*} of an input");
}

Layout layout(const Seen& s) {
    const Result& r = s.result;
    const auto place = linear::placeOf(r.degrees, r.found.meanLag, s.params.at);
    if (place.steps.empty()) return linear::waiting(s.f);
    const auto parts = partsOf(s, place);
    const Size functions = r.functions.size() / r.degrees.size() * (place.nearest() + 1);
    const double last = r.degrees.back();
    const linear::Totals totals{r.degrees,
                                r.totals,
                                r.dimensions,
                                r.parameters,
                                {.label = "degree", .lo = 0.6, .hi = last + 0.4 + 0.06 * last, .whole = true},
                                "dimensions *nm*",
                                "degree",
                                place};
    std::vector<Layout> left{s.panel(0, {220, 150}, [&s, parts](Rect rect) {
                                  linear::drawStack(s.f, parts, "capacity *κ*_{*i*}", "the functions of every input, stacked", rect);
                              }).share(2.3)};
    if (parts.values.size() > 1)
        left.push_back(
            s.panel(4, {220, 130}, [&s, parts](Rect rect) { linear::drawRows(s.f, parts, "function *j*", "by function", rect); }));
    std::vector<Layout> right{
        s.panel(3, {220, 150}, [&s, functions, parts](Rect rect) { drawFunctions(s, functions, parts.colors, rect); }),
        s.panel(2, {220, 130}, linear::totalsPlot(s.f, totals))};
    return Layout::rows({linear::headline(s.f, headlines(s, place, functions)),
                         Layout::columns({Layout::rows(std::move(left)).share(1.5), Layout::rows(std::move(right))})});
}

}  // namespace
}  // namespace feature_map

PictureEntry feature_map_picture() { return tablePicture<feature_map::kScene, feature_map::layout>(); }

}  // namespace kappaflow
