// Log-moments of many random networks (P3 Fig 2, Theorem 1): histograms that spread with depth, and what makes them spread.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/number_text.h"
#include "scenes/moments/moment_diffusion.h"
#include "scenes/moments/picture_step.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace moment_diffusion {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

double depth(const Seen& s) { return s.result.layers.back(); }
double shown(const Seen& s) { return std::clamp(s.params.at, 1.0, depth(s)); }
double at(const Vector& byLayer, double layer) { return rowAt(byLayer, 1, layer)[0]; }

// Histograms of a log-moment over networks.

double peakOf(double variance) { return 1 / std::sqrt(2 * std::numbers::pi * variance); }

Vector gaussian(const Vector& x, double mean, double variance) {
    Vector density;
    for (const double value : x) density.push_back(peakOf(variance) * std::exp(-(value - mean) * (value - mean) / (2 * variance)));
    return density;
}

/// Gaussian fits of the layers at quarters of the depth, for comparison.
void drawOthers(const Seen& s, Plot& plot, const Vector& x, const Vector& mean, const Vector& variance, Color color) {
    for (int quarter = 1; quarter <= 4; ++quarter) {
        const double layer = std::round(depth(s) * quarter / 4);
        if (layer < 1 || std::abs(layer - shown(s)) < 0.5) continue;
        const double m = at(mean, layer), v = at(variance, layer);
        if (!(v > 0)) continue;
        plot.line("histogram/other", x, gaussian(x, m, v), {color.withAlpha(0.45f), Dash::Solid, 1.2, ""});
        const Vec2 peak = plot.toScreen(m, peakOf(v)) - Vec2{0, 3};
        const Theme& t = s.f.theme;
        if (peak.y < plot.inner().lo.y + t.tinySize || peak.x < plot.inner().lo.x || peak.x > plot.inner().hi.x) continue;
        s.f.painter.text("histogram/other-name", peak, numberText(layer),
                         {.color = t.muted, .size = t.tinySize, .h = AlignH::Centre, .v = AlignV::Bottom, .halo = t.ground});
    }
}

/// The lower shoulder of the dashed law, one deviation from its mean, is pulled: a narrower network has it farther out. To first order
/// mean and variance go as 1/N, which is how far the knob leads before the next result.
void offerWidth(const Seen& s, const Plot& plot, double layer) {
    const Result& r = s.result;
    const double asked = s.asked.width, mean = -layer * r.driftPredicted * asked,
                 deviation = std::sqrt(layer * r.diffusionPredicted * asked);
    const auto placeOf = [&](double width) { return -(mean / width + deviation / std::sqrt(width)); };
    const auto widthAt = [&](double place) {
        const double root = (std::sqrt(deviation * deviation - 4 * mean * std::min(place, 0.0)) - deviation) / (2 * mean);
        return root > 0 ? std::min(1 / (root * root), 1e6) : 1e6;
    };
    const double width = s.params.width, variance = layer * r.diffusionPredicted * asked / width;
    // Convolutions have as many points as positions, and their operations a limit.
    const double most = s.params.space == Space::Dense ? 256 : std::max(32.0, width);
    const auto wanted = dragAlong(s.f, plot,
                                  {.id = "width",
                                   .label = "width of the networks",
                                   .valueText = inWords(width),
                                   .value = width,
                                   .min = 1,
                                   .max = most,
                                   .step = 1,
                                   .x = placeOf(width),
                                   .y = peakOf(variance) * std::exp(-0.5),
                                   .valueAt = widthAt});
    if (wanted && std::round(*wanted) != width) s.f.changes.push_back(Change::param("width", std::round(*wanted)));
}

/// Histogram of the layer shown, its Gaussian fit, fits of other layers, and the law of inputs on one line.
void drawHistogram(const Seen& s, Rect rect, bool noise) {
    const Result& r = s.result;
    const Vector &mean = (noise ? r.meanLogNoise : r.meanLog).values, &variance = (noise ? r.varLogNoise : r.varLog).values;
    const double layer = shown(s), spacing = r.bins[1] - r.bins[0];
    const double lo = r.bins.front() - spacing / 2, hi = r.bins.back() + spacing / 2;
    const Color color = s.f.theme.series[noise ? 2 : 0];
    const std::string id = noise ? "noise" : "signal", symbol = noise ? "*μ*_{2}(d*x^{l}*)" : "*ν*_{2}(*x^{l}*)";
    // The scale follows from the law at a quarter of the depth, so that neither partial results nor layers move it: the first ones leave
    // it.
    const double top = 1.45 * peakOf(std::max(1.0, depth(s) / 4) * r.diffusionPredicted);
    const bool tall = rect.height() > 170;
    Plot plot = plotIn(s.f, id, rect, {.label = "log " + symbol + " less its value at the input", .lo = lo, .hi = hi},
                       {.label = "density", .lo = 0, .hi = top, .ticks = tall});
    plot.bars(id + "/measured", r.bins, rowAt(noise ? r.histogramNoise : r.histogramSignal, r.bins.size(), layer - 1), spacing,
              color.withAlpha(0.38f));
    Vector x;
    for (int i = 0; i <= 240; ++i) x.push_back(lo + (hi - lo) * i / 240);
    drawOthers(s, plot, x, mean, variance, color);
    const double m = at(mean, layer), v = at(variance, layer);
    if (v > 0) plot.line(id + "/fit", x, gaussian(x, m, v), {color, Dash::Solid, 2, ""});
    plot.line(id + "/theory", x, gaussian(x, at(r.meanLogTheory, layer), at(r.varLogTheory, layer)),
              {s.f.theme.theory, Dash::Dashed, 1.6, ""});
    std::string title = id + ", layer " + numberText(std::round(layer));
    const double named = std::round(layer), namedMean = at(mean, named), namedVariance = at(variance, named);
    if (namedVariance > 0 && rect.width() > 330)
        title += ": mean " + numberText(namedMean, 3) + ", deviation " + numberText(std::sqrt(namedVariance), 3);
    if (tall) {
        const std::string dashed = "dashed: inputs on one line", pull = "; pull it: width *N* = " + numberText(s.params.width, 3);
        drawFitting(s.f, id + "/names", plot.inner().lo + Vec2{8, 6}, {dashed + (noise || s.f.kept ? "" : pull), dashed},
                    {.color = s.f.theme.muted, .size = s.f.theme.tinySize}, 0.62 * plot.inner().width());
    }
    if (!noise) offerWidth(s, plot, layer);
    finishPlot(s.f, plot, id, title);
}

// What runs over the layers: mean and variance, drift and diffusion, collapse, kurtosis; and the tails of one layer.

Curves overLayers(const Seen& s, const char* id, const char* label, std::string title, std::vector<Curve> curves) {
    for (auto& curve : curves) curve.x = s.result.layers;
    const auto more = [&s, id = std::string(id)](PictureFrame& f, Plot& plot) {
        const double layer = shown(s);
        random_nets::offerStep(f, plot, {id, id + "-layer", "layer " + numberText(std::round(layer)), layer, 1, depth(s)});
    };
    return {.id = id,
            .title = std::move(title),
            .x = {.label = "layer *l*", .hi = 1.04 * depth(s), .whole = true},
            .y = {.label = label},
            .curves = std::move(curves),
            .more = more};
}

/// Signal, noise, and what theory says of the signal.
std::vector<Curve> pair(const Seen& s, const Vector& signal, const Vector& noise, const Vector& theory) {
    return {{"measured", {}, signal, Role::Measurement, "signal", s.f.theme.series[0]},
            {"measured", {}, noise, Role::Measurement, "noise", s.f.theme.series[2]},
            {"theory", {}, theory, Role::Theory, "inputs on one line", std::nullopt, 1.6}};
}

Curves means(const Seen& s, const char* title) {
    const Result& r = s.result;
    return overLayers(s, "mean", "mean log-moment", title, pair(s, r.meanLog.values, r.meanLogNoise.values, r.meanLogTheory));
}

std::vector<Curves> spread(const Seen& s) {
    const Result& r = s.result;
    return {means(s, "drift"),
            overLayers(s, "variance", "log-moment variance", "diffusion", pair(s, r.varLog.values, r.varLogNoise.values, r.varLogTheory))};
}

std::vector<Curves> terms(const Seen& s) {
    const Result& r = s.result;
    const auto& series = s.f.theme.series;
    auto drift = pair(s, r.drift.values, r.driftNoise.values, r.driftTheory);
    drift.push_back({"measured", {}, r.logMeanIncrement.values, Role::Measurement, "log E *δν*_{2}", series[3]});
    return {overLayers(s, "drift", "drift: mean of log *δ*", "the mean stays, its logarithm falls", std::move(drift)),
            overLayers(s, "increments", "variance of *δ*", "dashed: from the angles below",
                       {{"bound", {}, r.incrementHigh, Role::Bound, "5/*N*", s.f.theme.muted, 1.6},
                        {"bound", {}, r.incrementLow, Role::Bound, "2/*N*^{2}", s.f.theme.muted, 1.6},
                        {"measured", {}, r.incrementVariance, Role::Measurement, "signal", series[0]},
                        {"measured", {}, r.incrementVarianceNoise, Role::Measurement, "noise", series[2]},
                        {"theory", {}, r.incrementPredicted, Role::Theory, "", std::nullopt, 1.6},
                        {"theory", {}, r.incrementPredictedNoise, Role::Theory, "", std::nullopt, 1.6}}),
            overLayers(s, "diffusion", "diffusion: Var *s*", "two sets of weights on one layer",
                       pair(s, r.diffusion.values, r.diffusionNoise.values, r.diffusionTheory))};
}

std::vector<Curves> collapse(const Seen& s) {
    const Result& r = s.result;
    const double most = r.collapsedBound.back();
    const bool never = most < 1e-4;
    Curves share = overLayers(s, "collapse", "share collapsed",
                              never ? "at this width fewer than " + numberText(100 * most, 1) + " % collapse" : "all units off",
                              {{"bound", {}, r.collapsedBound, Role::Bound, "1−(1−2^{−*N*})^{*l*}", s.f.theme.muted, 1.6},
                               {"measured", {}, r.deadInputs.values, Role::Measurement, "single inputs", s.f.theme.series[2]},
                               {"measured", {}, r.collapsed.values, Role::Measurement, "networks", s.f.theme.series[0]}});
    if (never) share.fit = Fit::Given, share.y.hi = 1.08;
    return {std::move(share), means(s, "of the networks alive")};
}

std::vector<Curves> fatTails(const Seen& s) {
    const Result& r = s.result;
    const Size thresholds = r.thresholds.size();
    Vector measured = rowAt(r.tails, thresholds, shown(s) - 1);
    for (double& share : measured)
        if (share <= 0) share = std::nan("");
    Curves tails{
        .id = "tails",
        .title = "pre-activations of layer " + numberText(std::round(shown(s))) + " at one input",
        .x = {.label = "threshold *t*, in deviations of *y*", .lo = r.thresholds.front(), .hi = r.thresholds.back(), .scale = Scale::Log},
        .y = {.label = "share with |*y*| > *t*", .lo = 1e-6, .hi = 1.5, .scale = Scale::Log},
        .fit = Fit::Given,
        .curves = {
            {"gaussian", r.thresholds, r.tailsGaussian, Role::Theory, "Gaussian", s.f.theme.muted, 1.4},
            {"measured", r.thresholds, measured, Role::Measurement, "measured", s.f.theme.series[0], 2.2},
            {"theory", r.thresholds, rowAt(r.tailsTheory, thresholds, shown(s) - 1), Role::Theory, "log-normal norm", std::nullopt, 1.6}}};
    Curves kurtosis = overLayers(s, "kurtosis", "kurtosis over weights", "measurable to layer " + numberText(r.kurtosisKnownTo),
                                 {{"measured", {}, r.kurtosis.values, Role::Measurement, "measured", s.f.theme.series[0]},
                                  {"theory", {}, r.kurtosisTheory, Role::Theory, "3(1+5/*N*)^{*l*−1}", std::nullopt, 1.6}});
    const double most = largest(r.kurtosis.values, largest(r.kurtosisTheory, 3));
    kurtosis.fit = Fit::Given;
    kurtosis.y.lo = 2.3, kurtosis.y.hi = 1.6 * std::min(most, 1e12), kurtosis.y.scale = Scale::Log;
    return {std::move(tails), std::move(kurtosis)};
}

Layout layout(const Seen& s) {
    if (s.result.histogramSignal.empty() || s.result.histogramNoise.empty())
        return s.panel(0, {}, [&s](Rect) { emptyPicture(s.f, "Networks are being drawn."); });
    std::vector<Curves> curves = s.params.show == Show::Terms                              ? terms(s)
                                 : s.params.show == Show::Collapse                         ? collapse(s)
                                 : s.params.show == Show::Tails && !s.result.tails.empty() ? fatTails(s)
                                                                                           : spread(s);
    std::vector<Layout> beside;
    int rank = 1;
    for (auto& one : curves) beside.push_back(s.panel(rank, {240, 165}, std::move(one))), rank = rank == 1 ? 3 : 4;
    return Layout::columns({Layout::rows({s.panel(0, {240, 150}, [&s](Rect rect) { drawHistogram(s, rect, false); }),
                                          s.panel(2, {240, 150}, [&s](Rect rect) { drawHistogram(s, rect, true); })})
                                .share(1.4),
                            Layout::rows(std::move(beside))});
}

}  // namespace
}  // namespace moment_diffusion

PictureEntry moment_diffusion_picture() { return tablePicture<moment_diffusion::kScene, moment_diffusion::layout>(); }

}  // namespace kappaflow
