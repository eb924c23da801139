// Histograms of a log-moment over networks.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/number_text.h"
#include "scenes/moments/moment_diffusion/picture_view.h"

namespace kappaflow::moment_diffusion {
namespace {

double peakOf(double variance) { return 1 / std::sqrt(2 * std::numbers::pi * variance); }

std::vector<double> gaussian(const std::vector<double>& x, double mean, double variance) {
    std::vector<double> density;
    for (const double value : x) density.push_back(peakOf(variance) * std::exp(-(value - mean) * (value - mean) / (2 * variance)));
    return density;
}

std::vector<double> finely(double lo, double hi) {
    std::vector<double> x;
    for (int i = 0; i <= 240; ++i) x.push_back(lo + (hi - lo) * i / 240);
    return x;
}

double mixed(const Array& array, double at) { return rowAt(array, at)[0]; }

/// Gaussian fits of the layers at quarters of the depth, for comparison.
void drawOthers(PictureFrame& f, const View& view, Plot& plot, const std::vector<double>& x, const Array& mean, const Array& variance,
                Color color) {
    for (int quarter = 1; quarter <= 4; ++quarter) {
        const double layer = std::round(view.layers * quarter / 4);
        if (layer < 1 || std::abs(layer - view.at) < 0.5) continue;
        const double m = mixed(mean, layer), v = mixed(variance, layer);
        if (!(v > 0)) continue;
        plot.line("histogram/other", x, gaussian(x, m, v), {color.withAlpha(0.45f), Dash::Solid, 1.2, ""});
        const Vec2 peak = plot.toScreen(m, peakOf(v)) - Vec2{0, 3};
        if (peak.y < plot.inner().lo.y + f.theme.tinySize || peak.x < plot.inner().lo.x || peak.x > plot.inner().hi.x) continue;
        f.painter.text(
            "histogram/other-name", peak, numberText(layer),
            {.color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Bottom, .halo = f.theme.ground});
    }
}

}  // namespace

void drawHistogram(PictureFrame& f, const View& view, Rect rect, bool noise) {
    const Array& histogram = noise ? *view.histogramNoise : *view.histogramSignal;
    const Array &mean = noise ? *view.meanLogNoise : *view.meanLog, &variance = noise ? *view.varLogNoise : *view.varLog;
    const auto& bins = histogram.axes[1].values;
    const double spacing = bins[1] - bins[0], lo = bins.front() - spacing / 2, hi = bins.back() + spacing / 2;
    const Color color = f.theme.series[noise ? 2 : 0];
    const std::string id = noise ? "noise" : "signal", layer = numberText(std::round(view.at));
    const std::string symbol = noise ? "*μ*_{2}(d*x^{l}*)" : "*ν*_{2}(*x^{l}*)";
    // The scale is the law's: partial results do not move it.
    const double quarter = std::min(view.at, std::max(1.0, view.layers / 4));
    const double top = 1.45 * peakOf(quarter * view.varTheory->values[1]);
    Plot plot(f.painter, f.theme, id, rect, {.label = "log " + symbol + " less its value at the input", .lo = lo, .hi = hi},
              {.label = "density", .lo = 0, .hi = top, .ticks = rect.height() > 170}, zoomOf(f, id));
    plot.bars(id + "/measured", bins, rowAt(histogram, view.at - 1), spacing, color.withAlpha(0.38f));
    const auto x = finely(lo, hi);
    drawOthers(f, view, plot, x, mean, variance, color);
    const double m = mixed(mean, view.at), v = mixed(variance, view.at);
    if (v > 0) plot.line(id + "/fit", x, gaussian(x, m, v), {color, Dash::Solid, 2, ""});
    const double theoryVariance = mixed(*view.varTheory, view.at);
    plot.line(id + "/theory", x, gaussian(x, mixed(*view.meanTheory, view.at), theoryVariance), {f.theme.theory, Dash::Dashed, 1.6, ""});
    std::string title = (noise ? "noise, layer " : "signal, layer ") + layer;
    if (v > 0 && rect.width() > 330) title += ": mean " + numberText(m, 3) + ", deviation " + numberText(std::sqrt(v), 3);
    if (rect.height() > 170)
        f.painter.text(id + "/names", plot.inner().lo + Vec2{8, 6}, "dashed: inputs on one line",
                       {.color = f.theme.muted, .size = f.theme.tinySize});
    finishPlot(f, plot, id, title);
}

}  // namespace kappaflow::moment_diffusion
