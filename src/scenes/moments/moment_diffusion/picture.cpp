// Log-moments of many random networks (P3 Fig 2, Theorem 1): histograms that spread with depth, and what makes them spread.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "draw/number_text.h"
#include "scenes/moments/picture_step.h"
#include "scenes/picture.h"

namespace kappaflow {
namespace moment_diffusion {
namespace {

/// What the panels read.
struct View {
    const Array *histogramSignal, *histogramNoise, *meanLog, *varLog, *meanLogNoise, *varLogNoise, *meanTheory, *varTheory;
    double at = 1;      ///< layer shown
    double layers = 1;  ///< the last one
    double width = 1;

    std::size_t nearest() const { return static_cast<std::size_t>(at + 0.5); }
    std::vector<double> layerValues() const { return countUp(static_cast<std::size_t>(layers) + 1); }
};

/// A curve over the layers.
struct Curve {
    const char* array;
    Color color;
    Dash dash = Dash::Solid;
    const char* label = "";
};
/// Curves of the report over layers 0 … L, with the line of the layer shown, which is also the handle that scrubs.
struct LayerPanel {
    const char *id, *name, *title;
    Scale scale = Scale::Linear;
    double lo, hi;        ///< always in sight
    double most = 1e300;  ///< never beyond
};

// Histograms of a log-moment over networks.

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

/// Histograms of the layer shown, outlines of others, gaussian fit and the law of one line of inputs.
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

// What is drawn over the layers: mean and variance, drift and diffusion, collapse, kurtosis; and the tails of one layer.

/// Ends of the axis around all values between its limits.
AxisSpec axisAround(const PictureFrame& f, const LayerPanel& panel, const std::vector<Curve>& curves) {
    double lo = panel.lo, hi = panel.hi;
    for (const Curve& curve : curves)
        if (const Array* array = f.report.array(curve.array))
            for (const double value : array->values)
                if (std::isfinite(value) && (panel.scale == Scale::Linear || value > 0)) lo = std::min(lo, value), hi = std::max(hi, value);
    hi = std::min(hi, panel.most);
    if (panel.scale == Scale::Log) return {.label = panel.name, .lo = lo / 1.3, .hi = hi * 1.6, .scale = Scale::Log};
    return {.label = panel.name, .lo = lo == 0 ? 0 : lo - 0.06 * (hi - lo), .hi = hi == 0 ? 0 : hi + 0.08 * (hi - lo)};
}

constexpr const char* kSignal = "signal";
constexpr const char* kNoise = "noise";
constexpr const char* kLine = "inputs on one line";

/// Signal, noise, and what theory says of the signal.
std::vector<Curve> pair(const PictureFrame& f, const char* signal, const char* noise, const char* theory) {
    return {{signal, f.theme.series[0], Dash::Solid, kSignal},
            {noise, f.theme.series[2], Dash::Solid, kNoise},
            {theory, f.theme.theory, Dash::Dashed, kLine}};
}

void drawLayerPanel(PictureFrame& f, const View& view, Rect rect, const LayerPanel& panel, const std::vector<Curve>& curves) {
    const std::string id = panel.id;
    Plot plot(f.painter, f.theme, id, rect, {.label = "layer *l*", .lo = 0, .hi = view.layers + 0.04 * view.layers, .whole = true},
              axisAround(f, panel, curves), zoomOf(f, id));
    const auto layers = view.layerValues();
    for (const Curve& curve : curves) {
        const Array* array = f.report.array(curve.array);
        if (!array) continue;
        const char* part = curve.dash == Dash::Solid ? "/measured" : curve.dash == Dash::Dashed ? "/theory" : "/bound";
        plot.line(id + part, layers, array->values, {curve.color, curve.dash, curve.dash == Dash::Solid ? 2 : 1.6, curve.label});
    }
    random_nets::offerStep(f, plot, {id, id + "-layer", "layer " + std::to_string(view.nearest()), view.at, 1, view.layers});
    finishPlot(f, plot, id, panel.title);
}

void drawSpread(PictureFrame& f, const View& view, const std::vector<Rect>& rects) {
    drawLayerPanel(f, view, rects[0], {"mean", "mean of the log-moment", "drift", Scale::Linear, 0, 0},
                   pair(f, "meanLog", "meanLogNoise", "meanLogTheory"));
    if (rects.size() > 1)
        drawLayerPanel(f, view, rects[1], {"variance", "variance of the log-moment", "diffusion", Scale::Linear, 0, 0},
                       pair(f, "varLog", "varLogNoise", "varLogTheory"));
}

void drawTerms(PictureFrame& f, const View& view, const std::vector<Rect>& rects) {
    const Theme& t = f.theme;
    auto drift = pair(f, "drift", "driftNoise", "driftTheory");
    drift.push_back({"logMeanIncrement", t.series[3], Dash::Solid, "log E *δν*_{2}"});
    drawLayerPanel(f, view, rects[0], {"drift", "drift: mean of log *δ*", "the mean stays, its logarithm falls", Scale::Linear, 0, 0},
                   drift);
    if (rects.size() > 1)
        drawLayerPanel(f, view, rects[1], {"increments", "variance of *δ*", "dashed: from the angles below", Scale::Linear, 0, 0},
                       {{"incrementVarianceHigh", t.muted, Dash::Dotted, "5/*N*"},
                        {"incrementVarianceLow", t.muted, Dash::Dotted, "2/*N*^{2}"},
                        {"incrementVariance", t.series[0], Dash::Solid, kSignal},
                        {"incrementVarianceNoise", t.series[2], Dash::Solid, kNoise},
                        {"incrementVariancePredicted", t.theory, Dash::Dashed, ""},
                        {"incrementVarianceNoisePredicted", t.theory, Dash::Dashed, ""}});
    if (rects.size() > 2)
        drawLayerPanel(f, view, rects[2], {"diffusion", "diffusion: Var *s*", "two sets of weights on one layer", Scale::Linear, 0, 0},
                       pair(f, "diffusionTerm", "diffusionTermNoise", "diffusionTheory"));
}

void drawCollapse(PictureFrame& f, const View& view, const std::vector<Rect>& rects) {
    const Theme& t = f.theme;
    const double most = f.report.array("collapsedBound")->values.back();
    const bool never = most < 1e-4;
    const std::string rare = "at this width fewer than " + numberText(100 * most, 1) + " % collapse";
    drawLayerPanel(f, view, rects[0],
                   {"collapse", "share collapsed", never ? rare.c_str() : "all units off", Scale::Linear, 0, never ? 1.0 : 0},
                   {{"collapsedBound", t.muted, Dash::Dotted, "1−(1−2^{−*N*})^{*l*}"},
                    {"deadInputs", t.series[2], Dash::Solid, "single inputs"},
                    {"collapsed", t.series[0], Dash::Solid, "networks"}});
    if (rects.size() > 1)
        drawLayerPanel(f, view, rects[1], {"mean", "mean of the log-moment", "of the networks alive", Scale::Linear, 0, 0},
                       pair(f, "meanLog", "meanLogNoise", "meanLogTheory"));
}

/// Share of pre-activations over t standard deviations, in the layer shown.
void drawTails(PictureFrame& f, const View& view, Rect rect) {
    const Array *tails = f.report.array("tails"), *theory = f.report.array("tailsTheory"), *normal = f.report.array("tailsGaussian");
    if (!tails || !theory || !normal) return;
    const auto& t = tails->axes[1].values;
    Plot plot(f.painter, f.theme, "tails", rect,
              {.label = "threshold *t*, in deviations of *y*", .lo = t.front(), .hi = t.back(), .scale = Scale::Log},
              {.label = "share with |*y*| > *t*", .lo = 1e-6, .hi = 1.5, .scale = Scale::Log}, zoomOf(f, "tails"));
    plot.line("tails/gaussian", t, normal->values, {f.theme.muted, Dash::Dashed, 1.4, "Gaussian"});
    auto measured = rowAt(*tails, view.at - 1);
    for (double& share : measured)
        if (share <= 0) share = std::nan("");
    plot.line("tails/measured", t, measured, {f.theme.series[0], Dash::Solid, 2.2, "measured"});
    plot.line("tails/theory", t, rowAt(*theory, view.at - 1), {f.theme.theory, Dash::Dashed, 1.6, "log-normal norm"});
    finishPlot(f, plot, "tails", "pre-activations of layer " + numberText(std::round(view.at)) + " at one input");
}

void drawFatTails(PictureFrame& f, const View& view, const std::vector<Rect>& rects) {
    drawTails(f, view, rects[0]);
    if (rects.size() < 2) return;
    const Scalar* known = f.report.scalar("kurtosisKnownTo");
    const std::string title = "measurable to layer " + numberText(known ? known->value : 0);
    drawLayerPanel(f, view, rects[1], {"kurtosis", "kurtosis over weights", title.c_str(), Scale::Log, 3, 3, 1e12},
                   {{"preactivationKurtosis", f.theme.series[0], Dash::Solid, "measured"},
                    {"preactivationKurtosisTheory", f.theme.theory, Dash::Dashed, "3(1+5/*N*)^{*l*−1}"}});
}

/// What the param `show` asks for, one panel below the other; the first alone where there is little room.
void drawBeside(PictureFrame& f, const View& view, Rect rect) {
    const auto is = [&](const char* option) { return f.state.params.is("show", option); };
    const int most = is("terms") ? 3 : 2, rows = std::clamp(static_cast<int>(rect.height() / 165), 1, most);
    std::vector<Rect> rects;
    const double height = rect.height() / rows;
    for (int row = 0; row < rows; ++row)
        rects.push_back({{rect.lo.x, rect.lo.y + height * row + (row ? 4 : 0)},
                         {rect.hi.x, rect.lo.y + height * (row + 1) - (row + 1 < rows ? 4 : 0)}});
    if (is("terms")) return drawTerms(f, view, rects);
    if (is("collapse")) return drawCollapse(f, view, rects);
    is("tails") ? drawFatTails(f, view, rects) : drawSpread(f, view, rects);
}

bool readView(const PictureFrame& f, View& view) {
    const std::pair<const Array**, const char*> needed[] = {{&view.histogramSignal, "histogramSignal"},
                                                            {&view.histogramNoise, "histogramNoise"},
                                                            {&view.meanLog, "meanLog"},
                                                            {&view.varLog, "varLog"},
                                                            {&view.meanLogNoise, "meanLogNoise"},
                                                            {&view.varLogNoise, "varLogNoise"},
                                                            {&view.meanTheory, "meanLogTheory"},
                                                            {&view.varTheory, "varLogTheory"}};
    for (const auto& [array, name] : needed)
        if (!(*array = f.report.array(name))) return false;
    view.layers = view.meanLog->axes[0].values.back();
    view.at = std::clamp(f.state.params.number("at"), 1.0, view.layers);
    view.width = f.report.params.number("width");
    return true;
}

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawHistogram(f, view, a, false);
    const double split = a.lo.y + a.height() * 0.52;
    drawHistogram(f, view, {a.lo, {a.hi.x, split - 4}}, false);
    drawBeside(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.42, 250.0, 520.0), middle = a.lo.y + a.height() / 2;
    const bool tall = a.height() > 420;
    drawHistogram(f, view, {{a.lo.x, a.lo.y + 4}, {right - 12, tall ? middle - 6 : a.hi.y}}, false);
    if (tall) drawHistogram(f, view, {{a.lo.x, middle + 6}, {right - 12, a.hi.y}}, true);
    drawBeside(f, view, {{right, a.lo.y + 4}, a.hi});
}

class DiffusionPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "Networks are being drawn.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace moment_diffusion

PictureEntry moment_diffusion_picture() {
    return {"moment-diffusion", [] { return std::unique_ptr<Picture>(std::make_unique<moment_diffusion::DiffusionPicture>()); }};
}

}  // namespace kappaflow
