// Increments of the sensitivity, their product, and the variance of a ResNet's branches, over layers.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/moments/sensitivity_theorems/picture_view.h"

namespace kappaflow::sensitivity_theorems {
namespace {

struct Range {
    double lo = 1e300, hi = -1e300;
    void include(const std::vector<double>& values) {
        for (const double value : values)
            if (std::isfinite(value)) lo = std::min(lo, value), hi = std::max(hi, value);
    }
    bool empty() const { return !(hi >= lo); }
};

AxisSpec layersOf(const View& view) {
    return {.label = std::string(view.step()) + " *l*", .lo = 0, .hi = view.layers + std::max(0.4, 0.04 * view.layers), .whole = true};
}

void drawLine(PictureFrame& f, Plot& plot, const std::string& id, const char* name, Color color, Dash dash, double width,
              const char* label) {
    const auto values = curveOf(f, name);
    if (!values.empty()) plot.line(id, countUp(values.size()), values, {color, dash, width, label});
}

void drawPair(PictureFrame& f, Plot& plot, const char* measured, const char* theory, Color color, const char* label) {
    drawLine(f, plot, "increments/measured", measured, color, Dash::Solid, 2, label);
    drawLine(f, plot, "increments/theory", theory, f.theme.theory, Dash::Dashed, 1.6, "");
}

void drawFirstStep(PictureFrame& f, Plot& plot) {
    const Scalar* first = f.report.scalar("firstStep");
    if (!first) return;
    const double x[] = {1}, y[] = {first->value};
    plot.markers("increments/first", x, y, {f.theme.theory, Dash::Solid, 1, "first step"}, MarkerShape::Diamond, 6);
}

}  // namespace

void drawIncrements(PictureFrame& f, const View& view, Rect rect) {
    const auto mean = curveOf(f, "deltaChi"), low = curveOf(f, "deltaChiLow"), high = curveOf(f, "deltaChiHigh");
    Range range;
    for (const char* name : {"deltaChi", "deltaChiTheorem", "deltaBatchNorm", "deltaActivation", "undiluted"})
        range.include(curveOf(f, name));
    if (const Scalar* first = f.report.scalar("firstStep")) range.include({first->value});
    range.include({1});
    // Bounds are drawn where they come; they may lie far above.
    if (!view.residual()) range.include({std::sqrt(2.0)});
    const double room = std::max(0.02, range.hi - range.lo);
    Plot plot(f.painter, f.theme, "increments", rect, layersOf(view),
              {.label = "increment *δχ^{l}*", .lo = range.lo - 0.06 * room, .hi = range.hi + 0.1 * room}, zoomOf(f, "increments"));
    const auto x = countUp(mean.size());
    plot.band("increments/band", x, low, high, f.theme.series[0].withAlpha(0.16f));
    const char* const upper = view.residual() ? "Eq 14" : "√2";
    drawLine(f, plot, "increments/bound", "boundHigh", f.theme.muted, Dash::Dotted, 1.6, upper);
    drawLine(f, plot, "increments/bound", "boundLow", f.theme.muted, Dash::Dotted, 1.6, "");
    drawLine(f, plot, "increments/undiluted", "undiluted", f.theme.muted, Dash::Dashed, 1.4, "without skip: *δ^{H}*");
    drawPair(f, plot, "deltaBatchNorm", "deltaBatchNormTheorem", f.theme.series[2], "batch norm");
    drawPair(f, plot, "deltaActivation", "deltaActivationTheorem", f.theme.series[3], view.residual() ? "ReLU, convolution" : "ReLU");
    drawPair(f, plot, "deltaChi", "deltaChiTheorem", f.theme.series[0], "measured *δχ*");
    drawFirstStep(f, plot);
    offerLayer(f, view, plot, "increments");
    finishPlot(f, plot, "increments", "solid: measured; dashed: " + view.theorem());
}

void drawCumulative(PictureFrame& f, const View& view, Rect rect) {
    Range range;
    range.include(curveOf(f, "chi"));
    range.include(curveOf(f, "chiTheorem"));
    if (range.empty()) range = {1, 2};
    const bool decades = range.hi > 30 * range.lo && range.lo > 0;
    AxisSpec y{.label = "sensitivity *χ^{l}*", .lo = range.lo, .hi = range.hi * 1.15};
    if (decades) y.lo /= 1.3, y.hi *= 1.6, y.scale = Scale::Log;
    Plot plot(f.painter, f.theme, "cumulative", rect, layersOf(view), y, zoomOf(f, "cumulative"));
    drawLine(f, plot, "cumulative/measured", "chi", f.theme.series[0], Dash::Solid, 2.2, "measured");
    drawLine(f, plot, "cumulative/theory", "chiTheorem", f.theme.theory, Dash::Dashed, 1.6, "product of the theorem");
    offerLayer(f, view, plot, "cumulative");
    finishPlot(f, plot, "cumulative", "cumulative, geometric mean");
}

void drawBranches(PictureFrame& f, const View& view, Rect rect) {
    Range range;
    range.include(curveOf(f, "branchVariance"));
    if (range.empty() || !(range.lo > 0)) range = {1, 2};
    Plot plot(f.painter, f.theme, "branches", rect, layersOf(view),
              {.label = "variance of the branch", .lo = range.lo / 3, .hi = range.hi * 3, .scale = Scale::Log}, zoomOf(f, "branches"));
    drawLine(f, plot, "branches/measured", "branchVariance", f.theme.series[0], Dash::Solid, 2, "");
    offerLayer(f, view, plot, "branches");
    finishPlot(f, plot, "branches", view.normalised() ? "bounded, as Theorem 4 supposes" : "unbounded: no power law");
}

}  // namespace kappaflow::sensitivity_theorems
