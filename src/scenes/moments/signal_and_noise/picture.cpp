// Signal and noise (P3 Fig 1): a scalar map beside the constant rescaling of equal output variance, and what noise makes of it.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/moments/picture_step.h"
#include "scenes/moments/signal_and_noise/effect.h"
#include "scenes/picture.h"

namespace kappaflow {
namespace signal_and_noise {
namespace {

/// What the panels read, at the layer shown: between two layers curves are mixed.
struct View {
    const Array *curves, *rescalings, *firstOrders, *noises, *outputs, *densities, *flat, *chi, *chiFromJacobian, *chiActual, *densityIn,
        *chiByGain;  ///< the last one null for the deep net
    bool deep = false;
    double at = 0, last = 1;
    std::vector<double> curve, firstOrder, noise, bins, density;
    double rescaling = 1;                     ///< slope of Ψ
    double separation = 2, spread = 0.2;      ///< of the report
    double probe = 0, sigma = 0.1, gain = 1;  ///< as the reader has them now

    const std::vector<double>& x() const { return densityIn->axes[0].values; }
    std::size_t nearest() const { return static_cast<std::size_t>(at + 0.5); }
    double chiShown() const { return chi->values[nearest()]; }
    /// Inputs that count: within so many spreads of a centre.
    double reach(double spreads) const { return separation / 2 + spreads * spread; }
    double curveAt(double input) const { return valueAt(curve, input); }
    double slopeAt(double input) const;
    double valueAt(const std::vector<double>& values, double input) const;
};

/// Inputs drawn: the same whatever the mixture, so that pulling its knobs moves nothing else.
constexpr double kPicturedInputs = 3.2;

// χ against the gain or the layer, the noise that comes out of every input, and the numbers.

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

/// χ against the gain of one layer, or layer by layer.
void drawChi(PictureFrame& f, const View& view, Rect rect) {
    if (view.deep) return drawByLayer(f, view, rect);
    if (view.chiByGain) drawByGain(f, view, rect);
}

/// Noise that comes out, as it is and to first order, against the input.
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

// Φ and Ψ, the noise about one input on its way through Φ, and along the axes the densities of input and output.

/// Pre-activation where the gain's knob sits on the curve: where that is steep, and away from the input followed.
double gainAt(const PictureFrame& f) { return f.state.params.is("net", "layer") && f.state.params.is("activation", "relu") ? 1.3 : -0.5; }

/// Output range: what the curve does between the groups and in them, and where Ψ takes these inputs. Far out a wild curve runs away.
struct Outputs {
    double lo, hi;
};
Outputs outputsOf(const View& view) {
    const double reach = view.reach(2), scaled = view.rescaling * reach;
    double lo = -scaled, hi = scaled;
    for (std::size_t i = 0; i < view.x().size(); ++i)
        if (std::abs(view.x()[i]) <= reach) lo = std::min(lo, view.curve[i]), hi = std::max(hi, view.curve[i]);
    const double room = 0.06 * (hi - lo);
    return {lo - room, hi + room};
}

std::string titleOf(const PictureFrame& f, const View& view, double width) {
    const std::string chi = "*χ* = " + numberText(view.chiShown(), 3);
    const double value = view.chiShown();
    const int effect = effectOf(value);
    const std::string kind = effect == 0 ? "" : effect < 0 ? ", noise is reduced" : ", noise is amplified";
    if (view.at < 0.5) return "the input itself: *χ* = 1";
    if (std::isnan(value))
        return "layer " + std::to_string(view.nearest()) + (width > 380 ? ": steeper than the step shows" : ": too steep");
    if (view.deep)
        return "layer " + std::to_string(view.nearest()) + " of " + numberText(f.report.params.number("layers")) + ": " + chi +
               (width > 380 ? kind : "");
    return chi + (width > 240 ? kind : "");
}

/// The noise about the input followed: a strip up to the curve, and the strip that comes out of it to the right.
void drawFollowed(PictureFrame& f, const View& view, const Plot& plot) {
    const Rect inner = plot.inner();
    const double x0 = view.probe, sigma = view.sigma, y0 = view.curveAt(x0);
    std::vector<Vec2> up;
    double lo = y0, hi = y0;
    for (int i = 0; i <= 48; ++i) {
        const double x = x0 + sigma * (i / 24.0 - 1), y = view.curveAt(x);
        lo = std::min(lo, y), hi = std::max(hi, y);
        up.push_back(plot.toScreen(x, y));
    }
    std::vector<Vec2> down(up);
    for (Vec2& p : down) p.y = inner.hi.y;
    const Vec2 top = plot.toScreen(x0, hi), bottom = plot.toScreen(x0, lo);
    f.painter.pushClip(inner);
    f.painter.strip("map/noise-in", up, down, f.theme.series[2].withAlpha(0.22f));
    f.painter.rect("map/noise-out", {{top.x, top.y}, {inner.hi.x, std::max(bottom.y, top.y + 1)}}, f.theme.series[2].withAlpha(0.22f));
    const double first = sigma * view.slopeAt(x0);
    for (const double side : {-1.0, 1.0}) {
        const Vec2 at = plot.toScreen(x0, y0 + side * first);
        f.painter.line("map/first-order", at, {inner.hi.x, at.y}, {f.theme.theory, 1.3, Dash::Dashed});
    }
    f.painter.popClip();
}

bool acrossInSight(const Plot& plot, Vec2 at) { return at.x >= plot.inner().lo.x - 1 && at.x <= plot.inner().hi.x + 1; }

Rect around(Vec2 at) { return {at + Vec2{-13, -13}, at + Vec2{13, 13}}; }

void nameKnob(PictureFrame& f, const Plot& plot, std::string_view id, Vec2 at, std::string_view name, AlignH side) {
    if (f.kept || plot.inner().width() < 320) return;
    f.painter.text(id, at + Vec2{side == AlignH::Left ? 10.0 : -10.0, 0}, name,
                   {.color = f.theme.muted, .size = f.theme.tinySize, .h = side, .v = AlignV::Middle, .halo = f.theme.ground});
}

/// What a knob asks for, to the digits that a place on the screen means.
void ask(PictureFrame& f, const char* key, double wanted, double perUnit) {
    const double value = std::round(wanted * perUnit) / perUnit;
    if (value != f.state.params.number(key)) f.changes.push_back(Change::param(key, value));
}

/// The longer name where there is room for it.
std::string_view nameFor(PictureFrame& f, double width, std::string_view name, std::string_view shorter) {
    return f.painter.measure(name, {.size = f.theme.tinySize}).x <= width ? name : shorter;
}

void offerProbe(PictureFrame& f, const View& view, const Plot& plot) {
    const double x0 = std::clamp(view.probe, -kPicturedInputs, kPicturedInputs);
    Vec2 at = plot.toScreen(x0, view.curveAt(x0));
    if (!acrossInSight(plot, at)) return;
    at.y = std::clamp(at.y, plot.inner().lo.y, plot.inner().hi.y);
    const auto grip = f.handles.offer({"probe", "input followed", numberText(view.probe, 3), view.probe, -3, 3, 0.05, around(at)},
                                      [&](Vec2 p) { return plot.toData(p).x; });
    drawKnob(f, "map/probe", at, grip);
    if (grip.moved) ask(f, "probe", grip.value, 100);
}

void offerNoise(PictureFrame& f, const View& view, const Plot& plot) {
    const double sigma = f.state.params.number("noise"), y = plot.inner().hi.y - 8;
    const Vec2 at{plot.toScreen(view.probe + sigma, 0).x, y};
    if (!acrossInSight(plot, at)) return;
    const auto grip = f.handles.offer({"noise", "size of the noise", numberText(sigma, 3), sigma, 0.01, 0.5, 0.01, around(at)},
                                      [&](Vec2 p) { return std::abs(plot.toData(p).x - view.probe); });
    drawKnob(f, "map/noise", at, grip);
    nameKnob(f, plot, "map/noise-name", at, "*σ*", AlignH::Left);
    if (grip.moved) ask(f, "noise", grip.value, 1000);
}

/// On the curve where a·x = gainAt, pulled sideways: the place on the axis hangs on the gain alone.
void offerGain(PictureFrame& f, const View& view, const Plot& plot) {
    if (view.deep || f.state.params.is("net", "batch-norm") || view.at < view.last) return;
    const double z = gainAt(f), x = std::clamp(z / view.gain, -0.97 * kPicturedInputs, 0.97 * kPicturedInputs);
    Vec2 at = plot.toScreen(x, view.curveAt(x));
    if (!acrossInSight(plot, at)) return;
    at.y = std::clamp(at.y, plot.inner().lo.y, plot.inner().hi.y);
    const auto grip = f.handles.offer({"gain", "gain", numberText(view.gain, 3), view.gain, 0.1, 10, 0.1, around(at)},
                                      [&](Vec2 p) { return std::abs(z) / std::max(1e-3, plot.toData(p).x * (z < 0 ? -1 : 1)); });
    drawKnob(f, "map/gain", at, grip);
    nameKnob(f, plot, "map/gain-name", at, "gain", z < 0 ? AlignH::Right : AlignH::Left);
    if (grip.moved) ask(f, "gain", grip.value, grip.value < 1 ? 1000 : 100);
}

/// The density of the input under the map, over the same inputs; its right bump is the handle of separation and spread.
void drawInputDensity(PictureFrame& f, const View& view, const Plot& plot, Rect rect) {
    const double peak = largest(view.densityIn->values, 1e-12), base = rect.hi.y - 2, height = rect.height() - 16;
    const auto screen = [&](double x, double density) { return Vec2{plot.toScreen(x, 0).x, base - height * density / peak}; };
    std::vector<Vec2> line, floor;
    for (std::size_t i = 0; i < view.x().size(); ++i) {
        const Vec2 p = screen(view.x()[i], view.densityIn->values[i]);
        if (p.x < plot.inner().lo.x || p.x > plot.inner().hi.x) continue;
        line.push_back(p);
        floor.push_back({p.x, base});
    }
    if (line.size() < 2) return;
    f.painter.strip("input/density", line, floor, f.theme.series[0].withAlpha(0.2f));
    f.painter.line("input/line", line, {f.theme.series[0], 1.8});
    f.painter.line("input/base", {plot.inner().lo.x, base}, {plot.inner().hi.x, base}, {f.theme.line, 1});
    f.painter.text("input/name", {plot.inner().lo.x + 2, rect.lo.y}, nameFor(f, 0.25 * rect.width(), "density of *x*", "*p*(*x*)"),
                   {.color = f.theme.muted, .size = f.theme.tinySize});
    const double separation = f.state.params.number("separation"), spread = f.state.params.number("spread");
    const Vec2 centre = screen(separation / 2, peak), flank = screen(separation / 2 + spread, 0.45 * peak);
    const auto pulled =
        f.handles.offer({"separation", "separation of the groups", numberText(separation, 3), separation, 0, 3, 0.05, around(centre)},
                        [&](Vec2 p) { return 2 * plot.toData(p).x; });
    const auto wider = f.handles.offer({"spread", "spread within a group", numberText(spread, 3), spread, 0.05, 0.8, 0.01, around(flank)},
                                       [&](Vec2 p) { return plot.toData(p).x - separation / 2; });
    drawKnob(f, "input/separation", centre, pulled);
    drawKnob(f, "input/spread", flank, wider);
    if (pulled.moved) ask(f, "separation", pulled.value, 100);
    if (wider.moved) ask(f, "spread", wider.value, 200);
}

/// The density of the output at the right, over the same outputs. An atom's bin is cut at the edge and its probability written out.
void drawOutputDensity(PictureFrame& f, const View& view, const Plot& plot, Rect rect) {
    const double width = view.bins[1] - view.bins[0], all = width * static_cast<double>(view.bins.size());
    double most = 0, heaviest = 0;
    for (const double density : view.density) {
        if (density * width < 0.2) most = std::max(most, density);
        heaviest = std::max(heaviest, density * width);
    }
    const double cap = std::min(most > 0 ? most : 1, 16 / all) * 1.05;
    const Rect inner = plot.inner();
    std::vector<Vec2> edge;
    f.painter.pushClip({{rect.lo.x - 1, inner.lo.y}, {rect.hi.x + 1, inner.hi.y}});
    for (std::size_t b = 0; b < view.bins.size(); ++b) {
        const double x = rect.lo.x + rect.width() * std::min(1.0, view.density[b] / cap);
        const double low = plot.toScreen(0, view.bins[b] - width / 2).y, high = plot.toScreen(0, view.bins[b] + width / 2).y;
        edge.push_back({x, plot.toScreen(0, view.bins[b]).y});
        f.painter.rect("output/density", {{rect.lo.x, high}, {x, low}}, f.theme.series[0].withAlpha(0.2f));
    }
    f.painter.line("output/line", edge, {f.theme.series[0], 1.8});
    f.painter.popClip();
    f.painter.line("output/base", {rect.lo.x, inner.lo.y}, {rect.lo.x, inner.hi.y}, {f.theme.line, 1});
    f.painter.text("output/name", {rect.lo.x + 2, inner.lo.y - 18}, nameFor(f, rect.width() - 4, "density of *y*", "*p*(*y*)"),
                   {.color = f.theme.muted, .size = f.theme.tinySize});
    if (heaviest < 0.2) return;
    for (std::size_t b = 0; b < view.bins.size(); ++b)
        if (view.density[b] * width >= 0.2 && inner.contains({inner.centre().x, plot.toScreen(0, view.bins[b]).y}))
            f.painter.text(
                "output/atom", {rect.hi.x - 2, plot.toScreen(0, view.bins[b]).y - 4}, numberText(100 * view.density[b] * width, 2) + " %",
                {.color = f.theme.text, .size = f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Bottom, .halo = f.theme.ground});
}

/// Φ beside Ψ, the noise of one input followed through it, and the densities of input and output along the axes.
void drawMap(PictureFrame& f, const View& view, Rect rect) {
    const double below = std::clamp(rect.height() * 0.2, 52.0, 110.0), beside = std::clamp(rect.width() * 0.16, 52.0, 110.0);
    const auto [lo, hi] = outputsOf(view);
    Plot plot(f.painter, f.theme, "map", {rect.lo, {rect.hi.x - beside - 8, rect.hi.y - below - 6}},
              {.label = "input *x*", .lo = -kPicturedInputs, .hi = kPicturedInputs}, {.label = "output *y*", .lo = lo, .hi = hi},
              zoomOf(f, "map"));
    std::vector<double> rescaled;
    for (const double x : view.x()) rescaled.push_back(view.rescaling * x);
    drawFollowed(f, view, plot);
    plot.line("map/curve", view.x(), view.curve, {f.theme.series[0], Dash::Solid, 2.6, "*Φ*"});
    plot.line("map/rescaling", view.x(), rescaled, {f.theme.theory, Dash::Dashed, 1.8, "*Ψ*, same variance"});
    const Rect inner = plot.inner();
    drawInputDensity(f, view, plot, {{inner.lo.x, rect.hi.y - below}, {inner.hi.x, rect.hi.y}});
    drawOutputDensity(f, view, plot, {{inner.hi.x + 8, inner.lo.y}, {rect.hi.x, inner.hi.y}});
    offerNoise(f, view, plot);
    offerGain(f, view, plot);
    offerProbe(f, view, plot);
    finishPlot(f, plot, "map", titleOf(f, view, rect.width() - beside));
}

double View::valueAt(const std::vector<double>& values, double input) const {
    const auto& inputs = x();
    const double place = (input - inputs.front()) / (inputs[1] - inputs[0]), top = static_cast<double>(inputs.size() - 1);
    const Between b = between(std::clamp(place, 0.0, top), inputs.size() - 1);
    return values[b.below] + b.fraction * (values[b.above] - values[b.below]);
}

double View::slopeAt(double input) const { return valueAt(firstOrder, input) / sigma; }

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {{&view.curves, "layerCurve"},
                                                            {&view.rescalings, "layerRescaling"},
                                                            {&view.firstOrders, "layerFirstOrder"},
                                                            {&view.noises, "layerNoise"},
                                                            {&view.outputs, "outputs"},
                                                            {&view.densities, "densityOut"},
                                                            {&view.flat, "flat"},
                                                            {&view.chi, "layerChi"},
                                                            {&view.chiFromJacobian, "layerChiFromJacobian"},
                                                            {&view.chiActual, "layerChiActual"},
                                                            {&view.densityIn, "densityIn"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    view.chiByGain = r.array("chiByGain");
    view.deep = r.params.is("net", "batch-norm");
    view.last = static_cast<double>(view.chi->values.size() - 1);
    view.at = std::clamp(f.state.params.number("at"), 0.0, view.last);
    view.curve = rowAt(*view.curves, view.at);
    view.firstOrder = rowAt(*view.firstOrders, view.at);
    view.noise = rowAt(*view.noises, view.at);
    view.bins = rowAt(*view.outputs, view.at);
    view.density = rowAt(*view.densities, view.at);
    view.rescaling = rowAt(*view.rescalings, view.at)[0];
    view.separation = r.params.number("separation");
    view.spread = r.params.number("spread");
    view.sigma = r.params.number("noise");
    view.probe = f.state.params.number("probe");
    view.gain = f.state.params.number("gain");
    return true;
}

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 330) return drawMap(f, view, a);
    const double split = a.lo.y + a.height() * 0.62;
    drawMap(f, view, {a.lo, {a.hi.x, split - 4}});
    drawChi(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.36, 220.0, 430.0);
    drawMap(f, view, {{a.lo.x, a.lo.y + 4}, {right - 14, a.hi.y}});
    if (a.height() < 360) return drawChi(f, view, {{right, a.lo.y + 4}, a.hi});
    const double words = a.height() > 470 ? 96 : 0, middle = a.lo.y + (a.height() - words) / 2;
    drawChi(f, view, {{right, a.lo.y + 4}, {a.hi.x, middle - 4}});
    drawNoise(f, view, {{right, middle + 4}, {a.hi.x, a.hi.y - words}});
    if (words > 0) drawReadings(f, view, {{right + 12, a.hi.y - words + 6}, a.hi});
}

class SignalAndNoisePicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The noise is being pushed through.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace signal_and_noise

PictureEntry signal_and_noise_picture() {
    return {"signal-and-noise", [] { return std::unique_ptr<Picture>(std::make_unique<signal_and_noise::SignalAndNoisePicture>()); }};
}

}  // namespace kappaflow
