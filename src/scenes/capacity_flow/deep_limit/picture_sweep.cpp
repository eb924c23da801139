// What depth does: distances from flow and Gaussian, and the width for every scaling of the weights.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/capacity_flow/deep_limit/picture_view.h"

namespace kappaflow::deep_limit {
namespace {

/// Ends of a log axis around the positive values.
struct Range {
    double lo = 1e300, hi = 0;
    void include(const std::vector<double>& values) {
        for (double value : values)
            if (value > 1e-9) lo = std::min(lo, value), hi = std::max(hi, value);
    }
    AxisSpec axis(std::string label, double below, double above) const {
        if (!(hi > 0)) return {.label = std::move(label), .lo = 0.1, .hi = 1, .scale = Scale::Log};
        return {.label = std::move(label), .lo = lo * below, .hi = hi * above, .scale = Scale::Log};
    }
};

AxisSpec depthAxis(const View& view) {
    const double first = view.depths.front(), last = view.depths.back();
    return {.label = "layers *L*", .lo = first / 1.15, .hi = last > first ? last * 1.15 : first * 2, .scale = Scale::Log};
}

/// The upright line of the depth shown, which is also the handle that scrubs.
void drawDepth(PictureFrame& f, const View& view, Plot& plot) {
    plot.vertical("distance/now", view.depth(), {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (view.last() == 0) return;
    const double x = plot.toScreen(view.depth(), 1).x;
    const Rect inner = plot.inner();
    const Handle handle{"depth",
                        "depth shown",
                        view.depthName() + " layers",
                        view.index,
                        0,
                        static_cast<double>(view.last()),
                        1,
                        {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto indexAt = [&](Vec2 p) {
        const double depth = plot.toData(p).x;
        std::size_t below = 0;
        while (below + 2 < view.depths.size() && view.depths[below + 1] <= depth) ++below;
        const double part = (depth - view.depths[below]) / (view.depths[below + 1] - view.depths[below]);
        return std::clamp(static_cast<double>(below) + part, 0.0, static_cast<double>(view.last()));
    };
    const auto grip = f.handles.offer(handle, indexAt);
    drawKnob(f, "distance/knob", {x, inner.lo.y + 7}, grip);
    if (!grip.moved) return;
    const Between b = between(grip.value, view.last());
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", view.depths[b.below] + (view.depths[b.above] - view.depths[b.below]) * b.fraction));
}

/// The exponent whose width at the deepest end would be σ.
double exponentFor(const View& view, double sigma) {
    const double layers = view.depths.back();
    const double rate = std::max(2 * view.diffusion, 1e-12);
    return std::round(-50 * std::log(sigma * sigma / (layers * rate)) / std::log(layers)) / 100;
}

void offerExponent(PictureFrame& f, const View& view, const Plot& plot, double sigma) {
    if (view.depths.back() < 2 || !(sigma > 0)) return;
    const double exponent = f.state.params.number("exponent");
    Vec2 at = plot.toScreen(view.depths.back(), sigma);
    at.y = std::clamp(at.y, plot.inner().lo.y, plot.inner().hi.y);
    const Handle handle{"exponent", "exponent of the weights", inWords(exponent), exponent, 0, 1, 0.05, knobRect(at)};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return exponentFor(view, plot.toData({at.x, p.y}).y); });
    drawKnob(f, "scaling/knob", at, grip);
    // One half is worth meeting exactly.
    const double wanted = std::abs(grip.value - 0.5) < 0.025 ? 0.5 : grip.value;
    if (grip.moved && wanted != exponent) f.changes.push_back(Change::param("exponent", wanted));
}

}  // namespace

void drawDistances(PictureFrame& f, const View& view, Rect rect) {
    Range range;
    range.include(view.toFlow->values);
    range.include(view.toGaussian->values);
    range.include({view.gaussianGap});
    Plot plot(f.painter, f.theme, "distance", rect, depthAxis(view), range.axis("total variation", 0.5, 2), zoomOf(f, "distance"));
    const Color blue = capacityColor(f.theme);
    const Color gaussian = f.theme.series[2];
    plot.line("distance/measured/gaussian", view.depths, view.toGaussian->values, {gaussian, Dash::Solid, 1.8, "to the Gaussian"});
    plot.horizontal("distance/theory/gaussian", view.gaussianGap, {gaussian, Dash::Dashed, 1.4, ""});
    plot.line("distance/measured/flow", view.depths, view.toFlow->values, {blue, Dash::Solid, 2.2, "to the flow"});
    plot.markers("distance/measured/flow", view.depths, view.toFlow->values, {blue, Dash::Solid, 1, ""}, MarkerShape::Circle, 3);
    if (view.toFlowPredicted)
        plot.line("distance/theory/flow", view.depths, view.toFlowPredicted->values, {f.theme.theory, Dash::Dashed, 1.6, ""});
    drawDepth(f, view, plot);
    const bool wide = rect.width() > 300;
    std::string title = "the flow is not the limit";
    if (view.critical) {
        title = "to the flow " + numberText(view.slope, 2) + "/*L*; to the Gaussian → " + numberText(view.gaussianGap, 3);
        if (!wide) title = "flow " + numberText(view.slope, 2) + "/*L*, Gaussian → " + numberText(view.gaussianGap, 3);
    }
    finishPlot(f, plot, "distance", title);
}

void drawScaling(PictureFrame& f, const View& view, Rect rect) {
    std::vector<double> spread;
    for (double variance : view.variance->values) spread.push_back(std::sqrt(std::max(variance, 0.0)));
    Range range;
    range.include(view.spreads->values);
    range.include(spread);
    Plot plot(f.painter, f.theme, "scaling", rect, depthAxis(view), range.axis("spread *σ*", 0.7, 1.5), zoomOf(f, "scaling"));
    const char* const names[] = {"weights ∝ 1", "∝ 1/√*L*", "∝ 1/*L*"};
    for (std::size_t e = 0; e < view.spreads->axes[0].size() && e < 3; ++e) {
        const std::span row(view.spreads->row(e), view.depths.size());
        plot.line("scaling/theory", view.depths, row, {f.theme.theory, Dash::Dashed, 1.4, names[e]});
    }
    const Color blue = capacityColor(f.theme);
    plot.line("scaling/measured", view.depths, spread, {blue, Dash::Solid, 2.6, ""});
    plot.markers("scaling/measured", view.depths, spread, {blue, Dash::Solid, 1, ""}, MarkerShape::Circle, 3);
    const double exponent = f.report.params.number("exponent");
    finishPlot(f, plot, "scaling",
               view.critical ? "weights ∝ 1/√*L*: the width has a limit"
                             : "weights ∝ " + (exponent > 0 ? "*L*^{−" + inWords(exponent) + "}" : "1") + ": " +
                                   (exponent < 0.5 ? "it scatters" : "nothing moves"));
    offerExponent(f, view, plot, spread.back());
}

}  // namespace kappaflow::deep_limit
