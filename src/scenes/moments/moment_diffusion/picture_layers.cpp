// What is drawn over the layers: mean and variance, drift and diffusion, collapse, kurtosis; and the tails of one layer.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/moments/moment_diffusion/picture_view.h"
#include "scenes/moments/picture_step.h"

namespace kappaflow::moment_diffusion {
namespace {

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

void drawFatTails(PictureFrame& f, const View& view, const std::vector<Rect>& rects) {
    drawTails(f, view, rects[0]);
    if (rects.size() < 2) return;
    const Scalar* known = f.report.scalar("kurtosisKnownTo");
    const std::string title = "measurable to layer " + numberText(known ? known->value : 0);
    drawLayerPanel(f, view, rects[1], {"kurtosis", "kurtosis over weights", title.c_str(), Scale::Log, 3, 3, 1e12},
                   {{"preactivationKurtosis", f.theme.series[0], Dash::Solid, "measured"},
                    {"preactivationKurtosisTheory", f.theme.theory, Dash::Dashed, "3(1+5/*N*)^{*l*−1}"}});
}

}  // namespace

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

}  // namespace kappaflow::moment_diffusion
