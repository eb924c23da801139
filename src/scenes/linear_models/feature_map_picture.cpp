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
                  {linear::partColor(s.f, j, s.result.functions.size()), Dash::Solid, j + 1 == functions ? 2.6 : 1.6,
                   j + 3 > functions ? s.result.functions[j] : ""});
    finishPlot(s.f, plot, "functions", "functions *φ*^{*j*} of an input");
}

Layout layout(const Seen& s) {
    const Result& r = s.result;
    // Who asks for another degree wants to see it, wherever the timeline stands.
    if (s.before.degree != s.params.degree) s.f.changes.push_back(Change::param("at", Params{}.at));
    const Size m = r.functions.size(), perDegree = m / r.degrees.size();
    Vector counts = r.degrees;
    for (double& count : counts) count *= static_cast<double>(perDegree);
    std::vector<std::string> parts = r.functions;
    for (Size j = 0; j < m && s.asked.functions == Functions::Hermite; ++j) parts[j] = "*He*_{" + std::to_string(j + 1) + "}";
    const Size shown = perDegree * (linear::placeOf(r.degrees, r.found.meanLag, s.params.at).nearest() + 1);
    const AxisSpec axis{.label = "degree", .lo = 0.6, .hi = 1.06 * r.degrees.back() + 0.4, .whole = true};
    return linear::stackedLayout(s.f,
                                 {r, r.degrees, axis, "degree", "function", "dimensions *nm*", counts, counts, r.dimensions,
                                  r.capacityByDegree, r.inputs.size(), m, 1, parts, s.params.at, s.params.part},
                                 s.panel(4, {220, 130}, [&s, shown](Rect rect) { drawFunctions(s, shown, rect); }));
}

}  // namespace
}  // namespace feature_map

PictureEntry feature_map_picture() { return tablePicture<feature_map::kScene, feature_map::layout>(); }

}  // namespace kappaflow
