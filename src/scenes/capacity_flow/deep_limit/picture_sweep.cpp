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

namespace {

// Differential layers: the forward equation simulated beside the backward capacity, and two pseudo-random layers beside D.

/// A note in the middle of a panel.
void say(PictureFrame& f, std::string_view id, Rect rect, std::string_view text) {
    f.painter.text(id, rect.centre(), text, {.color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Middle});
}

/// Y² of one kept draw over the predicted growth, at the nearer depth.
std::vector<double> keptSquares(const View& view, std::size_t draw, double growth) {
    const auto row = definedRow(*view.forward, static_cast<std::size_t>(std::lround(view.index)));
    const std::size_t draws = view.forward->axes[2].size();
    std::vector<double> squares;
    for (std::size_t i = draw; i < row.size(); i += draws) squares.push_back(row[i] * row[i] / growth);
    return squares;
}

struct Forward {
    std::vector<double> x, mean, low, high, predicted;
    double draws = 0, relativeError = 0;
};

/// Over the predicted growth, at the nearer depth: shares.
Forward forwardAt(const View& view, double growth) {
    const auto d = static_cast<std::size_t>(std::lround(view.index));
    Forward forward{view.forwardSquares->axes[1].values, {}, {}, {}, {}, view.forwardDraws->values[d], 0};
    const std::size_t n = forward.x.size();
    for (std::size_t i = 0; i < n; ++i) {
        const double mean = view.forwardSquares->row(d)[i] / growth, error = view.forwardSquares->standardError[d * n + i] / growth;
        forward.mean.push_back(mean);
        forward.low.push_back(std::max(mean - error, 0.0));
        forward.high.push_back(mean + error);
        forward.predicted.push_back(view.forwardPredicted->row(d)[i] / growth);
    }
    forward.relativeError = view.forwardGrowth->standardError[d] / view.forwardGrowth->values[d];
    return forward;
}

}  // namespace

void drawForward(PictureFrame& f, const View& view, Rect rect) {
    const double growth = view.forwardGrowthPredicted->values[static_cast<std::size_t>(std::lround(view.index))];
    if (!(growth > 0)) return say(f, "forward/none", rect, "grows beyond e^{10}: not simulated");
    const Forward forward = forwardAt(view, growth);
    const double half = std::max(2.0, std::abs(view.v) + 4.2 * std::sqrt(2 * view.diffusion));
    Plot plot(f.painter, f.theme, "forward", rect, {.label = "output position *x*", .lo = -half, .hi = half, .whole = true},
              {.label = "E *Y_{x}*² (share)", .lo = 0, .hi = largest(forward.predicted, 1e-9) * 1.5}, zoomOf(f, "forward"));
    for (std::size_t k = 0; k < view.forward->axes[2].size(); ++k)
        plot.line("forward/draw", forward.x, keptSquares(view, k, growth), {f.theme.muted.withAlpha(0.35f), Dash::Solid, 1, ""});
    plot.band("forward/error", forward.x, forward.low, forward.high, f.theme.series[2].withAlpha(0.3f));
    plot.line("forward/measured", forward.x, forward.mean, {f.theme.series[2], Dash::Solid, 2, "forward"});
    plot.line("forward/theory", forward.x, forward.predicted, {f.theme.theory, Dash::Dashed, 1.6, "backward capacity"});
    const std::string error = forward.draws > 1 ? " ± " + numberText(100 * forward.relativeError, 2) + " %" : "";
    finishPlot(f, plot, "forward", "forward: " + numberText(forward.draws) + " draws" + error);
}

void drawCheck(PictureFrame& f, const View& view, Rect rect) {
    if (!view.check) return say(f, "check/none", rect, "two layers are being run");
    const std::vector<double> units{1, 2, 3};
    const auto &measured = view.check->values, &error = view.check->standardError;
    const double top = largest(view.checkPredicted->values, largest(measured, 1e-9));
    Plot plot(f.painter, f.theme, "check", rect, {.label = "input", .lo = 0.4, .hi = 3.6, .whole = true},
              {.label = "capacity *κ*^{0}", .lo = 0, .hi = top * 1.75});
    plot.bars("check/capacity", units, measured, 0.6, capacityColor(f.theme).withAlpha(0.55f));
    for (std::size_t i = 0; i < units.size(); ++i) {
        const std::vector<double> x{units[i], units[i]}, y{measured[i] - error[i], measured[i] + error[i]};
        plot.line("check/error", x, y, {f.theme.text, Dash::Solid, 1.5, ""});
    }
    plot.markers("check/theory", units, view.checkPredicted->values, {f.theme.theory, Dash::Solid, 1, ""}, MarkerShape::Diamond, 4.5);
    finishPlot(f, plot, "check", "two layers simulated");
    const auto &variance = view.checkVariance->values, &expected = view.checkVariancePredicted->values;
    for (std::size_t l = 0; l < 2; ++l)
        f.painter.text("check/variance", plot.inner().lo + Vec2{6, 3 + 16 * static_cast<double>(l)},
                       "E *Y*² " + numberText(variance[l], 4) + " (" + numberText(expected[l]) + ")",
                       {.color = f.theme.muted, .size = f.theme.tinySize, .halo = f.theme.ground});
}

}  // namespace kappaflow::deep_limit
