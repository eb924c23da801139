// Several inputs at every position (P2 Figs 12–13): capacity by lag and component while channels are added.
#include "draw/number_text.h"
#include "scenes/linear_models/multi_input.h"
#include "scenes/linear_models/wide_stacks_picture.h"

namespace kappaflow {
namespace multi_input {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

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
    const Result& r = s.result;
    // Who asks for another number of channels wants to see it, wherever the timeline stands.
    if (s.before.channels != s.params.channels) s.f.changes.push_back(Change::param("at", Params{}.at));
    const Size n = r.lags.size(), steps = r.channels.size();
    std::vector<std::string> parts;
    for (const double alpha : r.exponents) parts.push_back("*α* = " + numberText(alpha, 2));
    const AxisSpec axis{.label = "channels *c*", .lo = 0.8, .hi = r.channels.back() * 1.15, .scale = Scale::Log, .whole = true};
    const Vector ceilings(steps, static_cast<double>(parts.size())), inputs(steps, r.dimension);
    return linear::stackedLayout(s.f,
                                 {r, r.channels, axis, "channels", "channel", "inputs *nd*", r.channels, ceilings, inputs,
                                  r.componentsByChannels, n, 1, n, parts, s.params.at, s.params.part},
                                 s.panel(4, {220, 130}, scaled(s)));
}

}  // namespace
}  // namespace multi_input

PictureEntry multi_input_picture() { return tablePicture<multi_input::kScene, multi_input::layout>(); }

}  // namespace kappaflow
