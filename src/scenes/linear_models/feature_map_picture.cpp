// A linear model behind a feature map (P2 6.2): capacity of every function of every input while functions are added.
#include "draw/number_text.h"
#include "scenes/linear_models/feature_map.h"
#include "scenes/linear_models/wide_stacks_picture.h"

namespace kappaflow {
namespace feature_map {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

Color colorOf(const Seen& s, Size function) {
    const Size m = s.result.functions.size();
    return m > 8 ? linear::orderedColor(s.f, function, m) : s.f.theme.series[function];
}

/// The functions of the nearest degree over the density of an input.
void drawFunctions(const Seen& s, Size functions, Rect rect) {
    const Vector& y = s.result.ys;
    Plot plot(s.f.painter, s.f.theme, "functions", rect, {.label = "input *y*", .lo = y.front(), .hi = y.back()},
              {.label = "", .lo = -3, .hi = 3, .whole = true});
    Vector ground(y.size(), -3), bell = s.result.density;
    for (double& value : bell) value = -3 + 4 * value;
    plot.band("functions/density", y, ground, bell, s.f.theme.muted.withAlpha(0.16f));
    for (Size j = functions; j-- > 0;)
        plot.line("functions/curve", y, rowAt(s.result.function, y.size(), static_cast<double>(j)),
                  {colorOf(s, j), Dash::Solid, j + 1 == functions ? 2.6 : 1.6, j + 3 > functions ? s.result.functions[j] : ""});
    finishPlot(s.f, plot, "functions", "functions *φ*^{*j*} of an input");
}

Layout layout(const Seen& s) {
    const Result& r = s.result;
    // Who asks for another degree wants to see it, wherever the timeline stands.
    if (s.before.degree != s.params.degree) s.f.changes.push_back(Change::param("at", Params{}.at));
    const auto place = linear::placeOf(r.degrees, r.found.meanLag, s.params.at);
    if (place.steps.empty()) return linear::waiting(s.f);
    const Size m = r.functions.size(), perDegree = m / r.degrees.size();
    Vector counts = r.degrees;
    for (double& count : counts) count *= static_cast<double>(perDegree);
    const double last = r.degrees.back();
    linear::Stacked stacked{place,
                            r.degrees,
                            r.totals,
                            r.parameters,
                            r.dimensions,
                            "dimensions *nm*",
                            {.label = "degree", .lo = 0.6, .hi = last + 0.4 + 0.06 * last, .whole = true},
                            "degree",
                            r.capacityByDegree,
                            r.inputs.size(),
                            m,
                            1,
                            counts,
                            counts,
                            "function",
                            s.params.part,
                            false};
    for (Size j = 0; j < m; ++j)
        stacked.parts.push_back(s.asked.functions == Functions::Hermite ? "*He*_{" + std::to_string(j + 1) + "}" : r.functions[j]);
    const auto functions = [&s, shown = perDegree * (place.nearest() + 1)](Rect rect) { drawFunctions(s, shown, rect); };
    return linear::stackedLayout(s.f, stacked, s.panel(4, {220, 130}, functions));
}

}  // namespace
}  // namespace feature_map

PictureEntry feature_map_picture() { return tablePicture<feature_map::kScene, feature_map::layout>(); }

}  // namespace kappaflow
