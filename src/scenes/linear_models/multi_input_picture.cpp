// Several inputs at every position (P2 Figs 12–13): capacity by lag and component while channels are added.
#include <cmath>

#include "draw/number_text.h"
#include "scenes/linear_models/multi_input.h"
#include "scenes/linear_models/wide_stacks_picture.h"

namespace kappaflow {
namespace multi_input {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

linear::Parts partsOf(const Seen& s, const linear::Place& place) {
    const Size d = s.result.component.size(), n = s.result.lags.size();
    const Vector inputs = linear::definedRowAt(s.result.componentsByChannels, d * n, place.index);
    linear::Parts parts;
    for (Size k = 0; k < d; ++k) {
        parts.values.push_back(rowAt(inputs, n, static_cast<double>(k)));
        parts.colors.push_back(linear::orderedColor(s.f, k, d));
    }
    parts.ceiling = parts.ceilingTold = parts.top = static_cast<double>(d);
    return parts;
}

std::vector<std::string> headlines(const Seen& s, const linear::Place& place) {
    const Size i = place.nearest();
    const std::string c = numberText(s.result.channels[i]), channels = c == "1" ? " channel" : " channels";
    const std::string of = numberText(s.result.totals[i]) + " of " + numberText(s.result.dimension);
    const std::string full = numberText(100 * s.result.capacityByChannels[i * s.result.lags.size()], 3) + " %";
    return {"*c* = " + c + channels + " hold *κ* = " + of + " units; the newest position is " + full + " full",
            "*c* = " + c + ": *κ* = " + of + ", newest position " + full + " full", "*c* = " + c + ": *κ* = " + of};
}

Curves totals(const Seen& s, const linear::Place& place) {
    const Result& r = s.result;
    const Vector bound(r.channels.size(), r.dimension);
    const AxisSpec axis{.label = "channels *c*", .lo = 0.8, .hi = r.channels.back() * 1.15, .scale = Scale::Log, .whole = true};
    return linear::totalsPlot(s.f, {r.channels, r.totals, bound, r.parameters, axis, "inputs *nd*", "channels", place});
}

/// One curve for each number of components with the same ratio c²/d.
Curves scaled(const Seen& s) {
    const Result& r = s.result;
    const Size n = r.lags.size();
    Curves curves{.id = "scaled",
                  .title = "other *d*, the same *c*²/*d*",
                  .x = linear::lagAxis(n),
                  .y = {.label = "*κ*_{*τ*}/*d*", .lo = 0, .hi = 1.12},
                  .fit = Fit::Given};
    static constexpr Size kOrder[] = {1, 0, 2, 3};
    for (Size i = 0; i < r.components.size(); ++i)
        curves.curves.push_back({"capacity", r.lags, rowAt(r.scaled, n, static_cast<double>(i)), Role::Measurement,
                                 "*d* " + numberText(r.components[i]) + ", *c* " + numberText(r.scaledChannels[i]),
                                 s.f.theme.series[kOrder[i % 4]]});
    return curves;
}

Layout layout(const Seen& s) {
    const auto place = linear::placeOf(s.result.channels, s.result.found.meanLag, s.params.at);
    if (place.steps.empty()) return linear::waiting(s.f);
    const auto parts = partsOf(s, place);
    const Size d = parts.values.size();
    const auto drawStack = [&s, parts, d](Rect rect) {
        const std::string title = d == 1 ? "one input a position" : std::to_string(d) + " inputs a position, stacked";
        linear::drawStack(s.f, parts, "capacity *κ*_{*τ*}", title, rect);
    };
    const auto drawRows = [&s, parts](Rect rect) {
        const Vector& alphas = s.result.exponents;
        const std::string title =
            "by component, *α* = " + numberText(alphas.front(), 2) + " … " + numberText(alphas.back(), 2) + " upwards";
        linear::drawRows(s.f, parts, "component", title, rect);
    };
    std::vector<Layout> left{s.panel(0, {220, 150}, drawStack).share(2.3)};
    if (d > 1) left.push_back(s.panel(4, {220, 130}, drawRows));
    return Layout::rows({linear::headline(s.f, headlines(s, place)),
                         Layout::columns({Layout::rows(std::move(left)).share(1.5),
                                          Layout::rows({s.panel(2, {220, 130}, totals(s, place)), s.panel(3, {220, 150}, scaled(s))})})});
}

}  // namespace
}  // namespace multi_input

PictureEntry multi_input_picture() { return tablePicture<multi_input::kScene, multi_input::layout>(); }

}  // namespace kappaflow
