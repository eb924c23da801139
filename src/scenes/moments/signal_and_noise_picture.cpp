// Signal and noise (P3 Fig 1): a scalar map beside the constant rescaling of equal output variance, and what noise makes of it.
#include <algorithm>
#include <memory>

#include "draw/number_text.h"
#include "scenes/moments/picture_step.h"
#include "scenes/moments/signal_and_noise.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace signal_and_noise {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

/// Inputs drawn: the same whatever the mixture, so that pulling its knobs moves nothing else.
constexpr double kPicturedInputs = 3.2;

/// The map at the layer shown: between two layers curves are mixed.
struct View {
    explicit View(const Seen&);
    Size nearest() const { return static_cast<Size>(at + 0.5); }
    double chi() const { return r.layerChi[nearest()]; }
    /// Inputs that count: within so many spreads of a centre.
    double reach(double spreads) const { return s.asked.separation / 2 + spreads * s.asked.spread; }
    double curveAt(double input) const { return rowAt(curve, 1, placeOf(input))[0]; }
    double slopeAt(double input) const { return rowAt(firstOrder, 1, placeOf(input))[0] / s.asked.noise; }
    double placeOf(double input) const { return (input - r.inputs.front()) / (r.inputs[1] - r.inputs[0]); }

    const Seen& s;
    PictureFrame& f;
    const Result& r;
    bool deep;
    double last, at, passed;  ///< passed: of one layer, how far inputs are on their way through it
    double rescaling;         ///< slope of Ψ
    Vector curve, firstOrder, noise, bins, density;
};

View::View(const Seen& seen)
    : s(seen),
      f(seen.f),
      r(seen.result),
      deep(seen.asked.net == Net::BatchNorm),
      last(r.layers.back()),
      at(deep ? std::clamp(seen.params.at, 0.0, last) : last),
      passed(deep ? 1 : std::clamp(seen.params.at, 0.0, 1.0)),
      rescaling(rowAt(r.layerRescaling, 1, at)[0]),
      curve(rowAt(r.layerCurve, r.inputs.size(), at)),
      firstOrder(rowAt(r.layerFirstOrder, r.inputs.size(), at)),
      noise(rowAt(r.layerNoise, r.inputs.size(), at)),
      bins(rowAt(r.outputs, r.bins.size(), at)),
      density(rowAt(r.densityOut, r.bins.size(), at)) {}

/// End of an axis that stays while what is shown changes a little: the first of 1, 2, 5, 10, … times `least` that holds the value.
double roundedUp(double value, double least) {
    double end = least;
    for (int k = 1; end < value && end < 1e300; ++k) end *= k % 3 == 2 ? 2.5 : 2;
    return end;
}

/// What a knob asks for, to the digits that a place on the screen means.
void ask(PictureFrame& f, const char* key, std::optional<double> moved, double perUnit) {
    if (!moved) return;
    const double value = std::round(*moved * perUnit) / perUnit;
    if (value != f.state.params.number(key)) f.changes.push_back(Change::param(key, value));
}
double gainDigits(std::optional<double> gain) { return gain && *gain < 1 ? 1000 : 100; }

// χ against the gain or the layer, the noise that comes out of every input, and the numbers.

std::string nameOf(const std::string& key) { return key == "abs" ? "|*z*|" : key == "relu" ? "ReLU" : key == "identity" ? "linear" : key; }

void drawGain(const View& v, Plot& plot) {
    PictureFrame& f = v.f;
    const double asked = v.s.asked.gain, chi = v.r.layerChi.back(), gain = v.s.params.gain;
    plot.markers("chi/now", std::span(&asked, 1), std::span(&chi, 1), {f.theme.accent, Dash::Solid, 1, ""}, MarkerShape::Circle, 4.5);
    plot.vertical("chi/gain", gain, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (v.s.params.net == Net::BatchNorm) return;
    const AxisHandle handle{.id = "gain-line",
                            .label = "gain",
                            .valueText = numberText(gain, 3),
                            .value = gain,
                            .min = 0.1,
                            .max = 10,
                            .step = 0.1,
                            .x = gain,
                            .line = "chi"};
    if (const auto moved = dragAlong(f, plot, handle)) ask(f, "gain", *moved, gainDigits(*moved));
}

Curves chiByGain(const std::shared_ptr<const View>& v) {
    static constexpr Size kColors[] = {7, 0, 2, 1, 3, 5};
    static constexpr const char* kKeys[] = {"tanh", "relu", "abs", "hard-tanh", "sigmoid"};
    const Result& r = v->r;
    const std::string own = v->s.asked.net == Net::Linear ? "identity" : kKeys[static_cast<Size>(v->s.asked.activation)];
    Curves curves{.id = "chi",
                  .title = "one layer: *χ* against its gain",
                  .x = {.label = "gain *a*", .lo = 0.1, .hi = 10, .scale = Scale::Log},
                  .y = {.label = "*χ*", .lo = 0.02, .hi = roundedUp(1.2 * largest(r.chiByGain, 0), 3), .scale = Scale::Log},
                  .fit = Fit::Given,
                  .more = [v](PictureFrame& f, Plot& plot) {
                      plot.horizontal("chi/one", 1, {f.theme.line, Dash::Solid, 1.2, ""});
                      drawGain(*v, plot);
                  }};
    // The reader's own is drawn last, on top.
    for (const bool front : {false, true})
        for (Size a = 0; a < r.activations.size(); ++a) {
            if ((r.activations[a] == own) != front) continue;
            const Color color = v->f.theme.series[kColors[a % 6]];
            curves.curves.push_back({"measured", r.gains, rowAt(r.chiByGain, r.gains.size(), static_cast<double>(a)), Role::Measurement,
                                     nameOf(r.activations[a]), front ? color : color.withAlpha(0.75f), front ? 2.8 : 1.4});
        }
    return curves;
}

Curves chiByLayer(const std::shared_ptr<const View>& v) {
    const Result& r = v->r;
    const auto& series = v->f.theme.series;
    double lo = 0.8, hi = 3;
    for (const Vector* values : {&r.layerChi, &r.layerChiActual})
        for (const double value : *values)
            if (value > 0) lo = std::min(lo, value / 1.3), hi = std::max(hi, value * 1.6);
    return {
        .id = "chi",
        .title = "*χ* by layer, dots from slopes",
        .x = {.label = "layer *l*", .lo = -0.3, .hi = std::max(1.0, v->last) + 0.3, .whole = true},
        .y = {.label = "*χ*^{*l*}", .lo = lo, .hi = hi, .scale = Scale::Log},
        .fit = Fit::Given,
        .curves = {{"actual", r.layers, r.layerChiActual, Role::Measurement, "noise *σ* as it is", series[2], 1.8},
                   {"measured", r.layers, r.layerChi, Role::Measurement, "first order", series[0], 2.6}},
        .more = [v](PictureFrame& f, Plot& plot) {
            plot.horizontal("chi/one", 1, {f.theme.line, Dash::Solid, 1.2, ""});
            plot.markers("chi/slopes", v->r.layers, v->r.layerChords, {f.theme.series[0], Dash::Solid, 1, ""}, MarkerShape::Circle, 3.2);
            random_nets::offerStep(f, plot, {"chi", "layer", "layer " + std::to_string(v->nearest()), v->at, 0, v->last});
        }};
}

/// Root mean square over the inputs within one noise's size: slopes of a wild curve change faster than a line can show.
Vector nearbyRms(const View& v, const Vector& values) {
    const auto reach = static_cast<Size>(std::ceil(std::max(v.s.asked.noise, 0.03) / (v.r.inputs[1] - v.r.inputs[0])));
    Vector sums{0}, rms;
    for (const double value : values) sums.push_back(sums.back() + value * value);
    for (Size i = 0; i < values.size(); ++i) {
        const Size from = i > reach ? i - reach : 0, to = std::min(values.size(), i + reach + 1);
        rms.push_back(std::sqrt(std::max(0.0, sums[to] - sums[from]) / static_cast<double>(to - from)));
    }
    return rms;
}

/// Noise that comes out, as it is and to first order, against the input.
Curves noiseOut(const View& v) {
    const Vector &x = v.r.inputs, firstOrder = v.deep ? nearbyRms(v, v.firstOrder) : v.firstOrder;
    const double level = v.rescaling * v.s.asked.noise;
    // One axis for all layers, in steps of the noise that goes in.
    Vector all(v.r.layerNoise.size());
    for (Size i = 0; i < all.size(); ++i) {
        if (std::abs(x[i % x.size()]) >= v.reach(2.5)) continue;
        const double scaled = 1.6 * v.r.layerRescaling[i / x.size()] * v.s.asked.noise;
        all[i] = std::max(scaled, 1.1 * (v.deep ? v.r.layerNoise[i] : std::min(v.r.layerFirstOrder[i], 8 * v.r.layerNoise[i])));
    }
    const double top = roundedUp(topOverSteps(all, x.size()), 2.5 * v.s.asked.noise);
    Vector bumps = v.r.densityIn;
    const double peak = largest(bumps, 1e-12);
    for (double& value : bumps) value *= 0.5 * top / peak;
    return {.id = "noise",
            .title = "noise that comes out",
            .x = {.label = "input *x*", .lo = -kPicturedInputs, .hi = kPicturedInputs},
            .y = {.label = "noise in *y*", .lo = 0, .hi = top},
            .fit = Fit::Given,
            .curves = {{"rescaling", x, Vector(x.size(), level), Role::Theory, "through *Ψ*", v.f.theme.muted, 1.5},
                       {"first-order", x, firstOrder, Role::Theory, v.deep ? "first order, rms nearby" : "first order", std::nullopt, 1.5},
                       {"actual", x, v.noise, Role::Measurement, "as it is", v.f.theme.series[2], 2.2}},
            .more = [x, bumps](PictureFrame& f, Plot& plot) { plot.area("noise/density", x, bumps, f.theme.muted.withAlpha(0.14f)); }};
}

void drawReadings(const View& v, Rect rect) {
    const auto decibels = [&](double chi) -> std::string {
        if (std::isnan(chi)) return "–";
        if (chi == 0) return "∞";
        const double dB = 10 * std::log10(v.r.snrIn / (chi * chi));
        return dB < kMostDecibels ? fixedText(dB, 1) + " dB" : "beyond " + fixedText(kMostDecibels, 0) + " dB";
    };
    const double chi = v.chi();
    const bool none = std::isnan(chi);
    const std::string lines[] = {
        none ? "no *χ*: steeper than the step shows" : "*χ* = " + numberText(chi) + " from the moments",
        (none ? "*χ* > " : "*χ* = ") + numberText(v.r.layerChords[v.nearest()]) + " from the slopes of *Φ* and *Ψ*",
        "signal to noise: " + decibels(1) + " → " + decibels(chi),
        "with noise " + numberText(v.s.asked.noise, 3) + " as it is → " + decibels(v.r.layerChiActual[v.nearest()])};
    const double height = std::min(22.0, rect.height() / 4);
    for (Size i = 0; i < 4; ++i)
        v.f.painter.text("readings", {rect.lo.x + 12, rect.lo.y + height * (static_cast<double>(i) + 0.5)}, lines[i],
                         {.color = v.f.theme.text, .size = v.f.theme.smallSize, .v = AlignV::Middle});
}

// Φ and Ψ, the noise about one input on its way through Φ, and along the axes the densities of input and output.

/// Output range, the same for all layers and, as far as it goes, for all gains, so that a steeper map looks steeper: that of bounded
/// activations, or else what the map and Ψ do between the groups and in them. Far out a wild curve runs away.
AxisSpec outputsOf(const View& v) {
    constexpr double kBounded = 1.5;
    const Params& p = v.s.asked;
    if (p.net == Net::Layer && p.activation != Phi::Relu && p.activation != Phi::Abs)
        return {.label = "output *y*", .lo = -kBounded, .hi = kBounded};
    const double reach = v.reach(2);
    Vector all = v.r.layerCurve;
    for (Size i = 0; i < all.size(); ++i) {
        const bool counts = std::abs(v.r.inputs[i % v.r.inputs.size()]) <= reach;
        all[i] = counts ? std::max(std::abs(all[i]), v.r.layerRescaling[i / v.r.inputs.size()] * reach) : 0;
    }
    const double end = roundedUp(topOverSteps(all, v.r.inputs.size()), v.deep ? kBounded : 2 * kBounded);
    return {.label = "output *y*", .lo = -end, .hi = end};
}

std::string titleOf(const View& v, double width) {
    if (v.deep && v.at < 0.5) return "the input itself: *χ* = 1";
    const double value = v.chi();
    const std::string chi = "*χ* = " + numberText(value, 3), layer = "layer " + std::to_string(v.nearest());
    const int effect = effectOf(value);
    const std::string kind = effect == 0 ? "" : effect < 0 ? ", noise is reduced" : ", noise is amplified";
    if (std::isnan(value)) return layer + (width > 380 ? ": steeper than the step shows" : ": too steep");
    if (v.deep) return layer + " of " + std::to_string(v.s.asked.layers) + ": " + chi + (width > 380 ? kind : "");
    return chi + (width > 240 ? kind : "");
}

/// The noise about the input followed: a strip up to the curve, and the strip that comes out of it to the right.
void drawFollowed(const View& v, const Plot& plot) {
    PictureFrame& f = v.f;
    const Rect inner = plot.inner();
    const double x0 = v.s.params.probe, sigma = v.s.asked.noise, y0 = v.curveAt(x0);
    std::vector<Vec2> up;
    double lo = y0, hi = y0;
    for (int i = 0; i <= 48; ++i) {
        const double x = x0 + sigma * (i / 24.0 - 1), y = v.curveAt(x);
        lo = std::min(lo, y), hi = std::max(hi, y);
        up.push_back(plot.toScreen(x, y));
    }
    std::vector<Vec2> down(up);
    for (Vec2& p : down) p.y = inner.hi.y;
    const Vec2 top = plot.toScreen(x0, hi), bottom = plot.toScreen(x0, lo);
    f.painter.pushClip(inner);
    f.painter.strip("map/noise-in", up, down, f.theme.series[2].withAlpha(0.22f));
    f.painter.rect("map/noise-out", {{top.x, top.y}, {inner.hi.x, std::max(bottom.y, top.y + 1)}}, f.theme.series[2].withAlpha(0.22f));
    const double first = sigma * v.slopeAt(x0);
    for (const double side : {-1.0, 1.0}) {
        const Vec2 at = plot.toScreen(x0, y0 + side * first);
        f.painter.line("map/first-order", at, {inner.hi.x, at.y}, {f.theme.theory, 1.3, Dash::Dashed});
    }
    f.painter.popClip();
}

bool inSight(const Plot& plot, double x) {
    const double at = plot.toScreen(x, 0).x;
    return at >= plot.inner().lo.x - 1 && at <= plot.inner().hi.x + 1;
}

void nameKnob(PictureFrame& f, const Plot& plot, const char* id, double x, double y, const char* name, AlignH side) {
    const Rect inner = plot.inner();
    if (f.kept || inner.width() < 320) return;
    Vec2 at = plot.toScreen(x, y) + Vec2{side == AlignH::Left ? 10.0 : -10.0, 0};
    at.y = std::clamp(at.y, inner.lo.y, inner.hi.y);
    f.painter.text(id, at, name,
                   {.color = f.theme.muted, .size = f.theme.tinySize, .h = side, .v = AlignV::Middle, .halo = f.theme.ground});
}

void offerNoise(const View& v, const Plot& plot) {
    const double probe = v.s.params.probe, sigma = v.s.params.noise, y = plot.toData({0, plot.inner().hi.y - 8}).y;
    if (!inSight(plot, probe + sigma)) return;
    const auto moved = dragAlong(v.f, plot,
                                 {"noise", "size of the noise", numberText(sigma, 3), sigma, 0.01, 0.5, 0.01, probe + sigma, y, false,
                                  [&](double x) { return std::abs(x - probe); }});
    nameKnob(v.f, plot, "map/noise-name", probe + sigma, y, "*σ*", AlignH::Left);
    ask(v.f, "noise", moved, 1000);
}

/// On the curve at one pre-activation z = a·x, pulled sideways: the place on the axis hangs on the gain alone. z lies where the curve is
/// steep, and away from the input followed.
void offerGain(const View& v, const Plot& plot) {
    const Params& p = v.s.params;
    if (v.deep || p.net == Net::BatchNorm || v.at < v.last) return;
    const double z = p.net == Net::Layer && p.activation == Phi::Relu ? 1.3 : -0.5;
    const double x = std::clamp(z / p.gain, -0.97 * kPicturedInputs, 0.97 * kPicturedInputs), y = v.curveAt(x);
    if (!inSight(plot, x)) return;
    const auto gainAt = [&](double at) { return std::abs(z) / std::max(1e-3, at * (z < 0 ? -1 : 1)); };
    const auto moved = dragAlong(v.f, plot, {"gain", "gain", numberText(p.gain, 3), p.gain, 0.1, 10, 0.1, x, y, false, gainAt});
    nameKnob(v.f, plot, "map/gain-name", x, y, "gain", z < 0 ? AlignH::Right : AlignH::Left);
    ask(v.f, "gain", moved, gainDigits(moved));
}

void offerProbe(const View& v, const Plot& plot) {
    const double probe = v.s.params.probe, x = std::clamp(probe, -kPicturedInputs, kPicturedInputs);
    if (!inSight(plot, x)) return;
    const auto moved = dragAlong(v.f, plot, {"probe", "input followed", numberText(probe, 3), probe, -3, 3, 0.05, x, v.curveAt(x)});
    ask(v.f, "probe", moved, 100);
}

/// The longer name where there is room for it.
const char* nameFor(PictureFrame& f, double width, const char* name, const char* shorter) {
    return f.painter.measure(name, {.color = f.theme.muted, .size = f.theme.tinySize}).x <= width ? name : shorter;
}

/// The density of the input under the map, over the same inputs; its right bump is the handle of separation and spread.
void drawInputDensity(const View& v, const Plot& plot, Rect rect) {
    PictureFrame& f = v.f;
    const Vector& density = v.r.densityIn;
    const double peak = largest(density, 1e-12), base = rect.hi.y - 2, height = rect.height() - 16;
    const auto screen = [&](double x, double y) { return Vec2{plot.toScreen(x, 0).x, base - height * y / peak}; };
    std::vector<Vec2> line, floor;
    for (Size i = 0; i < density.size(); ++i) {
        const Vec2 p = screen(v.r.inputs[i], density[i]);
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
    const double separation = v.s.params.separation, spread = v.s.params.spread;
    const Vec2 centre = screen(separation / 2, peak), flank = screen(separation / 2 + spread, 0.45 * peak);
    const auto pulled =
        f.handles.offer({"separation", "separation of the groups", numberText(separation, 3), separation, 0, 3, 0.05, knobRect(centre)},
                        [&](Vec2 p) { return 2 * plot.toData(p).x; });
    const auto wider = f.handles.offer({"spread", "spread within a group", numberText(spread, 3), spread, 0.05, 0.8, 0.01, knobRect(flank)},
                                       [&](Vec2 p) { return plot.toData(p).x - separation / 2; });
    drawKnob(f, "input/separation", centre, pulled);
    drawKnob(f, "input/spread", flank, wider);
    if (pulled.moved) ask(f, "separation", pulled.value, 100);
    if (wider.moved) ask(f, "spread", wider.value, 200);
}

/// The density of the output at the right, over the same outputs. An atom's bin is cut at the edge and its probability written out.
void drawOutputDensity(const View& v, const Plot& plot, Rect rect) {
    constexpr double kAtom = 0.2;
    PictureFrame& f = v.f;
    const double width = v.bins[1] - v.bins[0], all = width * static_cast<double>(v.bins.size());
    double most = 0;
    for (const double density : v.density)
        if (density * width < kAtom) most = std::max(most, density);
    const double cap = std::min(most > 0 ? most : 1, 16 / all) * 1.05;
    const Rect inner = plot.inner();
    std::vector<Vec2> edge;
    f.painter.pushClip({{rect.lo.x - 1, inner.lo.y}, {rect.hi.x + 1, inner.hi.y}});
    for (Size b = 0; b < v.bins.size(); ++b) {
        const double x = rect.lo.x + rect.width() * std::min(1.0, v.density[b] / cap);
        const double low = plot.toScreen(0, v.bins[b] - width / 2).y, high = plot.toScreen(0, v.bins[b] + width / 2).y;
        edge.push_back({x, plot.toScreen(0, v.bins[b]).y});
        f.painter.rect("output/density", {{rect.lo.x, high}, {x, low}}, f.theme.series[0].withAlpha(0.2f));
    }
    f.painter.line("output/line", edge, {f.theme.series[0], 1.8});
    f.painter.popClip();
    f.painter.line("output/base", {rect.lo.x, inner.lo.y}, {rect.lo.x, inner.hi.y}, {f.theme.line, 1});
    f.painter.text("output/name", {rect.lo.x + 2, inner.lo.y - 18}, nameFor(f, rect.width() - 4, "density of *y*", "*p*(*y*)"),
                   {.color = f.theme.muted, .size = f.theme.tinySize});
    for (Size b = 0; b < v.bins.size(); ++b) {
        const double share = v.r.densityOut[v.nearest() * v.bins.size() + b] * width, y = plot.toScreen(0, v.bins[b]).y;
        if (share >= kAtom && inner.contains({inner.centre().x, y}))
            f.painter.text(
                "output/atom", {rect.hi.x - 2, y - 4}, numberText(100 * share, 2) + " %",
                {.color = f.theme.text, .size = f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Bottom, .halo = f.theme.ground});
    }
}

/// Inputs on their way through one layer, as many wherever the density has an equal share: up to the curve, then across to the output.
void drawInputs(const View& v, const Plot& plot, double right) {
    if (v.deep || v.passed >= 1) return;
    constexpr double kInputs = 60;
    const Rect inner = plot.inner();
    const double up = std::min(1.0, 2 * v.passed), across = std::max(0.0, 2 * v.passed - 1);
    double all = 0, sum = 0, next = 0.5;
    for (const double density : v.r.densityIn) all += density;
    std::vector<PointMark> marks;
    for (Size i = 0; i < v.r.inputs.size(); ++i) {
        sum += v.r.densityIn[i] / all * kInputs;
        for (; sum > next; ++next) {
            const Vec2 end = plot.toScreen(v.r.inputs[i], v.curve[i]);
            const double y = std::clamp(end.y, inner.lo.y, inner.hi.y);
            marks.push_back({{end.x + (right - end.x) * across, inner.hi.y + (y - inner.hi.y) * up}, 2.4, v.f.theme.series[0]});
        }
    }
    v.f.painter.points("map/inputs", marks);
}

/// Φ beside Ψ, the noise of one input followed through it, and the densities of input and output along the axes.
void drawMap(const View& v, Rect rect) {
    PictureFrame& f = v.f;
    const double below = std::clamp(rect.height() * 0.2, 52.0, 110.0), beside = std::clamp(rect.width() * 0.16, 52.0, 110.0);
    Plot plot = plotIn(f, "map", {rect.lo, {rect.hi.x - beside - 8, rect.hi.y - below - 6}},
                       {.label = "input *x*", .lo = -kPicturedInputs, .hi = kPicturedInputs}, outputsOf(v));
    Vector rescaled;
    for (const double x : v.r.inputs) rescaled.push_back(v.rescaling * x);
    drawFollowed(v, plot);
    plot.line("map/curve", v.r.inputs, v.curve, {f.theme.series[0], Dash::Solid, 2.6, "*Φ*"});
    plot.line("map/rescaling", v.r.inputs, rescaled, {f.theme.theory, Dash::Dashed, 1.8, "*Ψ*, same variance"});
    const Rect inner = plot.inner();
    drawInputs(v, plot, inner.hi.x + 8);
    drawInputDensity(v, plot, {{inner.lo.x, rect.hi.y - below}, {inner.hi.x, rect.hi.y}});
    drawOutputDensity(v, plot, {{inner.hi.x + 8, inner.lo.y}, {rect.hi.x, inner.hi.y}});
    offerNoise(v, plot);
    offerGain(v, plot);
    offerProbe(v, plot);
    finishPlot(f, plot, "map", titleOf(v, rect.width() - beside));
}

Layout layout(const Seen& s) {
    if (s.result.layerCurve.empty()) return s.panel(0, {}, [&s](Rect) { emptyPicture(s.f, "The noise is being pushed through."); });
    const auto v = std::make_shared<const View>(s);
    std::vector<Layout> beside;
    if (v->deep || !s.result.activations.empty()) beside.push_back(s.panel(1, {220, 150}, v->deep ? chiByLayer(v) : chiByGain(v)));
    beside.push_back(s.panel(2, {220, 150}, noiseOut(*v)));
    beside.push_back(s.panel(3, {220, 92}, [v](Rect rect) { drawReadings(*v, rect); }).share(0.2));
    return Layout::columns({s.panel(0, {300, 260}, [v](Rect rect) { drawMap(*v, rect); }).share(1.75), Layout::rows(std::move(beside))});
}

}  // namespace
}  // namespace signal_and_noise

PictureEntry signal_and_noise_picture() { return tablePicture<signal_and_noise::kScene, signal_and_noise::layout>(); }

}  // namespace kappaflow
