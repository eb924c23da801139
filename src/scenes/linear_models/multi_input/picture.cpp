// Several inputs at every position (P2 Figs 12–13): capacity by lag and component while channels are added.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/linear_models/picture_wide.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

struct View {
    const Array *byChannels, *components, *totals, *parameters, *meanLag, *scaled, *scaledChannels, *exponents;
    wide::Step step;
    wide::Stack stack;
};

bool readView(const PictureFrame& f, View& v) {
    const std::pair<const Array**, const char*> needed[] = {{&v.byChannels, "capacityByChannels"},
                                                            {&v.components, "componentsByChannels"},
                                                            {&v.totals, "totals"},
                                                            {&v.parameters, "parameters"},
                                                            {&v.meanLag, "meanLag"},
                                                            {&v.scaled, "scaled"},
                                                            {&v.exponents, "exponents"},
                                                            {&v.scaledChannels, "scaledChannels"}};
    for (const auto& [array, name] : needed)
        if (!(*array = f.report.array(name))) return false;
    Size known = 0;
    while (known < v.meanLag->values.size() && !std::isnan(v.meanLag->values[known])) ++known;
    if (known == 0) return false;
    v.step = wide::stepOf(f, v.totals->axes[0], known);
    const Size d = v.exponents->values.size(), n = v.byChannels->axes[1].size();
    const double *below = v.components->row(v.step.between.below), *above = v.components->row(v.step.between.above);
    for (Size k = 0; k < d; ++k) {
        std::vector<double> part;
        for (Size i = 0; i < n; ++i) part.push_back(wide::mixed(v.step, below[k * n + i], above[k * n + i]));
        v.stack.parts.push_back(std::move(part));
        v.stack.colors.push_back(wide::orderedColor(f, k, d));
    }
    v.stack.ceiling = v.stack.top = static_cast<double>(d);
    return true;
}

std::vector<std::string> headlines(const View& v) {
    const std::string c = numberText(v.step.values[v.step.nearest]), kappa = numberText(v.totals->values[v.step.nearest]);
    const double d = v.stack.ceiling, n = static_cast<double>(v.stack.parts[0].size());
    const std::string of = kappa + " of " + numberText(n * d), channels = c == "1" ? " channel" : " channels";
    const std::string full = numberText(100 * v.byChannels->row(v.step.nearest)[0], 3) + " %";
    return {"*c* = " + c + channels + " hold *κ* = " + of + " units; the newest position is " + full + " full",
            "*c* = " + c + ": *κ* = " + of + ", newest position " + full + " full", "*c* = " + c + ": *κ* = " + of};
}

/// One curve for each number of components with the same ratio c²/d.
void drawScaled(PictureFrame& f, const View& v, Rect rect) {
    const Size n = v.scaled->axes[1].size();
    const auto lags = wide::lagsOf(n);
    Plot plot(f.painter, f.theme, "scaled", rect, wide::lagAxis(n), {.label = "*κ*_{*τ*}/*d*", .lo = 0, .hi = 1.12}, zoomOf(f, "scaled"));
    static constexpr Size kOrder[] = {1, 0, 2, 3};
    for (Size i = 0; i < v.scaledChannels->values.size(); ++i) {
        const std::string name = "*d* " + numberText(v.scaled->axes[0].values[i]) + ", *c* " + numberText(v.scaledChannels->values[i]);
        plot.line("scaled/capacity", lags, std::span(v.scaled->row(i), n), {f.theme.series[kOrder[i % 4]], Dash::Solid, 2, name});
    }
    finishPlot(f, plot, "scaled", rect.width() > 260 ? "other *d*, the same *c*²/*d*" : "the same *c*²/*d*");
}

void drawRight(PictureFrame& f, const View& v, Rect rect) {
    std::vector<double> most(v.step.values.size(), v.stack.ceiling * static_cast<double>(v.stack.parts[0].size()));
    Array bound = *v.totals;
    bound.values.assign(v.totals->values.size(), most.front());
    const bool two = rect.height() > 300;
    const double middle = two ? rect.centre().y : rect.hi.y;
    wide::drawTotals(f, v.step, {v.totals, &bound, v.parameters, "channels *c*", "inputs *nd*", "channels", "channels shown", true},
                     {rect.lo, {rect.hi.x, middle - (two ? 4 : 0)}});
    if (two) drawScaled(f, v, {{rect.lo.x, middle + 4}, rect.hi});
}

class MultiInputPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View v;
        if (!readView(f, v)) return emptyPicture(f, "Weights are being looked for.");
        const Size d = v.stack.parts.size();
        const std::string alphas = "by component, *α* = " + numberText(v.exponents->values.front(), 2) + " … " +
                                   numberText(v.exponents->values.back(), 2) + " upwards";
        const Rect own = wide::drawStacked(f, headlines(v), v.stack,
                                           {"capacity *κ*_{*τ*}", "component",
                                            d == 1 ? "one input a position" : std::to_string(d) + " inputs a position, stacked", alphas});
        if (own.height() > 0) drawRight(f, v, own);
    }
};

}  // namespace

PictureEntry multi_input_picture() {
    return {"multi-input", [] { return std::unique_ptr<Picture>(std::make_unique<MultiInputPicture>()); }};
}

}  // namespace kappaflow
