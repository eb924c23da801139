// χ against the gain or the layer, the noise that comes out of every input, and the numbers.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/moments/picture_step.h"
#include "scenes/moments/signal_and_noise/effect.h"
#include "scenes/moments/signal_and_noise/picture_view.h"

namespace kappaflow::signal_and_noise {
namespace {

std::string nameOf(const std::string& key) { return key == "abs" ? "|*z*|" : key == "relu" ? "ReLU" : key == "identity" ? "linear" : key; }

/// An upright line across a plot that is a handle as well.
Handles::Grip offerLine(PictureFrame& f, const Plot& plot, Handle handle, double at) {
    const Rect inner = plot.inner();
    const double x = plot.toScreen(at, 1).x;
    handle.rect = {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return plot.toData(p).x; });
    drawKnob(f, "chi/knob", {x, inner.hi.y - 7}, grip);
    return grip;
}

/// Root mean square over the inputs within one noise's size: slopes of a wild curve change faster than a line can show.
std::vector<double> nearbyRms(const View& view, const std::vector<double>& values) {
    const auto reach = static_cast<std::size_t>(std::ceil(std::max(view.sigma, 0.03) / (view.x()[1] - view.x()[0])));
    std::vector<double> sums{0}, rms;
    for (const double value : values) sums.push_back(sums.back() + value * value);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t from = i > reach ? i - reach : 0, to = std::min(values.size(), i + reach + 1);
        rms.push_back(std::sqrt(std::max(0.0, sums[to] - sums[from]) / static_cast<double>(to - from)));
    }
    return rms;
}

void drawByGain(PictureFrame& f, const View& view, Rect rect) {
    const auto& gains = view.chiByGain->axes[1].values;
    const auto& keys = view.chiByGain->axes[0].keys;
    const std::string own = f.report.params.is("net", "linear") ? "identity" : f.report.params.text("activation");
    double hi = 2.5;
    for (const double chi : view.chiByGain->values) hi = std::max(hi, chi * 1.4);
    Plot plot(f.painter, f.theme, "chi", rect, {.label = "gain *a*", .lo = gains.front(), .hi = gains.back(), .scale = Scale::Log},
              {.label = "*χ*", .lo = 0.02, .hi = hi, .scale = Scale::Log}, zoomOf(f, "chi"));
    plot.horizontal("chi/one", 1, {f.theme.line, Dash::Solid, 1.2, ""});
    static constexpr std::size_t kColors[] = {7, 0, 2, 1, 3, 5};
    for (const bool front : {false, true})
        for (std::size_t a = 0; a < keys.size(); ++a) {
            if ((keys[a] == own) != front) continue;
            const Color color = f.theme.series[kColors[a % 6]];
            plot.line("chi/measured", gains, std::span(view.chiByGain->row(a), gains.size()),
                      {front ? color : color.withAlpha(0.75f), Dash::Solid, front ? 2.8 : 1.4, nameOf(keys[a])});
        }
    const double gain = f.report.params.number("gain"), chi = view.chi->values.back();
    plot.markers("chi/now", std::span(&gain, 1), std::span(&chi, 1), {f.theme.accent, Dash::Solid, 1, ""}, MarkerShape::Circle, 4.5);
    plot.vertical("chi/gain", view.gain, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (!f.state.params.is("net", "batch-norm")) {
        const auto grip = offerLine(f, plot, {"gain-line", "gain", numberText(view.gain, 3), view.gain, 0.1, 10, 0.1, {}}, view.gain);
        const double digits = grip.value < 1 ? 1000 : 100, wanted = std::round(grip.value * digits) / digits;
        if (grip.moved && wanted != view.gain) f.changes.push_back(Change::param("gain", wanted));
    }
    finishPlot(f, plot, "chi", "one layer: *χ* against its gain");
}

void drawByLayer(PictureFrame& f, const View& view, Rect rect) {
    const auto& layers = view.chi->axes[0].values;
    double lo = 0.8, hi = 3;
    for (const Array* array : {view.chi, view.chiActual})
        for (const double value : array->values)
            if (value > 0) lo = std::min(lo, value / 1.3), hi = std::max(hi, value * 1.6);
    Plot plot(f.painter, f.theme, "chi", rect, {.label = "layer *l*", .lo = -0.3, .hi = std::max(1.0, view.last) + 0.3, .whole = true},
              {.label = "*χ*^{*l*}", .lo = lo, .hi = hi, .scale = Scale::Log}, zoomOf(f, "chi"));
    plot.horizontal("chi/one", 1, {f.theme.line, Dash::Solid, 1.2, ""});
    plot.line("chi/actual", layers, view.chiActual->values, {f.theme.series[2], Dash::Solid, 1.8, "noise *σ* as it is"});
    plot.line("chi/measured", layers, view.chi->values, {f.theme.series[0], Dash::Solid, 2.6, "first order"});
    plot.markers("chi/slopes", layers, view.chiFromJacobian->values, {f.theme.series[0], Dash::Solid, 1, ""}, MarkerShape::Circle, 3.2);
    random_nets::offerStep(f, plot, {"chi", "layer", "layer " + std::to_string(view.nearest()), view.at, 0, view.last});
    finishPlot(f, plot, "chi", "*χ* by layer, dots from slopes");
}

}  // namespace

void drawChi(PictureFrame& f, const View& view, Rect rect) {
    if (view.deep) return drawByLayer(f, view, rect);
    if (view.chiByGain) drawByGain(f, view, rect);
}

void drawNoise(PictureFrame& f, const View& view, Rect rect) {
    const double level = view.rescaling * view.sigma;
    const std::vector<double> firstOrder = view.deep ? nearbyRms(view, view.firstOrder) : view.firstOrder;
    double top = 1.6 * level;
    for (std::size_t i = 0; i < view.x().size(); ++i)
        if (std::abs(view.x()[i]) < view.reach(2.5))
            top = std::max({top, 1.25 * view.noise[i], std::min(1.1 * firstOrder[i], 8 * view.noise[i])});
    Plot plot(f.painter, f.theme, "noise", rect, {.label = "input *x*", .lo = -kPicturedInputs, .hi = kPicturedInputs},
              {.label = "noise in *y*", .lo = 0, .hi = top}, zoomOf(f, "noise"));
    std::vector<double> bumps(view.densityIn->values), levels(view.x().size(), level);
    const double peak = largest(bumps, 1e-12);
    for (double& value : bumps) value *= 0.5 * top / peak;
    plot.area("noise/density", view.x(), bumps, f.theme.muted.withAlpha(0.14f));
    plot.line("noise/rescaling", view.x(), levels, {f.theme.muted, Dash::Dashed, 1.5, "through *Ψ*"});
    plot.line("noise/first-order", view.x(), firstOrder,
              {f.theme.theory, Dash::Dashed, 1.5, view.deep ? "first order, rms nearby" : "first order"});
    plot.line("noise/actual", view.x(), view.noise, {f.theme.series[2], Dash::Solid, 2.2, "as it is"});
    finishPlot(f, plot, "noise", "noise that comes out");
}

void drawReadings(PictureFrame& f, const View& view, Rect rect) {
    const Scalar* snr = f.report.scalar("snrIn");
    const auto decibels = [&](double chi) {
        if (std::isnan(chi)) return std::string("–");
        const double dB = 10 * std::log10((snr ? snr->value : 1) / (chi * chi));
        return dB < kMostDecibels ? fixedText(dB, 1) + " dB" : "beyond " + fixedText(kMostDecibels, 0) + " dB";
    };
    const double chi = view.chiShown(), actual = view.chiActual->values[view.nearest()];
    const std::string lines[] = {std::isnan(chi) ? "no *χ*: steeper than the step shows" : "*χ* = " + numberText(chi) + " from the moments",
                                 (std::isnan(chi) ? "*χ* > " : "*χ* = ") + numberText(view.chiFromJacobian->values[view.nearest()]) +
                                     " from the slopes of *Φ* and *Ψ*",
                                 "signal to noise: " + decibels(1) + " → " + (chi == 0 ? "∞" : decibels(chi)),
                                 "with noise " + numberText(view.sigma, 3) + " as it is → " + (actual == 0 ? "∞" : decibels(actual))};
    const double height = std::min(22.0, rect.height() / 4);
    for (std::size_t i = 0; i < 4; ++i)
        f.painter.text("readings", {rect.lo.x, rect.lo.y + height * (static_cast<double>(i) + 0.5)}, lines[i],
                       {.color = f.theme.text, .size = f.theme.smallSize, .v = AlignV::Middle});
}

}  // namespace kappaflow::signal_and_noise
