// Differential layers: the forward equation simulated beside the backward capacity, and two pseudo-random layers beside D.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/capacity_flow/deep_limit/picture_view.h"

namespace kappaflow::deep_limit {
namespace {

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
