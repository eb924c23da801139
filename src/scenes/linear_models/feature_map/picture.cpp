// A linear model behind a feature map (P2 6.2): capacity of every function of every input while functions are added.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/linear_models/picture_wide.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

struct View {
    const Array *byDegree, *totals, *dimensions, *parameters, *meanLag, *functions, *density;
    wide::Step step;
    wide::Stack stack;
    Size shown = 0;  ///< functions of the nearest degree
};

bool readView(const PictureFrame& f, View& v) {
    const std::pair<const Array**, const char*> needed[] = {
        {&v.byDegree, "capacityByDegree"}, {&v.totals, "totals"},      {&v.dimensions, "dimensions"}, {&v.parameters, "parameters"},
        {&v.meanLag, "meanLag"},           {&v.functions, "function"}, {&v.density, "density"}};
    for (const auto& [array, name] : needed)
        if (!(*array = f.report.array(name))) return false;
    Size known = 0;
    while (known < v.meanLag->values.size() && !std::isnan(v.meanLag->values[known])) ++known;
    if (known == 0) return false;
    v.step = wide::stepOf(f, v.totals->axes[0], known);
    const Size m = v.functions->axes[0].size(), n = v.byDegree->axes[1].size();
    const double *below = v.byDegree->row(v.step.between.below), *above = v.byDegree->row(v.step.between.above);
    for (Size k = 0; k < m; ++k) {
        std::vector<double> part;
        for (Size i = 0; i < n; ++i) part.push_back(wide::mixed(v.step, below[i * m + k], above[i * m + k]));
        v.stack.parts.push_back(std::move(part));
        v.stack.colors.push_back(m <= 8 ? f.theme.series[k] : wide::orderedColor(f, k, m));
    }
    const double degrees = v.totals->axes[0].values.back();
    v.stack.top = static_cast<double>(m);
    v.stack.ceiling = v.step.value() * v.stack.top / degrees;
    v.shown = static_cast<Size>(std::lround(v.step.values[v.step.nearest] * v.stack.top / degrees));
    return true;
}

std::vector<std::string> headlines(const View& v) {
    const double dimension = v.dimensions->values[v.step.nearest], total = v.totals->values[v.step.nearest];
    const std::string m = std::to_string(v.shown) + (v.shown == 1 ? " function" : " functions");
    const std::string of = numberText(total) + " of " + numberText(dimension), share = numberText(100 * total / dimension, 3) + " %";
    return {m + " of every input: the model holds *κ* = " + of + " units, " + share, m + ": *κ* = " + of + ", " + share, "*κ* = " + of};
}

void drawFunctions(PictureFrame& f, const View& v, Rect rect) {
    const auto& y = v.functions->axes[1].values;
    Plot plot(f.painter, f.theme, "functions", rect, {.label = rect.height() > 150 ? "input *y*" : "", .lo = y.front(), .hi = y.back()},
              {.label = "", .lo = -3, .hi = 3, .whole = true});
    std::vector<double> ground(y.size(), -3), bell = v.density->values;
    for (double& value : bell) value = -3 + 4 * value;
    plot.band("functions/density", y, ground, bell, f.theme.muted.withAlpha(0.16f));
    for (Size k = v.shown; k-- > 0;)
        plot.line("functions/curve", y, std::span(v.functions->row(k), y.size()),
                  {v.stack.colors[k], Dash::Solid, k + 1 == v.shown ? 2.6 : 1.6, k + 3 > v.shown ? v.functions->axes[0].keys[k] : ""});
    finishPlot(f, plot, "functions", "functions *φ*^{*j*} of an input");
}

void drawRight(PictureFrame& f, const View& v, Rect rect) {
    const bool two = rect.height() > 300;
    const double middle = two ? rect.centre().y : rect.hi.y;
    if (two) drawFunctions(f, v, {rect.lo, {rect.hi.x, middle - 4}});
    wide::drawTotals(f, v.step, {v.totals, v.dimensions, v.parameters, "degree", "dimensions *nm*", "degree", "degree shown", false},
                     {{rect.lo.x, two ? middle + 4 : rect.lo.y}, rect.hi});
}

class FeatureMapPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View v;
        if (!readView(f, v)) return emptyPicture(f, "Weights are being looked for.");
        const Rect own = wide::drawStacked(f, headlines(v), v.stack,
                                           {"capacity *κ*_{*i*}", "function *j*", "the functions of every input, stacked", "by function"});
        if (own.height() > 0) drawRight(f, v, own);
    }
};

}  // namespace

PictureEntry feature_map_picture() {
    return {"feature-map", [] { return std::unique_ptr<Picture>(std::make_unique<FeatureMapPicture>()); }};
}

}  // namespace kappaflow
