// Ensembles of random networks: what one network has of width, and what its centre wanders ("v = 0 for random weights").
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/capacity_flow/capacity_diffusion/picture_view.h"

namespace kappaflow::diffusion {
namespace {

/// Where capacity starts, in positions of the top: offsets are counted from there.
double origin(const View& view) {
    const auto start = definedRow(*view.capacity, view.layers);
    double sum = 0, moment = 0;
    for (std::size_t i = 0; i < start.size(); ++i) sum += start[i], moment += start[i] * static_cast<double>(i);
    return sum > 0 ? moment / sum : 0;
}

/// Layers from the top down to the one shown, the last perhaps between two.
std::vector<double> layersReached(const View& view) {
    std::vector<double> layers;
    for (std::size_t l = view.layers + 1; l-- > 0 && static_cast<double>(l) > view.at;) layers.push_back(static_cast<double>(l));
    layers.push_back(view.at);
    return layers;
}

double valueAt(const double* byLayer, std::size_t layers, double at) {
    const Between b = between(at, layers);
    return byLayer[b.below] + (byLayer[b.above] - byLayer[b.below]) * b.fraction;
}

}  // namespace

void drawCentres(PictureFrame& f, const View& view, const Grid& grid) {
    if (!view.evenWidths) return;
    const double start = origin(view);
    const auto layers = layersReached(view);
    const auto place = [&](double offset, double layer) { return Vec2{grid.x(start + offset, view.widths.front()), grid.y(layer)}; };
    f.painter.pushClip({{grid.left, grid.rows.lo.y - 4}, {grid.right, grid.rows.hi.y + 4}});
    const Color color = f.theme.series[1];
    for (std::size_t n = 0; n < view.centres->axes[0].size(); ++n) {
        std::vector<Vec2> way;
        way.reserve(layers.size());
        for (double l : layers) way.push_back(place(valueAt(view.centres->row(n), view.layers, l), l));
        f.painter.line("network/centre", way, {color.withAlpha(0.35f), 1});
    }
    const Array& mean = *f.report.array("mean");
    std::vector<Vec2> edges[2];
    for (const std::size_t side : {0, 1})
        for (double l : layers) {
            const double wander = valueAt(view.wander->values.data(), view.layers, l);
            edges[side].push_back(place(valueAt(mean.values.data(), view.layers, l) + (side ? wander : -wander), l));
        }
    for (const auto& edge : edges) f.painter.line("network/wander", edge, {color, 2});
    f.painter.popClip();
}

void drawWidths(PictureFrame& f, const View& view, Rect rect) {
    const std::size_t n = view.layers + 1;
    struct Curve {
        std::string id, label;
        const Array* array;
        Color color;
    };
    const Curve curves[] = {{"spread/measured", "average", f.report.array("standardDeviation"), f.theme.series[4]},
                            {"spread/within", "one network", view.within, f.theme.series[2]},
                            {"spread/wander", "wandering", view.wander, f.theme.series[1]}};
    const Array* law = f.report.array("standardDeviationPredicted");
    double top = 1e-3;
    for (const auto& curve : curves) top = curve.array ? largest(curve.array->values, top) : top;
    std::vector<double> depth(n);
    for (std::size_t i = 0; i < n; ++i) depth[i] = static_cast<double>(i);
    const auto downwards = [&](const std::vector<double>& values) { return std::vector<double>(values.rbegin(), values.rend()); };
    Plot plot(
        f.painter, f.theme, "spread", rect,
        {.label = "layers crossed, *L* − *l*", .lo = 0, .hi = static_cast<double>(std::max<std::size_t>(view.layers, 1)), .whole = true},
        {.label = "width (positions)", .lo = 0, .hi = top * 1.15}, zoomOf(f, "spread"));
    const double now = static_cast<double>(view.layers) - view.at;
    plot.vertical("spread/now", now, {f.theme.accent.withAlpha(0.5f), Dash::Solid, 1, ""});
    if (law) plot.line("spread/theory", depth, downwards(law->values), {f.theme.theory, Dash::Dashed, 1.6, ""});
    for (const auto& curve : curves) {
        if (!curve.array) continue;
        const auto width = downwards(curve.array->values), error = downwards(curve.array->standardError);
        std::vector<double> low(width.size()), high(width.size());
        for (std::size_t i = 0; i < width.size() && i < error.size(); ++i) low[i] = width[i] - error[i], high[i] = width[i] + error[i];
        if (error.size() == width.size()) plot.band(curve.id + "/error", depth, low, high, curve.color.withAlpha(0.25f));
        plot.line(curve.id, depth, width, {curve.color, Dash::Solid, 2, curve.label + " " + numberText(width.back(), 2)});
    }
    const Array& mean = *f.report.array("mean");
    const double centre = mean.values.front(), error = mean.standardError.empty() ? 0 : mean.standardError.front();
    const bool verdict = rect.width() > 240 && std::abs(centre) < 3 * error;
    finishPlot(f, plot, "spread", "mean centre " + numberText(centre, 2) + " ± " + numberText(error, 2) + (verdict ? ": *v* = 0" : ""));
}

}  // namespace kappaflow::diffusion
